"""The recipient of a delivery, and their phone number."""

from uuid import UUID

from pannier.db import Db
from pannier.orders.models import Order
from pannier.partners import queries as partners
from pannier.payloads.queries import PayloadAggregate
from pannier.proofs.models import ProofSubject


async def find_phone(
    db: Db, order: Order, payload_aggregate: PayloadAggregate, subject: ProofSubject
) -> str | None:
    """Find the phone number of the item's customer, the stop's contact or the order's customer."""
    contact_uuids = _list_contacts(order, payload_aggregate, subject)
    contacts = await partners.contacts.load_many(db, order.company, contact_uuids)
    for uuid in contact_uuids:
        if uuid in contacts and contacts[uuid].phone is not None:
            return contacts[uuid].phone
    if order.customer is not None and order.customer_type == "vendor":
        vendor = (await partners.vendors.load_many(db, order.company, [order.customer])).get(
            order.customer
        )
        return None if vendor is None else vendor.phone
    return None


async def is_recipient_erased(
    db: Db, order: Order, payload_aggregate: PayloadAggregate, subject: ProofSubject
) -> bool:
    """Return whether the recipient's data was erased, or is being erased."""
    has_erased_contact: bool = await db.fetch_value(
        """select exists (select from contacts
               where company = :company and uuid = any(:closest) and erased_at is not null)""",
        company=order.company,
        closest=_list_contacts(order, payload_aggregate, subject)[:1],
    )
    return has_erased_contact


def _list_contacts(
    order: Order, payload_aggregate: PayloadAggregate, subject: ProofSubject
) -> list[UUID]:
    """List the possible recipients, the closest to the subject first."""
    items = [item for item in payload_aggregate.entities if item.uuid == subject.uuid]
    stop_uuids = {subject.uuid, *(item.destination for item in items)}
    stops = [stop for stop in payload_aggregate.waypoints if stop.uuid in stop_uuids]
    if subject.type == "order":
        # A proof of the whole order belongs to the last drop-off.
        stops = [stop for stop in payload_aggregate.waypoints if stop.type == "dropoff"][-1:]
    customer = [order.customer] if order.customer_type == "contact" else []
    uuids = [
        *(item.customer for item in items),
        *(stop.contact for stop in stops),
        *customer,
    ]
    return [uuid for uuid in uuids if uuid is not None]
