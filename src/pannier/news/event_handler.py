"""Notification of an order's recipients about an event, once each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event
from pannier.news import composing, kinds, opt_outs, queries, recipients, sending
from pannier.news.composing import NewsItem
from pannier.news.kinds import EventDetails, HandoverState
from pannier.news.models import NewsKey, NewsRecord
from pannier.news.recipients import AwaitedDelivery, Recipient
from pannier.news.sending import NewsMessage
from pannier.notifications.models import NewsContext
from pannier.orders import queries as orders
from pannier.orders.models import Order
from pannier.orders.views import OrderAggregate

EVENT_NAMES: Final = frozenset(
    {
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_UPDATED,
        Name.ORDER_COMPLETED,
        Name.ORDER_CANCELLED,
        Name.TRACKING_STATUS_CREATED,
    }
)
# Events after which the driver continues with the remaining orders.
ENDING_EVENTS: Final = frozenset({Name.ORDER_COMPLETED, Name.ORDER_CANCELLED})
MAX_EVENT_AGE: Final = max(kinds.LIFETIMES.values())
# Further recipients are notified in the next transaction.
MAX_RECIPIENTS_PER_TRANSACTION: Final = 20


class _Envelope(msgspec.Struct):
    data: EventDetails


class _PendingNews(msgspec.Struct, frozen=True):
    """News that a recipient has not received yet."""

    item: NewsItem
    recipient: Recipient


def is_relevant(event: Event, now: datetime) -> bool:
    """Return whether recipients may still be notified about an event, without any query."""
    if event.name not in EVENT_NAMES or event.created_at + MAX_EVENT_AGE <= now:
        return False
    return kinds.is_relevant(event.name, _decode_details(event))


def _decode_details(event: Event) -> EventDetails:
    return msgspec.json.decode(event.body, type=_Envelope).data


async def notify_recipients(db: Db, event: Event) -> bool:
    """Notify some recipients of an event. Return True if others are left.

    Outdated news may be wrong: nothing is sent after its lifetime, or if it is no longer true.
    """
    if not is_relevant(event, db.now):
        return False
    pending = await _list_pending_news(db, event, _decode_details(event))
    for news in pending[:MAX_RECIPIENTS_PER_TRANSACTION]:
        await _notify_recipient(db, news.item, news.recipient)
    return len(pending) > MAX_RECIPIENTS_PER_TRANSACTION


async def _list_pending_news(db: Db, event: Event, details: EventDetails) -> list[_PendingNews]:
    """List the news still to be sent about the event's order and the driver's next order."""
    order = await orders.find_by_public_id(db, event.company, event.thread)
    if order is None:
        return []
    if details.code == kinds.FAILED:
        number = await queries.find_attempt_number(db, event.company, event.subject)
        details = msgspec.structs.replace(details, number=number)
    occurred_at = event.created_at - await queries.load_lag(
        db, event.company, order.uuid, event.created_at
    )
    pending = await _list_pending_order_news(db, order, event.name, details, occurred_at)
    if event.name in ENDING_EVENTS and order.driver is not None:
        remaining_orders = await queries.list_started_orders(db, event.company, order.driver)
        if len(remaining_orders) == 1:
            new_details = EventDetails(
                changed=["current_waypoint"], attempts=remaining_orders[0].attempts
            )
            pending += await _list_pending_order_news(
                db, remaining_orders[0], Name.ORDER_UPDATED, new_details, occurred_at
            )
    return pending


async def _list_pending_order_news(
    db: Db, order: Order, name: Name, details: EventDetails, occurred_at: datetime
) -> list[_PendingNews]:
    """List the news still to be sent to the recipients of an order."""
    aggregate = await OrderAggregate.load(db, order)
    deliveries = [delivery for delivery in recipients.list_deliveries(aggregate) if delivery.people]
    if not deliveries:
        return []
    is_only_order = await _is_only_order(db, order)
    failed_stops = await _load_failed_stops(db, order, name, details)
    items = []
    for delivery in deliveries:
        handover = _make_handover_state(
            aggregate, delivery, failed_stops, is_only_order=is_only_order
        )
        kind = kinds.replace_outdated_kind(
            kinds.choose_kind(name, details, handover), occurred_at, db.now
        )
        if kind is not None:
            items.append(NewsItem(kind, occurred_at, details, aggregate, delivery))
    return await _select_pending_news(db, aggregate, items) if items else []


async def _load_failed_stops(
    db: Db, order: Order, name: Name, details: EventDetails
) -> set[UUID | None]:
    """List the stops where an attempt failed after an event. None stands for the order itself."""
    if name == Name.TRACKING_STATUS_CREATED or order.attempts <= details.attempts:
        return set()
    return await queries.list_failed_stops(db, order.company, order.uuid, details.attempts)


async def _is_only_order(db: Db, order: Order) -> bool:
    """Return whether this is the driver's only started order. If not, no stop is the next."""
    if order.driver is None:
        return True
    return len(await queries.list_started_orders(db, order.company, order.driver)) <= 1


