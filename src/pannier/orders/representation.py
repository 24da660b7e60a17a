"""The caller's choice of an order's representation: its fields, and records to inline."""

from collections.abc import Sequence
from typing import Annotated, Any, Self
from uuid import UUID

import msgspec
from litestar import MediaType, Response
from msgspec import Meta

from pannier.db import Db
from pannier.orders import expansions
from pannier.orders.expansions import Records
from pannier.orders.filters import OrderFilters
from pannier.orders.models import Order
from pannier.orders.nested_expansions import RecordsByName
from pannier.orders.schemas import OrderOut
from pannier.orders.views import OrderRecords
from pannier.web import field_selection, versions
from pannier.web.exchange import Exchange
from pannier.web.field_selection import Selection
from pannier.web.serialization import encode

Names = Annotated[list[Annotated[str, Meta(max_length=2_000)]], Meta(max_length=20)]
FieldNames = Annotated[
    Names,
    Meta(
        description="Return only these fields, up to 20: names of an order's fields, or paths of "
        "up to three names for those inside, such as `customer.name`, `payload.dropoff.city` or "
        "`meta.shop`. Separate them with commas, or repeat the parameter. The other fields are "
        "left out, even those that the schema requires.",
        examples=[["id", "status", "customer.name"]],
    ),
]
ExpandedNames = Annotated[
    Names,
    Meta(
        description="Inline the whole records of these: `customer`, `driver`, `facilitator`, "
        "`order_config`, `service_quote`, `transaction` or `vehicle`. `payload` always is. A field "
        "with an identifier then has the record as an object, and a short form gains the other "
        "fields of its record. Records of these can be inlined too, such as `driver.vehicle` or "
        "`customer.place`; an unknown name lists them all. The API key needs the scope to read "
        "them, such as `drivers:read`. Separate names with commas, or repeat the parameter. Not "
        "for drivers.",
        examples=[["driver.vehicle", "transaction"]],
    ),
]


class OrderReadFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The representation of an order."""

    fields: FieldNames | None = None
    expand: ExpandedNames | None = None


class OrderListFilters(OrderFilters, frozen=True, kw_only=True):
    """Filters for listing orders, and the representation of each."""

    fields: FieldNames | None = None
    expand: ExpandedNames | None = None


class Representation(msgspec.Struct):
    """How orders are represented in a response."""

    expanded_names: list[str]
    selection: Selection
    records_by_name: dict[str, Records] = msgspec.field(default_factory=dict)
    nested_by_path: dict[str, RecordsByName] = msgspec.field(default_factory=dict)

    @classmethod
    def parse(cls, exchange: Exchange, filters: OrderReadFilters | OrderListFilters) -> Self:
        """Parse the caller's choice."""
        names = [] if filters.expand is None else expansions.parse_names(exchange, filters.expand)
        if filters.fields is None:
            return cls(names, {})
        types = expansions.list_expanded_types(names)
        uses = exchange.former_uses
        return cls(names, field_selection.parse_fields(filters.fields, OrderOut, uses, types))

    async def load(
        self, db: Db, company: UUID, related: OrderRecords, rows: Sequence[Order]
    ) -> None:
        """Load the records to inline into these orders."""
        self.records_by_name, self.nested_by_path = await expansions.load_records(
            db, company, self.expanded_names, related, rows
        )

    def render(self, row: Order, order_out: OrderOut) -> OrderOut:
        """Return an order as the caller has chosen."""
        fields: Any = order_out
        if self.expanded_names:
            fields = expansions.inline_records(
                row, order_out, self.records_by_name, self.nested_by_path
            )
        rendered: OrderOut = field_selection.select_fields(fields, self.selection)
        return rendered

    def respond(self, row: Order, order_out: OrderOut) -> OrderOut:
        """Respond with an order. Its `ETag` belongs to this representation."""
        if not self.selection and not self.expanded_names:
            return order_out
        body = encode(self.render(row, order_out))
        headers = {"ETag": versions.to_representation_etag(order_out.version, body)}
        response: Any = Response(body, headers=headers, media_type=MediaType.JSON)
        rendered: OrderOut = response
        return rendered
