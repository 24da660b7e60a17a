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
from pannier.news import event_handler
from pannier.parked import service as parking
from pannier.parked.models import ParkedWork, WorkKey

STEP: Final = "news"
LOCK_KEY: Final = "hashtextextended('news of ' || :company::uuid::text, 0)"
LOWEST_UUID: Final = UUID(int=0)
# Steps from company to company by the index, so one company's long queue adds no cost. The limit
# bounds the number of companies tried, because other processes may hold their locks.
WAITING_COMPANIES: Final = """
    with recursive waiting as (
        (select company from news_queue where company > :last order by company limit 1)
        union all
        select next.company from waiting cross join lateral (
            select company from news_queue where company > waiting.company
            order by company limit 1) next)
    select company from waiting limit :limit"""
MAX_COMPANIES_TRIED: Final = 50


class _QueuedEvent(msgspec.Struct):
    position: int
    event: UUID


class NewsProcessor:
    """A processor of the queued events of all companies, in turn."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last_company = LOWEST_UUID

    async def step(self) -> bool:
        """Send some of one event's news. Return True if more may be queued."""
        async with self._database.transaction() as db:
            await db.prefer_indexes()
            company = await self._lock_next_company(db)
            if company is None:
                return False
            # Set before processing: after a failure, the other companies have their turn first.
            self._last_company = company
            await _process_next_event(db, company)
        return True

    async def _lock_next_company(self, db: Db) -> UUID | None:
        """Lock and return the next company with queued events that no other process has locked."""
        for last_company in dict.fromkeys((self._last_company, LOWEST_UUID)):
            rows = await db.fetch_tuples(
                WAITING_COMPANIES, last=last_company, limit=MAX_COMPANIES_TRIED
            )
            companies: list[UUID] = [company for (company,) in rows]
            for company in companies:
                if await db.fetch_value(
                    f"select pg_try_advisory_xact_lock({LOCK_KEY})", company=company
                ):
                    return company
        return None


async def _process_next_event(db: Db, company: UUID) -> None:
    queued_event = await db.find(
        _QueuedEvent,
        """select position, event from news_queue where company = :company
           order by position limit 1""",
        company=company,
    )
    if queued_event is not None and not await _notify_some_recipients(
        db, company, queued_event.event
    ):
        await db.execute(
            "delete from news_queue where company = :company and position = :position",
            company=company,
            position=queued_event.position,
        )


async def _notify_some_recipients(db: Db, company: UUID, uuid: UUID) -> bool:
    """Notify some recipients of an event. Return True if others are left. Park it on failure."""
    event = await _find_event(db, company, uuid)
    if event is None:
        return False
    has_more = False
    async with parking.WorkAttempt(db) as attempt:
        has_more = await event_handler.notify_recipients(db, event)
    if attempt.failure is not None:
        work = WorkKey(company, STEP, event.public_id, event.uuid)
        await parking.park(db, work, attempt.failure)
    return has_more


async def retry_event(db: Db, parked: ParkedWork) -> None:
    """Send the remaining news of an event that was parked."""
    company = parked.company
    await db.fetch_value(f"select pg_advisory_xact_lock({LOCK_KEY})", company=company)
    event = await _find_event(db, company, parked.subject_uuid)
    while event is not None and await event_handler.notify_recipients(db, event):
        pass


async def _find_event(db: Db, company: UUID, uuid: UUID) -> Event | None:
    """Load an event, or return None if it was deleted."""
    return await db.find(
        Event,
        f"select {columns(Event)} from events where company = :company and uuid = :uuid",
        company=company,
        uuid=uuid,
    )
