"""Sources: senders of readings, and the devices they may report for."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

# The scope that an API key needs to send readings.
RESOURCE: Final = "devices"
SCOPE: Final = f"{RESOURCE}:write"


class Source(NamedTuple):
    """An authenticated sender of readings.

    A device reports for itself (`device`). A gateway and an API key report for every device of
    their company, which each reading names. `token` or `key` is the credential: readings are stored
    only while it is valid, or if it was valid at `taken_at`, when a broker had accepted them.
    """

    company: UUID
    device: UUID | None
    token: UUID | None
    speaks_for_all: bool
    adopts: bool
    key: UUID | None = None
    taken_at: datetime | None = None
