"""JSON of saved views."""

from typing import Annotated, ClassVar, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.saved_views.models import SavedView, ViewList
from pannier.db import PageIn
from pannier.web.fields import Given
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema

MAX_QUERY_LENGTH = 2_000

SavedViewId = Annotated[str, identifier("view_3kWq8ZtM1bXc7NpR", max_length=64)]
ViewName = Annotated[str, Meta(min_length=1, max_length=60, examples=["Late today"])]
ViewQuery = Annotated[
    str,
    Meta(
        max_length=MAX_QUERY_LENGTH,
        description="The query of the list's page: its filters, `sort` and `layout`.",
        examples=["layout=table&forecast=late&sort=-created_at"],
    ),
]
Shared = Annotated[bool, Meta(description="Whether other operators of the company see it.")]
IsDefault = Annotated[
    bool, Meta(description="Whether the list opens with it. An operator has one for each list.")
]


class SavedViewIn(msgspec.Struct, kw_only=True):
    """A new view."""

    example: ClassVar = {"name": "Late today", "query": "layout=table&forecast=late"}
    list_name: ViewList = "orders"
    name: ViewName
    query: ViewQuery = ""
    shared: Shared = False
    is_default: IsDefault = False


class SavedViewChange(msgspec.Struct, kw_only=True):
    """Changes to a view. Omitted fields stay."""

    name: Given[ViewName] = UNSET
    query: Given[ViewQuery] = UNSET
    shared: Given[Shared] = UNSET
    is_default: Given[IsDefault] = UNSET


class SavedViewFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing views."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")

    list_name: ViewList | None = None


class SavedViewOut(ResourceOut, kw_only=True):
    """A view of a list."""

    id: SavedViewId
    list_name: ViewList
    name: ViewName
    query: ViewQuery
    shared: Shared
    is_default: IsDefault
    own: Annotated[bool, Meta(description="Whether it belongs to the caller.")]

    @classmethod
    def from_row(cls, row: SavedView, operator: UUID) -> Self:
        """Build the output for an operator. Another operator's default is not theirs."""
        is_own = row.operator == operator
        return to_schema(row, cls, own=is_own, is_default=is_own and row.is_default)
