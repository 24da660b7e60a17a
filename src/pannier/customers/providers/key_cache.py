"""A provider's public keys: fetched when needed, cached for an hour, with rate-limited fetches.

All waits are computed from `now`, so tests can advance the clock.
"""

import asyncio
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pannier.customers.providers.problems import ProviderUnavailable
from pannier.kit import crypto
from pannier.settings import Algorithm
from pannier.web.http_client import HttpClient, HttpClientError, HttpClientResponse
from pannier.web.logs import log

if TYPE_CHECKING:
    from joserfc.jwk import ECKey, RSAKey

DEFAULT_LIFETIME: Final = timedelta(hours=1)
MIN_LIFETIME: Final = timedelta(minutes=5)
# How long cached keys are used while the provider cannot be reached.
MAX_STALE_AGE: Final = timedelta(hours=24)
# Minimum interval between fetches for an unknown key, because anybody can send one.
FORCED_FETCH_INTERVAL: Final = timedelta(minutes=5)
# Delay before a failed fetch is retried.
RETRY_DELAY: Final = timedelta(seconds=10)
HTTP_OK: Final = 200
MIN_RSA_BYTES: Final = 256
# The members copied from a key, by algorithm; all of them are public.
PUBLIC_MEMBERS: Final[Mapping[Algorithm, tuple[str, tuple[str, ...]]]] = {
    "RS256": ("RSA", ("kty", "n", "e")),
    "ES256": ("EC", ("kty", "crv", "x", "y")),
}
_MAX_AGE: Final = re.compile(r"(?:^|[\s,])max-age=(\d{1,9})")


class _KeySet(msgspec.Struct):
    keys: list[dict[str, Any]]


class KeyCache:
    """The keys of one provider, by their `kid`."""

    def __init__(self, http_client: HttpClient, address: str, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self._http_client, self._address = http_client, address
        self._keys: Mapping[str, RSAKey | ECKey] = {}
        self._fetched_at: datetime | None = None
        self._lifetime = DEFAULT_LIFETIME
        self._failed_at: datetime | None = None
        self._forced_at: datetime | None = None
        self._lock = asyncio.Lock()

    async def find(self, kid: str, now: datetime) -> "RSAKey | ECKey | None":
        """Find a key by its id; return None if the provider has no such key."""
        if self._is_fresh(now) and kid in self._keys:
            return self._keys[kid]
        # One fetch at a time: waiting requests use its result.
        async with self._lock:
            if self._claim_fetch(kid, now):
                await self._fetch_keys(now)
        if self._fetched_at is None or now >= self._fetched_at + MAX_STALE_AGE:
            raise ProviderUnavailable
        if kid not in self._keys and self._failed_at is not None:
            raise ProviderUnavailable
        return self._keys.get(kid)

    def _is_fresh(self, now: datetime) -> bool:
        return self._fetched_at is not None and now < self._fetched_at + self._lifetime

    def _claim_fetch(self, kid: str, now: datetime) -> bool:
        """Return whether to fetch the keys now, and record a fetch for an unknown key."""
        if self._failed_at is not None and now < self._failed_at + RETRY_DELAY:
            return False
        if not self._is_fresh(now):
            return True
        if kid in self._keys or (
            self._forced_at is not None and now < self._forced_at + FORCED_FETCH_INTERVAL
        ):
            return False
        self._forced_at = now
        return True

    async def _fetch_keys(self, now: datetime) -> None:
        try:
            response = await self._http_client.get(self._address)
            self._keys, self._lifetime = (
                parse_keys(response, self.algorithm),
                parse_lifetime(response.cache_control),
            )
        except (HttpClientError, msgspec.MsgspecError, ValueError) as failure:
            log.warning("provider keys not fetched", address=self._address, reason=str(failure))
            self._failed_at = now
        else:
            self._fetched_at, self._failed_at = now, None


def parse_lifetime(cache_control: str) -> timedelta:
    """Parse the cache lifetime: an hour, or less if Cache-Control requires it."""
    match = _MAX_AGE.search(cache_control.lower())
    if match is None:
        return DEFAULT_LIFETIME
    return min(DEFAULT_LIFETIME, max(MIN_LIFETIME, timedelta(seconds=int(match[1]))))


def parse_keys(
    response: HttpClientResponse, algorithm: Algorithm
) -> "Mapping[str, RSAKey | ECKey]":
    """Parse the keys that fit the algorithm; others are ignored."""
    if response.status != HTTP_OK:
        raise ValueError(f"The provider responded with status {response.status}.")
    entries = msgspec.json.decode(response.body, type=_KeySet).keys
    keys = {str(entry.get("kid")): _parse_key(entry, algorithm) for entry in entries}
    usable_keys = {name: key for name, key in keys.items() if key is not None}
    if not usable_keys:
        raise ValueError("The provider published no suitable key.")
    return usable_keys


def _parse_key(entry: Mapping[str, Any], algorithm: Algorithm) -> "RSAKey | ECKey | None":
    from joserfc.errors import JoseError  # noqa: PLC0415 - imported lazily: not needed at startup
    from joserfc.jwk import ECKey, RSAKey  # noqa: PLC0415 - as above

    kind, members = PUBLIC_MEMBERS[algorithm]
    if not _is_suitable(entry, kind, algorithm):
        return None
    public_members: dict[str, str | list[str]] = {
        name: str(entry.get(name, "")) for name in members
    }
    try:
        if algorithm == "ES256":
            is_p256 = public_members["crv"] == "P-256"
            return ECKey.import_key(public_members) if is_p256 else None
        modulus = (crypto.from_text(str(entry.get("n"))) or b"").lstrip(b"\0")
        return RSAKey.import_key(public_members) if len(modulus) >= MIN_RSA_BYTES else None
    except (JoseError, ValueError, TypeError):
        return None


def _is_suitable(entry: Mapping[str, Any], kind: str, algorithm: Algorithm) -> bool:
    return (
        isinstance(entry.get("kid"), str)
        and entry.get("kty") == kind
        and entry.get("use", "sig") == "sig"
        and entry.get("alg", algorithm) == algorithm
    )
