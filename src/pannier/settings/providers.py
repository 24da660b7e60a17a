"""Sign-in providers."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.devices import DeviceSettings
from pannier.settings.values import Algorithm, HttpsAddress


class ProviderSettings(DeviceSettings, frozen=True, kw_only=True):
    """Sign-in providers."""

    provider_a_issuer: Annotated[
        str, Meta(description="Who issues provider A's tokens; several are separated by commas.")
    ] = "https://appleid.apple.com"
    provider_a_keys: Annotated[
        HttpsAddress, Meta(description="Where provider A publishes its keys (JWKS).")
    ] = "https://appleid.apple.com/auth/keys"
    provider_a_exchange: Annotated[
        HttpsAddress, Meta(description="Where provider A exchanges authorization codes.")
    ] = "https://appleid.apple.com/auth/token"
    provider_a_revocation: Annotated[
        HttpsAddress,
        Meta(description="Where provider A is asked to forget a sign-in when an account closes."),
    ] = "https://appleid.apple.com/auth/revoke"
    provider_a_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider A's tokens are signed with.")
    ] = "RS256"
    provider_b_issuer: Annotated[
        str, Meta(description="Who issues provider B's tokens; several are separated by commas.")
    ] = "https://accounts.google.com,accounts.google.com"
    provider_b_keys: Annotated[
        HttpsAddress, Meta(description="Where provider B publishes its keys (JWKS).")
    ] = "https://www.googleapis.com/oauth2/v3/certs"
    provider_b_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider B's tokens are signed with.")
    ] = "RS256"
    provider_c_issuer: Annotated[
        str, Meta(description="Who issues provider C's tokens; several are separated by commas.")
    ] = "https://www.facebook.com,https://facebook.com,https://limited.facebook.com"
    provider_c_keys: Annotated[
        HttpsAddress, Meta(description="Where provider C publishes its keys (JWKS).")
    ] = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    provider_c_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider C's tokens are signed with.")
    ] = "RS256"
    provider_c_graph: Annotated[
        HttpsAddress, Meta(description="Where provider C is asked about access tokens.")
    ] = "https://graph.facebook.com"
