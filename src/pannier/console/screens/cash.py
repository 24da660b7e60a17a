"""The cash desk: cash that drivers carry, hand-ins, and remittances to merchants."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import amounts, formatting, list_exports, responses, session
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.record_names import load_labels
from pannier.console.record_urls import shorten_id
from pannier.console.records import load_zone, read_query
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid, Problem
from pannier.kit.money import MAX_AMOUNT
from pannier.kit.wording import REQUIRED
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

HOME: Final = "/console/cash"
DRIVER_CASH_PATH: Final = "/int/v1/drivers/{driver_id}/cash"
HAND_IN_PATH: Final = "/int/v1/drivers/{driver_id}/cash/hand-in"
# The API lists at most this many drivers and customers.
MAX_BALANCES: Final = 1000
BALANCES_PATH: Final = "/int/v1/cash/balances"
REMITTANCES_PATH: Final = "/int/v1/cash/remittances"
COLLECTIONS_PATH: Final = "/int/v1/cash/collections"
HAND_INS_PATH: Final = "/int/v1/cash/hand-ins"
MAX_SHOWN: Final = "30"
MAX_COLLECTIONS: Final = "100"
MAX_CARRIED_COLLECTIONS: Final = 50  # of each currency
UNKNOWN_BALANCE: Final = "The balance is unknown. Open the page again."
MAX_AMOUNT_DIGITS: Final = len(str(MAX_AMOUNT))
# The count that the operator has confirmed although it differs from the balance.
CONFIRMED: Final = "confirmed"
HAND_IN_FORM: Final = Form(
    (
        Field(name="counted_amount", label="Counted", kind="money", required=True),
        Field(name="remarks", label="Remarks", placeholder="A banknote was counterfeit."),
    )
)
REMITTANCE_FORM: Final = Form(
    (
        Field(name="reference", label="Reference", placeholder="Transfer 2026-0142",
              help="The number of a transfer or receipt."),
    )
)  # fmt: skip


@get("/cash")
async def show_cash_desk(exchange: Exchange) -> Response[bytes]:
    """Show the drivers who carry cash, and the merchants to whom cash is due."""
    client = ApiClient(exchange)
    balances = await client.get(BALANCES_PATH)
    return await responses.render_page(
        client, "cash/desk.html", title="Cash desk", home=HOME, balances=balances,
        totals=_sum_by_currency(balances["drivers"], "balance"),
        dues=_sum_by_currency(balances["customers"], "amount"),
        max_rows=MAX_BALANCES,
    )  # fmt: skip


@get("/cash/export")
async def export_balances(exchange: Exchange) -> StreamedResponse:
    """Download the cash of drivers, or with `content=customers`, what is due to customers."""
    client = ApiClient(exchange)
    content = "customers" if read_query(exchange).get("content") == "customers" else "drivers"

    async def load_page(_: str | None) -> ListPage:
        return ListPage((await client.get(BALANCES_PATH))[content], None)

    return await list_exports.start_export(client, f"cash-{content}", load_page)


def _sum_by_currency(rows: list[Any], name: str) -> dict[str, int]:
    totals: dict[str, int] = {}
    for row in rows:
        totals[row["currency"]] = totals.get(row["currency"], 0) + row[name]
    return totals


@get("/cash/drivers/{identifier:str}")
async def show_driver_cash(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the cash that a driver carries, with a form to hand it in, and the hand-ins."""
    return await _render_driver(ApiClient(exchange), identifier)


