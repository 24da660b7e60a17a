"""The sender: takes due deliveries from the lanes, and sends each on its own.

Nothing here waits for a receiver but the one attempt that is on its way to it. A place is free
again when its attempt is recorded: as long as the database is away, nothing more leaves.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, Protocol, cast
from uuid import UUID

from pannier.db import Database, Db
from pannier.db.sql import columns
from pannier.web.logs import log
from pannier.webhooks import health, queue
from pannier.webhooks.crew import Crew
from pannier.webhooks.lanes import Lane, shared
from pannier.webhooks.models import Answer, Webhook
from pannier.webhooks.queue import Done, Taken, Waiting, Work
from pannier.webhooks.recorder import MOMENT, Entry, Recorder
from pannier.webhooks.requests import headers_of
from pannier.webhooks.schedule import following

BATCH: Final = 150
# So many endpoints are remembered, however long nothing happens to them.
KNOWN: Final = 1000
# While lanes are full, what comes free is gathered for so long before it is used again, or until
# a half of all is back: one claim of many costs PostgreSQL a fraction of many claims.
GATHER: Final = 0.05
# Where nobody but full lanes waits, and each of them has something on its way, for so long.
LONGEST: Final = 0.15
REAP_EVERY: Final = timedelta(seconds=1)
# How long a stop waits for what is being recorded; longer only while the database is away.
RECORD_SECONDS: Final = 1.5
ALARM_WITHIN: Final = timedelta(seconds=1)  # what comes later, the worker finds by looking
TOO_MANY, BROKEN = 429, 500
STOPPED: Final = "The worker was stopped while this attempt was on its way."
OURS: Final = "Something went wrong on our side; the log of the worker tells what."


class Carries(Protocol):
    """Carries requests to receivers."""

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ASYNC109 - of the whole exchange, told to the receiver's side
        *,
        fresh: bool = False,
    ) -> Answer:
        """Post the body, and tell what came of it; `fresh` takes a connection of its own."""

    async def close(self) -> None:
        """Close the connections."""


class Bell(asyncio.Event):
    """Wakes the sender, and knows whether anything may wait since it looked that has room."""

    told = False

    def set(self) -> None:
        """Ring for something that is new, or has come due."""
        self.told = True
        super().set()

    def landed(self) -> None:
        """Ring for a place that has come free."""
        super().set()


class Sender:
    """Sends the deliveries of the lanes that are ours."""

    def __init__(
        self,
        database: Database,
        carrier: Carries,
        crew: Crew,
        *,
        most: int,
        known: int = KNOWN,
        longest: float = LONGEST,
    ) -> None:
        self._database, self._carrier, self._crew = database, carrier, crew
        self._most, self._known, self._longest = most, known, longest
        self.bell = Bell()
        self._lanes: dict[UUID, Lane] = {}
        self._webhooks: dict[UUID, Webhook] = {}
        # What was taken and is not recorded yet; and of it, what is still with its receiver.
        self._flights: set[asyncio.Task[None]] = set()
        self._aloft: set[asyncio.Task[None]] = set()
        self._recorder = Recorder(database, lambda: len(self._aloft))
        # Deliveries that met a stale connection: their next attempt gets a fresh one.
        self._stale: set[UUID] = set()
        # How many of each claim are still to be recorded, and the claims of which none is.
        self._claims: Counter[UUID] = Counter()
        self._over: set[UUID] = set()
        self._turn = 0
        # When we last took something, and how many landings later it is worth taking more.
        self._took_at = 0.0
        self._missing = 0
        # Which lanes were full then.
        self._full: set[Lane] = set()
        self._enough = asyncio.Event()
        self._reaped_at: datetime | None = None
        self._alarm: tuple[float, asyncio.TimerHandle] | None = None

    async def step(self) -> bool:
        """Take what is due and send it on its way; True when there may be more."""
        await self._crew.tend()
        await self._reap()
        await self._gather()
        free = min(self._most - len(self._flights), BATCH)
        if free <= 0:
            return False
        over = list(self._over)
        self.bell.told = False
        async with self._database.transaction() as db:
            due = await self._due(db)
            work = self._work([uuid for uuid in due if self._is_open(uuid)], free, db.now)
            if not work:
                return False
            taken = await queue.take(db, work, self._crew.member, over)
        self._over.difference_update(over)
        for delivery in taken:
            self._send(delivery)
        self._expect(due)
        return bool(taken)

    def _expect(self, due: Sequence[UUID]) -> None:
        """Say how many landings to wait for before taking more, while what is due has no room."""
        self._full = {lane for uuid in due if (lane := self._lanes[uuid]).full}
        full = self._full or len(self._flights) >= self._most
        self._missing = self._half() if full else 0
        # All of one that was full may have come back while we took: what follows there has room.
        self.bell.told |= any(
            not self._lanes[uuid].in_flight for uuid in due if self._is_open(uuid)
        )
        self._took_at = asyncio.get_running_loop().time()
        self._enough.clear()

    def _half(self) -> int:
        """Count a half of what is on its way; the well do not wait for what ails."""
        well = sum(lane.in_flight for lane in self._lanes.values() if not lane.ailing)
        return well // 2 or len(self._flights) // 2

    async def _gather(self) -> None:
        """Let places come free together while lanes are full."""
        await self._wait_for_enough(self._took_at + GATHER)
        while not self.bell.told and all(lane.in_flight for lane in self._full):
            now, end = asyncio.get_running_loop().time(), self._took_at + self._longest
            if self._missing <= 0 or now >= end:
                return
            await self._wait_for_enough(min(now + MOMENT, end))

    async def _wait_for_enough(self, until: float) -> None:
        """Wait until as much has landed as is missing, until this moment at the latest."""
        left = until - asyncio.get_running_loop().time()
        if self._missing > 0 and left > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._enough.wait(), left)

    async def all_landed(self) -> None:
        """Wait until nothing is on its way."""
        while self._flights:
            await asyncio.wait(self._flights)

    async def close(self, patience: float = 0.0) -> None:
        """Let what is on its way come to its end for so long, and give the rest back."""
        if self._flights:
            await asyncio.wait(self._flights, timeout=patience)
        for flight in self._aloft:
            flight.cancel()
        if self._flights:
            await asyncio.wait(self._flights, timeout=RECORD_SECONDS)
        await self._crew.close()
        await self._carrier.close()

    async def _reap(self) -> None:
        """Take back what dead workers had on its way."""
        now = self._database.clock.now()
        # A moment to come was noted before the clock was set back.
        if self._reaped_at is not None and self._reaped_at <= now < self._reaped_at + REAP_EVERY:
            return
        self._reaped_at = now
        async with self._database.transaction() as db:
            dead = self._crew.dead(await queue.senders(db))
            lost = await queue.reap(db, dead)
        if lost:
            log.warning("deliveries taken back", count=lost)

    async def _due(self, db: Db) -> list[UUID]:
        """List the endpoints of ours that have something due."""
        waiting = [lane for lane in await queue.waiting(db) if self._crew.owns(lane.webhook)]
        if len(self._lanes) > self._known:
            self._forget({lane.webhook for lane in waiting})
        self._wake_for([lane.due_at for lane in waiting], db.now)
        due = [lane for lane in waiting if lane.due_at <= db.now]
        changed = [lane.webhook for lane in due if not self._knows(lane)]
        if changed:
            await self._look_up(db, changed)
        return [lane.webhook for lane in due]

    def _forget(self, waiting: set[UUID]) -> None:
        """Know nothing more of endpoints for which nothing waits and nothing is on its way."""
        for uuid, lane in list(self._lanes.items()):
            if uuid not in waiting and not lane.in_flight:
                del self._lanes[uuid], self._webhooks[uuid]
                self._recorder.forget(uuid)

    def _knows(self, lane: Waiting) -> bool:
        webhook = self._webhooks.get(lane.webhook)
        return webhook is not None and webhook.version == lane.version

    async def _look_up(self, db: Db, uuids: Sequence[UUID]) -> None:
        """Read endpoints that are new to us or have been changed."""
        found = await db.many(
            Webhook,
            f"select {columns(Webhook)} from webhooks where uuid = any(:uuids)",
            uuids=list(uuids),
        )
        for webhook in found:
            self._webhooks[webhook.uuid] = webhook
            most, rate = webhook.max_in_flight, webhook.rate_per_second
            lane = self._lanes.setdefault(webhook.uuid, Lane(most, rate, db.now))
            lane.configure(most, rate)

    def _is_open(self, uuid: UUID) -> bool:
        """Tell whether an endpoint is on; what waits for one that is not is held."""
        webhook = self._webhooks[uuid]
        return webhook.state == "enabled" and webhook.deleted_at is None

    def _work(self, due: Sequence[UUID], free: int, now: datetime) -> list[Work]:
        """Decide how many to take from each lane; they take turns in being first.

        Lanes in trouble share half of the places: however many they are, the others have room.
        """
        self._turn += 1
        start = self._turn % len(due) if due else 0
        turns = [*due[start:], *due[:start]]
        self._wake_for([self._lanes[uuid].ready_at(now) for uuid in turns], now)
        ailing = [uuid for uuid in turns if self._lanes[uuid].ailing]
        busy = sum(lane.in_flight for lane in self._lanes.values() if lane.ailing)
        sick = self._shares(ailing, min(free, self._most // 2 - busy), now)
        rest = free - sum(work.room for work in sick)
        return [
            *sick,
            *self._shares([uuid for uuid in turns if not self._lanes[uuid].ailing], rest, now),
        ]

    def _shares(self, uuids: Sequence[UUID], free: int, now: datetime) -> list[Work]:
        rooms = shared([self._lanes[uuid].room(now) for uuid in uuids], free)
        webhooks = [self._webhooks[uuid] for uuid in uuids]
        return [
            Work(webhook.uuid, room, webhook.timeout_seconds)
            for webhook, room in zip(webhooks, rooms, strict=True)
            if room
        ]

    def _wake_for(self, moments: Sequence[datetime], now: datetime) -> None:
        """Have the bell rung at the first of these moments that is still to come, if it is near."""
        coming = min((moment for moment in moments if moment > now), default=None)
        if coming is None or coming - now > ALARM_WITHIN:
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + (coming - now).total_seconds()
        if self._alarm is not None:
            # We remember the moment ourselves: not every loop's handle tells it.
            rings_at, alarm = self._alarm
            if loop.time() < rings_at <= at:
                return
            alarm.cancel()
        self._alarm = at, loop.call_at(at, self.bell.set)

    def _send(self, taken: Taken) -> None:
        self._lanes[taken.webhook].left()
        self._claims[taken.claim] += 1
        flight = asyncio.create_task(self._carry(taken, self._webhooks[taken.webhook]))
        self._flights.add(flight)
        self._aloft.add(flight)
        flight.add_done_callback(self._landed)

    def _landed(self, flight: asyncio.Task[None]) -> None:
        self._flights.discard(flight)
        self._aloft.discard(flight)
        self._missing -= 1
        if self._missing <= 0:
            self._enough.set()
        self.bell.landed()

    async def _carry(self, taken: Taken, webhook: Webhook) -> None:
        """Make one attempt, and have it recorded."""
        answer, shown = await self._attempt(taken, webhook)
        # From here on it is only to be written down, which no stopping interrupts.
        self._aloft.discard(cast("asyncio.Task[None]", asyncio.current_task()))
        ended = self._database.clock.now()
        again = taken.uuid in self._stale
        after = following(answer, taken.retries, ended, again=again)
        if answer.stale and not again:
            self._stale.add(taken.uuid)
        else:
            self._stale.discard(taken.uuid)
        await self._recorder.record(Entry(webhook, Done(taken, after, ended, answer, shown)))
        lane = self._lanes[webhook.uuid]
        lane.returned(well=_well(answer))
        # What follows it there has room.
        self.bell.told |= lane not in self._full
        self._ended(taken.claim)

    def _ended(self, claim: UUID) -> None:
        """Count one of a claim that has ended; after the last one, the claim may leave.

        It stays while one of it could not be recorded: that is found by it when its lease runs out.
        """
        self._claims[claim] -= 1
        if self._claims[claim] <= 0:
            del self._claims[claim]
            if claim not in self._recorder.broken:
                self._over.add(claim)
            self._recorder.broken.discard(claim)

    async def _attempt(self, taken: Taken, webhook: Webhook) -> tuple[Answer, dict[str, str]]:
        shown: dict[str, str] = {}
        try:
            sent, shown = headers_of(self._database.keys, webhook, taken)
            answer = await self._carrier.send(
                webhook.url,
                sent,
                taken.body,
                webhook.timeout_seconds,
                fresh=taken.uuid in self._stale,
            )
        except asyncio.CancelledError:
            answer = Answer(outcome="interrupted", error=STOPPED)
        except Exception as failure:  # noqa: BLE001 - a defect of ours must not end the sender
            log.error("attempt failed", delivery=taken.public_id, exc_info=failure)
            answer = Answer(outcome="internal", error=OURS)
        return answer, shown


def _well(answer: Answer) -> bool | None:
    """Read from an answer whether the receiver can take more; a refusal does not tell."""
    if answer.outcome == "succeeded":
        return True
    if answer.outcome in health.OURS:
        return None
    if answer.outcome == "refused" and answer.status is not None:
        return False if answer.status == TOO_MANY or answer.status >= BROKEN else None
    return False
