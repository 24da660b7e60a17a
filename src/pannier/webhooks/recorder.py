"""Recording of results in batches, because a batch costs little more than one result.

Attempts that end while a batch is written form the next batch. While many attempts are in flight,
the recorder waits a moment for more of them to end.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import chain, repeat
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db import Database
from pannier.db.database import should_repeat
from pannier.web.logs import log
from pannier.webhooks import announcements, health, metrics, queue, switch
from pannier.webhooks.health import AttemptTally
from pannier.webhooks.models import AttemptResult, Webhook
from pannier.webhooks.queue import EndedAttempt, RecordedDelivery
from pannier.webhooks.schedule import GONE
from pannier.webhooks.switch import AttemptTarget

MAX_BATCH_SIZE: Final = 200
# While more attempts than this are in flight, a batch waits for others to end. It waits again
# if some did, at most `MAX_GATHER_PAUSES` times.
MAX_IN_FLIGHT_WITHOUT_PAUSE: Final = 8
GATHER_PAUSE_SECONDS: Final = 0.01
MAX_GATHER_PAUSES: Final = 5
RETRY_PAUSES: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
RESPONSE_NOT_STORED: Final = "The rest of the response could not be stored."


class RecorderEntry(NamedTuple):
    """An attempt that has ended, and the endpoint at the time of sending."""

    webhook: Webhook
    attempt: EndedAttempt


class Recorder:
    """Records ended attempts in batches."""

    def __init__(self, database: Database, count_in_flight: Callable[[], int] = lambda: 0) -> None:
        self._database, self._count_in_flight = database, count_in_flight
        self._pending_entries: list[tuple[RecorderEntry, asyncio.Future[None]]] = []
        self._writer_task: asyncio.Task[None] | None = None
        # By endpoint: the last recorded success. Failures are always recorded.
        self._success_recorded_at: dict[UUID, datetime] = {}
        # Claims with a delivery that could not be recorded.
        self.broken_claims: set[UUID] = set()

    async def record(self, entry: RecorderEntry) -> None:
        """Record an attempt, and return when it is committed."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending_entries.append((entry, future))
        if self._writer_task is None:
            self._writer_task = asyncio.create_task(self._write_batches())
        await future

    def forget_endpoint(self, webhook: UUID) -> None:
        """Remove an endpoint from the cache."""
        self._success_recorded_at.pop(webhook, None)

    async def _write_batches(self) -> None:
        try:
            while self._pending_entries:
                await self._gather_attempts()
                batch, self._pending_entries = (
                    self._pending_entries[:MAX_BATCH_SIZE],
                    self._pending_entries[MAX_BATCH_SIZE:],
                )
                await self._write_batch([entry for entry, _ in batch])
                for _, future in batch:
                    if not future.done():
                        future.set_result(None)
        finally:
            self._writer_task = None

    async def _gather_attempts(self) -> None:
        """Wait for more attempts to end, until as many have ended as are in flight."""
        for _ in range(MAX_GATHER_PAUSES):
            ended_count = len(self._pending_entries)
            if (
                self._count_in_flight() <= max(ended_count, MAX_IN_FLIGHT_WITHOUT_PAUSE)
                or ended_count >= MAX_BATCH_SIZE
            ):
                return
            await asyncio.sleep(GATHER_PAUSE_SECONDS)
            if len(self._pending_entries) == ended_count:
                return

    async def _write_batch(self, entries: Sequence[RecorderEntry]) -> None:
        """Write a batch. Retry for as long as the database is unavailable."""
        for pause in chain(RETRY_PAUSES, repeat(RETRY_PAUSES[-1])):
            try:
                await self._record_entries(entries)
            except Exception as failure:  # noqa: BLE001 - logged and retried
                if not should_repeat(failure):
                    await self._write_one_by_one(entries, failure)
                    return
                log.warning("attempts not recorded yet", count=len(entries))
                await asyncio.sleep(pause)
            else:
                return

    async def _write_one_by_one(self, entries: Sequence[RecorderEntry], failure: Exception) -> None:
        """Write entries one by one. Drop the response of an entry that cannot be written."""
        log.error("attempts could not be recorded", count=len(entries), exc_info=failure)
        if len(entries) > 1:
            for entry in entries:
                await self._write_batch([entry])
            return
        entry = entries[0]
        stripped_result = AttemptResult(
            outcome=entry.attempt.result.outcome, status=entry.attempt.result.status
        )
        stripped_result.error = RESPONSE_NOT_STORED
        try:
            await self._record_entries(
                [entry._replace(attempt=entry.attempt._replace(result=stripped_result))]
            )
        except Exception as error:  # noqa: BLE001 - its lease lapses, and it is sent again
            log.error("an attempt could not be recorded", exc_info=error)
            self.broken_claims.add(entry.attempt.delivery.claim)

    async def _record_entries(self, entries: Sequence[RecorderEntry]) -> None:
        async with self._database.transaction() as db:
            recorded_deliveries = await queue.record_attempts(
                db, [entry.attempt for entry in entries]
            )
            recorded_keys = {(row.delivery, row.number) for row in recorded_deliveries}
            # Attempts that were recorded before, or by other workers, do not count again.
            new_entries = [entry for entry in entries if entry.attempt.key in recorded_keys]
            tallies = self._tally_attempts(new_entries)
            recorded_tallies = await health.record_tallies(db, tallies) if tallies else []
        self._remember_successes(tallies)
        self._count_metrics(new_entries, recorded_deliveries)
        gone_endpoints = _find_gone_endpoints(entries)
        webhooks_to_disable = {
            tally.webhook for tally in recorded_tallies if health.should_disable(tally)
        } - gone_endpoints.keys()
        for uuid, entry in sorted(gone_endpoints.items()):
            await self._disable_webhook(uuid, switch.GONE, entry)
        for uuid in sorted(webhooks_to_disable):
            await self._disable_webhook(uuid, switch.FAILING)
        webhooks_to_warn = {
            tally.webhook for tally in recorded_tallies if health.should_warn(tally)
        }
        for uuid in sorted(webhooks_to_warn - webhooks_to_disable - gone_endpoints.keys()):
            await self._warn_admins(uuid)

    def _tally_attempts(self, entries: Sequence[RecorderEntry]) -> list[AttemptTally]:
        """Tally attempts by endpoint. Skip endpoints whose success was recorded recently."""
        attempts_by_webhook = defaultdict(list)
        for webhook, attempt in entries:
            attempts_by_webhook[webhook.uuid].append((attempt.ended_at, attempt.result.outcome))
        tallies = []
        for uuid, attempts in attempts_by_webhook.items():
            tally = health.count_attempts(uuid, attempts)
            if tally.failed_at is not None:
                self._success_recorded_at.pop(uuid, None)
                tallies.append(tally)
            elif tally.succeeded_at is not None and self._should_record_success(
                uuid, tally.succeeded_at
            ):
                tallies.append(tally)
        return tallies

    def _remember_successes(self, tallies: Sequence[AttemptTally]) -> None:
        """Remember the recorded successes. Call it after the commit."""
        for tally in tallies:
            if tally.failed_at is None and tally.succeeded_at is not None:
                self._success_recorded_at[tally.webhook] = tally.succeeded_at

    def _should_record_success(self, webhook: UUID, succeeded_at: datetime) -> bool:
        recorded_at = self._success_recorded_at.get(webhook)
        return recorded_at is None or succeeded_at - recorded_at >= health.SUCCESS_RECORD_INTERVAL

    def _count_metrics(
        self, entries: Sequence[RecorderEntry], recorded_deliveries: Sequence[RecordedDelivery]
    ) -> None:
        for entry in entries:
            metrics.count_attempt(entry.attempt.result)
        for delivery in recorded_deliveries:
            metrics.count_ended(delivery.state)

    async def _warn_admins(self, webhook: UUID) -> None:
        async with self._database.transaction() as db:
            was_sent = await announcements.warn_admins(db, webhook)
        if was_sent:
            log.warning("webhook keeps failing", webhook=str(webhook))

    async def _disable_webhook(
        self, webhook: UUID, reason: str, entry: RecorderEntry | None = None
    ) -> None:
        target = (
            None
            if entry is None
            else AttemptTarget(entry.webhook.url, entry.attempt.delivery.started_at)
        )
        async with self._database.transaction() as db:
            disabled_webhook = await switch.disable_webhook(db, webhook, reason, target)
            if disabled_webhook is not None:
                await announcements.announce_disabled_webhook(db, disabled_webhook, reason)
        if disabled_webhook is not None:
            log.warning("webhook disabled", webhook=disabled_webhook.public_id, reason=reason)


def _find_gone_endpoints(entries: Sequence[RecorderEntry]) -> dict[UUID, RecorderEntry]:
    """Return the endpoints whose receiver responded with 410, with the latest such attempt."""
    gone_entries = [entry for entry in entries if entry.attempt.result.status == GONE]
    gone_entries.sort(key=lambda entry: entry.attempt.delivery.started_at)
    return {entry.webhook.uuid: entry for entry in gone_entries}
