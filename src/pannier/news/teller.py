"""Processing of the queue of news: one event of one company at a time, companies in turn.

Each event has its own transaction, which claims and composes news, spends the budget, and removes
the event from the queue. A process that is killed meanwhile has sent nothing. One process at a time
handles a company's news, so that they stay in order and the budget is counted once.
"""

from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db
from pannier.db.sql import columns
from pannier.events.models import Event
from pannier.news import hearing
from pannier.parked import service as parking
from pannier.parked.models import Parked, Work

STEP: Final = "news"
TURN: Final = "hashtextextended('news of ' || :company::uuid::text, 0)"
FIRST: Final = UUID(int=0)
# Steps from company to company by the index, so one company's long queue adds no cost. The limit
# bounds the number of companies tried, because other processes may hold their locks.
WAITING: Final = """
    with recursive waiting as (
        (select company from news_queue where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from news_queue where company > waiting.company
            order by company limit 1) next)
    select company from waiting limit :most"""
MOST_LOOKED_AT: Final = 50


class _Queued(msgspec.Struct):
    position: int
    event: UUID


class Teller:
    """Processes queued events of all companies in turn."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last = FIRST

    async def step(self) -> bool:
        """Send some of the news of one event. Return True if there may be more."""
        async with self._database.transaction() as db:
            await db.find_by_index()
            company = await self._chosen(db)
            if company is None:
                return False
            # Set before processing: after a failure, the other companies have their turn first.
            self._last = company
            await _tell_next(db, company)
        return True

    async def _chosen(self, db: Db) -> UUID | None:
        """Lock and return the next company with queued events that no other process has locked."""
        for last in dict.fromkeys((self._last, FIRST)):
            found = await db.tuples(WAITING, last=last, most=MOST_LOOKED_AT)
            waiting: list[UUID] = [company for (company,) in found]
            for company in waiting:
                if await db.value(f"select pg_try_advisory_xact_lock({TURN})", company=company):
                    return company
        return None


async def _tell_next(db: Db, company: UUID) -> None:
    queued = await db.find(
        _Queued,
        """select position, event from news_queue where company = :company
           order by position limit 1""",
        company=company,
    )
    if queued is not None and not await _told_in_part(db, company, queued.event):
        await db.execute(
            "delete from news_queue where company = :company and position = :position",
            company=company,
            position=queued.position,
        )


async def _told_in_part(db: Db, company: UUID, uuid: UUID) -> bool:
    """Notify some recipients of an event. Return True if others are left. Park it on failure."""
    event = await _event(db, company, uuid)
    if event is None:
        return False
    left = False
    async with parking.Trial(db) as trial:
        left = await hearing.tell(db, event)
    if trial.failure is not None:
        work = Work(company, STEP, event.public_id, event.uuid)
        await parking.park(db, work, trial.failure)
    return left


async def again(db: Db, parked: Parked) -> None:
    """Send the remaining news of an event that was parked."""
    company = parked.company
    await db.value(f"select pg_advisory_xact_lock({TURN})", company=company)
    event = await _event(db, company, parked.subject_uuid)
    while event is not None and await hearing.tell(db, event):
        pass


async def _event(db: Db, company: UUID, uuid: UUID) -> Event | None:
    """Load an event, or return None if it was deleted."""
    return await db.find(
        Event,
        f"select {columns(Event)} from events where company = :company and uuid = :uuid",
        company=company,
        uuid=uuid,
    )
