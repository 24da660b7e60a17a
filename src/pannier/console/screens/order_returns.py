"""A return of a delivered order: what goes back, and when."""

from collections.abc import Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import fields, lookup, order_view, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.records import load_zone
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.errors import FieldError, Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

ITEM_PREFIX: Final = "quantity-"
NOTHING_CHOSEN: Final = "Enter a quantity for at least one item."
OPTION_FIELDS: Final = (
    Field(name="reason", label="Reason", kind="area", placeholder="Wrong size.",
          help="Becomes the notes of the return, which its driver sees."),
    Field(name="scheduled_at", label="Auto-dispatch at", kind="moment",
          help="In the company's time zone."),
    fields.DRIVER,
)  # fmt: skip
REFUSALS: Final = frozenset({400, 404, 409, 422})


@get("/orders/{identifier:str}/return")
async def show_return_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the form of a new return, filled with everything that can still be returned."""
    client = ApiClient(exchange)
    client.require("POST", order_view.RETURN_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    return await _render_form(client, order)


@post("/orders/{identifier:str}/return", status_code=200)
async def create_return(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Create the return, and open its page."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    client.require("POST", order_view.RETURN_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    body: dict[str, Any] = {}
    try:
        form = Form((*_make_item_fields(await _load_items(client, order)), *OPTION_FIELDS))
        resolved_data = await lookup.resolve_form(client, form.fields, form_data)
        body = _make_body(order, form, resolved_data, await load_zone(client))
        return_order = await client.send("POST", order_view.RETURN_PATH, body, order_id=order["id"])
    except Problem as problem:
        if problem.status not in REFUSALS:
            raise
        await client.undo(problem)
        return await _render_form(
            client, order, form_data=form_data, body=body, problem=problem, status=problem.status
        )
    url = ORDER.record_url(return_order["id"])
    return responses.redirect_with_flash(exchange, url, message="Return created.")


async def _load_items(client: ApiClient, order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    items: list[Any] = await client.get(order_view.RETURNABLE_PATH, order_id=order["id"])
    return items


def _make_item_fields(items: Sequence[Any]) -> list[Field]:
    """Make a field for each item of which something can be returned."""
    return [
        Field(
            name=f"{ITEM_PREFIX}{item['entity']}", label=item["name"] or "Item", kind="number",
            help=f"Up to {item['returnable']} of {item['delivered']}.",
        )
        for item in items
        if item["entity"] is not None and item["returnable"]
    ]  # fmt: skip


def _make_body(
    order: Any,  # noqa: ANN401 - JSON
    form: Form,
    form_data: session.FormData,
    zone: ZoneInfo,
) -> dict[str, Any]:
    """Build the request body. Items with the quantity 0, or without one, stay."""
    values = form.make_body(form_data, zone)
    body = {name: value for name, value in values.items() if not name.startswith(ITEM_PREFIX)}
    if not order["payload"]["entities"]:
        return body
    items = [
        {"entity": name.removeprefix(ITEM_PREFIX), "quantity": value}
        for name, value in values.items()
        if name.startswith(ITEM_PREFIX) and value != 0
    ]
    if not items:
        raise Invalid(fields=[FieldError("items", NOTHING_CHOSEN)])
    return {**body, "items": items}


async def _render_form(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    *,
    form_data: session.FormData | None = None,
    body: dict[str, Any] | None = None,
    problem: Problem | None = None,
    status: int = 200,
) -> Response[bytes]:
    """Render the form. If nothing can be returned, the page says why in its place."""
    items = await _load_items(client, order)
    item_fields = _make_item_fields(items)
    defaults = {f"{ITEM_PREFIX}{item['entity']}": str(item["returnable"]) for item in items}
    return await responses.render_page(
        client, "orders/return.html", title="New return", status=status, record=order,
        name=ORDER.record_name(order), home=ORDER.record_url(order["id"]), records=ORDER,
        item_fields=item_fields, option_fields=OPTION_FIELDS,
        is_returnable=any(item["returnable"] for item in items),
        filled=defaults if form_data is None else form_data,
        refusal=FormErrors() if problem is None else _to_errors(problem, item_fields, body or {}),
    )  # fmt: skip


def _to_errors(problem: Problem, item_fields: Sequence[Field], body: dict[str, Any]) -> FormErrors:
    """Assign the problem's errors to fields: the API counts the items of the request."""
    errors = [_name_field(error, body) for error in problem.fields]
    if [error.path for error in errors] == ["items"]:
        return FormErrors(errors[0].message)
    problem.set_fields(errors, problem.detail)
    return FormErrors.from_problem(problem, Form((*item_fields, *OPTION_FIELDS)))


def _name_field(error: FieldError, body: dict[str, Any]) -> FieldError:
    for index, item in enumerate(body.get("items", ())):
        if error.path == f"items[{index}]" or error.path.startswith(f"items[{index}]."):
            return FieldError(f"{ITEM_PREFIX}{item['entity']}", error.message)
    return error


handlers: Final = [show_return_form, create_return]
