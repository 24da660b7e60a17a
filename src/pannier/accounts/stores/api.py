"""API of storefronts: every operator reads them, an admin changes them."""

from typing import Final
from uuid import UUID

from pannier.accounts import auth, doors
from pannier.accounts.auth import Caller
from pannier.accounts.models import Store
from pannier.accounts.queries import STORES
from pannier.accounts.stores import service
from pannier.accounts.stores.schemas import StorefrontChange, StorefrontFilters, StorefrontOut
from pannier.db import Db, Page
from pannier.errors import NotFound
from pannier.web.resources import Resource
from pannier.web.routes import patch
from pannier.web.versions import Match, PreconditionFailed


@patch(
    "/storefronts/{storefront_id:str}",
    before_request=auth.operator("admin"),
    problems=[PreconditionFailed, NotFound],
)
async def change_storefront(
    caller: Caller, storefront_id: str, data: StorefrontChange, match: Match, db: Db
) -> StorefrontOut:
    """Change a storefront's name, sign-in providers or settings."""
    store = await STORES.take(db, caller.company, storefront_id)
    match(store.version)
    return StorefrontOut.of(await service.change(db, store, data))


async def _page(db: Db, company: UUID, filters: StorefrontFilters) -> Page[Store]:
    return await STORES.page(db, STORES.where(company), filters)


storefronts: Final = Resource(
    STORES,
    path="storefronts",
    out=StorefrontOut,
    page=_page,
    remove=False,
    says={"read": "Read a storefront; what is secret of its providers is not shown."},
)
routers: Final = (
    doors.for_operators(
        "Storefronts", "viewer", [*storefronts.handlers(wrapped=True), change_storefront]
    ),
)
