"""How long tokens live, and how many a holder has."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from pannier.accounts.tokens.models import Kind


class Terms(NamedTuple):
    """What tokens of a kind begin with, and what bounds them; None is no bound.

    Of more than `most` at once the oldest end. A device has two while it is given another.
    """

    prefix: str
    life: timedelta | None
    idle: timedelta | None
    most: int


# How long operators stay signed in is a setting, so who opens their sessions says it.
TERMS: Final[Mapping[Kind, Terms]] = {
    "operator": Terms("opr", None, None, 100),
    "customer": Terms("cst", timedelta(days=180), timedelta(days=60), 20),
    "driver": Terms("drv", timedelta(days=180), None, 20),
    "device": Terms("dvc", None, None, 2),
}
# `last used` is good to a minute, so that a busy token does not write at every request.
TOUCH_AFTER: Final = timedelta(minutes=1)


def end(
    expires_at: datetime | None, idle: timedelta | None, last_used_at: datetime
) -> datetime | None:
    """Tell when a token ends by itself, unless it is used."""
    unused = None if idle is None else last_used_at + idle
    return min((bound for bound in (expires_at, unused) if bound is not None), default=None)
