"""The endpoints that a worker has loaded, and how they share its capacity."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pannier.db import Db
from pannier.db.sql import columns
from pannier.webhooks.lanes import Lane, share
from pannier.webhooks.models import Webhook
from pannier.webhooks.queue import Waiting, Work


class Endpoint(NamedTuple):
    """An endpoint as it was last read, and the worker's lane to it."""

    webhook: Webhook
    lane: Lane

    @property
    def is_open(self) -> bool:
        """Whether deliveries may be sent. Otherwise they are held."""
        return self.webhook.state == "enabled" and self.webhook.deleted_at is None


class Endpoints:
    """A cache of endpoints, so that a claim loads only those that are new or changed."""

    def __init__(self) -> None:
        self._known: dict[UUID, Endpoint] = {}
        self._turn = 0

    def __len__(self) -> int:
        return len(self._known)

    def __getitem__(self, uuid: UUID) -> Endpoint:
        return self._known[uuid]

    async def load(self, db: Db, due: Sequence[Waiting]) -> list[Endpoint]:
        """Return the given endpoints. Load those that are new or changed."""
        changed = [lane.webhook for lane in due if not self._is_current(lane)]
        if changed:
            await self._read(db, changed)
        return [self._known[lane.webhook] for lane in due]

    def forget_idle(self, waiting: Collection[UUID]) -> list[UUID]:
        """Remove endpoints with nothing queued or in flight, and return them."""
        idle = [
            uuid
            for uuid, endpoint in self._known.items()
            if uuid not in waiting and not endpoint.lane.in_flight
        ]
        for uuid in idle:
            del self._known[uuid]
        return idle

    def count_in_flight(self, *, ailing: bool) -> int:
        """Count the deliveries in flight to failing endpoints, or to the others."""
        lanes = [endpoint.lane for endpoint in self._known.values()]
        return sum(lane.in_flight for lane in lanes if lane.ailing == ailing)

    def plan(
        self, due: Sequence[Endpoint], free: int, most_ailing: int, now: datetime
    ) -> list[Work]:
        """Decide how many deliveries to take for each endpoint. Endpoints take turns to be first.

        Failing endpoints together get at most `max_failing` slots.
        """
        self._turn += 1
        start = self._turn % len(due) if due else 0
        turns = [*due[start:], *due[:start]]
        room = min(free, most_ailing - self.count_in_flight(ailing=True))
        ailing = _share([one for one in turns if one.lane.ailing], room, now)
        rest = free - sum(work.room for work in ailing)
        return [*ailing, *_share([one for one in turns if not one.lane.ailing], rest, now)]

    def _is_current(self, lane: Waiting) -> bool:
        endpoint = self._known.get(lane.webhook)
        return endpoint is not None and endpoint.webhook.version == lane.version

    async def _read(self, db: Db, uuids: Sequence[UUID]) -> None:
        found = await db.many(
            Webhook,
            f"select {columns(Webhook)} from webhooks where uuid = any(:uuids)",
            uuids=list(uuids),
        )
        for webhook in found:
            most, rate = webhook.max_in_flight, webhook.rate_per_second
            known = self._known.get(webhook.uuid)
            lane = Lane(most, rate, db.now) if known is None else known.lane
            lane.configure(most, rate)
            self._known[webhook.uuid] = Endpoint(webhook, lane)


def _share(endpoints: Sequence[Endpoint], free: int, now: datetime) -> list[Work]:
    rooms = share([endpoint.lane.room(now) for endpoint in endpoints], free)
    return [
        Work(endpoint.webhook.uuid, room, endpoint.webhook.timeout_seconds)
        for endpoint, room in zip(endpoints, rooms, strict=True)
        if room
    ]
