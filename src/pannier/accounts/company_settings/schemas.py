"""Settings of a company in JSON."""

from typing import Annotated, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.billing import (
    Bic,
    BillingAddress,
    BillingAddressSettings,
    CanceledRefund,
    CancellationFees,
    CancellationFeeSettings,
    DispatchDemand,
    EmailInvoices,
    Fee,
    Iban,
    InvoiceText,
    LegalName,
    NumberPrefix,
    PaymentDays,
    PriceChange,
    PricesIncludeTax,
    TaxNumber,
    TaxRate,
    TaxRounding,
    Undelivered,
)
from pannier.accounts.company_settings.codes import Codes, CodeSettings, Country
from pannier.accounts.company_settings.models import (
    Branding,
    BrandSettings,
    CompanySettings,
    InstallationLimits,
    Locale,
    Locations,
    LocationSettings,
    News,
    NewsSettings,
    Pace,
    PaceSettings,
    Senders,
    SenderSettings,
)
from pannier.accounts.company_settings.recipients import Recipients, RecipientSettings
from pannier.accounts.company_settings.retention import Retention, RetentionSettings
from pannier.accounts.models import Company
from pannier.kit.wording import MESSAGE
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import identifier
from pannier.web.serialization import to_schema
from pannier.web.times import Time, to_rfc3339

CompanyName = Annotated[str, Meta(min_length=1, max_length=200, examples=["Acme Couriers"])]
HomeCountry = Annotated[
    Country, Meta(description="Used for phone numbers without a country code (ISO 3166).")
]
TimeZone = Annotated[
    str,
    Meta(
        max_length=64,
        description="IANA time zone. It decides when a day begins.",
        examples=["Asia/Singapore"],
    ),
]
Currency = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{3}\Z",
        description="ISO 4217 code.",
        examples=["SGD"],
        extra={MESSAGE: "must be a currency code of three letters, such as SGD."},
    ),
]
DefaultOrderConfig = Annotated[
    str,
    identifier(
        "order_config_7Ls2GqTn9XcVb4Kd",
        "The default order configuration; `transport` if not set.",
        max_length=64,
    ),
]
QuoteLife = Annotated[
    int,
    Meta(
        ge=60,
        le=30 * 86_400,
        description="Quote validity in seconds, unless the quote's rate has its own.",
        examples=[1800],
    ),
]

DispatchPhone = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The phone number on which drivers call or message dispatch, with country "
        "code.",
        examples=["+6561234567"],
    ),
]
UniqueInternalIds = Annotated[
    bool,
    Meta(description="Whether an order is refused if another order has its `internal_id`."),
]
SpeedLimit = Annotated[
    int,
    Meta(
        ge=1,
        le=400,
        description="Devices raise a speed alert above this speed in km/h, unless a zone or the "
        "vehicle has its own limit. No alerts if not set.",
        examples=[110],
    ),
]


