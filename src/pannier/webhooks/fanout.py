"""Turns each new event into a delivery for every endpoint that wants it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.webhooks import patterns, queue
from pannier.webhooks.queue import Thread

CHANNEL: Final = "pannier_webhooks"
# Of these only the latest matters: one that has not been delivered gives way to the next.
COALESCED: Final = (Name.DRIVER_LOCATION_CHANGED,)

WANTING: Final = """
    select array_agg(uuid) from webhooks
    where company = any(:companies) and deleted_at is null and events && :patterns"""

# The first of a thread has its turn if nothing of it is left to wait for, as in queue.ADVANCE.
FAN_OUT: Final = """
    with wanted as (
        select e.uuid as event, e.company, e.name, e.subject, e.thread, e.position,
               w.uuid as webhook, w.ordering,
               e.name = any(:coalesced) and row_number() over (
                   partition by w.uuid, e.thread, e.name order by e.position desc) > 1 as stale
        from unnest(:events::uuid[], :companies::uuid[], :names::text[], :subjects::text[],
                    :threads::text[]) with ordinality
            as e (uuid, company, name, subject, thread, position)
        join webhooks w on w.company = e.company
        where w.uuid = any(:webhooks)
          and w.events && array['*', split_part(e.name, '.', 1) || '.*', e.name]),
    made as materialized (
        select uuid_of(:now, row_number() over (order by position)) as uuid,
               event, company, webhook, name, subject, thread, ordering, stale, position,
               row_number() over (partition by webhook, thread order by position)
               + coalesce((select max(sequence) from webhook_deliveries d
                           where d.webhook = wanted.webhook and d.thread = wanted.thread), 0)
               as sequence,
               row_number() over (partition by webhook, thread, stale order by position) = 1
               as first
        from wanted),
    logged as (
        insert into webhook_deliveries (uuid, company, webhook, event, name, subject, thread,
                                        sequence, created_at, state, finished_at)
        select uuid, company, webhook, event, name, subject, thread, sequence, :now,
               case when stale then 'superseded' end, case when stale then :now::timestamptz end
        from made order by position)
    insert into webhook_queue (delivery, company, webhook, thread, sequence, due_at, ready)
    select uuid, company, webhook, thread, sequence, :now,
           first and not exists (
               select from webhook_queue before
               where before.webhook = made.webhook and before.thread = made.thread
                 and not before.tried)
           and not (ordering = 'strict' and exists (
               select from webhook_queue before
               where before.webhook = made.webhook and before.thread = made.thread))
    from made where not stale order by position"""

SUPERSEDE: Final = """
    with stale as (
        delete from webhook_queue q
        using unnest(:companies::uuid[], :threads::text[], :names::text[])
                  as e (company, thread, name)
        where q.webhook = any(:webhooks) and q.company = e.company and q.thread = e.thread
          and q.attempt is null
          and e.name = (select name from webhook_deliveries d where d.uuid = q.delivery)
        returning q.delivery, q.webhook, q.thread),
    logged as (
        update webhook_deliveries d set state = 'superseded', finished_at = :now
        from stale where d.uuid = stale.delivery
            and d.uuid = any(array(select delivery from stale)))
    select webhook, thread from stale"""


class _Stale(msgspec.Struct):
    webhook: UUID
    thread: str


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Write the deliveries of some events, and wake whoever sends them."""
    webhooks = await db.value(
        WANTING,
        companies=list({event.company for event in events}),
        patterns=list({word for event in events for word in patterns.reading(event.name)}),
    )
    if not webhooks:
        return
    await queue.take_turns(db, webhooks)
    await _supersede(db, webhooks, [event for event in events if event.name in COALESCED])
    await db.execute(
        FAN_OUT,
        now=db.now,
        webhooks=webhooks,
        events=[event.uuid for event in events],
        companies=[event.company for event in events],
        names=[event.name for event in events],
        subjects=[event.subject for event in events],
        threads=[event.thread for event in events],
        coalesced=list(COALESCED),
    )
    db.ring(CHANNEL)


async def _supersede(db: Db, webhooks: Sequence[UUID], events: Sequence[Event]) -> None:
    """Take back what is waiting and no longer matters."""
    if not events:
        return
    latest = {(event.company, event.thread, event.name) for event in events}
    companies, threads, names = zip(*sorted(latest), strict=True)
    stale = await db.many(
        _Stale,
        SUPERSEDE,
        now=db.now,
        webhooks=webhooks,
        companies=list(companies),
        threads=list(threads),
        names=list(names),
    )
    await queue.advance(db, [Thread(one.webhook, one.thread) for one in stale])
