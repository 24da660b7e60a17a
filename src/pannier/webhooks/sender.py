"""The sender: claims due deliveries and sends each in its own task.

`WebhookSender.step` is the whole cycle: recover the deliveries of dead workers, wait until a claim
is worth its cost, claim, send. Only a delivery's own task waits for its receiver. Its slot is free
again when the attempt is recorded, so nothing is sent while the database is unavailable.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol, cast
from uuid import UUID

from pannier.db import Database, Db
from pannier.web.logs import log
from pannier.webhooks import health, queue, reaping
from pannier.webhooks.endpoints import Endpoint, Endpoints
from pannier.webhooks.membership import Membership
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.pacing import MAX_WAIT_SECONDS, Pacing, Wakeup
from pannier.webhooks.queue import EndedAttempt, LeasedDelivery
from pannier.webhooks.recorder import Recorder, RecorderEntry
from pannier.webhooks.requests import build_headers
from pannier.webhooks.schedule import decide_next_step

MAX_BATCH_SIZE: Final = 150
# If more endpoints are cached than this, idle ones are removed.
MAX_KNOWN_ENDPOINTS: Final = 1000
REAP_EVERY: Final = timedelta(seconds=1)
# Time to record the remaining attempts when the worker stops.
RECORD_TIMEOUT_SECONDS: Final = 1.5
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500
STOPPED: Final = "The worker was stopped during this attempt."
INTERNAL_ERROR: Final = "Internal error. See the worker's log."


class Client(Protocol):
    """A client that sends requests to receivers."""

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ASYNC109 - limits the whole exchange
        *,
        fresh: bool = False,
    ) -> AttemptResult:
        """Post the body and return the outcome; `fresh` opens a new connection."""

    async def close(self) -> None:
        """Close the connections."""


class ClaimResult(NamedTuple):
    """The leased deliveries, and the endpoints with due deliveries."""

    deliveries: list[LeasedDelivery]
    due: list[Endpoint]


class OpenClaims:
    """The claims of this worker. A claim may be deleted when all its deliveries are recorded."""

    def __init__(self) -> None:
        self._unrecorded: Counter[UUID] = Counter()
        self.finished: set[UUID] = set()

    def count_started(self, claim: UUID) -> None:
        """Count a delivery of a claim that starts."""
        self._unrecorded[claim] += 1

    def count_ended(self, claim: UUID, broken_claims: set[UUID]) -> None:
        """Count a delivery of a claim that has ended.

        A broken claim stays, so that its unrecorded deliveries are recovered when its lease lapses.
        """
        self._unrecorded[claim] -= 1
        if self._unrecorded[claim] <= 0:
            del self._unrecorded[claim]
            if claim not in broken_claims:
                self.finished.add(claim)
            broken_claims.discard(claim)


class WebhookSender:
    """Sends the deliveries of this worker's lanes."""

    def __init__(
        self,
        database: Database,
        client: Client,
        membership: Membership,
        *,
        max_in_flight: int,
        max_known: int = MAX_KNOWN_ENDPOINTS,
        max_wait: float = MAX_WAIT_SECONDS,
    ) -> None:
        self._database, self._client, self._membership = database, client, membership
        self._max_in_flight, self._max_known = max_in_flight, max_known
        self.wakeup = Wakeup()
        self._pacing = Pacing(self.wakeup, max_wait)
        self.endpoints = Endpoints()
        self._claims = OpenClaims()
        # Tasks whose delivery is not recorded yet, and those that still wait for the receiver.
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending_tasks: set[asyncio.Task[None]] = set()
        self._recorder = Recorder(database, lambda: len(self._sending_tasks))
        # Deliveries that failed on a stale connection: their next attempt opens a fresh one.
        self._stale_deliveries: set[UUID] = set()
        self._reaped_at: datetime | None = None

    async def step(self) -> bool:
        """Claim due deliveries and start to send them. Return True if more may be due."""
        await self._membership.refresh()
        await self._recover_lost_deliveries()
        await self._pacing.wait()
        claim_result = await self._claim_deliveries()
        if claim_result is None:
            return False
        for delivery in claim_result.deliveries:
            self._start_delivery(delivery)
        self._delay_next_claim(claim_result.due)
        return bool(claim_result.deliveries)

    async def _recover_lost_deliveries(self) -> None:
        """Recover the deliveries of dead workers."""
        now = self._database.clock.now()
        # A time in the future means that the clock was set back.
        if self._reaped_at is not None and self._reaped_at <= now < self._reaped_at + REAP_EVERY:
            return
        self._reaped_at = now
        async with self._database.transaction() as db:
            dead_senders = self._membership.list_dead_senders(await reaping.list_senders(db))
            reaped_count = await reaping.recover_deliveries(db, dead_senders)
        if reaped_count:
            log.warning("lost deliveries recovered", count=reaped_count)

    async def _claim_deliveries(self) -> ClaimResult | None:
        """Lease as many due deliveries as there are slots. Return None if none can be leased."""
        free_slots = min(self._max_in_flight - len(self._tasks), MAX_BATCH_SIZE)
        if free_slots <= 0:
            return None
        finished_claims = list(self._claims.finished)
        self.wakeup.has_news = False
        async with self._database.transaction() as db:
            due_endpoints = await self._list_due_endpoints(db)
            enabled_endpoints = [endpoint for endpoint in due_endpoints if endpoint.can_receive]
            self.wakeup.set_at_earliest(
                [endpoint.lane.find_ready_time(db.now) for endpoint in enabled_endpoints], db.now
            )
            quotas = self.endpoints.plan_quotas(
                enabled_endpoints, free_slots, self._max_in_flight // 2, db.now
            )
            if not quotas:
                return None
            deliveries = await queue.lease_deliveries(
                db, quotas, self._membership.member_id, finished_claims
            )
        self._claims.finished.difference_update(finished_claims)
        return ClaimResult(deliveries, due_endpoints)

    async def _list_due_endpoints(self, db: Db) -> list[Endpoint]:
        """List this worker's endpoints with due deliveries."""
        waiting_endpoints = [
            endpoint
            for endpoint in await queue.list_waiting_endpoints(db)
            if self._membership.owns(endpoint.webhook)
        ]
        if len(self.endpoints) > self._max_known:
            for uuid in self.endpoints.forget_idle_endpoints(
                {endpoint.webhook for endpoint in waiting_endpoints}
            ):
                self._recorder.forget_endpoint(uuid)
        self.wakeup.set_at_earliest([endpoint.due_at for endpoint in waiting_endpoints], db.now)
        return await self.endpoints.load(
            db, [endpoint for endpoint in waiting_endpoints if endpoint.due_at <= db.now]
        )

    def _start_delivery(self, delivery: LeasedDelivery) -> None:
        endpoint = self.endpoints[delivery.webhook]
        endpoint.lane.count_started()
        self._claims.count_started(delivery.claim)
        task = asyncio.create_task(self._attempt_delivery(delivery, endpoint))
        self._tasks.add(task)
        self._sending_tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._sending_tasks.discard(task)
        self._pacing.count_ended()

    async def _attempt_delivery(self, delivery: LeasedDelivery, endpoint: Endpoint) -> None:
        """Make one attempt and record it."""
        fresh = delivery.uuid in self._stale_deliveries
        result, logged_headers = await self._send_attempt(delivery, endpoint, fresh=fresh)
        # From here the task only records, which a stop does not interrupt.
        self._sending_tasks.discard(cast("asyncio.Task[None]", asyncio.current_task()))
        ended_at = self._database.clock.now()
        next_step = decide_next_step(result, delivery.retries, ended_at, is_second_try=fresh)
        if result.stale and not fresh:
            self._stale_deliveries.add(delivery.uuid)
        else:
            self._stale_deliveries.discard(delivery.uuid)
        attempt = EndedAttempt(delivery, next_step, ended_at, result, logged_headers)
        await self._recorder.record(RecorderEntry(endpoint.webhook, attempt))
        endpoint.lane.count_ended(succeeded=_is_healthy(result))
        self._pacing.note_free_slot(endpoint.lane)
        self._claims.count_ended(delivery.claim, self._recorder.broken_claims)

    async def _send_attempt(
        self, delivery: LeasedDelivery, endpoint: Endpoint, *, fresh: bool
    ) -> tuple[AttemptResult, dict[str, str]]:
        """Send a request. Return its result and its headers as logged."""
        logged_headers: dict[str, str] = {}
        webhook = endpoint.webhook
        try:
            request_headers, logged_headers = build_headers(self._database.keys, webhook, delivery)
            result = await self._client.send(
                webhook.url, request_headers, delivery.body, webhook.timeout_seconds, fresh=fresh
            )
        except asyncio.CancelledError:
            result = AttemptResult(outcome="interrupted", error=STOPPED)
        except Exception as failure:  # noqa: BLE001 - a defect must not end the sender
            log.error("attempt failed", delivery=delivery.public_id, exc_info=failure)
            result = AttemptResult(outcome="internal", error=INTERNAL_ERROR)
        return result, logged_headers

    def _delay_next_claim(self, due: Sequence[Endpoint]) -> None:
        """Delay the next claim until half of the attempts in flight end, if lanes are full."""
        full_lanes = {endpoint.lane for endpoint in due if endpoint.lane.is_full}
        is_saturated = full_lanes or len(self._tasks) >= self._max_in_flight
        self._pacing.start(full_lanes, self._count_half_in_flight() if is_saturated else 0)
        # All attempts of a full lane may have ended during the claim, so it may have room.
        self.wakeup.has_news |= any(
            endpoint.can_receive and not endpoint.lane.in_flight for endpoint in due
        )

    def _count_half_in_flight(self) -> int:
        """Count half of the attempts in flight, without those of failing endpoints if possible."""
        return self.endpoints.count_in_flight(failing=False) // 2 or len(self._tasks) // 2

    async def wait_until_idle(self) -> None:
        """Wait until nothing is in flight."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self, grace: float = 0.0) -> None:
        """Wait for attempts in flight, then interrupt the others and return them to the queue."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task in self._sending_tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=RECORD_TIMEOUT_SECONDS)
        await self._membership.close()
        await self._client.close()


def _is_healthy(result: AttemptResult) -> bool | None:
    """Return whether the receiver can take more, or None if the result does not show it."""
    if result.outcome == "succeeded":
        return True
    if result.outcome in health.INTERNAL_OUTCOMES:
        return None
    if result.outcome == "refused" and result.status is not None:
        return (
            False if result.status == TOO_MANY_REQUESTS or result.status >= SERVER_ERROR else None
        )
    return False
