"""Requests to sign in with a provider, with the names of this API and of existing apps."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.kit.wording import MESSAGE
from pannier.web.compatibility import ACCEPTED
from pannier.web.people import Email

Token = Annotated[
    str, Meta(min_length=1, max_length=16384, examples=["eyJhbGciOiJSUzI1NiIsImtpZCI6…"])
]
# Empty means absent, because apps send empty fields.
TokenOrEmpty = Annotated[str, Meta(max_length=16384)]
UserId = Annotated[
    str,
    Meta(
        pattern=r"^[\x21-\x7e]{1,255}\Z",
        description="The provider's id of the user.",
        examples=["001234.a1b2c3.0987"],
        extra={MESSAGE: "must be 1 to 255 printable ASCII characters without spaces."},
    ),
]
Name = Annotated[str, Meta(max_length=200, examples=["Ada Lovelace"])]
Nonce = Annotated[
    str,
    Meta(
        max_length=512,
        description="The nonce that the app gave the provider, if any.",
        examples=["n-0S6_WzA2Mj"],
    ),
]


class AppleToken(msgspec.Struct, kw_only=True):
    """Provider A's identity token and authorization code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity_token: Token = msgspec.field(name="identityToken")
    authorization_code: TokenOrEmpty | None = msgspec.field(name="authorizationCode", default=None)
    name: Annotated[Name | None, Meta(description="Used on the first sign-in only.")] = None
    nonce: Nonce | None = None
    user_id: UserId


class ProviderALogin(AppleToken, kw_only=True):
    """A sign-in with provider A."""

    user_id: UserId = msgspec.field(name="providerAUserId")


class AppleLogin(AppleToken, kw_only=True):
    """A sign-in with provider A, as existing apps send it."""

    user_id: UserId = msgspec.field(name="appleUserId")


class ProviderBLogin(msgspec.Struct, kw_only=True):
    """A sign-in with provider B."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    id_token: Token = msgspec.field(name="idToken")
    client_id: Annotated[
        str, Meta(min_length=1, max_length=200, examples=["1234-web.apps.example.com"])
    ] = msgspec.field(name="clientId")
    nonce: Nonce | None = None


class FacebookClaim(msgspec.Struct, kw_only=True):
    """Provider C's claim from the app, and the token that proves it."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    email: Email | None = None
    name: Name | None = None
    access_token: Annotated[
        TokenOrEmpty | None, Meta(description="The provider's access token: a proof.")
    ] = msgspec.field(name="accessToken", default=None)
    authentication_token: Annotated[
        TokenOrEmpty | None, Meta(description="The provider's OIDC token: a proof.")
    ] = msgspec.field(name="authenticationToken", default=None)
    nonce: Nonce | None = None
    user_id: UserId


class ProviderCLogin(FacebookClaim, kw_only=True):
    """A sign-in with provider C."""

    user_id: UserId = msgspec.field(name="providerCUserId")


class FacebookLogin(FacebookClaim, kw_only=True):
    """A sign-in with provider C, as existing apps send it."""

    user_id: UserId = msgspec.field(name="facebookUserId")
