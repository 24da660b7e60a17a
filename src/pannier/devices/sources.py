"""Sources: whoever sends readings, and for which devices they speak."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

# What an API key needs to send readings.
RESOURCE: Final = "devices"
SCOPE: Final = f"{RESOURCE}:write"


class Source(NamedTuple):
    """What a credential is worth to whoever stores what came with it.

    A device speaks for itself: `device` is its own. A gateway and an API key speak for every
    device of their company, which readings name. `token` or `key` is what was shown; what is
    stored is stored only while that is alive; or if it was at `taken_at`, when somebody answered
    for keeping what was sent.
    """

    company: UUID
    device: UUID | None
    token: UUID | None
    speaks_for_all: bool
    adopts: bool
    key: UUID | None = None
    taken_at: datetime | None = None
