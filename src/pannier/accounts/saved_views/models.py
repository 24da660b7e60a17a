"""Rows of saved views."""

from typing import Literal
from uuid import UUID

from pannier.db.row import VersionedRow

# The lists that have views.
ViewList = Literal["orders"]


class SavedView(VersionedRow, kw_only=True):
    """A saved view. Other operators of the company see it if it is shared."""

    operator: UUID
    list_name: ViewList
    name: str
    # The query of the list's page: filters, sorting and layout.
    query: str
    shared: bool = False
    # Whether the list opens with it.
    is_default: bool = False