@post("/cash/drivers/{identifier:str}/hand-in", status_code=200)
async def hand_in_driver_cash(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Hand in the counted cash. A difference is shown first, and has to be confirmed."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    currency = form_data.get("currency", "")
    try:
        body = await _make_hand_in(client, form_data, currency)
        difference = body["counted_amount"] - body["expected_amount"]
        if difference and form_data.get(CONFIRMED) != str(body["counted_amount"]):
            return await _render_driver(
                client, identifier, currency=currency, filled=form_data, counted=body
            )
        hand_in = await client.send("POST", HAND_IN_PATH, body, driver_id=identifier)
    except Problem as problem:
        if problem.status not in {409, 422}:
            raise
        await client.undo(problem)
        return await _render_driver(
            client, identifier, currency=currency, filled=form_data, problem=problem
        )
    amount = formatting.format_money(hand_in["counted_amount"], currency)
    return responses.redirect_with_flash(
        exchange, f"{HOME}/drivers/{identifier}", message=f"{amount} handed in."
    )


async def _make_hand_in(client: ApiClient, form_data: FormData, currency: str) -> dict[str, Any]:
    """Build the request body, with the balance that the page has shown."""
    minor_data = amounts.to_minor_amounts(form_data, HAND_IN_FORM.fields, currency)
    body = HAND_IN_FORM.make_body(minor_data, await load_zone(client))
    if "counted_amount" not in body:
        raise Invalid(fields=[Offence("counted_amount", REQUIRED)])
    return {**body, "currency": currency, "expected_amount": _parse_whole(form_data, "expected")}


async def _render_driver(
    client: ApiClient,
    identifier: str,
    *,
    currency: str = "",
    filled: Mapping[str, str] | None = None,
    counted: Mapping[str, Any] | None = None,
    problem: Problem | None = None,
) -> Response[bytes]:
    """Render a driver's page. `currency` selects the form that was sent."""
    cash = await client.get(DRIVER_CASH_PATH, driver_id=identifier)
    driver = await _find_driver(client, cash["driver"])
    hand_ins = await client.list_rows(HAND_INS_PATH, {"driver": identifier, "limit": MAX_SHOWN})
    for balance in cash["balances"]:
        balance["has_more"] = len(balance["collections"]) > MAX_CARRIED_COLLECTIONS
        del balance["collections"][MAX_CARRIED_COLLECTIONS:]
    orders = [row["order"] for balance in cash["balances"] for row in balance["collections"]]
    return await responses.render_page(
        client, "cash/driver.html", title=driver["name"], home=HOME, driver=driver, cash=cash,
        names=await load_labels(client, orders),
        hand_ins=hand_ins.rows, has_more=hand_ins.cursor is not None,
        form=HAND_IN_FORM, sent=currency, filled=dict(filled or {}), counted=counted,
        can_hand_in=client.is_allowed("POST", HAND_IN_PATH),
        refusal=FormErrors() if problem is None else FormErrors.from_problem(problem, HAND_IN_FORM),
        status=problem.status if problem else 200,
        url=f"{HOME}/drivers/{driver['id']}",
    )  # fmt: skip


async def _find_driver(client: ApiClient, identifier: str) -> dict[str, Any]:
    """Return a driver's name. That of a deleted driver is known while they carry cash."""
    names = await load_labels(client, [identifier])
    is_deleted = identifier not in names
    if is_deleted:
        rows = (await client.get(BALANCES_PATH))["drivers"]
        names = {row["driver"]: row["name"] for row in rows}
    name = names.get(identifier) or shorten_id(identifier)
    return {"id": identifier, "name": name, "is_deleted": is_deleted}


@get("/cash/remit")
async def show_remittance_form(exchange: Exchange) -> Response[bytes]:
    """Show the collections whose cash is due to a merchant, with a form to remit it."""
    client, query = ApiClient(exchange), read_query(exchange)
    return await _render_remittance(client, query)


@post("/cash/remit", status_code=200)
async def remit_cash(exchange: Exchange) -> Response[bytes]:
    """Record that the cash due to a merchant was passed on."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    try:
        body = {
            **REMITTANCE_FORM.make_body(form_data, await load_zone(client)),
            "customer": form_data.get("customer", ""),
            "currency": form_data.get("currency", ""),
            "expected_amount": _parse_whole(form_data, "expected"),
        }
        remittance = await client.send("POST", REMITTANCES_PATH, body)
    except Problem as problem:
        if problem.status not in {409, 422}:
            raise
        await client.undo(problem)
        return await _render_remittance(client, form_data, problem)
    return responses.redirect_with_flash(
        exchange, f"{HOME}/remittances/{remittance['id']}", message="Remittance recorded."
    )


async def _render_remittance(
    client: ApiClient, query: Mapping[str, str], problem: Problem | None = None
) -> Response[bytes]:
    customer, currency = query.get("customer", ""), query.get("currency", "")
    due = await _find_due(client, customer, currency)
    collections = await client.list_rows(
        COLLECTIONS_PATH,
        {
            "customer": customer, "currency": currency, "handed_in": "true", "remitted": "false",
            "limit": MAX_COLLECTIONS,
        },
    )  # fmt: skip
    return await responses.render_page(
        client, "cash/remit.html", title=due["name"], home=HOME, due=due,
        collections=collections.rows, has_more=collections.cursor is not None,
        names=await load_labels(
            client, [row[name] for row in collections.rows for name in ("driver", "order")]
        ),
        form=REMITTANCE_FORM, filled=dict(query),
        can_remit=client.is_allowed("POST", REMITTANCES_PATH),
        refusal=FormErrors()
        if problem is None
        else FormErrors.from_problem(problem, REMITTANCE_FORM),
        status=problem.status if problem else 200,
        url=responses.build_url(f"{HOME}/remit", {"customer": customer, "currency": currency}),
    )  # fmt: skip


async def _find_due(client: ApiClient, customer: str, currency: str) -> Any:  # noqa: ANN401 - JSON
    """Return the cash due to a merchant in a currency, which may be none."""
    for row in (await client.get(BALANCES_PATH))["customers"]:
        if (row["customer"], row["currency"]) == (customer, currency):
            return row
    name = (await load_labels(client, [customer])).get(customer) or shorten_id(customer)
    return {"customer": customer, "name": name, "currency": currency, "amount": 0}


def _parse_whole(form_data: FormData, name: str) -> int:
    """Parse the balance that a page has shown and sent along."""
    text = form_data.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_AMOUNT_DIGITS):
        raise Invalid(fields=[Offence(f"{name}_amount", UNKNOWN_BALANCE)])
    return int(text)


handlers: Final = [
    show_cash_desk,
    export_balances,
    show_driver_cash,
    hand_in_driver_cash,
    show_remittance_form,
    remit_cash,
]
