"""Apple (provider A): an identity token, and an authorization code to exchange."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.models import ProviderA
from pannier.customers.providers import replays, tokens
from pannier.customers.providers.claims import Claim, ProvenClaim
from pannier.customers.providers.refusals import (
    ProofInvalid,
    ProviderNotEnabled,
    ProviderUnavailable,
)
from pannier.customers.providers.registry import Providers, Shop
from pannier.customers.providers.schemas import TokenOfA
from pannier.customers.providers.tokens import Claims, Expected
from pannier.errors import Field, Invalid
from pannier.web.outside import OutsideError

OLDEST: Final = timedelta(minutes=10)
SECRET_LIFE: Final = timedelta(minutes=5)
REFUSED: Final = range(400, 429)
OK: Final = 200


class _Exchanged(msgspec.Struct):
    id_token: str
    refresh_token: str | None = None


class Grant(msgspec.Struct):
    """The refresh token with which Apple revokes the sign-in."""

    client: str
    refresh_token: str


async def prove(providers: Providers, shop: Shop, given: TokenOfA, now: datetime) -> ProvenClaim:
    """Verify the identity token, and exchange the code if the store has a private key."""
    trust = shop.row.providers.a
    if trust is None:
        raise ProviderNotEnabled
    expected = Expected(
        issuers=providers.a.names,
        audiences=trust.audiences,
        nonce=hashlib.sha256(given.nonce.encode()).hexdigest() if given.nonce else None,
        oldest=OLDEST,
    )
    claims = await tokens.read(given.identity_token, providers.a.keys, expected, now)
    if claims.sub != given.user_id:
        raise ProofInvalid("The token belongs to another user than the user id.")
    used = tokens.used(given.identity_token, claims)
    # A code can be exchanged only once; whether a repeated token is accepted is decided later.
    grant = None
    if trust.private_key is not None and not await replays.spent(shop.database, used):
        grant = await _exchange(providers, shop, trust, claims, given.authorization_code, now)
    return ProvenClaim(claim=_claim(claims, given.name), used=used, grant=grant)


def _claim(claims: Claims, name: str | None) -> Claim:
    return Claim(
        provider="a",
        subject=claims.sub,
        name=name,
        email=claims.email,
        email_verified=tokens.affirmed(claims.email_verified),
        email_private=tokens.affirmed(claims.is_private_email),
    )


async def _exchange(
    providers: Providers,
    shop: Shop,
    trust: ProviderA,
    claims: Claims,
    code: str | None,
    now: datetime,
) -> str | None:
    """Exchange the code; it must belong to the same person and app."""
    if not code:
        raise Invalid(fields=[Field("authorizationCode", "This field is required.")])
    client = claims.audiences[0]
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client,
        "client_secret": _client_secret(providers, shop, trust, client, now),
    }
    answer = await _asked(providers, form)
    expected = Expected(issuers=providers.a.names, audiences=[client])
    exchanged = await tokens.read(answer.id_token, providers.a.keys, expected, now)
    if exchanged.sub != claims.sub:
        raise ProofInvalid("The authorization code belongs to another user.")
    if answer.refresh_token is None:
        return None
    return msgspec.json.encode(Grant(client, answer.refresh_token)).decode()


async def revoke(providers: Providers, shop: Shop, grant: str, now: datetime) -> bool:
    """Revoke a sign-in at Apple, and return whether that succeeded."""
    trust, known = shop.row.providers.a, msgspec.json.decode(grant, type=Grant)
    if trust is None or trust.private_key is None:
        return False
    form = {
        "token": known.refresh_token,
        "token_type_hint": "refresh_token",
        "client_id": known.client,
        "client_secret": _client_secret(providers, shop, trust, known.client, now),
    }
    try:
        return (await providers.outside.post(providers.revocation, form)).status == OK
    except OutsideError:
        return False


async def _asked(providers: Providers, form: dict[str, str]) -> _Exchanged:
    try:
        response = await providers.outside.post(providers.exchange, form)
    except OutsideError:
        raise ProviderUnavailable from None
    if response.status in REFUSED:
        raise ProofInvalid("The provider rejected the authorization code.")
    try:
        answer = (
            msgspec.json.decode(response.body, type=_Exchanged) if response.status == OK else None
        )
    except msgspec.MsgspecError:
        answer = None
    if answer is None:
        raise ProviderUnavailable
    return answer


def _client_secret(
    providers: Providers, shop: Shop, trust: ProviderA, client: str, now: datetime
) -> str:
    """Sign the client secret, a short-lived JWT."""
    from joserfc import jwt  # noqa: PLC0415 - a plain start does not need it
    from joserfc.jwk import ECKey  # noqa: PLC0415 - a plain start does not need it

    secret = shop.secret(trust.private_key)
    if secret is None:
        raise ProviderNotEnabled("The store's key for this provider cannot be read. Set it again.")
    issued = int(now.timestamp())
    claims = {
        "iss": trust.team_id,
        "iat": issued,
        "exp": issued + int(SECRET_LIFE.total_seconds()),
        "aud": min(providers.a.names),
        "sub": client,
    }
    return jwt.encode({"alg": "ES256", "kid": trust.key_id}, claims, ECKey.import_key(secret))
