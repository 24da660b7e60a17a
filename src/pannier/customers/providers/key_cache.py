"""A provider's public keys: fetched when needed, cached for an hour, with rate-limited fetches.

All waits are computed from `now`, so tests can advance the clock.
"""

import asyncio
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pannier.customers.providers.refusals import ProviderUnavailable
from pannier.kit import crypto
from pannier.settings import Algorithm
from pannier.web.logs import log
from pannier.web.outside import Outside, OutsideAnswer, OutsideError

if TYPE_CHECKING:
    from joserfc.jwk import ECKey, RSAKey

LIFE: Final = timedelta(hours=1)
LEAST_LIFE: Final = timedelta(minutes=5)
# How long cached keys are used when the provider cannot be reached.
STALE_LIFE: Final = timedelta(hours=24)
# Minimum interval between fetches for an unknown key, because anybody can send one.
FORCED_EVERY: Final = timedelta(minutes=5)
# Delay before a failed fetch is retried.
PAUSE: Final = timedelta(seconds=10)
OK: Final = 200
LEAST_RSA_BYTES: Final = 256
# The members copied from a key, by algorithm; all of them are public.
MEMBERS: Final[Mapping[Algorithm, tuple[str, tuple[str, ...]]]] = {
    "RS256": ("RSA", ("kty", "n", "e")),
    "ES256": ("EC", ("kty", "crv", "x", "y")),
}
_MAX_AGE: Final = re.compile(r"(?:^|[\s,])max-age=(\d{1,9})")


class _Published(msgspec.Struct):
    keys: list[dict[str, Any]]


class KeyCache:
    """The keys of one provider, by their `kid`."""

    def __init__(self, outside: Outside, address: str, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self._outside, self._address = outside, address
        self._keys: Mapping[str, RSAKey | ECKey] = {}
        self._fetched: datetime | None = None
        self._life = LIFE
        self._failed: datetime | None = None
        self._forced: datetime | None = None
        self._turn = asyncio.Lock()

    async def find(self, name: str, now: datetime) -> "RSAKey | ECKey | None":
        """Return a key; None when the provider has none with that id."""
        if self._fresh(now) and name in self._keys:
            return self._keys[name]
        # One fetch at a time: waiting requests use its result.
        async with self._turn:
            if self._due(name, now):
                await self._fetch(now)
        if self._fetched is None or now >= self._fetched + STALE_LIFE:
            raise ProviderUnavailable
        if name not in self._keys and self._failed is not None:
            raise ProviderUnavailable
        return self._keys.get(name)

    def _fresh(self, now: datetime) -> bool:
        return self._fetched is not None and now < self._fetched + self._life

    def _due(self, name: str, now: datetime) -> bool:
        """Return whether to fetch the keys now."""
        if self._failed is not None and now < self._failed + PAUSE:
            return False
        if not self._fresh(now):
            return True
        if name in self._keys or (self._forced is not None and now < self._forced + FORCED_EVERY):
            return False
        self._forced = now
        return True

    async def _fetch(self, now: datetime) -> None:
        try:
            response = await self._outside.get(self._address)
            self._keys, self._life = read(response, self.algorithm), life(response.cache_control)
        except (OutsideError, msgspec.MsgspecError, ValueError) as failure:
            log.warning("provider keys not fetched", address=self._address, reason=str(failure))
            self._failed = now
        else:
            self._fetched, self._failed = now, None


def life(cache_control: str) -> timedelta:
    """Return the cache lifetime: an hour, or less when Cache-Control says so."""
    found = _MAX_AGE.search(cache_control.lower())
    if found is None:
        return LIFE
    return min(LIFE, max(LEAST_LIFE, timedelta(seconds=int(found[1]))))


def read(response: OutsideAnswer, algorithm: Algorithm) -> "Mapping[str, RSAKey | ECKey]":
    """Parse the keys that fit the algorithm; others are ignored."""
    if response.status != OK:
        raise ValueError(f"The provider answered {response.status}.")
    published = msgspec.json.decode(response.body, type=_Published).keys
    keys = {str(entry.get("kid")): _key(entry, algorithm) for entry in published}
    fitting = {name: key for name, key in keys.items() if key is not None}
    if not fitting:
        raise ValueError("The provider published no suitable key.")
    return fitting


def _key(entry: Mapping[str, Any], algorithm: Algorithm) -> "RSAKey | ECKey | None":
    from joserfc.errors import JoseError  # noqa: PLC0415 - a plain start does not need it
    from joserfc.jwk import ECKey, RSAKey  # noqa: PLC0415 - a plain start does not need it

    kind, members = MEMBERS[algorithm]
    if not _fits(entry, kind, algorithm):
        return None
    public: dict[str, str | list[str]] = {name: str(entry.get(name, "")) for name in members}
    try:
        if algorithm == "ES256":
            return ECKey.import_key(public) if public["crv"] == "P-256" else None
        modulus = (crypto.from_text(str(entry.get("n"))) or b"").lstrip(b"\0")
        return RSAKey.import_key(public) if len(modulus) >= LEAST_RSA_BYTES else None
    except (JoseError, ValueError, TypeError):
        return None


def _fits(entry: Mapping[str, Any], kind: str, algorithm: Algorithm) -> bool:
    return (
        isinstance(entry.get("kid"), str)
        and entry.get("kty") == kind
        and entry.get("use", "sig") == "sig"
        and entry.get("alg", algorithm) == algorithm
    )
