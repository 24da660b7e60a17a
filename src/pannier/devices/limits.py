"""Rate limits of senders: per credential, and per address for unknown ones."""

from typing import Final

import msgspec

from pannier.devices.sources import Source
from pannier.errors import TooManyRequests
from pannier.web import addresses
from pannier.web.limits import Rate, RateLimiter

# A device that was offline may send its backlog at once. A gateway reports for thousands.
DEVICE_RATE: Final = Rate(30, 1.0, burst=120)
GATEWAY_RATE: Final = Rate(3000, 1.0)


def count_request(limiter: RateLimiter, source: Source, moment: float) -> None:
    """Count a request against its credential, or raise TooManyRequests."""
    rate = GATEWAY_RATE if source.speaks_for_all else DEVICE_RATE
    _count_hit(limiter, f"source:{source.token or source.key}", rate, moment)


class UnknownCaller(msgspec.Struct, frozen=True):
    """A caller known only by its address. All unknown callers there share one rate limit."""

    limiter: RateLimiter
    address: str
    rate: Rate
    moment: float

    @property
    def _key(self) -> str:
        return f"address:{addresses.get_rate_limit_network(self.address)}"

    def check(self) -> None:
        """Reject an address that has presented too many wrong credentials, before any lookup."""
        if self.limiter.count_remaining_hits(self._key, self.rate, self.moment) < 1:
            self.count()

    def count(self) -> None:
        """Count a wrong credential against the address."""
        _count_hit(self.limiter, self._key, self.rate, self.moment)


def _count_hit(limiter: RateLimiter, key: str, rate: Rate, moment: float) -> None:
    wait_seconds = limiter.hit(key, rate, moment)
    if wait_seconds:
        raise TooManyRequests(wait_seconds)
