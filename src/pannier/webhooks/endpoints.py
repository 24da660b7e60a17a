"""A worker's cache of endpoints, and the division of its capacity among them."""

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
    """An endpoint as last read, and the worker's lane to it."""

    webhook: Webhook
    lane: Lane

    @property
    def can_receive(self) -> bool:
        """Whether deliveries may be sent. Otherwise they are held."""
        return self.webhook.state == "enabled" and self.webhook.deleted_at is None


class Endpoints:
    """A cache of endpoints, so that a claim loads only those that are new or changed."""

    def __init__(self) -> None:
        self._endpoints: dict[UUID, Endpoint] = {}
        self._turn = 0

    def __len__(self) -> int:
        return len(self._endpoints)

    def __getitem__(self, uuid: UUID) -> Endpoint:
        return self._endpoints[uuid]

    async def load(self, db: Db, due: Sequence[WaitingEndpoint]) -> list[Endpoint]:
        """Return the given endpoints. Load those that are new or changed."""
        changed_webhooks = [row.webhook for row in due if not self._is_current(row)]
        if changed_webhooks:
            await self._load_changed_endpoints(db, changed_webhooks)
        return [self._endpoints[row.webhook] for row in due]

    def forget_idle_endpoints(self, queued_webhooks: Collection[UUID]) -> list[UUID]:
        """Remove endpoints with nothing queued or in flight, and return them."""
        idle_endpoints = [
            uuid
            for uuid, endpoint in self._endpoints.items()
            if uuid not in queued_webhooks and not endpoint.lane.in_flight
        ]
        for uuid in idle_endpoints:
            del self._endpoints[uuid]
        return idle_endpoints

    def count_in_flight(self, *, failing: bool) -> int:
        """Count the deliveries in flight to failing endpoints, or to the others."""
        lanes = [endpoint.lane for endpoint in self._endpoints.values()]
        return sum(lane.in_flight for lane in lanes if lane.is_failing == failing)

    def plan_quotas(
        self, due: Sequence[Endpoint], free_slots: int, max_failing: int, now: datetime
    ) -> list[LaneQuota]:
        """Decide how many deliveries to take for each endpoint. Endpoints take turns to come first.

        Failing endpoints together get at most `max_failing` slots.
        """
        self._turn += 1
        start = self._turn % len(due) if due else 0
        endpoints = [*due[start:], *due[:start]]
        failing_slots = min(free_slots, max_failing - self.count_in_flight(failing=True))
        failing_quotas = _plan_lanes(
            [endpoint for endpoint in endpoints if endpoint.lane.is_failing], failing_slots, now
        )
        remaining_slots = free_slots - sum(quota.slots for quota in failing_quotas)
        return [
            *failing_quotas,
            *_plan_lanes(
                [endpoint for endpoint in endpoints if not endpoint.lane.is_failing],
                remaining_slots,
                now,
            ),
        ]

    def _is_current(self, row: WaitingEndpoint) -> bool:
        endpoint = self._endpoints.get(row.webhook)
        return endpoint is not None and endpoint.webhook.version == row.version

    async def _load_changed_endpoints(self, db: Db, uuids: Sequence[UUID]) -> None:
        webhooks = await db.fetch_all(
            Webhook,
            f"select {columns(Webhook)} from webhooks where uuid = any(:uuids)",
            uuids=list(uuids),
        )
        for webhook in webhooks:
            max_in_flight, rate = webhook.max_in_flight, webhook.rate_per_second
            existing_endpoint = self._endpoints.get(webhook.uuid)
            lane = (
                Lane(max_in_flight, rate, db.now)
                if existing_endpoint is None
                else existing_endpoint.lane
            )
            lane.configure(max_in_flight, rate)
            self._endpoints[webhook.uuid] = Endpoint(webhook, lane)


def _plan_lanes(endpoints: Sequence[Endpoint], free_slots: int, now: datetime) -> list[LaneQuota]:
    slot_counts = share_slots(
        [endpoint.lane.count_free_slots(now) for endpoint in endpoints], free_slots
    )
    return [
        LaneQuota(endpoint.webhook.uuid, slots, endpoint.webhook.timeout_seconds)
        for endpoint, slots in zip(endpoints, slot_counts, strict=True)
        if slots
    ]
