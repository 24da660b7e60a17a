"""Apple, which the API calls provider `a`: an identity token and an authorization code."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.models import AppleConfig
from pannier.customers.providers import replays, tokens
from pannier.customers.providers.claims import ProvenClaim, ProviderClaim
from pannier.customers.providers.problems import (
    ProofInvalid,
    ProviderNotEnabled,
    ProviderUnavailable,
)
from pannier.customers.providers.registry import ProviderRegistry, SignInStore
from pannier.customers.providers.schemas import AppleToken
from pannier.customers.providers.tokens import ExpectedClaims, TokenClaims
from pannier.errors import FieldError, Invalid
from pannier.web.http_client import HttpClientError

MAX_TOKEN_AGE: Final = timedelta(minutes=10)
CLIENT_SECRET_LIFETIME: Final = timedelta(minutes=5)
CLIENT_ERROR_STATUSES: Final = range(400, 429)
HTTP_OK: Final = 200


class _TokenResponse(msgspec.Struct):
    id_token: str
    refresh_token: str | None = None


class AppleGrant(msgspec.Struct):
    """The refresh token with which Apple revokes the sign-in."""

    client: str
    refresh_token: str


async def verify_claim(
    providers: ProviderRegistry, shop: SignInStore, data: AppleToken, now: datetime
) -> ProvenClaim:
    """Verify the identity token, and exchange the code if the store has a private key."""
    config = shop.row.providers.a
    if config is None:
        raise ProviderNotEnabled
    expected_claims = ExpectedClaims(
        issuers=providers.apple.names,
        audiences=config.audiences,
        nonce=hashlib.sha256(data.nonce.encode()).hexdigest() if data.nonce else None,
        max_age=MAX_TOKEN_AGE,
    )
    claims = await tokens.verify_token(
        data.identity_token, providers.apple.keys, expected_claims, now
    )
    if claims.sub != data.user_id:
        raise ProofInvalid("The token belongs to another user, not to the given user id.")
    used_token = tokens.to_used_token(data.identity_token, claims)
    # A code can be exchanged only once; whether a repeated token is accepted is decided later.
    grant = None
    if config.private_key is not None and not await replays.is_used(shop.database, used_token):
        grant = await _exchange_code(providers, shop, config, claims, data.authorization_code, now)
    return ProvenClaim(claim=_to_claim(claims, data.name), used_token=used_token, grant=grant)


def _to_claim(claims: TokenClaims, name: str | None) -> ProviderClaim:
    return ProviderClaim(
        provider="a",
        subject=claims.sub,
        name=name,
        email=claims.email,
        email_verified=tokens.is_true(claims.email_verified),
        email_private=tokens.is_true(claims.is_private_email),
    )


async def _exchange_code(
    providers: ProviderRegistry,
    shop: SignInStore,
    config: AppleConfig,
    claims: TokenClaims,
    code: str | None,
    now: datetime,
) -> str | None:
    """Exchange the code; it must belong to the same person and app."""
    if not code:
        raise Invalid(fields=[FieldError("authorizationCode", "This field is required.")])
    client = claims.audiences[0]
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client,
        "client_secret": _make_client_secret(providers, shop, config, client, now),
    }
    response = await _post_exchange(providers, form)
    expected_claims = ExpectedClaims(issuers=providers.apple.names, audiences=[client])
    new_claims = await tokens.verify_token(
        response.id_token, providers.apple.keys, expected_claims, now
    )
    if new_claims.sub != claims.sub:
        raise ProofInvalid("The authorization code belongs to another user.")
    if response.refresh_token is None:
        return None
    return msgspec.json.encode(AppleGrant(client, response.refresh_token)).decode()


async def revoke_grant(
    providers: ProviderRegistry, shop: SignInStore, grant: str, now: datetime
) -> bool:
    """Revoke a sign-in at Apple, and return whether that succeeded."""
    config, apple_grant = shop.row.providers.a, msgspec.json.decode(grant, type=AppleGrant)
    if config is None or config.private_key is None:
        return False
    form = {
        "token": apple_grant.refresh_token,
        "token_type_hint": "refresh_token",
        "client_id": apple_grant.client,
        "client_secret": _make_client_secret(providers, shop, config, apple_grant.client, now),
    }
    try:
        return (
            await providers.http_client.post(providers.apple_revocation_url, form)
        ).status == HTTP_OK
    except HttpClientError:
        return False


async def _post_exchange(providers: ProviderRegistry, form: dict[str, str]) -> _TokenResponse:
    try:
        response = await providers.http_client.post(providers.apple_exchange_url, form)
    except HttpClientError:
        raise ProviderUnavailable from None
    if response.status in CLIENT_ERROR_STATUSES:
        raise ProofInvalid("The provider rejected the authorization code.")
    try:
        token_response = (
            msgspec.json.decode(response.body, type=_TokenResponse)
            if response.status == HTTP_OK
            else None
        )
    except msgspec.MsgspecError:
        token_response = None
    if token_response is None:
        raise ProviderUnavailable
    return token_response


def _make_client_secret(
    providers: ProviderRegistry, shop: SignInStore, config: AppleConfig, client: str, now: datetime
) -> str:
    """Sign the client secret, a short-lived JWT."""
    from joserfc import jwt  # noqa: PLC0415 - imported lazily: not needed at startup
    from joserfc.jwk import ECKey  # noqa: PLC0415 - as above

    secret = shop.unseal(config.private_key)
    if secret is None:
        raise ProviderNotEnabled("The store's key for this provider cannot be read. Set it again.")
    issued_at = int(now.timestamp())
    claims = {
        "iss": config.team_id,
        "iat": issued_at,
        "exp": issued_at + int(CLIENT_SECRET_LIFETIME.total_seconds()),
        "aud": min(providers.apple.names),
        "sub": client,
    }
    return jwt.encode({"alg": "ES256", "kid": config.key_id}, claims, ECKey.import_key(secret))