class SettingsOut(msgspec.Struct, kw_only=True):
    """Effective settings. `given` lists the configured ones, and the rest are defaults."""

    name: CompanyName
    country: HomeCountry | None
    time_zone: TimeZone
    locale: Locale
    currency: Currency | None
    order_config: DefaultOrderConfig | None
    codes: Codes
    quote_life: QuoteLife
    dispatch_requires: DispatchDemand
    undelivered_charge: Undelivered
    return_fee: Fee | None
    price_changes: PriceChange
    cancellation_fees: CancellationFees
    cancellation_refund: CanceledRefund
    prices_include_tax: PricesIncludeTax
    tax_rate: TaxRate | None
    tax_rounding: TaxRounding
    tax_number: TaxNumber | None
    legal_name: LegalName
    billing_address: BillingAddress
    iban: Iban | None
    bic: Bic | None
    payment_instructions: InvoiceText | None
    payment_terms_days: PaymentDays
    invoice_prefix: NumberPrefix
    credit_note_prefix: NumberPrefix
    invoice_footer: InvoiceText | None
    email_invoices: EmailInvoices
    speed_limit_kmh: SpeedLimit | None
    dispatch_phone: DispatchPhone | None
    unique_internal_ids: UniqueInternalIds
    locations: Locations
    routing: Pace
    retention: Retention
    branding: Branding
    senders: Senders
    news: News
    recipients: Recipients
    given: Annotated[list[str], Meta(examples=[["country", "codes.sends_per_hour"]])]
    updated_at: Time
    version: Annotated[int, Meta(description="Increases with each change.", examples=[1])]

    @classmethod
    def from_row(
        cls,
        row: Company,
        effective_settings: CompanySettings,
        bounds: InstallationLimits,
        order_config: str | None,
        configured_paths: list[str],
    ) -> Self:
        return to_schema(
            effective_settings,
            cls,
            name=row.name,
            prices_include_tax=effective_settings.tax.inclusive,
            tax_rate=effective_settings.tax.rate,
            tax_rounding=effective_settings.tax.rounding,
            billing_address=effective_settings.invoices.address,
            invoice_footer=effective_settings.invoices.footer,
            email_invoices=effective_settings.invoices.are_emailed,
            **{
                name: getattr(effective_settings.invoices, name)
                for name in (
                    "legal_name",
                    "iban",
                    "bic",
                    "payment_instructions",
                    "payment_terms_days",
                    "invoice_prefix",
                    "credit_note_prefix",
                )
            },
            order_config=order_config,
            locations=bounds.locations.apply_minimum(effective_settings.locations),
            retention=bounds.retention.apply_maximum(effective_settings.retention),
            given=configured_paths,
            updated_at=to_rfc3339(row.updated_at),
            version=row.version,
        )


class SettingsChange(msgspec.Struct, kw_only=True):
    """Changes: an omitted setting stays, null restores the default."""

    accepts: ClassVar = ACCEPTED["record"]
    name: Given[CompanyName] = UNSET
    country: Clearable[HomeCountry] = UNSET
    time_zone: Clearable[TimeZone] = UNSET
    locale: Clearable[Locale] = UNSET
    currency: Clearable[Currency] = UNSET
    order_config: Clearable[DefaultOrderConfig] = UNSET
    codes: Clearable[CodeSettings] = UNSET
    quote_life: Clearable[QuoteLife] = UNSET
    dispatch_requires: Clearable[DispatchDemand] = UNSET
    undelivered_charge: Clearable[Undelivered] = UNSET
    return_fee: Clearable[Fee] = UNSET
    price_changes: Clearable[PriceChange] = UNSET
    cancellation_fees: Clearable[CancellationFeeSettings] = UNSET
    cancellation_refund: Clearable[CanceledRefund] = UNSET
    prices_include_tax: Clearable[PricesIncludeTax] = UNSET
    tax_rate: Clearable[TaxRate] = UNSET
    tax_rounding: Clearable[TaxRounding] = UNSET
    tax_number: Clearable[TaxNumber] = UNSET
    legal_name: Clearable[LegalName] = UNSET
    billing_address: Clearable[BillingAddressSettings] = UNSET
    iban: Clearable[Iban] = UNSET
    bic: Clearable[Bic] = UNSET
    payment_instructions: Clearable[InvoiceText] = UNSET
    payment_terms_days: Clearable[PaymentDays] = UNSET
    invoice_prefix: Clearable[NumberPrefix] = UNSET
    credit_note_prefix: Clearable[NumberPrefix] = UNSET
    invoice_footer: Clearable[InvoiceText] = UNSET
    email_invoices: Clearable[EmailInvoices] = UNSET
    speed_limit_kmh: Clearable[SpeedLimit] = UNSET
    dispatch_phone: Clearable[DispatchPhone] = UNSET
    unique_internal_ids: Clearable[UniqueInternalIds] = UNSET
    locations: Clearable[LocationSettings] = UNSET
    routing: Clearable[PaceSettings] = UNSET
    retention: Clearable[RetentionSettings] = UNSET
    branding: Clearable[BrandSettings] = UNSET
    senders: Clearable[SenderSettings] = UNSET
    news: Clearable[NewsSettings] = UNSET
    recipients: Clearable[RecipientSettings] = UNSET


accept_response_fields(SettingsChange, SettingsOut)
