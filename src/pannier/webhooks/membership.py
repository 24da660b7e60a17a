"""Membership of the workers that share the lanes: which are alive, and which lanes each owns.

Only rate limits depend on each lane having one owner. Leases ensure that no delivery is taken
twice.
"""

import time
from collections.abc import Collection
from typing import Final, Protocol
from uuid import UUID

from pannier.db.claims import REFRESH_SECONDS, NumberClaims

SHARD_COUNT: Final = 64
MEMBER_LOCK_KEY: Final = 7_240_552  # first key of the advisory locks that workers hold while alive
SHARD_LOCK_KEY: Final = MEMBER_LOCK_KEY + 1  # first key of the advisory locks on shards
NO_MEMBER: Final = 0  # the sender of pings: they are sent by api processes, not by workers
# A worker whose connection broke reconnects within this time. After it, the worker counts as dead.
GRACE_SECONDS: Final = 3.0


class Membership(Protocol):
    """A worker's view of the membership: the lanes it owns, and the workers that are alive."""

    member_id: int

    async def refresh(self) -> None:
        """Update the members, and claim or release lanes."""

    def owns(self, webhook: UUID) -> bool:
        """Return whether this worker owns an endpoint's lane."""

    def list_dead_senders(self, senders: Collection[int]) -> list[int]:
        """Return the dead senders among the given ones."""

    async def close(self) -> None:
        """Release all lanes."""


class SoleMember:
    """The membership of a single worker."""

    def __init__(self, member_id: int = 1) -> None:
        self.member_id = member_id

    async def refresh(self) -> None:
        """Do nothing."""

    def owns(self, webhook: UUID) -> bool:  # noqa: ARG002 - the protocol's signature
        """Return True: this worker owns all lanes."""
        return True

    def list_dead_senders(self, senders: Collection[int]) -> list[int]:
        """Return all other senders: they are earlier processes."""
        return [sender for sender in senders if sender not in {NO_MEMBER, self.member_id}]

    async def close(self) -> None:
        """Do nothing."""


def find_shard(webhook: UUID) -> int:
    """Return the shard of an endpoint's lane."""
    return webhook.int % SHARD_COUNT


class SharedMembership:
    """The membership of workers on any number of machines."""

    def __init__(
        self, url: str, *, interval: float = REFRESH_SECONDS, grace: float = GRACE_SECONDS
    ) -> None:
        self._claims = NumberClaims(url, MEMBER_LOCK_KEY, SHARD_COUNT, interval=interval)
        self._grace = grace
        self.member_id = self._claims.member
        # By sender: the time since which it has been missing.
        self._missing_since: dict[int, float] = {}

    async def refresh(self) -> None:
        """Update the members once a second, and claim or release lanes."""
        await self._claims.refresh()
        if not self._claims.is_connected:
            self._missing_since.clear()

    def owns(self, webhook: UUID) -> bool:
        """Return whether this worker owns an endpoint's lane."""
        return find_shard(webhook) in self._claims.owned

    def list_dead_senders(self, senders: Collection[int]) -> list[int]:
        """Return the senders that were missing at every call for `GRACE_SECONDS`.

        A worker that joined since the last update is missing too, but not at the next call.
        """
        if not self._claims.is_connected:
            return []
        now = time.monotonic()
        missing_senders = {
            sender
            for sender in senders
            if sender != NO_MEMBER and sender not in self._claims.members
        }
        self._missing_since = {
            sender: self._missing_since.get(sender, now) for sender in missing_senders
        }
        return [
            sender for sender, since in self._missing_since.items() if now >= since + self._grace
        ]

    async def close(self) -> None:
        """Release the lanes, so that other workers take them over at once."""
        await self._claims.close()
