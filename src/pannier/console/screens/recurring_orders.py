"""Recurring orders: rules by which orders are created from a template."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response

from pannier.console import columns, recurrence_form, responses, session
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.confirmation import Question
from pannier.console.formatting import record_name
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.record_names import load_labels
from pannier.console.records import Records, load_zone, read_query
from pannier.console.session import FormData
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/recurring-orders"
API: Final = "/v1/recurring-orders"
RECORD_PATH: Final = f"{API}/{{recurring_order_id}}"
DAY_FORM: Final = Form((Field(name="day", label="Day", kind="day", required=True),))
MAX_SHOWN_DAYS: Final = "50"
MAX_NAME_LENGTH: Final = 100


def _is_running(record: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(record["status"] != "ended")


def _is_paused(record: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(record["status"] == "paused")


def _is_active(record: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(record["status"] == "active")


async def load_related(client: ApiClient, record: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the template variables of a recurring order's page."""
    path_params = {"recurring_order_id": record["id"]}
    days = (
        await client.list_rows(f"{RECORD_PATH}/days", {"limit": MAX_SHOWN_DAYS}, **path_params)
    ).rows
    next_days = await client.get(f"{RECORD_PATH}/next-days", **path_params)
    templates = [record["template"]] if record["template"] else []
    names = await load_labels(client, [day["order"] for day in days if day["order"]])
    zone = await load_zone(client)
    for identifier in templates:
        template = await client.get(
            "/v1/order-templates/{order_template_id}", order_template_id=identifier
        )
        names[identifier] = template["name"]
    return {
        "days": days,
        "next_days": next_days["days"],
        "names": names,
        "today": client.exchange.db.now.astimezone(zone).date().isoformat(),
    }


RECURRING: Final = Records(
    API,
    name="recurring_order_id",
    columns=(
        columns.NAME,
        Column("Repeats", "description"),
        columns.STATUS,
        Column("Next day", "next_day", "weekday"),
        Column("Created", "created_at", "time", wide=True),
    ),
    facts=(
        Column("Repeats", "description"),
        columns.STATUS,
        Column("Template", "template", "link", to="order-templates"),
        Column("First day", "starts_on", "weekday"),
        Column("Next day", "next_day", "weekday", quiet=True),
        Column("Creates its order", "next_creation_at", "time", quiet=True),
        Column("Paused", "paused_at", "time", quiet=True),
        Column("Ended", "ended_at", "time", quiet=True),
    ),
    filters=(Field(name="query", label="Name"),),
    form=recurrence_form.FORM,
    actions=(
        Action("pause", "Pause", "POST", f"{RECORD_PATH}/pause", "pause", "Paused.",
               condition=_is_active),
        Action("resume", "Resume", "POST", f"{RECORD_PATH}/resume", "play",
               "Resumed from today on.", condition=_is_paused),
        Action("stop", "Stop", "POST", f"{RECORD_PATH}/end", "circle-stop", "Ended.",
               question="End this recurring order? Its orders stay. This cannot be undone.",
               danger=True, condition=_is_running),
        Action("skip", "Skip day", "POST", f"{RECORD_PATH}/skip", "x", "Day skipped.",
               form=DAY_FORM, on_demand=True, condition=_is_running),
        Action("create-order", "Create order", "POST", f"{RECORD_PATH}/create-order", "plus",
               "Order created.", form=DAY_FORM, on_demand=True, condition=_is_running),
    ),
    list_template="recurring-orders/list.html",
    record_template="recurring-orders/record.html",
    load_related=load_related,
    delete_question=Question("Delete this recurring order? Its orders stay.", "Delete"),
    empty="No recurring orders yet. Repeat an order on its page.",
)  # fmt: skip


async def _load_source(client: ApiClient, query: Mapping[str, str]) -> dict[str, str]:
    """Load the order or the template to repeat: its field, its id and its name."""
    if identifier := query.get("template", ""):
        template = await client.get(
            "/v1/order-templates/{order_template_id}", order_template_id=identifier
        )
        return {"field": "template", "id": template["id"], "name": template["name"]}
    order = await client.get("/v1/orders/{order_id}", order_id=query.get("order", ""))
    customer = (order["customer"] or {}).get("name", "")
    name = " ".join(filter(None, (record_name(order), customer)))
    return {"field": "order", "id": order["id"], "name": name[:MAX_NAME_LENGTH]}


