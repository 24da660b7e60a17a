"""Collections, hand-ins and remittances of the cash desk, and the report of differences."""

from typing import Any, Final

from litestar import Response

from pannier.console import columns, fields, formatting, lookup, record_names, responses
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field
from pannier.console.navigation import LABELS
from pannier.console.records import Records, list_rows, load_zone, read_query
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse

DIFFERENCES_PATH: Final = "/int/v1/cash/differences"
DIFFERENCES_HOME: Final = "/console/cash/differences"
YES_OR_NO: Final = (("true", "Yes"), ("false", "No"))
CUSTOMER: Final = Field(name="customer", label="Customer", kind="record",
                        resource="contacts vendors")  # fmt: skip
HAS_DIFFERENCE: Final = Field(
    name="has_difference", label="Difference", kind="choice", options=YES_OR_NO
)
DIFFERENCE_FILTERS: Final = (fields.DRIVER, *fields.TIMES)
ORDER: Final = Column("Order", "order", "link", to="orders")
ACTOR: Final = Column("Recorded by", "actor", "actor", wide=True)


class CashRecords(Records):
    """The pages of a record with an amount, which is its name."""

    def __init__(self, amount_path: str, path: str, **options: Any) -> None:  # noqa: ANN401 - as Records
        self.amount_path = amount_path
        resource = f"cash/{path}"
        super().__init__(
            f"/int/v1/{resource}", resource=resource, deletable=False, live_events="cash.",
            list_template="cash/list.html", **options,
        )  # fmt: skip

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        return formatting.format_money(record[self.amount_path], record["currency"])


COLLECTIONS: Final = CashRecords(
    "amount",
    "collections",
    noun="collection",
    name="cash_collection_id",
    columns=(
        Column("Collected", "collected_at", "time"),
        columns.DRIVER,
        ORDER,
        Column("Customer", "customer", "link", to="contacts", wide=True),
        Column("Due", "amount_due", "money", to="currency", wide=True),
        columns.AMOUNT,
        Column("Collection", "id", "title", wide=True),
    ),
    facts=(
        ORDER,
        columns.DRIVER,
        "customer",
        "amount_due",
        "amount",
        Column("Method", "method", "words"),
        Column("Reason", "reason", quiet=True),
        Column("Collected", "collected_at", "time"),
        Column("Reported", "created_at", "time"),
        ACTOR,
        Column("Hand-in", "hand_in", "link", to="cash/hand-ins"),
        Column("Remittance", "remittance", "link", to="cash/remittances"),
    ),
    filters=(
        fields.ORDER,
        fields.DRIVER,
        CUSTOMER,
        Field(name="currency", label="Currency", placeholder="SGD"),
        Field(name="handed_in", label="Handed in", kind="choice", options=YES_OR_NO),
        Field(name="remitted", label="Remitted", kind="choice", options=YES_OR_NO),
        HAS_DIFFERENCE,
        *fields.TIMES,
    ),
    empty="No collections yet. Drivers collect the cash on delivery of their orders in the app.",
)  # fmt: skip
HAND_INS: Final = CashRecords(
    "counted_amount",
    "hand-ins",
    noun="hand-in",
    name="cash_hand_in_id",
    columns=(
        columns.CREATED._replace(wide=False),
        columns.DRIVER,
        Column("Expected", "expected_amount", "money", to="currency", wide=True),
        Column("Counted", "counted_amount", "money", to="currency", wide=True),
        Column("Difference", "difference", "money", to="currency"),
        ACTOR,
        Column("Hand-in", "id", "title", wide=True),
    ),
    facts=(
        columns.DRIVER,
        Column("Collections", "collections", "number"),
        "expected_amount",
        "counted_amount",
        "difference",
        Column("Remarks", "remarks", quiet=True),
        "created_at",
        ACTOR,
    ),
    filters=(fields.DRIVER, HAS_DIFFERENCE, *fields.TIMES),
    empty="No hand-ins yet. Open a driver in the cash desk to hand in their cash.",
)
REMITTANCES: Final = CashRecords(
    "amount",
    "remittances",
    noun="remittance",
    name="cash_remittance_id",
    columns=(
        columns.CREATED._replace(wide=False),
        Column("Customer", "customer", "link", to="contacts"),
        columns.AMOUNT,
        Column("Collections", "collections", "number", wide=True),
        Column("Reference", "reference", wide=True),
        ACTOR,
        Column("Remittance", "id", "title", wide=True),
    ),
    filters=(CUSTOMER,),
    empty="No remittances yet. The cash desk lists the customers to whom cash is due.",
)


@get("/cash/differences")
async def show_differences(exchange: Exchange) -> Response[bytes]:
    """Show the differences of a period: totals, short collections and hand-ins."""
    client, query = ApiClient(exchange), read_query(exchange)
    report: dict[str, Any] = {"totals": [], "collections": [], "hand_ins": [], "error": ""}
    try:
        query = await lookup.resolve_filters(client, DIFFERENCE_FILTERS, query)
        report |= await _load_report(client, query)
    except Problem as problem:
        if problem.status not in {400, 404, 422}:
            raise
        report["error"] = problem.detail
    return await responses.render_page(
        client, "cash/differences.html", title=LABELS["cash/differences"], home=DIFFERENCES_HOME,
        filters=DIFFERENCE_FILTERS, filter_values=query, **report,
    )  # fmt: skip


async def _load_report(client: ApiClient, query: dict[str, str]) -> dict[str, Any]:
    zone = await load_zone(client)
    values = {
        field.name: field.to_query(query.get(field.name, ""), zone) for field in DIFFERENCE_FILTERS
    }
    shown = {name: query[name] for name in values if name in query} | {"has_difference": "true"}
    difference = (*DIFFERENCE_FILTERS, HAS_DIFFERENCE)
    collections = await list_rows(client, COLLECTIONS.api, difference, shown)
    hand_ins = await list_rows(client, HAND_INS.api, difference, shown)
    rows = [*collections.rows, *hand_ins.rows]
    return {
        "totals": await client.get(DIFFERENCES_PATH, values),
        "collections": collections.rows,
        "hand_ins": hand_ins.rows,
        "more_collections": collections.cursor is not None,
        "more_hand_ins": hand_ins.cursor is not None,
        "names": await record_names.load_column_names(client, (columns.DRIVER, ORDER), rows),
        "shown": shown,
    }


@get("/cash/differences/export")
async def export_differences(exchange: Exchange) -> StreamedResponse:
    """Download the differences of a period as CSV."""
    client = ApiClient(exchange)
    query = await lookup.resolve_filters(client, DIFFERENCE_FILTERS, read_query(exchange))
    zone = await load_zone(client)
    values = {
        field.name: field.to_query(query.get(field.name, ""), zone) for field in DIFFERENCE_FILTERS
    }
    stream: StreamedResponse = await client.get_response(f"{DIFFERENCES_PATH}/export", values)
    return stream


handlers: Final = [
    show_differences,
    export_differences,
    *COLLECTIONS.make_handlers(),
    *HAND_INS.make_handlers(),
    *REMITTANCES.make_handlers(),
]
