"""The endpoints that a worker has loaded, and how they share its capacity."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pannier.db import Db
from pannier.db.sql import columns
from pannier.webhooks.lanes import Lane, share_slots
from pannier.webhooks.models import Webhook
from pannier.webhooks.queue import LaneQuota, WaitingEndpoint


class Endpoint(NamedTuple):
    """An endpoint as it was last read, and the worker's lane to it."""

    webhook: Webhook
    lane: Lane

    @property
    def can_receive(self) -> bool:
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

    async def load(self, db: Db, due: Sequence[WaitingEndpoint]) -> list[Endpoint]:
        """Return the given endpoints. Load those that are new or changed."""
        changed_webhooks = [lane.webhook for lane in due if not self._is_current(lane)]
        if changed_webhooks:
            await self._load_changed_endpoints(db, changed_webhooks)
        return [self._known[lane.webhook] for lane in due]

    def forget_idle_endpoints(self, queued_webhooks: Collection[UUID]) -> list[UUID]:
        """Remove endpoints with nothing queued or in flight, and return them."""
        idle = [
            uuid
            for uuid, endpoint in self._known.items()
            if uuid not in queued_webhooks and not endpoint.lane.in_flight
        ]
        for uuid in idle:
            del self._known[uuid]
        return idle

    def count_in_flight(self, *, failing: bool) -> int:
        """Count the deliveries in flight to failing endpoints, or to the others."""
        lanes = [endpoint.lane for endpoint in self._known.values()]
        return sum(lane.in_flight for lane in lanes if lane.failing == failing)

    def plan(
        self, due: Sequence[Endpoint], free_slots: int, max_failing: int, now: datetime
    ) -> list[LaneQuota]:
        """Decide how many deliveries to take for each endpoint. Endpoints take turns to be first.

        Failing endpoints together get at most `max_failing` slots.
        """
        self._turn += 1
        start = self._turn % len(due) if due else 0
        turns = [*due[start:], *due[:start]]
        failing_slots = min(free_slots, max_failing - self.count_in_flight(failing=True))
        ailing = _plan_lanes([turn for turn in turns if turn.lane.failing], failing_slots, now)
        remaining_slots = free_slots - sum(work.room for work in ailing)
        return [
            *ailing,
            *_plan_lanes([turn for turn in turns if not turn.lane.failing], remaining_slots, now),
        ]

    def _is_current(self, lane: WaitingEndpoint) -> bool:
        endpoint = self._known.get(lane.webhook)
        return endpoint is not None and endpoint.webhook.version == lane.version

    async def _load_changed_endpoints(self, db: Db, uuids: Sequence[UUID]) -> None:
        webhooks = await db.fetch_all(
            Webhook,
            f"select {columns(Webhook)} from webhooks where uuid = any(:uuids)",
            uuids=list(uuids),
        )
        for webhook in webhooks:
            max_in_flight, rate = webhook.max_in_flight, webhook.rate_per_second
            existing = self._known.get(webhook.uuid)
            lane = Lane(max_in_flight, rate, db.now) if existing is None else existing.lane
            lane.configure(max_in_flight, rate)
            self._known[webhook.uuid] = Endpoint(webhook, lane)


def _plan_lanes(endpoints: Sequence[Endpoint], free_slots: int, now: datetime) -> list[LaneQuota]:
    rooms = share_slots([endpoint.lane.count_free_slots(now) for endpoint in endpoints], free_slots)
    return [
        LaneQuota(endpoint.webhook.uuid, room, endpoint.webhook.timeout_seconds)
        for endpoint, room in zip(endpoints, rooms, strict=True)
        if room
    ]
