"""API of storefronts: every operator reads them, an admin changes them."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller
from pannier.accounts.models import Store
from pannier.accounts.queries import STORES
from pannier.accounts.stores import service
from pannier.accounts.stores.schemas import StorefrontChange, StorefrontFilters, StorefrontOut
from pannier.db import Db, Page
from pannier.errors import NotFound
from pannier.web.resources import Resource
from pannier.web.routes import patch
from pannier.web.versions import IfMatch, PreconditionFailed


@patch(
    "/storefronts/{storefront_id:str}",
    before_request=auth.require_operator("admin"),
    problems=[PreconditionFailed, NotFound],
)
async def change_storefront(
    caller: Caller, storefront_id: str, data: StorefrontChange, match: IfMatch, db: Db
) -> StorefrontOut:
    """Update a storefront's name, sign-in providers or settings."""
    store = await STORES.lock(db, caller.company, storefront_id)
    match(store.version)
    return StorefrontOut.from_row(await service.update_store(db, store, data))


async def _list_stores(db: Db, company: UUID, filters: StorefrontFilters) -> Page[Store]:
    return await STORES.load_page(db, STORES.where(company), filters)


storefronts: Final = Resource(
    STORES,
    path="storefronts",
    out=StorefrontOut,
    page=_list_stores,
    remove=False,
    summaries={"read": "Retrieve a storefront, without the secrets of its sign-in providers."},
)
routers: Final = (
    api_routers.operator_router(
        "Storefronts", "viewer", [*storefronts.make_handlers(with_envelope=True), change_storefront]
    ),
)
