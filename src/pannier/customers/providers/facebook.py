"""Facebook, which the API calls provider `c`. The body of the request alone proves nothing."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec

from pannier.accounts.models import FacebookConfig
from pannier.customers.providers import tokens
from pannier.customers.providers.claims import Assurance, ProvenClaim, ProviderClaim, UsedToken
from pannier.customers.providers.problems import (
    ProofInvalid,
    ProofRequired,
    ProviderNotEnabled,
    ProviderUnavailable,
)
from pannier.customers.providers.registry import ProviderRegistry, SignInStore
from pannier.customers.providers.schemas import FacebookClaim
from pannier.customers.providers.tokens import ExpectedClaims
from pannier.web import budgets
from pannier.web.budgets import Budget
from pannier.web.http_client import HttpClientError

CLIENT_ERROR_STATUSES: Final = range(400, 429)
HTTP_OK: Final = 200
PROFILE_FIELDS: Final = "id,name,email"
# Checks per access token: Facebook limits the calls of the store's app.
TOKEN_CHECK_LIMIT: Final = (30, timedelta(hours=1))

Out = TypeVar("Out")


class _TokenDetails(msgspec.Struct):
    """Facebook's details of an access token."""

    app_id: str | int | None = None
    user_id: str | int | None = None
    is_valid: bool = False
    expires_at: int = 0
    type: str = "USER"


class _TokenDetailsResponse(msgspec.Struct):
    data: _TokenDetails


class _Profile(msgspec.Struct):
    id: str
    name: str | None = None
    email: str | None = None


async def verify_claim(
    providers: ProviderRegistry, shop: SignInStore, data: FacebookClaim, now: datetime
) -> ProvenClaim:
    """Verify every token in the request; without one, the store's setting decides."""
    config = shop.row.providers.c
    claim = ProviderClaim(provider="c", subject=data.user_id, name=data.name, email=data.email)
    if not (data.access_token or data.authentication_token):
        return ProvenClaim(claim=claim, assurance=_choose_assurance(shop, config))
    if config is None:
        raise ProviderNotEnabled
    used_token: UsedToken | None = None
    if data.authentication_token:
        claim, used_token = await _verify_id_token(
            providers, config, data, data.authentication_token, now
        )
    if data.access_token:
        # An access token lives for weeks and is checked each time, so it may be reused.
        claim = await _verify_access_token(providers, shop, config, data, data.access_token, now)
    return ProvenClaim(claim=claim, used_token=used_token)


def _choose_assurance(shop: SignInStore, config: FacebookConfig | None) -> Assurance:
    """Choose the assurance of a claim without a token."""
    if shop.mode == "test":
        return "proved"
    if config is None:
        raise ProviderNotEnabled
    if config.mode == "require_proof":
        raise ProofRequired
    return "trusted" if config.mode == "trust_client" else "announced"


async def _verify_id_token(
    providers: ProviderRegistry,
    config: FacebookConfig,
    data: FacebookClaim,
    token: str,
    now: datetime,
) -> tuple[ProviderClaim, UsedToken]:
    expected_claims = ExpectedClaims(
        issuers=providers.facebook.names, audiences=[config.app_id], nonce=data.nonce or None
    )
    claims = await tokens.verify_token(token, providers.facebook.keys, expected_claims, now)
    if claims.sub != data.user_id:
        raise ProofInvalid("The token belongs to another user, not to the given user id.")
    # The address is unverified: Facebook does not say whether it checked it.
    claim = ProviderClaim(
        provider="c",
        subject=claims.sub,
        name=claims.name or data.name,
        email=claims.email or data.email,
    )
    return claim, tokens.to_used_token(token, claims)


async def _verify_access_token(
    providers: ProviderRegistry,
    shop: SignInStore,
    config: FacebookConfig,
    data: FacebookClaim,
    token: str,
    now: datetime,
) -> ProviderClaim:
    secret = shop.unseal(config.app_secret)
    if secret is None:
        raise ProviderNotEnabled(
            "The store has no app secret, so access tokens cannot be verified."
        )
    # Keyed by the token, which only its owner has: a wrong token spends nobody else's budget.
    key = f"provider-c-token:{hashlib.sha256(token.encode()).hexdigest()}"
    await budgets.spend(shop.database, [Budget(key, *TOKEN_CHECK_LIMIT)])
    query = {"input_token": token, "access_token": f"{config.app_id}|{secret}"}
    details = (await _get_from_graph(providers, "debug_token", query, _TokenDetailsResponse)).data
    _check_token_details(details, config, data.user_id, now)
    proof = hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
    query = {"fields": PROFILE_FIELDS, "access_token": token, "appsecret_proof": proof}
    profile = await _get_from_graph(providers, "me", query, _Profile)
    if profile.id != data.user_id:
        raise ProofInvalid("The access token belongs to another user.")
    return ProviderClaim(
        provider="c",
        subject=profile.id,
        name=profile.name or data.name,
        email=profile.email or data.email,
    )


def _check_token_details(
    details: _TokenDetails, config: FacebookConfig, user: str, now: datetime
) -> None:
    if not details.is_valid or details.type != "USER":
        raise ProofInvalid("The provider rejected the access token as invalid.")
    if str(details.app_id) != config.app_id:
        raise ProofInvalid("The access token was issued to another app.")
    if str(details.user_id) != user:
        raise ProofInvalid("The access token belongs to another user.")
    if details.expires_at and details.expires_at <= now.timestamp():
        raise ProofInvalid("The access token has expired.")


async def _get_from_graph(
    providers: ProviderRegistry, path: str, query: dict[str, str], schema: type[Out]
) -> Out:
    try:
        response = await providers.http_client.get(f"{providers.facebook_graph_url}/{path}", query)
    except HttpClientError:
        raise ProviderUnavailable from None
    if response.status in CLIENT_ERROR_STATUSES:
        raise ProofInvalid("The provider rejected the access token.")
    if response.status != HTTP_OK:
        raise ProviderUnavailable
    try:
        return msgspec.json.decode(response.body, type=schema)
    except msgspec.MsgspecError:
        raise ProviderUnavailable from None
