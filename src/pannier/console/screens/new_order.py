"""A new order: route, items, recipient and schedule, with live prices."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.console import (
    assets,
    customer_terms,
    fields,
    order_cash,
    order_rows,
    responses,
    session,
)
from pannier.console.api_client import ApiClient
from pannier.console.forms import PICKED_SUFFIX, Field, Form, FormErrors
from pannier.console.order_cash import AMOUNT
from pannier.console.order_rows import ITEMS, ROW_FIELDS, OrderFormData
from pannier.console.records import load_zone, read_query
from pannier.console.screens.order import METHODS
from pannier.errors import Problem
from pannier.kit import ids
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/orders"
API: Final = "/v1/orders"
PREVIEW: Final = "/int/v1/service-quotes/preview"
NO_ROUTE_MESSAGE: Final = "Enter a pickup and a drop-off to see prices."
MISSING_ROUTE_MESSAGE: Final = "Enter a pickup and a drop-off."
PLACE_HELP: Final = "A place, an address or coordinates: 1.2966,103.8520"

PICKUP: Final = Field(
    name="pickup",
    label="Pickup",
    kind="record",
    resource="places",
    free=True,
    addresses="whole",
    required=True,
    help=PLACE_HELP,
)
DROPOFF: Final = Field(
    name="dropoff",
    label="Drop-off",
    kind="record",
    resource="places",
    free=True,
    addresses="whole",
    required=True,
)
CUSTOMER: Final = Field(
    name="customer", label="Customer", kind="record", resource="contacts vendors", free=True,
    help="An existing customer or a new name.",
)  # fmt: skip
PHONE: Final = Field(
    name="customer.phone", label="Phone (new customer)", kind="tel", placeholder="+65 9123 4567"
)
DRIVER_FIELDS: Final = (
    fields.DRIVER,
    Field(
        name="vehicle", label="Vehicle", kind="record", resource="vehicles",
        help="Defaults to the driver's vehicle.",
    ),
    Field(
        name="dispatch", label="Dispatch now", kind="switch",
        help="Notifies the driver immediately.",
    ),
)  # fmt: skip
SCHEDULE_FIELDS: Final = (
    Field(
        name="scheduled_at", label="Auto-dispatch at", kind="moment",
        help="Can affect the price.",
    ),
    Field(name="time_window_start", label="Earliest delivery", kind="moment"),
    Field(name="time_window_end", label="Latest delivery", kind="moment"),
)  # fmt: skip
OPTION_FIELDS: Final = (
    Field(name="internal_id", label="Internal ID", placeholder="SO-2041"),
    Field(name="pod_required", label="Proof of delivery required", kind="switch"),
    Field(
        name="pod_method",
        label="Proof method",
        kind="choice",
        options=METHODS,
        placeholder="Set by the order flow",
    ),
    Field(
        name="required_skills",
        label="Required skills",
        kind="list",
        help="One per line, spelled as in the drivers' skills.",
    ),
    Field(name="notes", label="Notes for the driver", kind="area"),
)


async def _load_form(client: ApiClient) -> Form:
    """Load the form, with the active order flows as options."""
    configs = (await client.list_rows("/v1/order-configs", {"limit": "100"})).rows
    options = [(config["id"], config["name"]) for config in configs if config["status"] == "active"]
    flow_field = Field(name="order_config", label="Order flow", kind="choice", options=options,
                 placeholder="Company default")  # fmt: skip
    return Form(
        (
            flow_field, PICKUP, DROPOFF, *DRIVER_FIELDS, *SCHEDULE_FIELDS, *OPTION_FIELDS,
            *order_cash.FIELDS,
        )
    )  # fmt: skip


def _make_full_form(form: Form, order_form: OrderFormData) -> Form:
    """Return a form with all fields of the page, including those of rows."""
    return Form((*form.fields, CUSTOMER, PHONE, *order_form.list_fields()))


def _to_errors(problem: Problem, form: Form, order_form: OrderFormData) -> FormErrors:
    """Assign the problem's errors to fields. The API's one about a missing route names its own."""
    errors = FormErrors.from_problem(problem, _make_full_form(form, order_form))
    texts = {
        name: MISSING_ROUTE_MESSAGE if "`waypoints`" in text else text
        for name, text in errors.fields.items()
    }
    return FormErrors(errors.sentence, texts)


async def _resolve_records(
    client: ApiClient, form: Form, order_form: OrderFormData
) -> OrderFormData:
    """Replace names of records by identifiers. Keep the name of a customer with a phone number."""
    fields: list[Field] = [*form.fields, CUSTOMER, PHONE]
    if order_form.form_data.get("customer.phone", "").strip() and not order_form.form_data.get(
        f"customer{PICKED_SUFFIX}"
    ):
        fields.remove(CUSTOMER)
    return await order_rows.resolve_rows(client, order_form, fields)


async def _make_body(client: ApiClient, form: Form, order_form: OrderFormData) -> dict[str, Any]:
    zone = await load_zone(client)
    order_form = order_rows.to_minor_amounts(order_form, form.fields)
    body = form.make_body(order_form.form_data, zone)
    body |= {name: rows for name in ROW_FIELDS if (rows := _read_rows(order_form, name, zone))}
    currency = body.pop(order_cash.CURRENCY.name, "")
    order_cash.add_currency(list_cash_parts(body), currency)
    if not order_cash.sum_amounts(list_cash_parts(body)):
        body.pop(order_cash.METHOD.name, None)
    if customer := order_form.form_data.get("customer", "").strip():
        is_reference = (
            customer.startswith(("contact_", "vendor_")) or ids.parse_uuid(customer) is not None
        )
        phone = order_form.form_data.get("customer.phone", "").strip()
        new_customer = {"name": customer, **({"phone": phone} if phone else {})}
        body["customer"] = customer if is_reference else new_customer
    return body


def _read_rows(order_form: OrderFormData, name: str, zone: ZoneInfo) -> list[dict[str, Any]]:
    """Return the rows of a list in the API's format."""
    rows = []
    for row_fields in order_form.list_rows(name):
        row = order_rows.read_row(order_form, row_fields, zone, {})
        amount = next(field for field in row_fields if order_rows.get_name(field) == AMOUNT.name)
        value = amount.parse(order_form.form_data, zone)
        rows.append({**row, **({AMOUNT.name: value} if value is not None else {})})
    return rows


