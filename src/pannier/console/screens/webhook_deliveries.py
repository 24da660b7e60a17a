"""The delivery log: deliveries to webhooks, their attempts, and replays."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import door, lookup, render
from pannier.console.desk import Desk, Rows
from pannier.console.fields import TIMES
from pannier.console.forms import Field
from pannier.console.records import PAGE, asked, found, zone_of
from pannier.console.screens.events import SUBJECT, names
from pannier.console.statuses import plain
from pannier.console.words import duration
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/webhook-deliveries"
API: Final = "/int/v1/webhook-deliveries"
PING: Final = "webhook.ping"
STATES: Final = tuple(
    (state, plain(state))
    for state in ("pending", "sending", "succeeded", "failed", "held", "superseded", "cancelled")
)
STATE: Final = Field(name="state", label="Status", kind="choice", options=STATES)
EVENT_ID: Final = Field(name="event_id", label="Event ID", placeholder="Event ID: event_…")
# Outcomes on our side. Such an attempt is repeated, and is no step of the schedule.
OURS: Final = frozenset({"interrupted", "internal"})
NO_FILTER: Final = "Set at least one filter."


class Step(NamedTuple):
    """A step of the retry schedule: its wait after the one before, and its outcome."""

    wait: str
    word: str
    colour: str
    at: str | None


def steps(delivery: Mapping[str, Any]) -> list[Step]:
    """Match the latest round of attempts with the retry schedule."""
    tried = _round(delivery["attempt_log"])
    waits = ["immediately", *(f"+ {duration(seconds)}" for seconds in delivery["retry_delays"])]
    if delivery["event"] == PING:
        waits = waits[:1]
    made = [_tried(wait, attempt) for wait, attempt in zip(waits, tried, strict=False)]
    return made + [
        _untried(wait, delivery, following=at == 0) for at, wait in enumerate(waits[len(made) :])
    ]


def _round(attempts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the attempts since the last replay, the latest of each step."""
    found: list[Mapping[str, Any]] = []
    for attempt in attempts:
        again = found and found[-1]["outcome"] in OURS
        if again and attempt["trigger"] == found[-1]["trigger"]:
            found[-1] = attempt
        elif attempt["trigger"] == "retry":
            found.append(attempt)
        else:
            found = [attempt]
    return found


def _tried(wait: str, attempt: Mapping[str, Any]) -> Step:
    outcome = attempt["outcome"]
    colour = {"succeeded": "green", "sending": "blue"}.get(outcome, "red")
    return Step(wait, str(attempt["status"] or outcome), colour, attempt["started_at"])


def _untried(wait: str, delivery: Mapping[str, Any], *, following: bool) -> Step:
    state = delivery["state"]
    if state == "pending":
        return (
            Step(wait, "next", "amber", delivery["next_attempt_at"])
            if following
            else Step(wait, "if needed", "grey", None)
        )
    if state == "held":
        return Step(wait, "held" if following else "if needed", "grey", None)
    return Step(wait, "if needed" if state == "sending" else "not needed", "grey", None)


async def _filters(desk: Desk) -> list[Field]:
    """Load the filters, with the company's webhooks as options."""
    webhooks = (await desk.rows("/int/v1/webhooks", {"limit": "100"})).rows
    known = [(one["id"], (one["description"] or one["url"])[:60]) for one in webhooks]
    return [
        SUBJECT,
        STATE,
        Field(
            name="event", label="Event", kind="choice", options=[*await names(desk), (PING, PING)]
        ),
        Field(name="webhook", label="Webhook", kind="choice", options=known),
        *TIMES,
        EVENT_ID,
    ]


async def _wanted(desk: Desk, fields: Sequence[Field], given: Mapping[str, str]) -> dict[str, str]:
    """Return the deliveries' filters from a query or a form."""
    zone, given = await zone_of(desk), await lookup.resolve_filters(desk, fields, given)
    named = {field.name: field.asked(given.get(field.name, ""), zone) for field in fields}
    return {name: text for name, text in named.items() if text}


@get("/webhook-deliveries")
async def listed(exchange: Exchange) -> Response[bytes]:
    """List deliveries, the latest first."""
    desk, given = Desk(exchange), asked(exchange)
    fields = await _filters(desk)
    rows, wrong = Rows([], None), ""
    try:
        given = await lookup.resolve_filters(desk, fields, given)
        rows = await found(desk, API, fields, given)
    except Problem as problem:
        wrong = problem.fields[0].message if problem.fields else problem.detail
    return await render.page(
        desk, "webhook-deliveries/list.html", title="Delivery log", rows=rows.rows,
        cursor=rows.cursor, given=given, fields=fields, wrong=wrong, states=STATES,
        webhooks=dict(fields[3].options),
    )  # fmt: skip


