"""Effective settings of a company, or of one of its stores."""

from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import news, rules
from pannier.accounts.company_settings.billing import (
    DEFAULT_CREDIT_NOTE_PREFIX,
    DEFAULT_INVOICE_PREFIX,
    DEFAULT_PAYMENT_DAYS,
    BillingAddress,
    CancellationFees,
    InvoiceTerms,
    TaxTerms,
)
from pannier.accounts.company_settings.codes import Codes
from pannier.accounts.company_settings.models import (
    DEFAULT_LOCALE,
    DEFAULT_QUOTE_SECONDS,
    DEFAULT_ZONE,
    Branding,
    CompanySettings,
    Locations,
    News,
    Pace,
    Senders,
    StoreSettings,
)
from pannier.accounts.company_settings.parts import get_configured_values
from pannier.accounts.company_settings.recipients import Recipients
from pannier.accounts.models import Company, Store
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.kit.cache import Cache
from pannier.kit.hooks import Hook

MAX_CACHED_COMPANIES: Final = 1000  # in the cache of a process
# Every company has this one. Orders without a configuration use it.
DEFAULT_ORDER_CONFIG: Final = "transport"


class SettingsVersion(msgspec.Struct, frozen=True):
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
load_settings_version: Final = Hook[[Db, UUID], SettingsVersion]("pannier.orders.configs.queries")
find_order_config: Final = Hook[[Db, UUID, str], RowReference | None](
    "pannier.orders.configs.queries"
)
load_order_config_name: Final = Hook[[Db, UUID, UUID], str | None]("pannier.orders.configs.queries")
find_picture: Final = Hook[[Db, UUID, str], RowReference | None]("pannier.files.queries")


_CACHE: Final = Cache[UUID, CompanySettings](MAX_CACHED_COMPANIES)


async def load(db: Db, company: UUID, store: UUID | None = None) -> CompanySettings:
    """Load the effective settings once for each transaction: store, then company, then defaults."""
    cache_key = (CompanySettings, company, store)
    if cache_key not in db.cache:
        db.cache[cache_key] = await (
            _load_company(db, company) if store is None else _load_store(db, company, store)
        )
    settings: CompanySettings = db.cache[cache_key]
    return settings


async def get_version(db: Db, company: UUID) -> SettingsVersion:
    """Return the versions of a company's settings and rates, read once for each transaction."""
    cache_key = (SettingsVersion, company)
    if cache_key not in db.cache:
        db.cache[cache_key] = await load_settings_version(db, company)
    version: SettingsVersion = db.cache[cache_key]
    return version


async def _load_company(db: Db, company: UUID) -> CompanySettings:
    """Load a company's settings, from the cache if their version is unchanged."""

    async def read(_: CompanySettings | None) -> CompanySettings:
        return resolve(await accounts.get_company(db, company))

    version = await get_version(db, company)
    return await _CACHE.load(company, version.version, read, uncommitted=version.ours)


async def _load_store(db: Db, company: UUID, store: UUID) -> CompanySettings:
    row = await accounts.get_company(db, company)
    return resolve(row, await accounts.get_store(db, company, str(store)))


def resolve(company: Company, store: Store | None = None) -> CompanySettings:
    """Combine a store's settings, its company's and the defaults, in this order."""
    store_settings = StoreSettings() if store is None else store.settings
    name = company.name if store is None else store.name
    brand = (
        {"name": name}
        | get_configured_values(company.branding)
        | get_configured_values(store_settings.branding)
    )
    return CompanySettings(
        company_name=company.name,
        mode=company.mode,
        country=company.country,
        time_zone=company.time_zone or DEFAULT_ZONE,
        locale=store_settings.locale or company.locale or DEFAULT_LOCALE,
        currency=company.currency,
        order_config=company.order_config,
        quote_life=company.quote_life or DEFAULT_QUOTE_SECONDS,
        dispatch_requires=store_settings.dispatch_requires
        or company.dispatch_requires
        or "nothing",
        undelivered_charge=company.undelivered_charge or "keep",
        return_fee=company.return_fee and rules.parse_fee(company.return_fee),
        price_changes=company.price_changes or "adjust",
        cancellation_fees=CancellationFees(**get_configured_values(company.cancellation_fees)),
        cancellation_refund=company.cancellation_refund or "manual",
        tax=TaxTerms(
            rate=company.tax_rate,
            inclusive=company.prices_include_tax is not False,
            rounding=company.tax_rounding or "line",
        ),
        tax_number=company.tax_number,
        invoices=_resolve_invoice_terms(company),
        speed_limit_kmh=company.speed_limit_kmh,
        dispatch_phone=company.dispatch_phone,
        unique_internal_ids=company.unique_internal_ids is not False,
        codes=Codes(
            **(get_configured_values(company.codes) | get_configured_values(store_settings.codes))
        ),
        branding=Branding(**brand),
        senders=Senders(
            **(
                get_configured_values(company.senders)
                | get_configured_values(store_settings.senders)
            )
        ),
        news=News(
            **_merge_news(
                get_configured_values(company.news), get_configured_values(store_settings.news)
            )
        ),
        locations=Locations(**get_configured_values(company.locations)),
        has_location_interval="interval" in get_configured_values(company.locations),
        routing=Pace(**get_configured_values(company.routing)),
        retention=company.retention,
        recipients=Recipients(**get_configured_values(company.recipients)),
        return_origins=get_configured_values(store_settings).get("return_origins", []),
        orders=get_configured_values(store_settings).get("orders", False),
        unpaid_order_minutes=store_settings.unpaid_order_minutes or None,
    )


def _resolve_invoice_terms(company: Company) -> InvoiceTerms:
    days = company.payment_terms_days
    return InvoiceTerms(
        legal_name=company.legal_name or company.name,
        address=BillingAddress(**get_configured_values(company.billing_address)),
        iban=company.iban,
        bic=company.bic,
        payment_instructions=company.payment_instructions,
        footer=company.invoice_footer,
        payment_terms_days=DEFAULT_PAYMENT_DAYS if days is None else days,
        invoice_prefix=company.invoice_prefix or DEFAULT_INVOICE_PREFIX,
        credit_note_prefix=company.credit_note_prefix or DEFAULT_CREDIT_NOTE_PREFIX,
        are_emailed=company.email_invoices is not False,
    )


def _merge_news(company_news: dict[str, Any], store_news: dict[str, Any]) -> dict[str, Any]:
    """Merge a store's notification settings into its company's; merge texts part by part."""
    merged_news = company_news | store_news
    if "texts" in company_news and "texts" in store_news:
        merged_news["texts"] = news.merge_texts(company_news["texts"], store_news["texts"])
    return merged_news
