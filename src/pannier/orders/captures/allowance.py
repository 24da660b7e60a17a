"""How many pictures one caller may have looked at: that costs more than all else a request does."""

from collections.abc import Sequence
from typing import Final

from pannier.proofs import images
from pannier.proofs.evidence import Evidence
from pannier.web.exchange import Exchange
from pannier.web.limits import Rate

# What a phone's photo has. A larger picture counts for several.
ORDINARY: Final = 12_000_000
# What a refused request counts for: what it may have cost until then.
REFUSED: Final[tuple[tuple[type[Exception], int], ...]] = (
    (images.ImageTooSlow, 24),
    (images.ImageUnreadable, 5),
    (Exception, 1),
)


def ask(exchange: Exchange, caller: str, number: int) -> None:
    """Refuse a caller who has sent too many pictures of late; count these."""
    for _ in range(number):
        exchange.edge.limit(_name(caller), _rate(exchange), exchange)


def charge(exchange: Exchange, caller: str, count: int) -> None:
    """Count what pictures cost beyond one each, now that it is known."""
    for _ in range(count):
        exchange.edge.limiter.hit(_name(caller), _rate(exchange), exchange.moment)


def size(pieces: Sequence[Evidence]) -> int:
    """Tell what pictures count for beyond one each."""
    pixels = [piece.picture.pixels for piece in pieces if piece.picture is not None]
    return sum((number - 1) // ORDINARY for number in pixels)


def penalty(refused: Exception) -> int:
    """Tell what a request counts for whose pictures were refused."""
    return next(count for kind, count in REFUSED if isinstance(refused, kind))


def _name(caller: str) -> str:
    return f"pictures:{caller}"


def _rate(exchange: Exchange) -> Rate:
    return Rate(exchange.edge.settings.picture_rate, 60.0)
