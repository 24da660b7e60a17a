"""The rate limit for pictures. Processing them costs more than the rest of a request."""

from collections.abc import Sequence
from typing import Final

from pannier.proofs import images
from pannier.proofs.evidence import Evidence
from pannier.web.exchange import Exchange
from pannier.web.limits import Rate

# Pixels of a phone's photo. A larger picture counts several times.
ORDINARY_PIXELS: Final = 12_000_000
# Pictures to charge for a rejected request, by the work it may have caused.
REJECTION_COSTS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (images.ImageTooSlow, 24),
    (images.ImageUnreadable, 5),
    (Exception, 1),
)


def check_rate(exchange: Exchange, caller: str, count: int) -> None:
    """Count pictures against the caller's rate limit, or reject the request."""
    for _ in range(count):
        exchange.edge.count_hit(_limit_name(caller), _get_rate(exchange), exchange)


def charge(exchange: Exchange, caller: str, count: int) -> None:
    """Charge the extra cost of pictures after they were processed."""
    for _ in range(count):
        exchange.edge.limiter.hit(_limit_name(caller), _get_rate(exchange), exchange.moment)


def calculate_extra_cost(evidence: Sequence[Evidence]) -> int:
    """Return the number of pictures to charge for large ones, beyond one each."""
    pixel_counts = [item.picture.pixels for item in evidence if item.picture is not None]
    return sum((pixels - 1) // ORDINARY_PIXELS for pixels in pixel_counts)


def find_rejection_cost(error: Exception) -> int:
    """Return the number of pictures to charge for a rejected request."""
    return next(count for kind, count in REJECTION_COSTS if isinstance(error, kind))


def _limit_name(caller: str) -> str:
    return f"pictures:{caller}"


def _get_rate(exchange: Exchange) -> Rate:
    return Rate(exchange.edge.settings.picture_rate, 60.0)
