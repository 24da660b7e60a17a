"""Creation, changes and deletion of saved views.

Operators change their own. Admins also delete those that others share.
"""

from typing import Any, Final
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

import msgspec

from pannier.accounts import permissions
from pannier.accounts.auth import Caller
from pannier.accounts.queries import OPERATORS
from pannier.accounts.saved_views.models import SavedView
from pannier.accounts.saved_views.schemas import (
    MAX_QUERY_LENGTH,
    SavedViewChange,
    SavedViewFilters,
    SavedViewIn,
)
from pannier.db import Db, Page, Sort, Table, columns
from pannier.errors import Conflict, FieldError, Forbidden, Invalid, NotFound
from pannier.web.fields import get_sent_fields

SAVED_VIEWS: Final = Table(
    "saved_views", SavedView, noun="saved_view", prefix="view", sort=Sort(("created_at", "name"))
)
MAX_VIEWS: Final = 50
MAX_PARAMETERS: Final = 100
TOO_MANY_PARAMETERS: Final = f"A query has at most {MAX_PARAMETERS} parameters."
TOO_LONG: Final = f"A query has at most {MAX_QUERY_LENGTH} characters when it is URL-encoded."


class SavedViewExists(Conflict):
    """An operator's views have different names."""

    code = "saved_view_exists"
    title = "You already have a view with this name."
    remedy = "Change that view, or choose another name."


class TooManyViews(Conflict):
    """The number of an operator's views is limited."""

    code = "too_many_saved_views"
    title = f"You already have {MAX_VIEWS} views."
    remedy = "Delete one first."


async def list_views(db: Db, caller: Caller, filters: SavedViewFilters) -> Page[SavedView]:
    """List the operator's own views and the shared ones."""
    where = SAVED_VIEWS.where(caller.company).add(
        "(operator = :operator or shared)", operator=caller.uuid
    )
    where.add_equal(list_name=filters.list_name)
    return await SAVED_VIEWS.load_page(db, where, filters)


async def get_view(db: Db, caller: Caller, identifier: str) -> SavedView:
    """Return a view that the operator may see."""
    view = await SAVED_VIEWS.get(db, caller.company, identifier)
    if view.operator != caller.uuid and not view.shared:
        raise NotFound
    return view


async def lock_view(db: Db, caller: Caller, identifier: str) -> SavedView:
    """Lock one of the operator's own views. The operator is locked first, as in every change."""
    await OPERATORS.lock(db, caller.company, str(caller.uuid))
    view = await SAVED_VIEWS.lock(db, caller.company, identifier)
    if view.operator != caller.uuid:
        raise NotFound
    return view


async def lock_view_for_deletion(db: Db, caller: Caller, identifier: str) -> SavedView:
    """Lock a view that the operator may delete. Its owner is locked first."""
    view = await get_view(db, caller, identifier)
    if view.operator == caller.uuid:
        return await lock_view(db, caller, identifier)
    if not permissions.has_role(caller.role, "admin"):
        raise NotFound
    await OPERATORS.lock(db, caller.company, str(view.operator))
    locked_view = await SAVED_VIEWS.lock(db, caller.company, identifier)
    # The owner may have stopped sharing it since it was read.
    if not locked_view.shared:
        raise NotFound
    return locked_view


async def create_view(db: Db, caller: Caller, data: SavedViewIn) -> SavedView:
    """Save a view."""
    await OPERATORS.lock(db, caller.company, str(caller.uuid))
    _check_sharing(caller, shared=data.shared)
    own_views = await _list_own_views(db, caller.company, caller.uuid)
    if len(own_views) >= MAX_VIEWS:
        raise TooManyViews
    values = _parse_values(msgspec.structs.asdict(data))
    _check_name(own_views, data.list_name, values["name"], None)
    if data.is_default:
        await _clear_default(db, own_views, data.list_name)
    return await SAVED_VIEWS.create(db, caller.company, operator=caller.uuid, **values)


async def change_view(db: Db, caller: Caller, view: SavedView, data: SavedViewChange) -> SavedView:
    """Change a locked view."""
    values = _parse_values(get_sent_fields(data))
    changes = {name for name, value in values.items() if value != getattr(view, name)}
    if changes - {"is_default"}:
        _check_sharing(caller, shared=values.get("shared", view.shared))
    own_views = await _list_own_views(db, caller.company, caller.uuid)
    if "name" in values:
        _check_name(own_views, view.list_name, values["name"], view.uuid)
    if values.get("is_default") and not view.is_default:
        await _clear_default(db, own_views, view.list_name)
    changed_view, _ = await SAVED_VIEWS.change(db, view, **values)
    return changed_view


def _check_sharing(caller: Caller, *, shared: bool) -> None:
    if shared and caller.role == "viewer":
        raise Forbidden("Viewers cannot share views, or change those they share.")


def _parse_values(values: dict[str, Any]) -> dict[str, Any]:
    """Normalise the name and the query."""
    if "name" in values:
        values["name"] = " ".join(values["name"].split())
        if not values["name"]:
            raise Invalid(fields=[FieldError("name", "This field is required.")])
    if "query" in values:
        try:
            pairs = parse_qsl(values["query"].lstrip("?"), max_num_fields=MAX_PARAMETERS)
        except ValueError:
            raise Invalid(fields=[FieldError("query", TOO_MANY_PARAMETERS)]) from None
        values["query"] = urlencode(pairs)
        if len(values["query"]) > MAX_QUERY_LENGTH:
            raise Invalid(fields=[FieldError("query", TOO_LONG)])
    return values


async def _list_own_views(db: Db, company: UUID, operator: UUID) -> list[SavedView]:
    where = SAVED_VIEWS.where(company).add_equal(operator=operator)
    sql = f"select {columns(SavedView)} from saved_views {where}"
    return await db.fetch_all(SavedView, sql, **where.values)


def _check_name(
    own_views: list[SavedView], list_name: str, name: str, own_uuid: UUID | None
) -> None:
    folded_name = name.casefold()
    for view in own_views:
        is_other = view.uuid != own_uuid and view.list_name == list_name
        if is_other and view.name.casefold() == folded_name:
            raise SavedViewExists


async def _clear_default(db: Db, own_views: list[SavedView], list_name: str) -> None:
    for view in own_views:
        if view.is_default and view.list_name == list_name:
            await SAVED_VIEWS.change(db, view, is_default=False)