async def _render_form(
    client: ApiClient,
    values: Mapping[str, str],
    *,
    record: Any = None,  # noqa: ANN401 - JSON
    source: Mapping[str, str] | None = None,
    form_data: FormData | None = None,
    problem: Problem | None = None,
) -> Response[bytes]:
    """Render the form with a preview of its next days."""
    preview: Mapping[str, Any] = {"days": [], "description": ""}
    preview_errors = FormErrors()
    if form_data is not None:
        body = recurrence_form.make_body(form_data)
        preview_body = {name: body[name] for name in ("rule", "starts_on") if name in body}
        try:
            preview = await client.send("POST", f"{API}/preview", preview_body)
        except Problem as failure:
            await client.undo(failure)
            preview_errors = _to_errors(failure, values)
    return await responses.render_page(
        client,
        "recurring-orders/form.html",
        title=f"Edit {record['name']}" if record else f"Repeat {source['name'] if source else ''}",
        form=recurrence_form.FORM,
        filled=values,
        refusal=_to_errors(problem, values) if problem else FormErrors(),
        preview=preview,
        preview_error=" ".join(preview_errors.fields.values()) or preview_errors.sentence,
        record=record,
        source=source,
        home=HOME,
        target=f"{HOME}/{record['id']}/edit" if record else f"{HOME}/new",
        status=problem.status if problem else 200,
    )


def _to_errors(problem: Problem, values: Mapping[str, str]) -> FormErrors:
    """Show errors of the rule at the field from which the rule is made."""
    errors = FormErrors.from_problem(problem, recurrence_form.FORM)
    shown_at = {recurrence_form.WEEKLY: "weekdays", recurrence_form.MONTHLY: "month_day"}
    field = shown_at.get(values.get("pattern", ""), "rule")
    fields = {field if name == "rule" else name: text for name, text in errors.fields.items()}
    return FormErrors(errors.sentence, fields)


def _encode(values: Mapping[str, str]) -> FormData:
    """Return values as a submitted form."""
    pairs = [
        (name, value)
        for name, text in values.items()
        for value in (text.split("\n") if name == "weekdays" else [text])
    ]
    return FormData(urlencode(pairs).encode())


@get("/recurring-orders/new")
async def show_new_recurrence(exchange: Exchange) -> Response[bytes]:
    """Show the form that repeats an order or a template."""
    client = ApiClient(exchange)
    client.require("POST", API)
    source = await _load_source(client, read_query(exchange))
    today = exchange.db.now.astimezone(await load_zone(client)).date()
    values = recurrence_form.fill_new(source["name"], today)
    return await _render_form(client, values, source=source, form_data=_encode(values))


@post("/recurring-orders/new", status_code=200)
async def create_recurrence(exchange: Exchange) -> Response[bytes]:
    """Create a recurring order, or update the preview."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    source = await _load_source(client, form_data)
    values = _refill(form_data)
    if form_data.get("do") == "preview":
        return await _render_form(client, values, source=source, form_data=form_data)
    body = {**recurrence_form.make_body(form_data), source["field"]: source["id"]}
    try:
        record = await client.send("POST", API, body)
    except Problem as problem:
        await client.undo(problem)
        return await _render_form(
            client, values, source=source, form_data=form_data, problem=problem
        )
    return responses.redirect_with_flash(
        exchange, f"{HOME}/{record['id']}", message="Recurring order saved."
    )


@get("/recurring-orders/{identifier:str}/edit")
async def show_edited_recurrence(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the form of a recurring order."""
    client = ApiClient(exchange)
    client.require("PATCH", RECORD_PATH)
    record = await client.get(RECORD_PATH, recurring_order_id=identifier)
    values = recurrence_form.fill_saved(record)
    return await _render_form(client, values, record=record, form_data=_encode(values))


@post("/recurring-orders/{identifier:str}/edit", status_code=200)
async def change_recurrence(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Change a recurring order, or update the preview."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    record = await client.get(RECORD_PATH, recurring_order_id=identifier)
    values = _refill(form_data)
    if form_data.get("do") == "preview":
        return await _render_form(client, values, record=record, form_data=form_data)
    try:
        await client.send(
            "PATCH", RECORD_PATH, recurrence_form.make_body(form_data),
            version=form_data.get("version"), recurring_order_id=identifier,
        )  # fmt: skip
    except Problem as problem:
        await client.undo(problem)
        return await _render_form(
            client, values, record=record, form_data=form_data, problem=problem
        )
    return responses.redirect_with_flash(exchange, f"{HOME}/{identifier}", message="Saved.")


def _refill(form_data: FormData) -> dict[str, str]:
    """Return the input for the form, with the chosen weekdays on lines."""
    return {**form_data, "weekdays": "\n".join(form_data.get_all("weekdays"))}


handlers: Final = [
    show_new_recurrence,
    create_recurrence,
    show_edited_recurrence,
    change_recurrence,
    *RECURRING.make_handlers("list", "read", "delete", "act"),
]
