"""Payments in JSON, with the field names that the apps' payment libraries use."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.kit.wording import MESSAGE
from pannier.payments.gateway import EphemeralKey, SetupIntent
from pannier.payments.service import GatewayGrant
from pannier.web.times import Time, to_rfc3339

CustomerId = Annotated[
    str, Meta(description="The customer at the gateway.", examples=["cus_NffrFeUfNV2Hib"])
]
PublishableKey = Annotated[str, Meta(examples=["pk_test_TYooMQauvdEDq54NiTphI7jx"])]
ApiVersion = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(\.[a-z]{1,32})?\Z",
        description="The version of the gateway's API that the app's library uses.",
        examples=["2025-03-31.basil"],
        extra={MESSAGE: "must be a version of the gateway's API, such as 2025-03-31.basil."},
    ),
]


class BillingIdentityOut(msgspec.Struct, kw_only=True):
    """The name and address of an erased payer."""

    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    address: Annotated[str | None, Meta(examples=["1 Raffles Place, Singapore 048616"])]
    tax_number: Annotated[str | None, Meta(examples=["DE123456789"])]


class EphemeralKeyIn(msgspec.Struct):
    """The API version of the app's library."""

    api_version: ApiVersion | None = None


class EphemeralKeyOut(msgspec.Struct, rename="camel"):
    """A key to a customer's saved cards."""

    ephemeral_key: Annotated[str, Meta(description="A secret.", examples=["ek_test_YWNjdF8xTm"])]
    customer_id: CustomerId
    publishable_key: PublishableKey
    expires: Time | None

    @classmethod
    def from_grant(cls, grant: GatewayGrant[EphemeralKey]) -> Self:
        ephemeral_key = grant.gateway_object
        return cls(
            ephemeral_key.secret,
            grant.account,
            grant.publishable_key,
            to_rfc3339(ephemeral_key.expires_at),
        )


class SetupIntentOut(msgspec.Struct, rename="camel"):
    """An intent to save a card."""

    setup_intent_id: Annotated[str, Meta(examples=["seti_1Mm8s8LkdIwHu7ix0OXBfTRG"])]
    setup_intent: Annotated[
        str,
        Meta(
            description="The client secret of the setup intent.",
            examples=["seti_1Mm8s8LkdIwHu7ix_secret_NXD"],
        ),
    ]
    customer_id: CustomerId
    publishable_key: PublishableKey

    @classmethod
    def from_grant(cls, grant: GatewayGrant[SetupIntent]) -> Self:
        setup_intent = grant.gateway_object
        return cls(setup_intent.id, setup_intent.secret, grant.account, grant.publishable_key)
