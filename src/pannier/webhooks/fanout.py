"""Turns each new event into a delivery for every endpoint that wants it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event

CHANNEL: Final = "pannier_webhooks"
# Of these only the latest matters: one that has not been delivered gives way to the next.
COALESCED: Final = (Name.DRIVER_LOCATION_CHANGED,)
SUPERSEDED: Final = "A later event of the same kind took its place."

# The endpoints are held while deliveries are made for them: whoever pauses or deletes one comes
# before or after, never in between.
HOLD: Final = """
    with held as (
        select uuid from webhooks where company = any(:companies) and deleted_at is null
        order by uuid for share)
    select array_agg(uuid) from held"""

# In strict order, what comes later is due no earlier.
FAN_OUT: Final = """
    with wanted as (
        select e.uuid as event, e.company, e.name, e.subject, e.thread, e.position,
               w.uuid as webhook, w.state, w.ordering,
               row_number() over (partition by w.uuid, e.thread order by e.position) as number,
               row_number() over (
                   partition by w.uuid, e.thread, e.name order by e.position desc) as newer
        from events e join webhooks w on w.company = e.company and w.uuid = any(:webhooks)
        where e.uuid = any(:events)
          and w.events && array['*', split_part(e.name, '.', 1) || '.*', e.name])
    insert into webhook_deliveries
        (uuid, public_id, company, webhook, event, name, subject, thread, sequence, state, due_at,
         created_at, error, finished_at)
    select uuid_of(:now, row_number() over (order by position)), name_of('delivery'),
           company, webhook, event, name, subject, thread,
           number + coalesce((select max(sequence) from webhook_deliveries d
                              where d.webhook = wanted.webhook and d.thread = wanted.thread), 0),
           case when newer > 1 and name = any(:coalesced) then 'superseded'
                when state = 'enabled' then 'pending' else 'held' end,
           case when ordering = 'strict' then greatest(:now, (
                    select max(due_at) from webhook_deliveries d
                    where d.webhook = wanted.webhook and d.thread = wanted.thread
                      and d.state in ('pending', 'sending') and d.round = 0))
                else :now end,
           :now,
           case when newer > 1 and name = any(:coalesced) then :superseded end,
           case when newer > 1 and name = any(:coalesced) then :now end
    from wanted order by position"""

SUPERSEDE: Final = """
    update webhook_deliveries d
    set state = 'superseded', error = :superseded, finished_at = :now
    from unnest(:companies::uuid[], :threads::text[], :names::text[]) as e (company, thread, name)
    where d.webhook = any(:webhooks) and d.company = e.company and d.thread = e.thread
      and d.name = e.name and d.state in ('pending', 'held')"""


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Write the deliveries of some events, and wake whoever sends them."""
    webhooks = await db.value(HOLD, companies=list({event.company for event in events}))
    if not webhooks:
        return
    await _supersede(db, webhooks, [event for event in events if event.name in COALESCED])
    made = await db.execute(
        FAN_OUT,
        now=db.now,
        webhooks=webhooks,
        events=[event.uuid for event in events],
        coalesced=list(COALESCED),
        superseded=SUPERSEDED,
    )
    if made:
        db.ring(CHANNEL)


async def _supersede(db: Db, webhooks: Sequence[UUID], events: Sequence[Event]) -> None:
    """Take back what is waiting and no longer matters."""
    if not events:
        return
    latest = {(event.company, event.thread, event.name) for event in events}
    companies, threads, names = zip(*sorted(latest), strict=True)
    await db.execute(
        SUPERSEDE,
        now=db.now,
        webhooks=webhooks,
        companies=list(companies),
        threads=list(threads),
        names=list(names),
        superseded=SUPERSEDED,
    )
