"""HTTP handlers for saved views, for operators only."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.accounts.saved_views import service
from pannier.accounts.saved_views.schemas import (
    SavedViewChange,
    SavedViewFilters,
    SavedViewIn,
    SavedViewOut,
)
from pannier.accounts.saved_views.service import SAVED_VIEWS, SavedViewExists, TooManyViews
from pannier.db import Db
from pannier.errors import NotFound
from pannier.web.deletions import RecordDeleted
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import delete, get, patch, post
from pannier.web.versions import IfMatch, PreconditionFailed

_VIEW: Final = "/saved-views/{saved_view_id:str}"


@get("/saved-views")
async def list_saved_views(
    caller: Caller, filters: SavedViewFilters, db: Db
) -> Listed[SavedViewOut]:
    """List your own views and those that others share."""
    page = await service.list_views(db, caller, filters)
    return to_envelope(page, lambda view: SavedViewOut.from_row(view, caller.uuid))


@get(_VIEW, problems=[NotFound])
async def get_saved_view(caller: Caller, saved_view_id: str, db: Db) -> SavedViewOut:
    """Retrieve a view."""
    return SavedViewOut.from_row(await service.get_view(db, caller, saved_view_id), caller.uuid)


@post("/saved-views", problems=[SavedViewExists, TooManyViews])
async def create_saved_view(caller: Caller, data: SavedViewIn, db: Db) -> SavedViewOut:
    """Save the filters, sorting and layout of a list under a name."""
    return SavedViewOut.from_row(await service.create_view(db, caller, data), caller.uuid)


@patch(_VIEW, problems=[PreconditionFailed, SavedViewExists])
async def change_saved_view(
    caller: Caller, saved_view_id: str, data: SavedViewChange, match: IfMatch, db: Db
) -> SavedViewOut:
    """Change one of your views."""
    view = await service.lock_view(db, caller, saved_view_id)
    match(view.version)
    changed_view = await service.change_view(db, caller, view, data)
    return SavedViewOut.from_row(changed_view, caller.uuid)


@delete(_VIEW, status_code=200, problems=[PreconditionFailed])
async def delete_saved_view(
    caller: Caller, saved_view_id: str, match: IfMatch, db: Db
) -> RecordDeleted:
    """Delete one of your views. Admins can also delete those that others share."""
    view = await service.lock_view_for_deletion(db, caller, saved_view_id)
    match(view.version)
    await SAVED_VIEWS.remove(db, view)
    return RecordDeleted.from_id(db, "saved_view", view.public_id)


routers: Final = (
    api_routers.operator_router(
        "Saved views",
        "viewer",
        [
            list_saved_views,
            get_saved_view,
            create_saved_view,
            change_saved_view,
            delete_saved_view,
        ],
    ),
)
