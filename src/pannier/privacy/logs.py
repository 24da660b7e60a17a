"""Forgetting a person in what was written down about them: events, attempts, audit, messages."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.privacy.people import MESSAGES, THEIRS_ALONE, TO_NOBODY_ELSE, Person

BATCH: Final = 1000

# What happened, when and to what stays; what was told of it is gone, also from later replays.
EVENTS: Final = """
    update events e set body = convert_to(json_build_object(
        'event', e.name, 'api_version', told.body -> 'api_version',
        'created_at', told.body -> 'created_at',
        'data', json_build_object('id', e.subject, 'erased', true),
        'id', e.public_id)::text, 'UTF8')
    from (select uuid, convert_from(body, 'UTF8')::json as body from events
          where company = :company and subject = any(:subjects)) told
    where e.uuid = told.uuid"""
# A receiver may have said back what it was told.
ATTEMPTS: Final = """
    update webhook_attempts set response_body = null, response_headers = null
    where response_body is not null and delivery in (
        select d.uuid from webhook_deliveries d join events e on e.uuid = d.event
        where e.company = :company and e.subject = any(:subjects))"""
# What failed says in its words at what: at an order of these, or at an event of one.
PARKED: Final = """
    update parked set error = '' where company = :company and subject_uuid = any(array(
        select uuid from orders where company = :company and public_id = any(:subjects)
        union all
        select uuid from events where company = :company and subject = any(:subjects)))"""
AUDIT: Final = """
    update audit_entries set details = '{}', before = '{}', after = '{}'
    where company = :company and subject = any(:subjects)"""
OWN_AUDIT: Final = """
    update audit_entries set actor_name = :name, address = ''
    where company = :company and actor = :actor"""
# Whether a message `m` went to where one who works for the company is reached.
TO_STAFF: Final = """exists (select from drivers d
        where d.company = :company and d.phone = m.recipient and d.deleted_at is null)
    or exists (select from operators o
        where o.company = :company and o.email_key = lower(m.recipient))"""
# Also what went to where a contact of theirs is reached, such as the code for a delivery.
FORGET_MESSAGES: Final = f"""
    delete from messages where uuid in (
        select uuid from messages where uuid = any(array({MESSAGES}
            union select uuid from messages m
            where company = :company and recipient = any(array({THEIRS_ALONE}))
              and {TO_NOBODY_ELSE} and not ({TO_STAFF})))
          and (customer = :customer or created_at <= :until)
        limit :batch for update)"""


async def forget_events(db: Db, company: UUID, subjects: Sequence[str]) -> None:
    """Leave of events that they happened, and nothing of what receivers answered."""
    await db.execute(ATTEMPTS, company=company, subjects=subjects)
    await db.execute(EVENTS, company=company, subjects=subjects)
    await db.execute(PARKED, company=company, subjects=subjects)


async def forget_changes(db: Db, company: UUID, subjects: Sequence[str]) -> None:
    """Leave of changes that they were made, when and by whom."""
    await db.execute(AUDIT, company=company, subjects=subjects)


async def forget_acts(db: Db, company: UUID, actor: str, name: str) -> None:
    """Leave of what somebody did that it was done, under another name."""
    await db.execute(OWN_AUDIT, company=company, actor=actor, name=name)


async def forget_messages(db: Db, who: Person) -> bool:
    """Delete a batch of the messages that went to a person; False when there are none left."""
    gone = await db.execute(
        FORGET_MESSAGES,
        company=who.company,
        customer=who.customer.uuid,
        contacts=who.contacts,
        recipients=who.recipients,
        former=who.former,
        until=who.customer.closed_at,
        batch=BATCH,
    )
    return gone > 0
