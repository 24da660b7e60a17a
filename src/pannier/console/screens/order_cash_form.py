"""Changes of an order's cash on delivery: of the whole order, its stops and its items."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response
from msgspec.structs import replace

from pannier.console import amounts, lookup, order_cash, order_view, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.forms import STALE_MESSAGE, Field, Form, FormErrors
from pannier.console.order_cash import AMOUNT, CURRENCY, METHOD
from pannier.console.records import load_zone
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH
from pannier.console.session import FormData
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.versions import PreconditionFailed

LISTS: Final = ("waypoints", "entities")
CASH: Final = tuple(field.name for field in order_cash.FIELDS)


@get("/orders/{identifier:str}/cash")
async def show_cash_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the form of an order's cash on delivery."""
    client = ApiClient(exchange)
    client.require("PATCH", ORDER_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    return await _render_form(client, order, await _fill_form(client, order))


@post("/orders/{identifier:str}/cash", status_code=200)
async def change_cash(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save an order's cash on delivery in one change, so that it is priced once."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    client.require("PATCH", ORDER_PATH)
    order = await client.get(ORDER_PATH, order_id=identifier)
    try:
        body = await _make_body(client, order, form_data)
        if body:
            version = form_data.get("version")
            await client.send("PATCH", ORDER_PATH, body, version=version, order_id=identifier)
    except Problem as problem:
        if problem.status not in {400, 404, 409, 412, 422}:
            raise
        await client.undo(problem)
        order = await client.get(ORDER_PATH, order_id=identifier)
        return await _render_form(client, order, dict(form_data), problem)
    return responses.redirect_with_flash(
        exchange, ORDER.record_url(identifier), message="Cash on delivery saved."
    )


def _list_fields(order: Any) -> dict[str, list[Field]]:  # noqa: ANN401 - JSON
    """Return the amounts of the stops and the items. Their names match the API's errors."""
    payload = order["payload"]
    labels = {
        "waypoints": [
            f"{number}. {stop['name'] or stop['address']}"
            for number, stop in enumerate(payload["waypoints"], 1)
        ],
        "entities": [item["name"] for item in payload["entities"]],
    }
    return {
        name: [
            replace(AMOUNT, name=f"{name}[{number}].{AMOUNT.name}", label=label)
            for number, label in enumerate(labels[name])
        ]
        for name in LISTS
    }


def _make_form(order: Any) -> Form:  # noqa: ANN401 - JSON
    rows = _list_fields(order)
    return Form((*order_cash.FIELDS, *(field for name in LISTS for field in rows[name])))


def _find_currency(order: Any) -> str:  # noqa: ANN401 - JSON
    """Return the currency that all cash of the order is in, or an empty text without cash."""
    payload = order["payload"]
    parts = (payload, *payload["waypoints"], *payload["entities"])
    currencies = (part[CURRENCY.name] for part in parts if part[AMOUNT.name])
    return next(filter(None, currencies), "")


async def _fill_form(client: ApiClient, order: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    payload, currency = order["payload"], _find_currency(order)
    minor_amounts = {AMOUNT.name: payload[AMOUNT.name]} | {
        f"{name}[{number}].{AMOUNT.name}": part[AMOUNT.name]
        for name in LISTS
        for number, part in enumerate(payload[name])
    }
    return {
        **{
            name: amounts.to_major(amount, currency)
            for name, amount in minor_amounts.items()
            if amount
        },
        CURRENCY.name: currency or await order_cash.load_currency(client),
        METHOD.name: payload[METHOD.name] or "",
    }


async def _make_body(client: ApiClient, order: Any, form_data: FormData) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Build the request body, with the parts whose cash is another now."""
    form = _make_form(order)
    resolved_data = await lookup.resolve_form(client, form.fields, form_data)
    values = Form(form.fields).make_body(
        order_cash.to_minor_amounts(resolved_data, form.fields), await load_zone(client), "edit"
    )
    currency = (form_data.get(CURRENCY.name) or "").strip().upper()
    body = _diff_part(order["payload"], values.get(AMOUNT.name), currency)
    if METHOD.name in values and values[METHOD.name] != order["payload"][METHOD.name]:
        body[METHOD.name] = values[METHOD.name]
    for name in LISTS:
        parts = order["payload"][name]
        changes = [
            _diff_part(part, values.get(f"{name}[{number}]", {}).get(AMOUNT.name), currency)
            for number, part in enumerate(parts)
        ]
        if any(changes):
            body[name] = [
                {"id": part["id"], **change} for part, change in zip(parts, changes, strict=True)
            ]
    return body


def _diff_part(part: Mapping[str, Any], amount: int | None, currency: str) -> dict[str, Any]:
    """Return the new cash of an order, a stop or an item, or nothing if it stays."""
    new = {AMOUNT.name: amount, CURRENCY.name: currency} if amount else {AMOUNT.name: None}
    if not amount and not part[AMOUNT.name]:
        return {}
    return {} if all(part[name] == value for name, value in new.items()) else new


async def _render_form(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    values: Mapping[str, str],
    problem: Problem | None = None,
) -> Response[bytes]:
    rows = _list_fields(order)
    errors = FormErrors()
    if isinstance(problem, PreconditionFailed):
        errors = FormErrors(STALE_MESSAGE)
    elif problem is not None:
        errors = FormErrors.from_problem(problem, _make_form(order))
    return await responses.render_page(
        client, "orders/cash.html", title="Cash on delivery", records=ORDER, record=order,
        name=ORDER.record_name(order), form=order_cash.FIELDS, stops=rows["waypoints"],
        items=rows["entities"], filled=dict(values), refusal=errors,
        open=order_view.is_open(order), status=problem.status if problem else 200,
    )  # fmt: skip


handlers: Final = [show_cash_form, change_cash]
