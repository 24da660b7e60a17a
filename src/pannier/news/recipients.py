"""The recipients of deliveries and their addresses."""

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from pannier.customers.models import Customer
from pannier.db import Db, columns
from pannier.kit import email
from pannier.orders.views import OrderAggregate
from pannier.partners.models import Contact, Vendor
from pannier.payloads.models import TrackingNumber, Waypoint


class AwaitedDelivery(msgspec.Struct, frozen=True):
    """A delivery and the people who wait for it. `stop` is None for an order without stops."""

    subject: UUID
    stop: Waypoint | None
    people: list[UUID]


class Recipient(msgspec.Struct, frozen=True):
    """A person who waits for a delivery, and the person's customer account, if any."""

    person: Contact | Vendor
    customer: Customer | None

    @property
    def store(self) -> UUID | None:
        """The store of the customer account."""
        return None if self.customer is None else self.customer.store

    @property
    def phone(self) -> str | None:
        """The phone number for SMS."""
        return self.person.phone or (None if self.customer is None else self.customer.phone)

    @property
    def email(self) -> str | None:
        """The email address."""
        return self.person.email or (None if self.customer is None else self.customer.email)

    @property
    def addresses(self) -> list[str]:
        """All phone numbers, email addresses and accounts, normalised for comparison."""
        contacts = [self.person.phone, _normalise_email(self.person.email)]
        if self.customer is not None:
            contacts += [
                self.customer.phone,
                _normalise_email(self.customer.email),
                str(self.customer.uuid),
            ]
        return [address for address in dict.fromkeys(contacts) if address]

    @property
    def unverified_addresses(self) -> list[str]:
        """The account's unverified addresses, which may belong to other people."""
        if self.customer is None:
            return []
        row = self.customer
        phone = row.phone if row.phone_verified_at is None else None
        email_address = _normalise_email(row.email) if row.email_verified_at is None else None
        return [address for address in (phone, email_address) if address]


def _normalise_email(address: str | None) -> str | None:
    return None if address is None else email.key(address)


def list_deliveries(aggregate: OrderAggregate) -> list[AwaitedDelivery]:
    """List the deliveries of an order with their recipients.

    A stop's recipient is its contact, or else the customers whose items are dropped off there. If
    no stop has the order's customer as a recipient, the last drop-off goes to the customer, unless
    it has another recipient. Customers' access to orders follows the same rule.
    """
    customers = [] if aggregate.row.customer is None else [aggregate.row.customer]
    stops = aggregate.payload_aggregate.waypoints
    if not stops:
        return [AwaitedDelivery(aggregate.row.uuid, None, customers)]
    people_by_stop = {stop.uuid: _list_people(aggregate, stop) for stop in stops}
    is_without_stop = not any(
        person in people for person in customers for people in people_by_stop.values()
    )
    if is_without_stop and stops[-1].type == "dropoff" and not people_by_stop[stops[-1].uuid]:
        people_by_stop[stops[-1].uuid] = customers
    return [
        AwaitedDelivery(stop.uuid, stop, people_by_stop[stop.uuid])
        for stop in stops
        if stop.type == "dropoff"
    ]


def _list_people(aggregate: OrderAggregate, stop: Waypoint) -> list[UUID]:
    if stop.contact is not None:
        return [stop.contact]
    items = [
        item.customer
        for item in aggregate.payload_aggregate.entities
        if item.destination == stop.uuid
    ]
    return [customer for customer in dict.fromkeys(items) if customer is not None]


async def load_recipients(
    db: Db, aggregate: OrderAggregate, people: Iterable[UUID]
) -> Mapping[UUID, Recipient]:
    """Load people with their accounts, without deleted ones."""
    rows = [_find_person(aggregate, uuid) for uuid in dict.fromkeys(people)]
    contacts_by_uuid = {row.uuid: row for row in rows if row is not None and row.deleted_at is None}
    accounts = await db.fetch_all(
        Customer,
        f"""select {columns(Customer)} from customers
            where company = :company and contact = any(:contacts) and closed_at is null
              and deleted_at is null""",
        company=aggregate.row.company,
        contacts=list(contacts_by_uuid),
    )
    accounts_by_contact = {account.contact: account for account in accounts}
    return {
        uuid: Recipient(row, accounts_by_contact.get(uuid))
        for uuid, row in contacts_by_uuid.items()
    }


async def load_waiting_recipients(
    db: Db, aggregate: OrderAggregate, number: TrackingNumber
) -> list[Recipient]:
    """Load a tracking number's recipients. An order's number belongs to its customer."""
    items = {item.uuid: item.destination for item in aggregate.payload_aggregate.entities}
    subject = items.get(number.subject) or number.subject
    people = [
        person
        for delivery in list_deliveries(aggregate)
        if delivery.subject == subject
        for person in delivery.people
    ]
    if number.subject_type == "order" and aggregate.row.customer is not None:
        people = [aggregate.row.customer]
    return list((await load_recipients(db, aggregate, people)).values())


def _find_person(aggregate: OrderAggregate, uuid: UUID) -> Contact | Vendor | None:
    """Find a person, under the name that the order or the stop gives them."""
    row, related = aggregate.row, aggregate.related
    person = related.contacts.get(uuid) or related.vendors.get(uuid)
    if person is None:
        return None
    stops = aggregate.payload_aggregate.waypoints
    names = [stop.contact_name for stop in stops if stop.contact == uuid]
    names += [row.customer_name] if row.customer == uuid else []
    sent_name = next(filter(None, names), person.name)
    return msgspec.structs.replace(person, name=sent_name)
