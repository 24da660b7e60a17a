"""Storefronts in JSON. Secrets are write-only."""

from typing import Annotated, ClassVar, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.models import StoreSettings
from pannier.accounts.models import (
    AppleConfig,
    FacebookConfig,
    GoogleConfig,
    Store,
    StoreProviders,
    UnverifiedLoginMode,
)
from pannier.accounts.schemas import Name
from pannier.db import PageIn
from pannier.kit.wording import MESSAGE
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Time

Identifier = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+\Z",
        extra={MESSAGE: "must be printable ASCII characters without spaces."},
    ),
]
Identifiers = Annotated[list[Identifier], Meta(min_length=1, max_length=20)]
Audiences = Annotated[
    Identifiers,
    Meta(
        description="Accepted bundle and service ids of tokens.",
        examples=[["com.example.shop"]],
    ),
]
ClientIds = Annotated[
    Identifiers,
    Meta(
        description="Client ids of the store's apps and pages.",
        examples=[["1234-web.apps.example.com"]],
    ),
]
TeamId = Annotated[Identifier, Meta(examples=["9QK2T7WX4L"])]
KeyId = Annotated[Identifier, Meta(examples=["5VN8C3RZ6H"])]
AppId = Annotated[Identifier, Meta(examples=["1234567890"])]
PrivateKey = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=4096,
        description="The provider's P-256 key in PEM. Stored encrypted, never returned.",
        examples=["-----BEGIN PRIVATE KEY-----\n…"],
    ),
]
AppSecret = Annotated[
    Identifier, Meta(description="Stored encrypted, never returned.", examples=["0f3a9c8e2b7d41f6"])
]


class ProviderAOut(msgspec.Struct, kw_only=True):
    """Settings of provider A."""

    audiences: Audiences
    team_id: TeamId | None
    key_id: KeyId | None
    has_private_key: bool


class ProviderBOut(msgspec.Struct, kw_only=True):
    """Settings of provider B."""

    client_ids: ClientIds


class ProviderCOut(msgspec.Struct, kw_only=True):
    """Settings of provider C."""

    app_id: AppId
    has_app_secret: bool
    mode: UnverifiedLoginMode


class ProvidersOut(msgspec.Struct, kw_only=True):
    """The sign-in providers of the store; null if a provider is not enabled."""

    a: ProviderAOut | None
    b: ProviderBOut | None
    c: ProviderCOut | None

    @classmethod
    def from_providers(cls, providers: StoreProviders) -> Self:
        return cls(
            a=None if providers.a is None else _apple_to_out(providers.a),
            b=None if providers.b is None else _google_to_out(providers.b),
            c=None if providers.c is None else _facebook_to_out(providers.c),
        )


def _apple_to_out(provider: AppleConfig) -> ProviderAOut:
    return ProviderAOut(
        audiences=provider.audiences,
        team_id=provider.team_id,
        key_id=provider.key_id,
        has_private_key=provider.private_key is not None,
    )


def _google_to_out(provider: GoogleConfig) -> ProviderBOut:
    return ProviderBOut(client_ids=provider.client_ids)


def _facebook_to_out(provider: FacebookConfig) -> ProviderCOut:
    return ProviderCOut(
        app_id=provider.app_id, has_app_secret=provider.app_secret is not None, mode=provider.mode
    )


class StorefrontOut(msgspec.Struct, kw_only=True):
    """A storefront."""

    id: Annotated[str, Meta(examples=["store_2hVt6MnQ9sLc4ZxW"])]
    uuid: UUID
    public_id: PublicId
    name: Annotated[str, Meta(examples=["Acme store"])]
    providers: ProvidersOut
    settings: Annotated[
        StoreSettings,
        Meta(description="Settings in which the store differs from its company."),
    ]
    created_at: Time
    updated_at: Time | None
    version: Annotated[int, Meta(description="Increases with each change.", examples=[1])]

    @classmethod
    def from_row(cls, row: Store) -> Self:
        return to_schema(row, cls, providers=ProvidersOut.from_providers(row.providers))


class ProviderAIn(msgspec.Struct, kw_only=True):
    """Settings of provider A. An omitted private key stays; null deletes it."""

    accepts: ClassVar = frozenset({"has_private_key"})
    audiences: Audiences
    team_id: TeamId | None = None
    key_id: KeyId | None = None
    private_key: Clearable[PrivateKey] = UNSET


class ProviderBIn(msgspec.Struct, kw_only=True):
    """Settings of provider B."""

    client_ids: ClientIds


class ProviderCIn(msgspec.Struct, kw_only=True):
    """Settings of provider C. An omitted secret stays; null deletes it."""

    accepts: ClassVar = frozenset({"has_app_secret"})
    app_id: AppId
    app_secret: Clearable[AppSecret] = UNSET
    mode: Annotated[
        UnverifiedLoginMode,
        Meta(description="How a live store treats a sign-in without proof."),
    ] = "step_up"


class ProvidersChange(msgspec.Struct, kw_only=True):
    """Changes of the providers: an omitted one stays, null disables it."""

    a: Clearable[ProviderAIn] = UNSET
    b: Clearable[ProviderBIn] = UNSET
    c: Clearable[ProviderCIn] = UNSET


class StorefrontChange(msgspec.Struct, kw_only=True):
    """Changes of a storefront."""

    accepts: ClassVar = ACCEPTED["record"]
    name: Given[Name] = UNSET
    providers: Given[ProvidersChange] = UNSET
    settings: Annotated[
        Clearable[StoreSettings],
        Meta(
            description="Changes of the store's own settings: an omitted setting stays, null "
            "restores the company's.",
        ),
    ] = UNSET


class StorefrontFilters(PageIn, frozen=True, kw_only=True):
    """Filters of the list of storefronts."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "name")


accept_response_fields(StorefrontChange, StorefrontOut)
