"""Membership of the workers that share the lanes: which are alive, and which lanes each owns.

Only rate limits depend on each lane having one owner. Leases ensure that no delivery is taken
twice.
"""

import time
from collections.abc import Collection
from typing import Final, Protocol
from uuid import UUID

from pannier.db.claims import EVERY, Claims

SHARDS: Final = 64
MEMBERS: Final = 7_240_552  # first key of the advisory locks that workers hold while alive
LANES: Final = MEMBERS + 1  # first key of the advisory locks on shards
NOBODY: Final = 0  # the sender of pings: they are sent by api processes, not by workers
# A worker whose connection broke reconnects within this time. After it, the worker counts as dead.
GRACE: Final = 3.0


class Crew(Protocol):
    """A worker's view of the membership: the lanes it owns, and the workers that are alive."""

    member: int

    async def tend(self) -> None:
        """Update the members, and take or give up lanes."""

    def owns(self, webhook: UUID) -> bool:
        """Return whether this worker owns an endpoint's lane."""

    def dead(self, senders: Collection[int]) -> list[int]:
        """Return those of the given senders that are dead."""

    async def close(self) -> None:
        """Give up all lanes."""


class Alone:
    """The membership of a worker without others."""

    def __init__(self, member: int = 1) -> None:
        self.member = member

    async def tend(self) -> None:
        """Do nothing."""

    def owns(self, webhook: UUID) -> bool:  # noqa: ARG002 - as the protocol has it
        """Return True: this worker owns all lanes."""
        return True

    def dead(self, senders: Collection[int]) -> list[int]:
        """Return all other senders: they are earlier processes."""
        return [sender for sender in senders if sender not in {NOBODY, self.member}]

    async def close(self) -> None:
        """Do nothing."""


def shard(webhook: UUID) -> int:
    """Return the shard of an endpoint's lane."""
    return webhook.int % SHARDS


class Shared:
    """The membership of workers on any number of machines."""

    def __init__(self, url: str, *, every: float = EVERY, grace: float = GRACE) -> None:
        self._claims = Claims(url, MEMBERS, SHARDS, every=every)
        self._grace = grace
        self.member = self._claims.member
        # By sender: the time since which it has been missing.
        self._missing: dict[int, float] = {}

    async def tend(self) -> None:
        """Update the members once a second, and take or give up lanes."""
        await self._claims.tend()
        if not self._claims.connected:
            self._missing.clear()

    def owns(self, webhook: UUID) -> bool:
        """Return whether this worker owns an endpoint's lane."""
        return shard(webhook) in self._claims.ours

    def dead(self, senders: Collection[int]) -> list[int]:
        """Return the senders that were missing at every call for `GRACE_SECONDS`.

        A worker that joined since the last update is missing too, but not at the next call.
        """
        if not self._claims.connected:
            return []
        now = time.monotonic()
        missing = {one for one in senders if one != NOBODY and one not in self._claims.members}
        self._missing = {one: self._missing.get(one, now) for one in missing}
        return [one for one, since in self._missing.items() if now >= since + self._grace]

    async def close(self) -> None:
        """Leave, so that other workers take the lanes over at once."""
        await self._claims.close()
