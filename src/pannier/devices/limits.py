"""How often whoever sends readings may come: each credential for itself, strangers by address."""

from typing import Final

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


def count_stranger(limiter: Limiter, address: str, rate: Rate, moment: float) -> None:
    """Count a request whose credential nobody knows against its address, as all others are."""
    _hit(limiter, f"address:{addresses.neighbourhood(address)}", rate, moment)


def refuse_strangers(limiter: Limiter, address: str, rate: Rate, moment: float) -> None:
    """Look up no more credentials for an address that has shown too many wrong ones."""
    who = f"address:{addresses.neighbourhood(address)}"
    if limiter.remaining(who, rate, moment) < 1:
        _hit(limiter, who, rate, moment)


def _hit(limiter: Limiter, who: str, rate: Rate, moment: float) -> None:
    wait = limiter.hit(who, rate, moment)
    if wait:
        raise TooManyRequests(wait)
