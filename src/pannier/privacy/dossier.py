"""Collection of a person's data for an export."""

from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.tokens import queries as tokens
from pannier.cash import erasure as cash
from pannier.conversations import erasure as conversations
from pannier.customers import erasure as customers
from pannier.customers import sessions
from pannier.customers.operator_api import CustomerDetailsOut
from pannier.db import Database, Db, audit
from pannier.fleet import erasure as fleet
from pannier.fleet.schemas import PointOut
from pannier.invoices import erasure as invoices
from pannier.notifications import erasure as notifications
from pannier.orders import erasure as orders
from pannier.orders.models import Order
from pannier.orders.templates import erasure as templates
from pannier.partners import erasure as partners
from pannier.payloads import erasure as loose
from pannier.payloads import queries as payloads
from pannier.payloads.models import Waypoint
from pannier.payloads.schemas import WaypointOut
from pannier.payments import billing_identities
from pannier.payments import erasure as payments
from pannier.places import erasure as places
from pannier.places.models import PlaceRow
from pannier.places.schemas import PlaceOut
from pannier.privacy.belongings import Belongings, find_belongings
from pannier.privacy.messages import list_message_uuids
from pannier.privacy.people import DataSubject
from pannier.privacy.schemas import (
    AccountExport,
    AttemptExport,
    BillingIdentityExport,
    CashExport,
    ChangeExport,
    ContactExport,
    DeviceExport,
    DriverMessageExport,
    InvoiceExport,
    IssueExport,
    LinkExport,
    MessageExport,
    OrderExport,
    OrderTemplateExport,
    PersonExport,
    ProofExport,
    SessionExport,
    StatusExport,
    TransactionExport,
)
from pannier.proofs import erasure as proofs
from pannier.proofs.archive import EXTENSIONS
from pannier.proofs.models import Proof
from pannier.web.serialization import to_schema

Out = TypeVar("Out", bound=msgspec.Struct)

BATCH_SIZE: Final = 500
# Keys of a proof's data about the company's staff.
STAFF_KEYS: Final = frozenset({"captured_by", "device", "override"})


def _to_schemas(rows: Sequence[msgspec.Struct], out_type: type[Out]) -> list[Out]:
    return [to_schema(row, out_type) for row in rows]


async def load_account(db: Db, person: DataSubject) -> PersonExport:
    """Load the account and the records that belong to it."""
    company, customer = person.company, person.customer
    contacts = await partners.export_contacts(db, company, person.contacts)
    own_ids = {row.public_id for row in contacts}
    place_uuids = {row.place for row in contacts if row.place is not None}
    place_uuids |= set(await places.list_owned_places(db, company, [*own_ids]))
    stops = await loose.list_orderless_stops(db, company, person.contacts)
    items = await loose.list_orderless_items(db, company, person.contacts)
    session_rows = await tokens.list_all_tokens(db, sessions.make_token_holder(customer))
    return PersonExport(
        customer=CustomerDetailsOut.from_row(customer),
        former_identities=customer.former,
        contacts=_to_schemas(contacts, ContactExport),
        places=[
            _to_place(row, own_ids) for row in await places.export(db, company, [*place_uuids])
        ],
        waypoints=[
            _to_stop(stop, own_ids | {None})
            for stop in await payloads.load_waypoint_outs(db, company, stops)
        ],
        entities=await payloads.load_entity_outs(db, company, items),
        providers=_to_schemas(await customers.export_identities(db, customer), LinkExport),
        devices=_to_schemas(await customers.export_devices(db, customer), DeviceExport),
        sessions=_to_schemas(session_rows, SessionExport),
        payment_accounts=_to_schemas(
            await payments.export_accounts(db, company, customer.uuid), AccountExport
        ),
        transactions=_to_schemas(
            await payments.export_transactions(db, company, person.contacts), TransactionExport
        ),
        billing_identities=_to_schemas(
            await billing_identities.list_identities(db, company, person.contacts),
            BillingIdentityExport,
        ),
        invoices=_to_schemas(
            await invoices.export_invoices(db, company, person.contacts), InvoiceExport
        ),
        order_templates=[
            to_schema(row, OrderTemplateExport, body=body)
            for row, body in await templates.export_templates(db, company, sorted(own_ids))
        ],
        changes=_to_schemas(
            await audit.list_changes(db, company, [customer.public_id, *own_ids]), ChangeExport
        ),
    )


async def stream_messages(database: Database, person: DataSubject) -> AsyncIterator[MessageExport]:
    """Stream the messages that went to a person, oldest first."""
    last_uuid = UUID(int=0)
    while True:
        async with database.reading() as db:
            uuids = await list_message_uuids(db, person, last_uuid, BATCH_SIZE)
            rows = await notifications.export_messages(db, person.company, uuids)
        for row in rows:
            yield to_schema(row, MessageExport, body=row.visible_text)
        if len(uuids) < BATCH_SIZE:
            return
        last_uuid = uuids[-1]