@get("/webhook-deliveries/{delivery_id:str}")
async def shown(exchange: Exchange, delivery_id: str) -> Response[bytes]:
    """Show a delivery: its payload and every attempt."""
    desk = Desk(exchange)
    delivery = await desk.get(f"{API}/{{delivery_id}}", delivery_id=delivery_id)
    return await render.page(
        desk, "webhook-deliveries/delivery.html", title=delivery["event"], delivery=delivery,
        steps=steps(delivery), webhook=await _webhook(desk, delivery["webhook"]),
    )  # fmt: skip


async def _webhook(desk: Desk, identifier: str) -> Any:  # noqa: ANN401 - JSON
    """Find the webhook of a delivery, unless it was deleted."""
    try:
        return await desk.get("/int/v1/webhooks/{webhook_id}", webhook_id=identifier)
    except Problem:
        return None


@post("/webhook-deliveries/{delivery_id:str}/replay", status_code=200)
async def replay(exchange: Exchange, delivery_id: str) -> Response[bytes]:
    await Desk(exchange).act("POST", f"{API}/{{delivery_id}}/replay", delivery_id=delivery_id)
    said = "Delivery queued again with the same ID and payload."
    return render.led(exchange, f"{HOME}/{delivery_id}", said=said)


@post("/webhook-deliveries/replay-selected", status_code=200)
async def replay_selected(exchange: Exchange) -> Response[bytes]:
    """Replay the selected deliveries, each on its own, and show the results."""
    desk, chosen = Desk(exchange), list(dict.fromkeys(door.sent(exchange).all("id")))
    if not chosen:
        return render.led(exchange, HOME, refused="Select at least one delivery.")
    if len(chosen) > PAGE:
        refused = f"{len(chosen)} deliveries selected. You can replay up to {PAGE} at a time."
        return render.led(exchange, HOME, refused=refused)
    results = [await _tried_again(desk, identifier) for identifier in chosen]
    return await render.page(
        desk, "webhook-deliveries/replayed.html", title="Replay results", at=HOME, results=results
    )


async def _tried_again(desk: Desk, identifier: str) -> tuple[Any, str]:
    """Replay one of several deliveries. A refusal undoes only this one."""
    template = f"{API}/{{delivery_id}}"
    refused = await desk.attempt("POST", f"{template}/replay", delivery_id=identifier)
    if refused is not None:
        return {"id": identifier, "event": None}, refused.detail
    return await desk.get(template, delivery_id=identifier), ""


@get("/webhook-deliveries/replay")
async def ask_for_replay(exchange: Exchange) -> Response[bytes]:
    """Ask which deliveries to replay, and count them."""
    desk, given = Desk(exchange), asked(exchange)
    fields = [field for field in await _filters(desk) if field is not EVENT_ID]
    wanted = await _wanted(desk, fields, given)
    counted, wrong = None, ""
    if wanted:
        try:
            counted = await desk.act("POST", f"{API}/replay", _replaying(wanted, given, dry=True))
        except Problem as problem:
            wrong = problem.fields[0].message if problem.fields else problem.detail
    return await render.page(
        desk, "webhook-deliveries/replay.html", title="Replay deliveries", fields=fields,
        given=given, counted=counted, wrong=wrong,
    )  # fmt: skip


@post("/webhook-deliveries/replay", status_code=200)
async def replay_since(exchange: Exchange) -> Response[bytes]:
    """Replay the deliveries that match the filters, up to the limit of one call."""
    desk, sent = Desk(exchange), door.sent(exchange)
    fields = [field for field in await _filters(desk) if field is not EVENT_ID]
    wanted = await _wanted(desk, fields, sent)
    if not wanted:
        return render.led(exchange, f"{HOME}/replay", refused=NO_FILTER)
    done = await desk.act("POST", f"{API}/replay", _replaying(wanted, sent, dry=False))
    given = {name: sent.get(name, "") for name in wanted}
    if done["remaining"]:
        said = f"Deliveries queued: {done['replayed']}. Remaining: {done['remaining']}."
        onward = render.address(f"{HOME}/replay", given, after=done["last"])
        return render.led(exchange, onward, said=said)
    kept = {name: given.get(name, "") for name in ("webhook", "event", "since", "until")}
    said = (
        f"Deliveries queued: {done['replayed']}." if done["replayed"] else "No deliveries matched."
    )
    return render.led(exchange, render.address(HOME, kept), said=said)


def _replaying(wanted: Mapping[str, str], given: Mapping[str, str], *, dry: bool) -> dict[str, Any]:
    lists = {name: [wanted[name]] for name in ("event", "state") if name in wanted}
    after = {"after": given["after"]} if given.get("after") else {}
    return {"filter": {**wanted, **lists}, "dry_run": dry, **after}


handlers: Final = [
    listed,
    shown,
    replay,
    replay_selected,
    ask_for_replay,
    replay_since,
]