def _make_handover_state(
    aggregate: OrderAggregate,
    delivery: AwaitedDelivery,
    failed_stops: set[UUID | None],
    *,
    is_only_order: bool,
) -> HandoverState:
    order, stop = aggregate.row, delivery.stop
    subject = order if stop is None else stop
    return HandoverState(
        waypoint=None if stop is None else stop.public_id,
        has_driver=order.driver is not None,
        is_started=order.started_at is not None,
        is_next_stop=is_only_order and (stop is None or aggregate.payload_aggregate.stop == stop),
        is_done=subject.completed_at is not None,
        undelivered=subject.undelivered,
        has_failed_since=(None if stop is None else stop.uuid) in failed_stops,
        is_canceled=order.canceled_at is not None,
    )


async def _select_pending_news(
    db: Db, aggregate: OrderAggregate, items: Sequence[NewsItem]
) -> list[_PendingNews]:
    """Select the recipients who have not opted out and have not received the news yet."""
    people = [person for item in items for person in item.delivery.people]
    recipients_by_person = await recipients.load_recipients(db, aggregate, people)
    addresses = [
        address for recipient in recipients_by_person.values() for address in recipient.addresses
    ]
    opted_out_addresses = await opt_outs.list_opted_out_addresses(
        db, aggregate.row.company, addresses
    )
    muted_people = await opt_outs.list_muted_people(db, aggregate.row.company, aggregate.row.uuid)
    sent_keys = await queries.list_notified_keys(db, aggregate.row.company, aggregate.row.uuid)
    pending_by_key: dict[NewsKey, _PendingNews] = {}
    for item in items:
        for person in item.delivery.people:
            recipient = recipients_by_person.get(person)
            if not recipient or recipient.person.uuid in muted_people:
                continue
            if opted_out_addresses.isdisjoint(recipient.addresses) and _should_receive(
                item, recipient
            ):
                pending_by_key.setdefault(
                    _make_record(db, item, recipient).key, _PendingNews(item, recipient)
                )
    return [pending for key, pending in pending_by_key.items() if key not in sent_keys]


def _should_receive(item: NewsItem, recipient: Recipient) -> bool:
    """Return whether the news makes sense to a recipient.

    Only customers, and recipients of dispatched orders, know of an order that is canceled.
    """
    if item.kind != "cancelled":
        return True
    return item.aggregate.row.dispatched_at is not None or recipient.customer is not None


async def _notify_recipient(db: Db, item: NewsItem, recipient: Recipient) -> None:
    order, kind = item.aggregate.row, item.kind
    record = _make_record(db, item, recipient)
    if not await sending.claim_news(db, record):
        return
    settings = await company_settings.load(db, order.company, recipient.store)
    content = await composing.compose_news(db, settings, item, recipient)
    news_context = NewsContext(
        kind=kind,
        order_id=order.public_id,
        way_out=composing.build_opt_out_link(db, item, recipient),
    )
    message = NewsMessage(
        order.company,
        kind,
        recipient,
        content,
        item.occurred_at + kinds.LIFETIMES[kind],
        news_context,
    )
    channel = await sending.send_news(db, settings, message)
    if channel is not None:
        await db.update("news", record.uuid, channel=channel)
    elif kind == "next_stop":
        # If the driver starts at once, this is the only other news that contains the link.
        await _notify_recipient(db, msgspec.structs.replace(item, kind="on_its_way"), recipient)


def _make_record(db: Db, item: NewsItem, recipient: Recipient) -> NewsRecord:
    """Make the record of a recipient's news.

    News of a whole order has the order as its subject, so a person with several stops gets it once.
    """
    order, kind = item.aggregate.row, item.kind
    subject = item.delivery.subject
    attempt = (item.delivery.stop or order).attempts + 1
    if kind in kinds.ORDER_KINDS:
        subject, attempt = order.uuid, 1
    elif kind == "could_not_be_delivered":
        # A status that was entered manually belongs to no attempt and is its own subject.
        subject, attempt = item.details.get_attempt_key(subject)
    return NewsRecord(
        **db.new_row_fields(order.company),
        order_uuid=order.uuid,
        subject=subject,
        person=recipient.person.uuid,
        kind=kind,
        attempt=attempt,
    )
