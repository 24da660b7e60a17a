"""Effective settings of a company, or of one of its stores."""

from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import news, rules
from pannier.accounts.company_settings.codes import Codes
from pannier.accounts.company_settings.models import (
    DEFAULT_LOCALE,
    DEFAULT_QUOTE_LIFE,
    DEFAULT_ZONE,
    Branding,
    CompanySettings,
    Locations,
    News,
    Pace,
    Senders,
    StoreSettings,
)
from pannier.accounts.company_settings.parts import values
from pannier.accounts.models import Company, Store
from pannier.db import Db
from pannier.db.row import Named
from pannier.kit.cache import Cache
from pannier.kit.hooks import Hook

MAX_COMPANIES: Final = 1000  # in the cache of a process
# Every company has it. Orders that name no configuration use it.
DEFAULT_ORDER_CONFIG: Final = "transport"


class Edition(msgspec.Struct, frozen=True):
    """The versions of a company's settings, its rates and its default order configuration.

    It is `ours` if this transaction may have changed one of them. Nothing derived from it may then
    be cached for other transactions.
    """

    version: int
    rates_version: int
    ours: bool
    # The default order configuration.
    order_config: UUID | None
    order_config_version: int | None


# Implemented by the packages that own order configurations and files.
load_edition: Final = Hook[[Db, UUID], Edition]("pannier.orders.configs.queries")
find_order_config: Final = Hook[[Db, UUID, str], Named | None]("pannier.orders.configs.queries")
load_order_config_name: Final = Hook[[Db, UUID, UUID], str | None]("pannier.orders.configs.queries")
find_picture: Final = Hook[[Db, UUID, str], Named | None]("pannier.files.queries")


_CACHE: Final = Cache[UUID, CompanySettings](MAX_COMPANIES)


async def of(db: Db, company: UUID, store: UUID | None = None) -> CompanySettings:
    """Load the effective settings once for each transaction: store, then company, then defaults."""
    asked = (CompanySettings, company, store)
    if asked not in db.known:
        db.known[asked] = await (
            _of_company(db, company) if store is None else _of_store(db, company, store)
        )
    found: CompanySettings = db.known[asked]
    return found


async def edition(db: Db, company: UUID) -> Edition:
    """Return the versions of a company's settings and rates, read once for each transaction."""
    asked = (Edition, company)
    if asked not in db.known:
        db.known[asked] = await load_edition(db, company)
    found: Edition = db.known[asked]
    return found


async def _of_company(db: Db, company: UUID) -> CompanySettings:
    """Load a company's settings, from the cache if their version is unchanged."""

    async def read(_: CompanySettings | None) -> CompanySettings:
        return applied(await accounts.company(db, company))

    present = await edition(db, company)
    return await _CACHE.load(company, present.version, read, ours=present.ours)


async def _of_store(db: Db, company: UUID, store: UUID) -> CompanySettings:
    row = await accounts.company(db, company)
    return applied(row, await accounts.store(db, company, str(store)))


def applied(company: Company, store: Store | None = None) -> CompanySettings:
    """Combine a store's settings, its company's and the defaults, in this order."""
    own = StoreSettings() if store is None else store.settings
    name = company.name if store is None else store.name
    brand = {"name": name} | values(company.branding) | values(own.branding)
    return CompanySettings(
        company_name=company.name,
        mode=company.mode,
        country=company.country,
        time_zone=company.time_zone or DEFAULT_ZONE,
        locale=own.locale or company.locale or DEFAULT_LOCALE,
        currency=company.currency,
        order_config=company.order_config,
        quote_life=company.quote_life or DEFAULT_QUOTE_LIFE,
        dispatch_requires=company.dispatch_requires or "nothing",
        undelivered_charge=company.undelivered_charge or "keep",
        return_fee=company.return_fee and rules.return_fee(company.return_fee),
        speed_limit_kmh=company.speed_limit_kmh,
        codes=Codes(**(values(company.codes) | values(own.codes))),
        branding=Branding(**brand),
        senders=Senders(**(values(company.senders) | values(own.senders))),
        news=News(**_news(values(company.news), values(own.news))),
        locations=Locations(**values(company.locations)),
        routing=Pace(**values(company.routing)),
        retention=company.retention,
        return_origins=values(own).get("return_origins", []),
        orders=values(own).get("orders", False),
    )


def _news(company: dict[str, Any], store: dict[str, Any]) -> dict[str, Any]:
    """Merge a store's notification settings into its company's; texts part by part."""
    if "texts" not in company or "texts" not in store:
        return company | store
    return company | store | {"texts": news.over(company["texts"], store["texts"])}
