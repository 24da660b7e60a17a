"""Sign-in providers."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.devices import DeviceSettings
from pannier.settings.values import Algorithm, HttpsAddress


class ProviderSettings(DeviceSettings, frozen=True, kw_only=True):
    """Sign-in providers."""

    provider_a_issuer: Annotated[
        str, Meta(description="Issuers of Apple's identity tokens, separated by commas.")
    ] = "https://appleid.apple.com"
    provider_a_keys: Annotated[
        HttpsAddress, Meta(description="URL of Apple's public keys (JWKS).")
    ] = "https://appleid.apple.com/auth/keys"
    provider_a_exchange: Annotated[
        HttpsAddress, Meta(description="URL where Apple exchanges authorization codes.")
    ] = "https://appleid.apple.com/auth/token"
    provider_a_revocation: Annotated[
        HttpsAddress,
        Meta(description="URL where Apple revokes a sign-in when an account is closed."),
    ] = "https://appleid.apple.com/auth/revoke"
    provider_a_algorithm: Annotated[
        Algorithm, Meta(description="Signing algorithm of Apple's identity tokens.")
    ] = "RS256"
    provider_b_issuer: Annotated[
        str, Meta(description="Issuers of Google's identity tokens, separated by commas.")
    ] = "https://accounts.google.com,accounts.google.com"
    provider_b_keys: Annotated[
        HttpsAddress, Meta(description="URL of Google's public keys (JWKS).")
    ] = "https://www.googleapis.com/oauth2/v3/certs"
    provider_b_algorithm: Annotated[
        Algorithm, Meta(description="Signing algorithm of Google's identity tokens.")
    ] = "RS256"
    provider_c_issuer: Annotated[
        str, Meta(description="Issuers of Facebook's identity tokens, separated by commas.")
    ] = "https://www.facebook.com,https://facebook.com,https://limited.facebook.com"
    provider_c_keys: Annotated[
        HttpsAddress, Meta(description="URL of Facebook's public keys (JWKS).")
    ] = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    provider_c_algorithm: Annotated[
        Algorithm, Meta(description="Signing algorithm of Facebook's identity tokens.")
    ] = "RS256"
    provider_c_graph: Annotated[
        HttpsAddress, Meta(description="URL where Facebook verifies access tokens.")
    ] = "https://graph.facebook.com"
