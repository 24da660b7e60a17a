"""Forgetting a person in one order; what others get with it stays."""

from typing import Any, Final

from pannier.db import Db
from pannier.fleet.issues import photos as issue_photos
from pannier.orders.models import Order
from pannier.privacy import evidence, logs, payments, places
from pannier.privacy.accounts import PSEUDONYM
from pannier.privacy.belongings import Belongings, belongings
from pannier.privacy.people import Person

TOUCHED: Final = "updated_at = :now, version = version + 1"
ORDER: Final = f"""
    update orders set notes = null, cancel_reason = null, meta = '{{}}', {TOUCHED}
    where company = :company and uuid = :order and :ours"""
PAYLOAD: Final = f"""
    update payloads set meta = '{{}}', {TOUCHED}
    where company = :company and uuid = :payload and :ours"""
STOPS: Final = f"""
    update waypoints set notes = null, meta = '{{}}', {TOUCHED}
    where company = :company and uuid = any(:stops)"""
ITEMS: Final = f"""
    update entities set description = null, meta = '{{}}', {TOUCHED}
    where company = :company and uuid = any(:items)"""
# What happened to what is theirs, and what happened to anything at their door: where something was
# handed over is where somebody lives.
HAPPENED: Final = """
    tracking_statuses s join tracking_numbers n on n.uuid = s.tracking_number
    where n.order_uuid = :order and (n.subject = any(:subjects) or s.place = any(:places))"""
STATUSES: Final = f"""
    update tracking_statuses
    set details = case when manual or code = 'canceled' then '' else details end,
        meta = '{{}}', latitude = null, longitude = null,
        actor_name = case when actor_id = :public_id then :pseudonym else actor_name end, {TOUCHED}
    where company = :company and uuid in (select s.uuid from {HAPPENED})"""
THEIR_ATTEMPTS: Final = """
    order_uuid = :order and (waypoint = any(:stops) or (waypoint is null and :ours))"""
ATTEMPTS: Final = f"""
    update delivery_attempts
    set remarks = null, latitude = null, longitude = null, {TOUCHED}
    where company = :company and {THEIR_ATTEMPTS}"""
ISSUES: Final = f"""
    update issues set title = null, report = '', resolution = null, latitude = null,
        longitude = null, meta = '{{}}', {TOUCHED}
    where company = :company and order_id = :order_id and :ours"""
# Their issues, of which no photo stays.
PHOTOGRAPHED: Final = """
    select array(select uuid from issues where company = :company and order_id = :order_id)"""

# News of it, also those that came after the account was closed: of which a message that has no
# account cannot tell by itself.
NEWS: Final = """
    delete from messages where company = :company and order_id = :order_id and (
        customer = :customer or recipient = any(:recipients)
        or recipient in (select unnest(array[phone, email]) from contacts
                         where company = :company and uuid = any(:contacts)))"""

# That they wanted no news of it.
MUTED: Final = """
    delete from news_muted
    where company = :company and order_uuid = :order and person = any(:contacts)"""

# Of what the events of an order are, and of what its changes are.
TOLD_OF: Final = f"""
    select public_id from orders where uuid = :order
    union all select s.public_id from {HAPPENED}
    union all select public_id from proofs where order_uuid = :order
        and subject_uuid = any(:subjects)
    union all select public_id from issues
        where company = :company and order_id = :order_id and :ours"""
CHANGED: Final = f"""{TOLD_OF}
    union all select public_id from payloads where uuid = :payload and :ours
    union all select public_id from delivery_attempts where {THEIR_ATTEMPTS}
    union all select public_id from waypoints where uuid = any(:stops)
    union all select public_id from entities where uuid = any(:items)"""


async def forget(db: Db, who: Person, order: Order) -> None:
    """Forget a person in an order that is held."""
    theirs = await belongings(db, who, order)
    named = _named(db, who, theirs)
    told = await db.value(f"select array({TOLD_OF})", **named)
    changed = await db.value(f"select array({CHANGED})", **named)
    for statement in (ORDER, PAYLOAD, STOPS, ITEMS, STATUSES, ATTEMPTS, ISSUES, NEWS, MUTED):
        await db.execute(statement, **named)
    if theirs.ours:
        await issue_photos.release(db, who.company, await db.value(PHOTOGRAPHED, **named))
        await payments.forget_in_order(db, who.company, order.uuid)
    await evidence.forget(db, who.company, order.uuid, theirs.subjects)
    await logs.forget_events(db, who.company, told)
    await logs.forget_changes(db, who.company, changed)
    await places.forget(db, who, theirs.places)


def _named(db: Db, who: Person, theirs: Belongings) -> dict[str, Any]:
    """Name what the statements speak of."""
    order = theirs.order
    return {
        "company": order.company, "order": order.uuid, "order_id": order.public_id,
        "payload": order.payload, "ours": theirs.ours, "stops": theirs.stops,
        "items": theirs.items, "places": theirs.places, "subjects": theirs.subjects, "now": db.now,
        "public_id": who.customer.public_id, "pseudonym": PSEUDONYM,
        "customer": who.customer.uuid, "contacts": who.contacts, "recipients": who.recipients,
    }  # fmt: skip
