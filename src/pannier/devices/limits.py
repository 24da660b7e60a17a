"""How often whoever sends readings may come: each credential for itself, strangers by address."""

from typing import Final

import msgspec

from pannier.devices.sources import Source
from pannier.errors import TooManyRequests
from pannier.web import addresses
from pannier.web.limits import Limiter, Rate

# A device that was out of reach brings what it kept. A gateway speaks for thousands.
DEVICE: Final = Rate(30, 1.0, burst=120)
GATEWAY: Final = Rate(3000, 1.0)


def count(limiter: Limiter, source: Source, moment: float) -> None:
    """Count a request against the credential that it came with; refuse what is too much."""
    rate = GATEWAY if source.speaks_for_all else DEVICE
    _hit(limiter, f"source:{source.token or source.key}", rate, moment)


class Stranger(msgspec.Struct, frozen=True):
    """Somebody of whom only the address is known; with others there they have one allowance."""

    limiter: Limiter
    address: str
    rate: Rate
    moment: float

    @property
    def _who(self) -> str:
        return f"address:{addresses.neighbourhood(self.address)}"

    def check(self) -> None:
        """Look nobody up for an address that has shown too many wrong credentials."""
        if self.limiter.remaining(self._who, self.rate, self.moment) < 1:
            self.count()

    def count(self) -> None:
        """Count a wrong credential against the address."""
        _hit(self.limiter, self._who, self.rate, self.moment)


def _hit(limiter: Limiter, who: str, rate: Rate, moment: float) -> None:
    wait = limiter.hit(who, rate, moment)
    if wait:
        raise TooManyRequests(wait)
