"""The doors of storefronts: anybody at the console looks, an admin changes."""

from pannier.accounts import auth, doors
from pannier.accounts.auth import Caller
from pannier.accounts.queries import STORES
from pannier.accounts.stores import service
from pannier.accounts.stores.schemas import StorefrontChange, StorefrontFilters, StorefrontOut
from pannier.db import Db
from pannier.errors import NotFound
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get, patch
from pannier.web.versions import Match, PreconditionFailed


@get("/storefronts")
async def list_storefronts(
    caller: Caller, filters: StorefrontFilters, db: Db
) -> Listed[StorefrontOut]:
    """List the company's storefronts."""
    return enveloped(await STORES.page(db, STORES.where(caller.company), filters), StorefrontOut.of)


@get("/storefronts/{storefront_id:str}")
async def get_storefront(caller: Caller, storefront_id: str, db: Db) -> StorefrontOut:
    """Read a storefront; what is secret of its providers is not shown."""
    return StorefrontOut.of(await STORES.get(db, caller.company, storefront_id))


@patch(
    "/storefronts/{storefront_id:str}",
    before_request=auth.operator("admin"),
    problems=[PreconditionFailed, NotFound],
)
async def change_storefront(
    caller: Caller, storefront_id: str, data: StorefrontChange, match: Match, db: Db
) -> StorefrontOut:
    """Change a storefront: its name, which sign-ins it takes, what it wants different."""
    store = await STORES.take(db, caller.company, storefront_id)
    match(store.version)
    return StorefrontOut.of(await service.change(db, store, data))


router = doors.for_operators(
    "Storefronts", "viewer", [list_storefronts, get_storefront, change_storefront]
)
routers = (router,)