async def load_order(
    db: Db, person: DataSubject, row: Order
) -> tuple[OrderExport, dict[str, UUID]]:
    """Load a person's part of an order, and the pictures that belong to it."""
    belongings = await find_belongings(db, person, row)
    related = await payloads.load_related(db, row.company, [row.payload])
    aggregate = related.payload_aggregates[row.payload]
    proof_rows = await proofs.list_subject_proofs(db, row.company, row.uuid, belongings.subjects)
    contact_ids = {
        contact.public_id
        for contact in await partners.export_contacts(db, row.company, person.contacts)
    }
    own_ids = contact_ids | {row.public_id}
    pickup, dropoff = (
        related.places[end] if end and belongings.is_own and not aggregate.waypoints else None
        for end in (aggregate.payload.pickup, aggregate.payload.dropoff)
    )
    issues = await fleet.export(db, row.company, row.public_id) if belongings.is_own else []
    order_export = to_schema(
        row,
        OrderExport,
        customer_name=row.customer_name if belongings.is_own else None,
        notes=row.notes if belongings.is_own else None,
        delivery_instructions=row.delivery_instructions if belongings.is_own else None,
        rating=row.rating if belongings.is_own else None,
        meta=row.meta if belongings.is_own else {},
        cancel_reason=row.cancel_reason if belongings.is_own else None,
        pickup=_to_place(pickup, contact_ids)
        if pickup and pickup.owner_type != "company"
        else None,
        dropoff=dropoff and _to_place(dropoff, own_ids),
        waypoints=[
            _to_stop(
                _to_own_stop(related.waypoint_out(stop), is_own=stop.uuid in belongings.stops),
                own_ids if stop.uuid in belongings.stops else contact_ids,
            )
            for stop in aggregate.waypoints
            if _is_exported(belongings, stop, related.places)
        ],
        entities=[
            related.entity_out(item) for item in aggregate.entities if item.uuid in belongings.items
        ],
        statuses=[
            to_schema(status, StatusExport, location=PointOut.from_point(status.location))
            for status in await orders.export_statuses(db, row, belongings.subjects)
        ],
        attempts=[
            to_schema(attempt, AttemptExport, location=PointOut.from_point(attempt.location))
            for attempt in await orders.export_attempts(
                db, row, belongings.stops, is_whole_order=belongings.is_own
            )
        ],
        cash=_to_schemas(
            await cash.export_collections(
                db, row.company, row.uuid, belongings.stops, is_whole_order=belongings.is_own
            ),
            CashExport,
        ),
        proofs=[_to_proof(proof) for proof in proof_rows],
        issues=_to_schemas(issues, IssueExport),
        driver_messages=_to_schemas(
            await conversations.export_messages(db, row.company, row.uuid)
            if belongings.is_own
            else [],
            DriverMessageExport,
        ),
    )
    pictures = {
        _make_picture_name(proof): proof.file for proof in proof_rows if proof.file is not None
    }
    if belongings.is_own:
        pictures |= await conversations.export_photos(db, row.company, row.uuid)
    return order_export, pictures


def _is_exported(belongings: Belongings, stop: Waypoint, places: Mapping[UUID, PlaceRow]) -> bool:
    """Tell whether a stop is the person's, or in their order and not at the company's place."""
    if stop.uuid in belongings.stops:
        return True
    return stop.place in belongings.places and places[stop.place].owner_type != "company"


def _to_place(row: PlaceRow, owners: AbstractSet[str | None]) -> PlaceOut:
    return _remove_access_data(PlaceOut.from_row(row), owners)


def _to_own_stop(stop: WaypointOut, *, is_own: bool) -> WaypointOut:
    """Remove the instructions and the rating of another recipient."""
    if is_own:
        return stop
    return msgspec.structs.replace(stop, delivery_instructions=None, rating=None)


def _to_stop(stop: WaypointOut, owners: AbstractSet[str | None]) -> WaypointOut:
    return msgspec.structs.replace(stop, place=_remove_access_data(stop.place, owners))


def _remove_access_data(place: PlaceOut, owners: AbstractSet[str | None]) -> PlaceOut:
    """Remove access code, phone and meta of a place, unless one of `owners` owns it."""
    if place.owner_type != "company" and place.owner in owners:
        return place
    return msgspec.structs.replace(place, security_access_code=None, phone=None, meta={})


def _make_picture_name(proof: Proof) -> str:
    image: Mapping[str, Any] = proof.data.get("image") or {}
    return f"pictures/{proof.public_id}.{EXTENSIONS.get(image.get('content_type', ''), 'bin')}"


def _to_proof(proof: Proof) -> ProofExport:
    data = {name: value for name, value in proof.data.items() if name not in STAFF_KEYS}
    picture = None if proof.file is None else _make_picture_name(proof)
    return to_schema(proof, ProofExport, data=data, picture=picture)
