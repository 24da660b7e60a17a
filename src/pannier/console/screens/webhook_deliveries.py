"""The delivery log: deliveries to webhooks, their attempts, and replays."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import list_exports, lookup, responses, session
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.fields import TIMES
from pannier.console.formatting import format_duration
from pannier.console.forms import Field
from pannier.console.records import PAGE_SIZE, list_rows, load_zone, read_query
from pannier.console.screens.events import SUBJECT, list_event_names, list_subjects
from pannier.console.statuses import to_label
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

HOME: Final = "/console/webhook-deliveries"
API: Final = "/int/v1/webhook-deliveries"
PING: Final = "webhook.ping"
STATES: Final = tuple(
    (state, to_label(state))
    for state in ("pending", "sending", "succeeded", "failed", "held", "superseded", "cancelled")
)
# Without a status, a replay selects failed deliveries.
STATE: Final = Field(
    name="state", label="Status", kind="choice", options=STATES, placeholder="Failed"
)
EVENT_ID: Final = Field(name="event_id", label="Event ID", placeholder="Event ID, such as event_…")
# Failures on our side. Such an attempt is repeated, and is not a step of the schedule.
INTERNAL_OUTCOMES: Final = frozenset({"interrupted", "internal"})
NO_FILTER_MESSAGE: Final = "Set at least one filter."


class RetryStep(NamedTuple):
    """A step of the retry schedule: its delay after the previous step, and its outcome."""

    delay: str
    outcome: str
    colour: str
    time: str | None


def list_steps(delivery: Mapping[str, Any]) -> list[RetryStep]:
    """List the steps of the retry schedule, with the latest round of attempts."""
    attempts = _select_latest_round(delivery["attempt_log"])
    delays = [
        "immediately",
        *(f"+{format_duration(seconds)}" for seconds in delivery["retry_delays"]),
    ]
    if delivery["event"] == PING:
        delays = delays[:1]
    steps = [
        _make_attempted_step(delay, attempt)
        for delay, attempt in zip(delays, attempts, strict=False)
    ]
    return steps + [
        _make_pending_step(delay, delivery, is_next=index == 0)
        for index, delay in enumerate(delays[len(steps) :])
    ]


def _select_latest_round(attempts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the attempts since the last replay, with the latest attempt of each step."""
    round_attempts: list[Mapping[str, Any]] = []
    for attempt in attempts:
        is_internal = round_attempts and round_attempts[-1]["outcome"] in INTERNAL_OUTCOMES
        if is_internal and attempt["trigger"] == round_attempts[-1]["trigger"]:
            round_attempts[-1] = attempt
        elif attempt["trigger"] == "retry":
            round_attempts.append(attempt)
        else:
            round_attempts = [attempt]
    return round_attempts


def _make_attempted_step(delay: str, attempt: Mapping[str, Any]) -> RetryStep:
    outcome = attempt["outcome"]
    colour = {"succeeded": "green", "sending": "blue"}.get(outcome, "red")
    return RetryStep(delay, str(attempt["status"] or outcome), colour, attempt["started_at"])


def _make_pending_step(delay: str, delivery: Mapping[str, Any], *, is_next: bool) -> RetryStep:
    state = delivery["state"]
    if state == "pending":
        return (
            RetryStep(delay, "next", "amber", delivery["next_attempt_at"])
            if is_next
            else RetryStep(delay, "if needed", "grey", None)
        )
    if state == "held":
        return RetryStep(delay, "held" if is_next else "if needed", "grey", None)
    return RetryStep(delay, "if needed" if state == "sending" else "not needed", "grey", None)


async def _load_filters(client: ApiClient) -> list[Field]:
    """Load the filters, with the company's webhooks as options."""
    webhooks = (await client.list_rows("/int/v1/webhooks", {"limit": "100"})).rows
    options = [
        (webhook["id"], (webhook["description"] or webhook["url"])[:60]) for webhook in webhooks
    ]
    return [
        SUBJECT,
        STATE,
        Field(
            name="event",
            label="Event",
            kind="choice",
            options=[*await list_event_names(client), (PING, PING)],
            placeholder="Any",
        ),
        Field(name="webhook", label="Webhook", kind="choice", options=options, placeholder="Any"),
        *TIMES,
        EVENT_ID,
    ]


async def _read_filters(
    client: ApiClient, fields: Sequence[Field], query: Mapping[str, str]
) -> dict[str, str]:
    """Read the filters of deliveries from a query or a form."""
    zone, query = await load_zone(client), await lookup.resolve_filters(client, fields, query)
    values_by_name = {
        field.name: field.to_query(query.get(field.name, ""), zone) for field in fields
    }
    return {name: text for name, text in values_by_name.items() if text}


@get("/webhook-deliveries")
async def list_deliveries(exchange: Exchange) -> Response[bytes]:
    """List deliveries, the latest first."""
    client, query = ApiClient(exchange), read_query(exchange)
    fields = await _load_filters(client)
    rows, error = ListPage([], None), ""
    try:
        query = await lookup.resolve_filters(client, fields, query)
        rows = await list_rows(client, API, fields, query)
    except Problem as problem:
        error = problem.fields[0].message if problem.fields else problem.detail
    return await responses.render_page(
        client, "webhook-deliveries/list.html", title="Webhook deliveries", rows=rows.rows,
        cursor=rows.cursor, filter_values=query, fields=fields, error=error, states=STATES,
        webhooks=dict(fields[3].options), subjects=[row["subject"] for row in rows.rows],
    )  # fmt: skip


