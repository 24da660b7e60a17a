"""The workers that share the lanes: who is alive, and who has which.

Only limits depend on lanes having one owner: that no delivery is taken twice, the deliveries see
to.
"""

import time
from collections.abc import Collection
from typing import Final, Protocol
from uuid import UUID

from pannier.db.claims import EVERY, Claims

SHARDS: Final = 64
MEMBERS: Final = 7_240_552  # the first part of the advisory locks by which workers are known
LANES: Final = MEMBERS + 1  # … and of those by which their shards are
NOBODY: Final = 0  # whose pings are: an api process, not a worker
# A worker whose connection breaks is back within this time; only then is it thought to be dead.
GRACE: Final = 3.0


class Crew(Protocol):
    """Tells which lanes are ours, and who else is alive."""

    member: int

    async def tend(self) -> None:
        """Look who is there, and take or give up lanes."""

    def owns(self, webhook: UUID) -> bool:
        """Tell whether an endpoint's lane is ours."""

    def dead(self, senders: Collection[int]) -> list[int]:
        """Tell which of those who have something on its way are not alive any more."""

    async def close(self) -> None:
        """Leave."""


class Alone:
    """A crew of one."""

    def __init__(self, member: int = 1) -> None:
        self.member = member

    async def tend(self) -> None:
        """Nobody else is there."""

    def owns(self, webhook: UUID) -> bool:  # noqa: ARG002 - as the protocol has it
        """Everything is ours."""
        return True

    def dead(self, senders: Collection[int]) -> list[int]:
        """Whoever else has something on its way was here before us."""
        return [sender for sender in senders if sender not in {NOBODY, self.member}]

    async def close(self) -> None:
        """There is nothing to leave."""


def shard(webhook: UUID) -> int:
    """Tell which shard an endpoint's lane is in."""
    return webhook.int % SHARDS


class Shared:
    """A crew whose members may be on many machines."""

    def __init__(self, url: str, *, every: float = EVERY, grace: float = GRACE) -> None:
        self._claims = Claims(url, MEMBERS, SHARDS, every=every)
        self._grace = grace
        self.member = self._claims.member
        # Since when others were not there who should be.
        self._missing: dict[int, float] = {}

    async def tend(self) -> None:
        """Look who is there once a second, and take or give up lanes."""
        await self._claims.tend()
        if not self._claims.connected:
            self._missing.clear()

    def owns(self, webhook: UUID) -> bool:
        """Tell whether an endpoint's lane is ours."""
        return shard(webhook) in self._claims.ours

    def dead(self, senders: Collection[int]) -> list[int]:
        """Tell who has been missing for the whole grace, each time we looked.

        Who has come since we last looked is missing too, but not the next time.
        """
        if not self._claims.connected:
            return []
        now = time.monotonic()
        missing = {one for one in senders if one != NOBODY and one not in self._claims.members}
        self._missing = {one: self._missing.get(one, now) for one in missing}
        return [one for one, since in self._missing.items() if now >= since + self._grace]

    async def close(self) -> None:
        """Leave: the others take our lanes over at once."""
        await self._claims.close()
