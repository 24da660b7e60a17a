"""Facebook (provider C); the request's body alone proves nothing."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec

from pannier.accounts.models import ProviderC
from pannier.customers.providers import tokens
from pannier.customers.providers.claims import Claim, ProvenClaim, Standing, Used
from pannier.customers.providers.refusals import (
    ProofInvalid,
    ProofRequired,
    ProviderNotEnabled,
    ProviderUnavailable,
)
from pannier.customers.providers.registry import Providers, Shop
from pannier.customers.providers.schemas import ClaimOfC
from pannier.customers.providers.tokens import Expected
from pannier.web import budgets
from pannier.web.budgets import Budget
from pannier.web.outside import OutsideError

REFUSED: Final = range(400, 429)
OK: Final = 200
FIELDS: Final = "id,name,email"
# Checks per access token: Facebook limits the calls of the store's app.
ASKED: Final = (30, timedelta(hours=1))

Out = TypeVar("Out")


class _Debugged(msgspec.Struct):
    """Facebook's details of an access token."""

    app_id: str | int | None = None
    user_id: str | int | None = None
    is_valid: bool = False
    expires_at: int = 0
    type: str = "USER"


class _Answer(msgspec.Struct):
    data: _Debugged


class _Me(msgspec.Struct):
    id: str
    name: str | None = None
    email: str | None = None


async def prove(providers: Providers, shop: Shop, given: ClaimOfC, now: datetime) -> ProvenClaim:
    """Verify every token that was sent; without one, the store's setting decides."""
    trust = shop.row.providers.c
    claim = Claim(provider="c", subject=given.user_id, name=given.name, email=given.email)
    if not (given.access_token or given.authentication_token):
        return ProvenClaim(claim=claim, standing=_standing(shop, trust))
    if trust is None:
        raise ProviderNotEnabled
    used: Used | None = None
    if given.authentication_token:
        claim, used = await _by_token(providers, trust, given, given.authentication_token, now)
    if given.access_token:
        # An access token lives for weeks and is checked each time, so it may be reused.
        claim = await _by_graph(providers, shop, trust, given, given.access_token, now)
    return ProvenClaim(claim=claim, used=used)


def _standing(shop: Shop, trust: ProviderC | None) -> Standing:
    """Return how far a claim without a token is trusted."""
    if shop.mode == "test":
        return "proved"
    if trust is None:
        raise ProviderNotEnabled
    if trust.mode == "require_proof":
        raise ProofRequired
    return "trusted" if trust.mode == "trust_client" else "announced"


async def _by_token(
    providers: Providers, trust: ProviderC, given: ClaimOfC, token: str, now: datetime
) -> tuple[Claim, Used]:
    expected = Expected(
        issuers=providers.c.names, audiences=[trust.app_id], nonce=given.nonce or None
    )
    claims = await tokens.read(token, providers.c.keys, expected, now)
    if claims.sub != given.user_id:
        raise ProofInvalid("The token belongs to another user than the user id.")
    # The address is unverified: Facebook does not say whether it checked it.
    claim = Claim(
        provider="c",
        subject=claims.sub,
        name=claims.name or given.name,
        email=claims.email or given.email,
    )
    return claim, tokens.used(token, claims)


async def _by_graph(
    providers: Providers, shop: Shop, trust: ProviderC, given: ClaimOfC, token: str, now: datetime
) -> Claim:
    secret = shop.secret(trust.app_secret)
    if secret is None:
        raise ProviderNotEnabled(
            "The store has no app secret, so access tokens cannot be verified."
        )
    # Keyed by the token, which only its owner has: a wrong token spends nobody else's budget.
    key = f"provider-c-token:{hashlib.sha256(token.encode()).hexdigest()}"
    await budgets.spend(shop.database, [Budget(key, *ASKED)])
    asked = {"input_token": token, "access_token": f"{trust.app_id}|{secret}"}
    said = (await _asked(providers, "debug_token", asked, _Answer)).data
    _check(said, trust, given.user_id, now)
    proof = hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
    asked = {"fields": FIELDS, "access_token": token, "appsecret_proof": proof}
    me = await _asked(providers, "me", asked, _Me)
    if me.id != given.user_id:
        raise ProofInvalid("The access token belongs to another user.")
    return Claim(
        provider="c", subject=me.id, name=me.name or given.name, email=me.email or given.email
    )


def _check(said: _Debugged, trust: ProviderC, user: str, now: datetime) -> None:
    if not said.is_valid or said.type != "USER":
        raise ProofInvalid("The provider rejected the access token as invalid.")
    if str(said.app_id) != trust.app_id:
        raise ProofInvalid("The access token was issued to another app.")
    if str(said.user_id) != user:
        raise ProofInvalid("The access token belongs to another user.")
    if said.expires_at and said.expires_at <= now.timestamp():
        raise ProofInvalid("The access token has expired.")


async def _asked(providers: Providers, what: str, query: dict[str, str], into: type[Out]) -> Out:
    try:
        response = await providers.outside.get(f"{providers.graph}/{what}", query)
    except OutsideError:
        raise ProviderUnavailable from None
    if response.status in REFUSED:
        raise ProofInvalid("The provider rejected the access token.")
    if response.status != OK:
        raise ProviderUnavailable
    try:
        return msgspec.json.decode(response.body, type=into)
    except msgspec.MsgspecError:
        raise ProviderUnavailable from None
