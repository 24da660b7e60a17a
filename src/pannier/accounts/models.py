"""Rows of accounts."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.billing import (
    BillingAddressSettings,
    CancellationFeeSettings,
    CancellationRefund,
    DispatchRequires,
    PriceChanges,
    UndeliveredCharge,
)
from pannier.accounts.company_settings.codes import CodeSettings
from pannier.accounts.company_settings.models import (
    BrandSettings,
    LocationSettings,
    NewsSettings,
    PaceSettings,
    SenderSettings,
    StoreSettings,
)
from pannier.accounts.company_settings.recipients import RecipientSettings
from pannier.accounts.company_settings.retention import RetentionSettings
from pannier.db.row import SoftDeletedRow, VersionedRow
from pannier.kit.credential import Mode
from pannier.kit.tax import Rounding

Role = Literal["admin", "dispatcher", "billing", "viewer"]
# App keys and storefront keys are public: they are part of apps.
KeyKind = Literal["api", "storefront", "app"]
KEY_PREFIXES: Final[Mapping[KeyKind, str]] = {"api": "api", "storefront": "store", "app": "app"}
# What a live store does with a sign-in by provider C that has no proof.
UnverifiedLoginMode = Literal["step_up", "require_proof", "trust_client"]


class Company(SoftDeletedRow, kw_only=True):
    """A tenant, with its configured settings.

    A company belongs to itself, so that queries find its row as they find every other row.
    """

    name: str
    mode: Mode
    country: str | None = None
    time_zone: str | None = None
    locale: str | None = None
    currency: str | None = None
    order_config: UUID | None = None
    quote_life: int | None = None
    dispatch_requires: DispatchRequires | None = None
    undelivered_charge: UndeliveredCharge | None = None
    return_fee: str | None = None
    price_changes: PriceChanges | None = None
    cancellation_fees: CancellationFeeSettings = msgspec.field(
        default_factory=CancellationFeeSettings
    )
    cancellation_refund: CancellationRefund | None = None
    prices_include_tax: bool | None = None
    tax_rate: Decimal | None = None
    tax_rounding: Rounding | None = None
    tax_number: str | None = None
    legal_name: str | None = None
    billing_address: BillingAddressSettings = msgspec.field(default_factory=BillingAddressSettings)
    iban: str | None = None
    bic: str | None = None
    payment_instructions: str | None = None
    payment_terms_days: int | None = None
    invoice_prefix: str | None = None
    credit_note_prefix: str | None = None
    invoice_footer: str | None = None
    email_invoices: bool | None = None
    speed_limit_kmh: int | None = None
    dispatch_phone: str | None = None
    unique_internal_ids: bool | None = None
    codes: CodeSettings = msgspec.field(default_factory=CodeSettings)
    locations: LocationSettings = msgspec.field(default_factory=LocationSettings)
    routing: PaceSettings = msgspec.field(default_factory=PaceSettings)
    retention: RetentionSettings = msgspec.field(default_factory=RetentionSettings)
    branding: BrandSettings = msgspec.field(default_factory=BrandSettings)
    senders: SenderSettings = msgspec.field(default_factory=SenderSettings)
    news: NewsSettings = msgspec.field(default_factory=NewsSettings)
    recipients: RecipientSettings = msgspec.field(default_factory=RecipientSettings)


class CompanySummary(msgspec.Struct):
    """A company without its settings."""

    uuid: UUID
    public_id: str
    name: str
    mode: Mode
    created_at: datetime


class AppleConfig(msgspec.Struct, kw_only=True):
    """Settings of provider A; with team, key and private key, codes are exchanged too."""

    audiences: list[str]
    team_id: str | None = None
    key_id: str | None = None
    private_key: bytes | None = None


class GoogleConfig(msgspec.Struct, kw_only=True):
    """Settings of provider B."""

    client_ids: list[str]


class FacebookConfig(msgspec.Struct, kw_only=True):
    """Settings of provider C; the app secret is used to check access tokens."""

    app_id: str
    app_secret: bytes | None = None
    mode: UnverifiedLoginMode = "step_up"


class StoreProviders(msgspec.Struct, kw_only=True):
    """The sign-in providers of a store; secrets in it are sealed."""

    a: AppleConfig | None = None
    b: GoogleConfig | None = None
    c: FacebookConfig | None = None


class Store(VersionedRow, kw_only=True):
    """A storefront of a company."""

    name: str
    providers: StoreProviders = msgspec.field(default_factory=StoreProviders)
    settings: StoreSettings = msgspec.field(default_factory=StoreSettings)


class Operator(VersionedRow, kw_only=True):
    """A person who uses the console."""

    email: str
    email_key: str
    name: str
    role: Role
    password_hash: str
    disabled_at: datetime | None = None


class Key(VersionedRow, kw_only=True):
    """An API key, storefront key or app key; only a hash of its secret is stored."""

    store: UUID | None
    kind: KeyKind
    name: str
    scopes: list[str]
    secret_hash: bytes
    hint: str
    # The whole key, for app keys only: they are public.
    app_key: str | None = None
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    replaced_by: UUID | None = None