def list_cash_parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    """List the parts of an order that can have cash on delivery."""
    return [body, *body.get("waypoints", ()), *body.get("entities", ())]


async def load_quotes(client: ApiClient, body: dict[str, Any]) -> Mapping[str, Any]:
    """Load the prices for the current input, or explain why there are none."""
    customer = await customer_terms.load_customer(client, body.get("customer"))
    if not body.get("pickup") or not body.get("dropoff"):
        return {"quotes": [], "why": NO_ROUTE_MESSAGE, "customer": customer}
    items = [{name: item[name] for name in ("weight", "weight_unit") if name in item}
             for item in body.get("entities", ())]  # fmt: skip
    cash = order_cash.sum_amounts(list_cash_parts(body))
    currencies = (part.get(order_cash.CURRENCY.name) for part in list_cash_parts(body))
    query = {
        **({"cod": cash, "currency": next(filter(None, currencies))} if cash else {}),
        "pickup": body["pickup"],
        "dropoff": body["dropoff"],
        "waypoints": [stop["place"] for stop in body.get("waypoints", ()) if "place" in stop],
        "entities": msgspec.json.encode(items).decode() if items else "",
        "scheduled_at": body.get("scheduled_at"),
        "order_config": body.get("order_config"),
        "customer": customer and customer["id"],
        "explain": "true",
    }
    try:
        preview = await client.get(PREVIEW, query)
    except Problem as problem:
        await client.undo(problem)
        message = " ".join(error.message for error in problem.fields) or problem.detail
        return {"quotes": [], "why": f"No price: {message}", "customer": customer}
    rejected_rates = [
        f"{rate['service_name']}: {' '.join(reason['detail'] for reason in rate['reasons'])}"
        for rate in preview["rejected"][:5]
    ]
    explanation = (
        "" if preview["quotes"] else " ".join(["No service rate applies.", *rejected_rates])
    )
    return {"quotes": preview["quotes"], "why": explanation, "customer": customer}


