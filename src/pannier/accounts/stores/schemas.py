"""Storefronts in JSON. Secrets are write-only."""

from typing import Annotated, ClassVar, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.models import StoreSettings
from pannier.accounts.models import BareMode, ProviderA, ProviderB, ProviderC, Providers, Store
from pannier.accounts.schemas import Name
from pannier.db import PageIn
from pannier.kit.wording import MESSAGE
from pannier.web.ancestor import ACCEPTED, accept_answer
from pannier.web.fields import Clearable, Given
from pannier.web.spelling import spelled
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
    Identifier, Meta(description="Stored encrypted, never returned.", examples=["0f3a9c…"])
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
    mode: BareMode


class ProvidersOut(msgspec.Struct, kw_only=True):
    """The sign-in providers of the store; null if a provider is not enabled."""

    a: ProviderAOut | None
    b: ProviderBOut | None
    c: ProviderCOut | None

    @classmethod
    def of(cls, kept: Providers) -> Self:
        return cls(
            a=None if kept.a is None else _shown_a(kept.a),
            b=None if kept.b is None else _shown_b(kept.b),
            c=None if kept.c is None else _shown_c(kept.c),
        )


def _shown_a(kept: ProviderA) -> ProviderAOut:
    return ProviderAOut(
        audiences=kept.audiences,
        team_id=kept.team_id,
        key_id=kept.key_id,
        has_private_key=kept.private_key is not None,
    )


def _shown_b(kept: ProviderB) -> ProviderBOut:
    return ProviderBOut(client_ids=kept.client_ids)


def _shown_c(kept: ProviderC) -> ProviderCOut:
    return ProviderCOut(
        app_id=kept.app_id, has_app_secret=kept.app_secret is not None, mode=kept.mode
    )


class StorefrontOut(msgspec.Struct, kw_only=True):
    """A storefront."""

    id: Annotated[str, Meta(examples=["store_2hVt6MnQ9sLc4ZxW"])]
    uuid: UUID
    public_id: str
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
    def of(cls, row: Store) -> Self:
        return spelled(row, cls, providers=ProvidersOut.of(row.providers))


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
        BareMode,
        Meta(description="What a live store does with a sign-in that has no proof."),
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


accept_answer(StorefrontChange, StorefrontOut)
