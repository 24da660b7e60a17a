"""The caller's choice of an order's representation: the fields to return."""

from typing import Annotated, Any, Self

import msgspec
from litestar import MediaType, Response
from msgspec import Meta

from pannier.orders.filters import OrderFilters
from pannier.orders.schemas import OrderOut
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


class OrderReadFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The representation of an order."""

    fields: FieldNames | None = None


class OrderListFilters(OrderFilters, frozen=True, kw_only=True):
    """Filters for listing orders, and the representation of each."""

    fields: FieldNames | None = None


class Representation(msgspec.Struct):
    """How orders are represented in a response."""

    selection: Selection

    @classmethod
    def parse(cls, exchange: Exchange, filters: OrderReadFilters | OrderListFilters) -> Self:
        """Parse the caller's choice."""
        if filters.fields is None:
            return cls({})
        return cls(field_selection.parse_fields(filters.fields, OrderOut, exchange.former_uses, {}))

    def render(self, order: OrderOut) -> OrderOut:
        """Return an order as the caller has chosen."""
        selected_fields: OrderOut = field_selection.select_fields(order, self.selection)
        return selected_fields

    def respond(self, order: OrderOut) -> OrderOut:
        """Respond with an order. Its `ETag` belongs to this representation."""
        if not self.selection:
            return order
        body = encode(self.render(order))
        headers = {"ETag": versions.to_representation_etag(order.version, body)}
        response: Any = Response(body, headers=headers, media_type=MediaType.JSON)
        selected: OrderOut = response
        return selected
