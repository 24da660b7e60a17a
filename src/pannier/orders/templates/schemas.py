"""JSON of order templates."""

from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.orders.templates.models import OrderTemplate
from pannier.web.fields import Given
from pannier.web.identifiers import OrderReference, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema

OrderTemplateId = Annotated[str, identifier("order_template_6kTq1ZwB9sXd3NfM", max_length=100)]
TemplateName = Annotated[str, Meta(min_length=1, max_length=100, examples=["Bakery, mornings"])]
SourceOrder = Annotated[
    OrderReference,
    Meta(description="The order to copy. Its driver, number and price are not copied."),
]
TemplateBody = Annotated[
    dict[str, Any],
    Meta(
        description="The request for the order. Its times are local times without an offset, in "
        "the company's time zone.",
        examples=[{"notes": "Ring twice.", "payload": {"pickup": "place_8KfR2yLq0VbN6wTd"}}],
    ),
]


class OrderTemplateIn(msgspec.Struct, kw_only=True):
    """A new template, copied from an order."""

    example: ClassVar = {"name": "Bakery, mornings", "order": "order_5uJr2EwZ7bQx9KmT"}
    name: TemplateName
    order: SourceOrder


class OrderTemplateChange(msgspec.Struct, kw_only=True):
    """Changes to a template. Omitted fields stay."""

    name: Given[TemplateName] = UNSET
    order: Given[SourceOrder] = UNSET


class OrderTemplateFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing templates."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")

    query: (
        Annotated[str, Meta(max_length=100, description="A part of the name.", examples=["bakery"])]
        | None
    ) = None


class OrderTemplateOut(ResourceOut, kw_only=True):
    """A template for orders."""

    id: OrderTemplateId
    name: TemplateName
    body: TemplateBody

    @classmethod
    def from_row(cls, row: OrderTemplate) -> Self:
        return to_schema(row, cls)
