"""Changes of an order: its route, items, cash on delivery and everything else, saved at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import amounts, assets, order_cash, order_rows, order_view, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.order_cash import AMOUNT, CURRENCY, METHOD
from pannier.console.order_rows import ITEMS, MAX_ROWS, ROW_FIELDS, STOPS, OrderFormData
from pannier.console.records import load_zone
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

ROUTE_FIELDS: Final = ("pickup", "dropoff")
REFUSALS: Final = frozenset({400, 404, 409, 412, 422})


@get("/orders/{identifier:str}/edit")
async def show_order_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the form of an order with everything that can still be changed."""
    client = ApiClient(exchange)
    client.require("PATCH", ORDER_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    values = await _fill_form(client, order)
    return await _render_form(client, order, OrderFormData.from_form(values))


@post("/orders/{identifier:str}/edit", status_code=200)
async def change_order(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save the order in one change, or apply a command of the form: add, move or remove a row."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    client.require("PATCH", ORDER_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    order_form = OrderFormData.from_form(form_data)
    if command := form_data.get("do", ""):
        order_form = order_form.apply_command(command)
        return await _render_form(client, order, order_form, extra={command})
    resolved_form = order_form
    try:
        previous_values = await _list_previous_values(client, order, order_form)
        resolved_form = await order_rows.resolve_rows(
            client, order_form, _list_fields(order), previous_values
        )
        body = await _make_body(client, order, resolved_form, previous_values)
        if body:
            version = form_data.get("version")
            await client.send("PATCH", ORDER_PATH, body, version=version, order_id=identifier)
    except Problem as problem:
        if problem.status not in REFUSALS:
            raise
        await client.undo(problem)
        order = await client.get(ORDER_PATH, order_id=identifier)
        errors = await _to_errors(client, order, problem, resolved_form)
        return await _render_form(client, order, order_form, errors=errors, status=problem.status)
    return responses.redirect_with_flash(exchange, ORDER.record_url(identifier), message="Saved.")


def _list_fields(order: Any) -> list[Field]:  # noqa: ANN401 - JSON
    """List the fields besides the rows that can be changed now."""
    has_stops = bool(order["payload"][STOPS])
    fields = [
        field
        for field in ORDER.select_form(order).fields
        if not has_stops or field.name not in ROUTE_FIELDS
    ]
    return [*fields, *order_cash.FIELDS] if order_view.is_open(order) else fields


async def _fill_form(client: ApiClient, order: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the order's values by field name, as the form shows them."""
    zone, payload = await load_zone(client), order["payload"]
    values = Form(_list_fields(order)).fill(order, zone)
    values |= await _fill_cash(client, payload)
    values |= order_rows.fill_rows(payload, zone)
    known_ids = [part["id"] for name in ROW_FIELDS for part in payload[name][:MAX_ROWS]]
    return {**values, "known": " ".join(known_ids)}


async def _fill_cash(client: ApiClient, payload: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    currency = order_cash.find_currency(payload)
    amount = payload[AMOUNT.name]
    return {
        AMOUNT.name: amounts.to_major(amount, currency) if amount else "",
        CURRENCY.name: currency or await order_cash.load_currency(client),
        METHOD.name: payload[METHOD.name] or "",
    }


async def _list_previous_values(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    order_form: OrderFormData,
) -> dict[str, str]:
    """Return the order's values by field name, with each row's at its place in the form."""
    zone, payload = await load_zone(client), order["payload"]
    values = Form(_list_fields(order)).fill(order, zone) | await _fill_cash(client, payload)
    stop_numbers = _number_stops(order_form)
    for name in ROW_FIELDS:
        parts = {part["id"]: part for part in payload[name]}
        for number in range(order_form.counts[name]):
            part = parts.get(order_form.get_row(name, number).get("id", ""))
            if part is not None:
                texts = order_rows.fill_row(name, part, stop_numbers, zone)
                values |= {f"{name}[{number}].{field}": text for field, text in texts.items()}
    return values


def _number_stops(order_form: OrderFormData) -> dict[str, str]:
    """Return the places of the stops in the form, by identifier."""
    rows = (order_form.get_row(STOPS, number) for number in range(order_form.counts[STOPS]))
    return {row["id"]: str(number) for number, row in enumerate(rows) if row.get("id")}


async def _make_body(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    order_form: OrderFormData,
    previous_values: Mapping[str, str],
) -> dict[str, Any]:
    """Build the request body, with what is different now."""
    zone, payload = await load_zone(client), order["payload"]
    cash_names = {field.name for field in order_cash.FIELDS}
    form = Form([field for field in _list_fields(order) if field.name not in cash_names])
    body = form.make_body(order_form.form_data, zone, "edit", previous_values)
    if not order_view.is_open(order):
        return body
    order_form = order_rows.to_minor_amounts(order_form, order_cash.FIELDS)
    currency = order_form.form_data.get(CURRENCY.name, "").strip().upper()
    if AMOUNT.name in order_form.form_data:
        body |= _diff_cash(payload, order_form.form_data[AMOUNT.name], currency)
    method = order_form.form_data.get(METHOD.name) or None
    if METHOD.name in order_form.form_data and method != payload[METHOD.name]:
        body[METHOD.name] = method
    for name in ROW_FIELDS:
        rows = _list_rows(payload[name], order_form, name, previous_values, zone, currency)
        if rows is not None:
            body[name] = rows
    if STOPS in body and not payload[STOPS]:
        # A route of stops begins and ends where the order did.
        body = {**{name: payload[name]["id"] for name in ROUTE_FIELDS if payload[name]}, **body}
    return body


def _diff_cash(part: Mapping[str, Any], text: str, currency: str) -> dict[str, Any]:
    """Return the new cash of an order, a stop or an item, or nothing if it stays."""
    new = order_rows.read_cash(text, currency)
    if new[AMOUNT.name] is None and not part.get(AMOUNT.name):
        return {}
    return {} if all(part.get(name) == value for name, value in new.items()) else new


def _list_rows(
    parts: Sequence[Any],
    order_form: OrderFormData,
    name: str,
    previous_values: Mapping[str, str],
    zone: ZoneInfo,
    currency: str,
) -> list[dict[str, Any]] | None:
    """Return the stops or items of the request, or None if they stay as they are.

    Parts that the form did not show stay: it left them out, or someone has added them since.
    """
    parts_by_id = {part["id"]: part for part in parts}
    rows: list[dict[str, Any]] = []
    has_changes = False
    for number, fields in enumerate(order_form.list_rows(name)):
        prefix = f"{name}[{number}]."
        identifier = order_form.form_data.get(f"{prefix}id", "")
        part = parts_by_id.get(identifier)
        previous_texts = {
            key.removeprefix(prefix): text
            for key, text in previous_values.items()
            if key.startswith(prefix)
        }
        change = order_rows.read_row(order_form, fields, zone, previous_texts)
        amount = order_form.form_data.get(prefix + AMOUNT.name)
        if amount is not None:
            change |= _diff_cash(part or {}, amount, currency)
        has_changes |= bool(change)
        rows.append({"id": identifier, **change} if identifier else change)
    shown_ids = {row["id"] for row in rows if "id" in row}
    removed_ids = set(order_form.form_data.get("known", "").split()) - shown_ids
    rows += [{"id": key} for key in parts_by_id if key not in shown_ids | removed_ids]
    is_same = [row.get("id") for row in rows] == list(parts_by_id)
    return None if is_same and not has_changes else rows


async def _to_errors(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    problem: Problem,
    order_form: OrderFormData,
) -> FormErrors:
    """Return the errors of a refused change. An edit conflict shows the saved values."""
    form = Form([*_list_fields(order), *order_form.list_fields()])
    saved_values = await _list_previous_values(client, order, order_form)
    return FormErrors.from_change(problem, form, order_form.form_data, saved_values)


async def _render_form(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    order_form: OrderFormData,
    *,
    extra: set[str] | None = None,
    errors: FormErrors | None = None,
    status: int = 200,
) -> Response[bytes]:
    payload, form_errors = order["payload"], errors or FormErrors()
    fields = _list_fields(order)
    cash_names = {field.name for field in order_cash.FIELDS}
    rows = order_rows.make_form_rows(
        order_form,
        extra=extra or set(),
        locked_ids=order_view.list_begun_stops(order),
        fixed_ids=order_view.list_fixed_stops(order),
        errors=form_errors.fields,
    )
    known_ids = set(order_form.form_data.get("known", "").split())
    return await responses.render_page(
        client, "orders/edit.html", title=f"Edit {ORDER.record_name(order)}", records=ORDER,
        record=order, home=ORDER.record_url(order["id"]), name=ORDER.record_name(order),
        is_open=order_view.is_open(order), rows=rows, refusal=form_errors, status=status,
        can_add_stops=bool(payload[STOPS]) or not order["started"],
        beyond={name: sum(part["id"] not in known_ids for part in payload[name])
                for name in (STOPS, ITEMS)},
        known=order_form.form_data.get("known", ""),
        signs=assets.render_sprite(*order_rows.ROW_ICONS),
        groups={
            "route": [field for field in fields if field.name in ROUTE_FIELDS],
            "cash": [field for field in fields if field.name in cash_names],
            "order": [field for field in fields if field.name not in {*ROUTE_FIELDS, *cash_names}],
        },
        filled=Form(fields).refill(order_form.form_data),
    )  # fmt: skip


handlers: Final = [show_order_form, change_order]
