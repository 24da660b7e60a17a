"""Payments in JSON, with the field names that the apps' payment libraries use."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.kit.wording import MESSAGE
from pannier.payments.gateway import EphemeralKey, SetupIntent
from pannier.payments.service import Granted
from pannier.web.times import Time, stamp

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
    def of(cls, granted: Granted[EphemeralKey]) -> Self:
        made = granted.made
        return cls(made.secret, granted.account, granted.publishable_key, stamp(made.expires_at))


class SetupIntentOut(msgspec.Struct, rename="camel"):
    """An intent to save a card."""

    setup_intent_id: Annotated[str, Meta(examples=["seti_1Mm8s8LkdIwHu7ix0OXBfTRG"])]
    setup_intent: Annotated[
        str, Meta(description="Its client secret.", examples=["seti_1Mm8s8LkdIwHu7ix_secret_NXD"])
    ]
    customer_id: CustomerId
    publishable_key: PublishableKey

    @classmethod
    def of(cls, granted: Granted[SetupIntent]) -> Self:
        made = granted.made
        return cls(made.id, made.secret, granted.account, granted.publishable_key)
