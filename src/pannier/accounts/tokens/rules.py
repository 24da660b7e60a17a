"""How long tokens are valid, and how many a holder may have."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from pannier.accounts.tokens.models import Kind


class TokenLimits(NamedTuple):
    """Prefix and limits of a kind of token; None means no limit.

    When a holder has more than `max_alive` valid tokens, the oldest end. A device has two while its
    token is replaced.
    """

    prefix: str
    lifetime: timedelta | None
    max_idle: timedelta | None
    max_alive: int


# The lifetime of operators' sessions is a setting, which their sign-in passes on.
TOKEN_LIMITS: Final[Mapping[Kind, TokenLimits]] = {
    "operator": TokenLimits("opr", None, None, 100),
    "customer": TokenLimits("cst", timedelta(days=180), timedelta(days=60), 20),
    "driver": TokenLimits("drv", timedelta(days=180), None, 20),
    "device": TokenLimits("dvc", None, None, 2),
}
# `last_used_at` is precise to a minute, so that not every request writes.
TOUCH_AFTER: Final = timedelta(minutes=1)


def compute_end_time(
    expires_at: datetime | None, idle_limit: timedelta | None, last_used_at: datetime
) -> datetime | None:
    """Compute when a token expires if it is not used; None if it never does."""
    idle_end = None if idle_limit is None else last_used_at + idle_limit
    return min((bound for bound in (expires_at, idle_end) if bound is not None), default=None)
