"""Rate limits of senders: per credential, and per address for unknown ones."""

from typing import Final

import msgspec

from pannier.devices.sources import Source
from pannier.errors import TooManyRequests
from pannier.web import addresses
from pannier.web.limits import Limiter, Rate

# A device that was offline may send its backlog at once. A gateway reports for thousands.
DEVICE: Final = Rate(30, 1.0, burst=120)
GATEWAY: Final = Rate(3000, 1.0)


def count(limiter: Limiter, source: Source, moment: float) -> None:
    """Count a request against its credential, or raise TooManyRequests."""
    rate = GATEWAY if source.speaks_for_all else DEVICE
    _hit(limiter, f"source:{source.token or source.key}", rate, moment)


class Stranger(msgspec.Struct, frozen=True):
    """A caller of whom only the address is known; all callers there share one rate limit."""

    limiter: Limiter
    address: str
    rate: Rate
    moment: float

    @property
    def _who(self) -> str:
        return f"address:{addresses.neighbourhood(self.address)}"

    def check(self) -> None:
        """Reject an address that has presented too many wrong credentials, before any lookup."""
        if self.limiter.remaining(self._who, self.rate, self.moment) < 1:
            self.count()

    def count(self) -> None:
        """Count a wrong credential against the address."""
        _hit(self.limiter, self._who, self.rate, self.moment)


def _hit(limiter: Limiter, who: str, rate: Rate, moment: float) -> None:
    wait = limiter.hit(who, rate, moment)
    if wait:
        raise TooManyRequests(wait)
