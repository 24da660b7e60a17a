"""Erasure of a person in one order; other people's parts stay."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.cash import erasure as cash
from pannier.conversations import erasure as conversations
from pannier.db import Db, audit
from pannier.events import erasure as events
from pannier.fleet import erasure as fleet
from pannier.imports import erasure as imports
from pannier.news import erasure as news
from pannier.notifications import erasure as notifications
from pannier.orders import erasure as orders
from pannier.orders.models import Order
from pannier.parked import erasure as parked
from pannier.payloads import erasure as payloads
from pannier.payments import erasure as payments
from pannier.privacy.belongings import find_belongings
from pannier.privacy.people import DataSubject, list_contact_addresses
from pannier.privacy.places import erase_places
from pannier.proofs import erasure as proofs
from pannier.webhooks import erasure as webhooks

PSEUDONYM: Final = "Former customer"


async def erase_order(db: Db, person: DataSubject, order: Order) -> None:
    """Erase a person in a locked order."""
    belongings = await find_belongings(db, person, order)
    company = person.company
    # Public ids of the changed records; events refer to the first list.
    public_ids, changed_ids = [order.public_id], list[str]()
    if belongings.is_own:
        await orders.erase_order(db, order)
        changed_ids += await payloads.erase_payload(db, company, order.payload)
    changed_ids += await payloads.erase_stops(db, company, belongings.stops)
    changed_ids += await payloads.erase_items(db, company, belongings.items)
    public_ids += await orders.erase_statuses(
        db,
        order,
        belongings.subjects,
        belongings.places,
        actor=person.customer.public_id,
        pseudonym=PSEUDONYM,
    )
    changed_ids += await orders.erase_attempts(
        db, order, belongings.stops, is_whole_order=belongings.is_own
    )
    changed_ids += await cash.erase_collections(
        db, company, order.uuid, belongings.stops, is_whole_order=belongings.is_own
    )
    await conversations.erase_messages(db, company, order.uuid)
    if belongings.is_own:
        public_ids += await fleet.erase(db, company, order.public_id)
    await imports.erase(db, company, [order.public_id])
    await _erase_news(db, person, order)
    if belongings.is_own:
        await payments.erase_by_order(db, company, order.uuid)
    public_ids += await proofs.erase(db, company, order.uuid, belongings.subjects)
    await _erase_events(db, order, public_ids)
    await audit.erase_changes(db, company, public_ids + changed_ids)
    await erase_places(db, person, belongings.places)


async def _erase_news(db: Db, person: DataSubject, order: Order) -> None:
    """Delete the order's messages, including those sent after the account was closed."""
    recipients = person.recipients + await list_contact_addresses(db, person)
    await notifications.erase_order_messages(
        db, person.company, order.public_id, person.customer.uuid, recipients
    )
    await news.erase_about_order(db, person.company, order.uuid, person.contacts)


async def _erase_events(db: Db, order: Order, subjects: Sequence[str]) -> None:
    """Erase event payloads, webhook responses, and errors of parked work."""
    await webhooks.erase(db, order.company, subjects)
    event_uuids: list[UUID] = await events.erase(db, order.company, subjects)
    await parked.erase_errors(db, order.company, [order.uuid, *event_uuids])