@get("/webhook-deliveries/export")
async def export_deliveries(exchange: Exchange) -> StreamedResponse:
    """Download all deliveries that match the filters of the list."""
    client = ApiClient(exchange)
    filters = await _load_filters(client)

    async def load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
        return await list_rows(client, API, filters, query)

    return await list_exports.export_list(client, "webhook-deliveries", filters, load_rows)


@get("/webhook-deliveries/{delivery_id:str}")
async def show_delivery(exchange: Exchange, delivery_id: str) -> Response[bytes]:
    """Show a delivery: its payload and every attempt."""
    client = ApiClient(exchange)
    delivery = await client.get(f"{API}/{{delivery_id}}", delivery_id=delivery_id)
    return await responses.render_page(
        client, "webhook-deliveries/delivery.html", title=delivery["event"], delivery=delivery,
        steps=list_steps(delivery), webhook=await _find_webhook(client, delivery["webhook"]),
        subjects=list_subjects([delivery]),
    )  # fmt: skip


async def _find_webhook(client: ApiClient, identifier: str) -> Any:  # noqa: ANN401 - JSON
    """Find the webhook of a delivery, unless it was deleted."""
    try:
        return await client.get("/int/v1/webhooks/{webhook_id}", webhook_id=identifier)
    except Problem:
        return None


@post("/webhook-deliveries/{delivery_id:str}/replay", status_code=200)
async def replay_delivery(exchange: Exchange, delivery_id: str) -> Response[bytes]:
    await ApiClient(exchange).send("POST", f"{API}/{{delivery_id}}/replay", delivery_id=delivery_id)
    message = "Delivery queued again with the same ID and payload."
    return responses.redirect_with_flash(exchange, f"{HOME}/{delivery_id}", message=message)


@post("/webhook-deliveries/replay-selected", status_code=200)
async def replay_selected_deliveries(exchange: Exchange) -> Response[bytes]:
    """Replay the selected deliveries independently, and show the results."""
    client, delivery_ids = (
        ApiClient(exchange),
        list(dict.fromkeys(session.read_form(exchange).get_all("id"))),
    )
    if not delivery_ids:
        return responses.redirect_with_flash(exchange, HOME, error="Select at least one delivery.")
    if len(delivery_ids) > PAGE_SIZE:
        message = (
            f"{len(delivery_ids)} deliveries selected. You can replay up to {PAGE_SIZE} at a time."
        )
        return responses.redirect_with_flash(exchange, HOME, error=message)
    results = [await _replay_selected_delivery(client, identifier) for identifier in delivery_ids]
    return await responses.render_page(
        client,
        "webhook-deliveries/replayed.html",
        title="Replay results",
        url=HOME,
        results=results,
        subjects=[row.get("subject") for row, _ in results],
    )


async def _replay_selected_delivery(client: ApiClient, identifier: str) -> tuple[Any, str]:
    """Replay one of several deliveries. A refusal undoes only this replay."""
    template = f"{API}/{{delivery_id}}"
    problem = await client.try_send("POST", f"{template}/replay", delivery_id=identifier)
    if problem is not None:
        return {"id": identifier, "event": None}, problem.detail
    return await client.get(template, delivery_id=identifier), ""


@get("/webhook-deliveries/replay")
async def show_replay_form(exchange: Exchange) -> Response[bytes]:
    """Show the replay form, and the number of deliveries that match its filters."""
    client, query = ApiClient(exchange), read_query(exchange)
    fields = [field for field in await _load_filters(client) if field is not EVENT_ID]
    filters = await _read_filters(client, fields, query)
    count_result, error = None, ""
    if filters:
        try:
            count_result = await client.send(
                "POST", f"{API}/replay", _make_replay_body(filters, query, dry_run=True)
            )
        except Problem as problem:
            error = problem.fields[0].message if problem.fields else problem.detail
    return await responses.render_page(
        client, "webhook-deliveries/replay.html", title="Replay deliveries", fields=fields,
        filter_values=query, counted=count_result, error=error,
    )  # fmt: skip


@post("/webhook-deliveries/replay", status_code=200)
async def replay_matching_deliveries(exchange: Exchange) -> Response[bytes]:
    """Replay the deliveries that match the filters, up to the limit of one API call."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    fields = [field for field in await _load_filters(client) if field is not EVENT_ID]
    filters = await _read_filters(client, fields, form_data)
    if not filters:
        return responses.redirect_with_flash(exchange, f"{HOME}/replay", error=NO_FILTER_MESSAGE)
    result = await client.send(
        "POST", f"{API}/replay", _make_replay_body(filters, form_data, dry_run=False)
    )
    sent_filters = {name: form_data.get(name, "") for name in filters}
    if result["remaining"]:
        message = f"Deliveries queued: {result['replayed']}. Remaining: {result['remaining']}."
        next_url = responses.build_url(f"{HOME}/replay", sent_filters, after=result["last"])
        return responses.redirect_with_flash(exchange, next_url, message=message)
    list_filters = {
        name: sent_filters.get(name, "") for name in ("webhook", "event", "since", "until")
    }
    message = (
        f"Deliveries queued: {result['replayed']}."
        if result["replayed"]
        else "No deliveries matched."
    )
    return responses.redirect_with_flash(
        exchange, responses.build_url(HOME, list_filters), message=message
    )


def _make_replay_body(
    filters: Mapping[str, str], query: Mapping[str, str], *, dry_run: bool
) -> dict[str, Any]:
    list_filters = {name: [filters[name]] for name in ("event", "state") if name in filters}
    cursor = {"after": query["after"]} if query.get("after") else {}
    return {"filter": {**filters, **list_filters}, "dry_run": dry_run, **cursor}


handlers: Final = [
    list_deliveries,
    export_deliveries,
    show_delivery,
    replay_delivery,
    replay_selected_deliveries,
    show_replay_form,
    replay_matching_deliveries,
]
