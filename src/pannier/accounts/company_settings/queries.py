"""Reading the settings of a company: what applies to it, or to one of its stores."""

from typing import Any, Final, NamedTuple
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
from pannier.db import Db, Where, ours
from pannier.db.row import Named
from pannier.kit.memory import Memory

# Of so many companies a process remembers what applies: of those that were asked for last.
MOST_KEPT: Final = 1000
# The one that every company has, and that orders go by which name none.
DEFAULT_ORDER_CONFIG: Final = "transport"
_EDITION: Final = f"""
    select c.version, c.rates_version, o.uuid as order_config, o.version as order_config_version,
           {ours("c")} or coalesce({ours("o")}, false) as ours
    from companies c left join order_configs o on o.company = c.uuid and o.uuid = coalesce(
        c.order_config, (
            select uuid from order_configs
            where company = :company and key = :key and deleted_at is null))
    where c.uuid = :company and c.company = :company and c.deleted_at is null"""
_READ: Final = frozenset({"companies", "order_configs"})


class Edition(msgspec.Struct, frozen=True):
    """How often a company's settings, its rates and its default order configuration have changed.

    It is `ours` where this transaction may have done so: nobody else may see what came of it.
    """

    version: int
    rates_version: int
    ours: bool
    # Of orders that name no configuration.
    order_config: UUID | None
    order_config_version: int | None


class _Kept(NamedTuple):
    version: int
    settings: CompanySettings


_kept: Final = Memory[UUID, _Kept](MOST_KEPT)


async def of(db: Db, company: UUID, store: UUID | None = None) -> CompanySettings:
    """Read what applies, once for each transaction: the store's, the company's, the default."""
    asked = (CompanySettings, company, store)
    if asked not in db.known:
        db.known[asked] = await (
            _of_company(db, company) if store is None else _of_store(db, company, store)
        )
    found: CompanySettings = db.known[asked]
    return found


async def edition(db: Db, company: UUID) -> Edition:
    """Read which edition of a company's settings and rates there is, once a transaction."""
    asked = (Edition, company)
    if asked not in db.known:
        db.known[asked] = await db.one(
            Edition, _EDITION, of_tables=_READ, company=company, key=DEFAULT_ORDER_CONFIG
        )
    found: Edition = db.known[asked]
    return found


async def _of_company(db: Db, company: UUID) -> CompanySettings:
    """Answer from memory what has not changed since."""
    present, kept = await edition(db, company), _kept.recall(company)
    if kept is not None and kept.version == present.version and not present.ours:
        return kept.settings
    row = await accounts.company(db, company)
    settings = applied(row)
    if not present.ours:
        _kept.keep(company, _Kept(row.version, settings))
    return settings


async def _of_store(db: Db, company: UUID, store: UUID) -> CompanySettings:
    row = await accounts.company(db, company)
    return applied(row, await accounts.store(db, company, str(store)))


def applied(company: Company, store: Store | None = None) -> CompanySettings:
    """Put what a store wants over what its company wants, and that over the defaults."""
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
    """Put what a store wants told over what its company does, of texts part by part."""
    if "texts" not in company or "texts" not in store:
        return company | store
    return company | store | {"texts": news.over(company["texts"], store["texts"])}


async def order_config(db: Db, company: UUID, identifier: str) -> Named | None:
    """Find a configuration that orders can be placed with, by UUID, public id or key.

    It is held: whoever deletes it at the same time sees that it is wanted, or is seen here.
    """
    where = Where(company).that("deleted_at is null and status = 'active'")
    where.that("(public_id = :name or key = :name or uuid::text = lower(:name))", name=identifier)
    return await db.find(
        Named, f"select uuid, public_id from order_configs {where} for share", **where.values
    )


async def order_config_name(db: Db, row: Company) -> str | None:
    """Tell what the company's default configuration goes by, if one is set."""
    found: str | None = await db.value(
        "select public_id from order_configs where company = :company and uuid = :uuid",
        company=row.uuid,
        uuid=row.order_config,
    )
    return found


async def picture(db: Db, company: UUID, identifier: str) -> Named | None:
    """Find an uploaded picture."""
    where = Where(company).named(identifier).that("deleted_at is null")
    where.that("content_type in ('image/jpeg', 'image/png', 'image/webp')")
    return await db.find(Named, f"select uuid, public_id from files {where}", **where.values)