async def _render_form(
    client: ApiClient,
    order_form: OrderFormData,
    *,
    extended_list: str = "",
    form_errors: FormErrors | None = None,
    prices: Mapping[str, Any] | None = None,
    status: int = 200,
) -> Response[bytes]:
    """Render the form with an empty item, and with another row in the list `extended_list`."""
    form = await _load_form(client)
    form_errors = form_errors or FormErrors()
    rows = order_rows.make_form_rows(
        order_form, extra={ITEMS, extended_list}, errors=form_errors.fields
    )
    return await responses.render_page(
        client, "orders/new.html", title="New order", status=status, form=form, rows=rows,
        groups={"where": (PICKUP, DROPOFF), "who": (CUSTOMER, PHONE), "driver": DRIVER_FIELDS,
                "when": SCHEDULE_FIELDS, "cash": order_cash.FIELDS,
                "more": (form.fields[0], *OPTION_FIELDS)},
        filled={
            order_cash.CURRENCY.name: await order_cash.load_currency(client),
            **order_form.form_data,
        },
        refusal=form_errors, home=HOME, signs=assets.render_sprite(*order_rows.ROW_ICONS),
        priced=prices or {"quotes": [], "why": NO_ROUTE_MESSAGE},
    )  # fmt: skip


@get("/orders/new")
async def show_new_order(exchange: Exchange) -> Response[bytes]:
    """Show the form, filled from the page's query."""
    client = ApiClient(exchange)
    client.require("POST", API)
    order_form = OrderFormData.from_form(read_query(exchange))
    form = await _load_form(client)
    try:
        body = await _make_body(client, form, await _resolve_records(client, form, order_form))
    except Problem as problem:
        form_errors = _to_errors(problem, form, order_form)
        return await _render_form(
            client, order_form, form_errors=form_errors, status=problem.status
        )
    return await _render_form(client, order_form, prices=await load_quotes(client, body))


@post("/orders/new", status_code=200)
async def submit_order(exchange: Exchange) -> Response[bytes]:
    """Create the order, or apply a command of the form: update the prices or add a row."""
    client, order_form = ApiClient(exchange), OrderFormData.from_form(session.read_form(exchange))
    form, command = await _load_form(client), order_form.form_data.get("do", "")
    order_form = order_form.apply_command(command)
    body: dict[str, Any] = {}
    try:
        body = await _make_body(client, form, await _resolve_records(client, form, order_form))
        if command:
            return await _render_form(
                client, order_form, extended_list=command, prices=await load_quotes(client, body)
            )
        if quote := order_form.form_data.get("service_quote"):
            # The value also has the rate, which stays selected when prices are loaded again.
            body["service_quote"] = quote.partition(" ")[2]
        order = await client.send("POST", API, body)
    except Problem as problem:
        await client.undo(problem)
        form_errors = _to_errors(problem, form, order_form)
        if command:
            # The order is not submitted yet. Apply the command and show why there is no price.
            return await _render_form(
                client,
                order_form,
                extended_list=command,
                prices={"quotes": [], "why": problem.detail},
            )
        prices = await load_quotes(client, body)
        return await _render_form(
            client, order_form, form_errors=form_errors, prices=prices, status=problem.status
        )
    return responses.redirect_with_flash(
        exchange, f"{HOME}/{order['id']}", message="Order created."
    )


handlers: Final = [show_new_order, submit_order]
