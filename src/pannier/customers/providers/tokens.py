"""Verification of tokens that providers sign."""

import hashlib
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta

from pannier.customers.providers.claims import UsedToken
from pannier.customers.providers.key_cache import KeyCache
from pannier.customers.providers.problems import ProofInvalid
from pannier.kit import crypto

LEEWAY: Final = timedelta(seconds=60)
# A used token is remembered until it expires, so its lifetime must be limited.
MAX_TOKEN_LIFETIME: Final = timedelta(days=31)
JWT_PARTS: Final = 3
# Headers that change what is signed or how; no trusted provider sends them.
UNSUPPORTED_HEADERS: Final = frozenset({"crit", "b64", "zip"})

Subject = Annotated[str, Meta(pattern=r"^[\x21-\x7e]{1,255}\Z")]
# Some providers send booleans as text.
BoolOrText = bool | str | None
Out = TypeVar("Out")


class TokenClaims(msgspec.Struct, frozen=True):
    """The claims of a token."""

    iss: str
    sub: Subject
    aud: str | list[str]
    exp: int | float
    iat: int | float
    nbf: int | float | None = None
    azp: str | None = None
    nonce: str | None = None
    name: str | None = None
    email: str | None = None
    email_verified: BoolOrText = None
    is_private_email: BoolOrText = None
    hd: str | None = None

    @property
    def audiences(self) -> list[str]:
        """The token's audiences, as a list."""
        return [self.aud] if isinstance(self.aud, str) else self.aud


class ExpectedClaims(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a token's claims must have."""

    issuers: Collection[str]
    audiences: Collection[str]
    nonce: str | None = None
    max_age: timedelta | None = None


class _Header(msgspec.Struct):
    alg: str
    kid: Annotated[str, Meta(min_length=1, max_length=200)]
    typ: str = "JWT"


async def verify_token(
    token: str, keys: KeyCache, expected_claims: ExpectedClaims, now: datetime
) -> TokenClaims:
    """Verify a token's signature and claims; raise ProofInvalid otherwise."""
    header = _parse_header(token)
    if header.alg != keys.algorithm:
        raise ProofInvalid(f"The token must be signed with {keys.algorithm}.")
    if header.typ.upper() != "JWT":
        raise ProofInvalid("The token is not an identity token.")
    key = await keys.find(header.kid, now)
    if key is None:
        raise ProofInvalid("The token is not signed with a key of the provider.")
    claims = _decode_json(_verify_signature(token, key, keys.algorithm), TokenClaims)
    for sentence in find_claim_errors(claims, expected_claims, now):
        raise ProofInvalid(sentence)
    return claims


def _parse_header(token: str) -> _Header:
    parts = token.split(".")
    raw = crypto.from_text(parts[0]) if len(parts) == JWT_PARTS and token.isascii() else None
    if raw is None:
        raise ProofInvalid("The token is not a signed JWT.")
    if UNSUPPORTED_HEADERS & _decode_json(raw, dict[str, Any]).keys():
        raise ProofInvalid("The token's header is not supported.")
    return _decode_json(raw, _Header)


def _decode_json(raw: bytes, schema: type[Out]) -> Out:
    try:
        return msgspec.json.decode(raw, type=schema)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ProofInvalid("The token's claims are not those of the provider.") from None


def _verify_signature(token: str, key: Any, algorithm: str) -> bytes:  # noqa: ANN401 - an RSA or EC key
    """Verify the signature and return the payload."""
    from joserfc import jws  # noqa: PLC0415 - imported lazily: not needed at startup
    from joserfc.errors import JoseError  # noqa: PLC0415 - as above

    try:
        return jws.deserialize_compact(token, key, algorithms=[algorithm]).payload
    except (JoseError, ValueError, TypeError):
        raise ProofInvalid("The token's signature is invalid.") from None


def find_claim_errors(
    claims: TokenClaims, expected_claims: ExpectedClaims, now: datetime
) -> Iterator[str]:
    """List an error for each invalid claim."""
    timestamp, leeway = now.timestamp(), LEEWAY.total_seconds()
    if claims.iss not in expected_claims.issuers:
        yield "The token is from another issuer."
    if not claims.audiences or not set(claims.audiences) <= set(expected_claims.audiences):
        yield "The token is for another audience: this store is not among its recipients."
    if claims.azp is not None and claims.azp not in expected_claims.audiences:
        yield "The token was requested by another store's app."
    if timestamp >= claims.exp + leeway:
        yield "The token has expired."
    if claims.exp > timestamp + MAX_TOKEN_LIFETIME.total_seconds():
        yield "The token's lifetime is too long."
    if claims.iat > timestamp + leeway or (claims.nbf or 0) > timestamp + leeway:
        yield "The token is not valid yet."
    if (
        expected_claims.max_age
        and claims.iat < timestamp - expected_claims.max_age.total_seconds() - leeway
    ):
        yield "The token is too old."
    if expected_claims.nonce is not None and claims.nonce != expected_claims.nonce:
        yield "The token's nonce does not match."


def is_true(value: BoolOrText) -> bool:
    """Tell whether a claim is true, as a boolean or as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")


def to_used_token(token: str, claims: TokenClaims) -> UsedToken:
    """Hash a token, so that its use can be recorded without storing the token.

    Only the signed part is hashed, because the end of a signature has several encodings.
    """
    signed_part = token.rpartition(".")[0]
    expires_at = datetime.fromtimestamp(claims.exp, UTC) + LEEWAY
    return UsedToken(hashlib.sha256(signed_part.encode()).digest(), expires_at)
