"""Reading storefronts."""

from uuid import UUID

from pannier.accounts.models import Store
from pannier.accounts.stores.schemas import StorefrontFilters
from pannier.db import Db, Page, Sort, Where, page


async def stores(db: Db, company: UUID, filters: StorefrontFilters) -> Page[Store]:
    """List a company's storefronts, the newest first."""
    sort = Sort(("created_at", "name"))
    return await page(db, Store, "select * from stores", Where(company), filters, sort)


async def take(db: Db, company: UUID, identifier: str) -> Store:
    """Read a storefront and hold it until the transaction ends."""
    where = Where(company).named(identifier)
    return await db.one(Store, f"select * from stores {where} for no key update", **where.values)
