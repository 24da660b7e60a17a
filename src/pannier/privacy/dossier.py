"""Reading all that is kept of a person."""

from collections.abc import AsyncIterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.tokens.models import Token
from pannier.customers.desk import CustomerShown
from pannier.customers.models import Device, Identity
from pannier.db import Database, Db, columns
from pannier.db.audit import AuditEntry
from pannier.fleet.models import Issue
from pannier.fleet.schemas import Spot
from pannier.notifications.models import Message
from pannier.orders.models import DeliveryAttempt, Order, TrackingStatus
from pannier.partners.models import Contact
from pannier.payloads import queries as payloads
from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.schemas import WaypointOut
from pannier.payments.models import PaymentCustomer
from pannier.payments.transactions.models import Transaction
from pannier.places.models import Place
from pannier.places.schemas import PlaceOut
from pannier.privacy.belongings import (
    LOOSE_ITEMS,
    LOOSE_STOPS,
    OWNED_PLACES,
    Belongings,
    belongings,
)
from pannier.privacy.people import MESSAGES, Person
from pannier.privacy.schemas import (
    AccountExport,
    AttemptExport,
    ChangeExport,
    ContactExport,
    DeviceExport,
    IssueExport,
    LinkExport,
    MessageExport,
    OrderExport,
    PersonExport,
    ProofExport,
    SessionExport,
    StatusExport,
    TransactionExport,
)
from pannier.proofs.archive import SUFFIXES
from pannier.proofs.models import Proof
from pannier.web.spelling import spelled

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out", bound=msgspec.Struct)

BATCH: Final = 500
# What of a proof's data says who worked for the company.
OTHERS: Final = frozenset({"captured_by", "device", "override"})

HOMES: Final = "select place from contacts where uuid = any(:contacts)"
# By what a person's own places name their owner.
OWNERS: Final = "select array(select public_id from contacts where uuid = any(:contacts))"
NAMES: Final = """select public_id from customers where uuid = :customer
    union all select public_id from contacts where uuid = any(:contacts)"""
# What is read of a person, and of which rows.
THEIRS: Final = {
    Contact: "contacts where uuid = any(:contacts)",
    Place: f"places where uuid in ({HOMES} union {OWNED_PLACES})",
    Waypoint: f"waypoints where uuid in (select w.uuid from {LOOSE_STOPS})",
    Entity: f"entities where uuid in (select e.uuid from {LOOSE_ITEMS})",
    Identity: "customer_identities where customer = :customer",
    Device: "customer_devices where customer = :customer",
    Token: "tokens where holder = :customer and kind = 'customer'",
    PaymentCustomer: "payment_customers where customer = :customer",
    Transaction: "transactions where customer = any(:contacts)",
    AuditEntry: f"audit_entries where subject in ({NAMES})",
}


async def account(db: Db, who: Person) -> PersonExport:
    """Read the account and what belongs to it."""

    async def rows_of(row: type[Row]) -> list[Row]:
        return await db.many(
            row,
            f"select {columns(row)} from {THEIRS[row]} and company = :company order by created_at",
            company=who.company,
            customer=who.customer.uuid,
            contacts=who.contacts,
        )

    async def all_of(row: type[Row], out: type[Out]) -> list[Out]:
        return [spelled(each, out) for each in await rows_of(row)]

    own = set(await db.value(OWNERS, contacts=who.contacts))
    return PersonExport(
        customer=CustomerShown.of(who.customer),
        former_identities=who.customer.former,
        contacts=await all_of(Contact, ContactExport),
        places=[_place(place, own) for place in await rows_of(Place)],
        waypoints=[
            _stop(stop, own | {None})
            for stop in await payloads.waypoint_outs(db, who.company, await rows_of(Waypoint))
        ],
        entities=await payloads.entity_outs(db, who.company, await rows_of(Entity)),
        providers=await all_of(Identity, LinkExport),
        devices=await all_of(Device, DeviceExport),
        sessions=await all_of(Token, SessionExport),
        payment_accounts=await all_of(PaymentCustomer, AccountExport),
        transactions=await all_of(Transaction, TransactionExport),
        changes=await all_of(AuditEntry, ChangeExport),
    )


async def messages(database: Database, who: Person) -> AsyncIterator[MessageExport]:
    """Read the messages that went to a person, the oldest first."""
    after = UUID(int=0)
    while True:
        async with database.reading() as db:
            rows = await db.many(
                Message,
                f"""select {columns(Message)} from messages
                    where uuid = any(array({MESSAGES})) and uuid > :after
                    order by uuid limit :batch""",
                company=who.company,
                customer=who.customer.uuid,
                contacts=who.contacts,
                recipients=who.recipients,
                former=who.former,
                after=after,
                batch=BATCH,
            )
        for row in rows:
            yield spelled(row, MessageExport, body=row.shown)
        if len(rows) < BATCH:
            return
        after = rows[-1].uuid


async def order(db: Db, who: Person, row: Order) -> tuple[OrderExport, dict[str, UUID]]:
    """Read what of an order is a person's, and which pictures belong to it."""
    theirs = await belongings(db, who, row)
    shown = await payloads.shown(db, row.company, [row.payload])
    whole = shown.wholes[row.payload]
    proofs = await _proofs(db, theirs)
    own = set(await db.value(OWNERS, contacts=who.contacts))
    here = own | {row.public_id}
    pickup, dropoff = (
        shown.places[end] if end and theirs.ours and not whole.waypoints else None
        for end in (whole.payload.pickup, whole.payload.dropoff)
    )
    told = spelled(
        row,
        OrderExport,
        notes=row.notes if theirs.ours else None,
        meta=row.meta if theirs.ours else {},
        cancel_reason=row.cancel_reason if theirs.ours else None,
        pickup=_place(pickup, own) if pickup and pickup.owner_type != "company" else None,
        dropoff=dropoff and _place(dropoff, here),
        waypoints=[
            _stop(shown.waypoint(stop), here if stop.uuid in theirs.stops else own)
            for stop in whole.waypoints
            if _is_exported(theirs, stop, shown.places)
        ],
        entities=[shown.entity(item) for item in whole.entities if item.uuid in theirs.items],
        statuses=await _statuses(db, theirs),
        attempts=await _attempts(db, theirs),
        proofs=[_proof(proof) for proof in proofs],
        issues=await _issues(db, theirs),
    )
    pictures = {_named(proof): proof.file for proof in proofs if proof.file is not None}
    return told, pictures


def _is_exported(theirs: Belongings, stop: Waypoint, places: Mapping[UUID, Place]) -> bool:
    """Tell whether a stop is the person's, or in their order and not at the company's place."""
    if stop.uuid in theirs.stops:
        return True
    return stop.place in theirs.places and places[stop.place].owner_type != "company"


def _place(row: Place, owners: AbstractSet[str | None]) -> PlaceOut:
    return _without_access(PlaceOut.of(row), owners)


def _stop(stop: WaypointOut, owners: AbstractSet[str | None]) -> WaypointOut:
    return msgspec.structs.replace(stop, place=_without_access(stop.place, owners))


def _without_access(place: PlaceOut, owners: AbstractSet[str | None]) -> PlaceOut:
    """Leave out the access code, phone and meta of a place that none of `owners` owns."""
    if place.owner_type != "company" and place.owner in owners:
        return place
    return msgspec.structs.replace(place, security_access_code=None, phone=None, meta={})


def _named(proof: Proof) -> str:
    image: Mapping[str, Any] = proof.data.get("image") or {}
    return f"pictures/{proof.public_id}.{SUFFIXES.get(image.get('content_type', ''), 'bin')}"


def _proof(proof: Proof) -> ProofExport:
    said = {name: value for name, value in proof.data.items() if name not in OTHERS}
    picture = None if proof.file is None else _named(proof)
    return spelled(proof, ProofExport, data=said, picture=picture)


async def _proofs(db: Db, theirs: Belongings) -> list[Proof]:
    return await db.many(
        Proof,
        f"""select {columns(Proof)} from proofs
            where company = :company and order_uuid = :order and subject_uuid = any(:subjects)
            order by sequence""",
        company=theirs.order.company,
        order=theirs.order.uuid,
        subjects=theirs.subjects,
    )


async def _statuses(db: Db, theirs: Belongings) -> list[StatusExport]:
    rows = await db.many(
        TrackingStatus,
        f"""select {columns(TrackingStatus)} from tracking_statuses
            where company = :company and tracking_number in (
                select uuid from tracking_numbers where subject = any(:subjects))
            order by created_at, uuid""",
        company=theirs.order.company,
        subjects=theirs.subjects,
    )
    return [spelled(row, StatusExport, location=Spot.of(row.location)) for row in rows]


async def _attempts(db: Db, theirs: Belongings) -> list[AttemptExport]:
    rows = await db.many(
        DeliveryAttempt,
        f"""select {columns(DeliveryAttempt)} from delivery_attempts
            where company = :company and order_uuid = :order
                and (waypoint = any(:stops) or (waypoint is null and :ours))
            order by created_at, uuid""",
        company=theirs.order.company,
        order=theirs.order.uuid,
        stops=theirs.stops,
        ours=theirs.ours,
    )
    return [spelled(row, AttemptExport, location=Spot.of(row.location)) for row in rows]


async def _issues(db: Db, theirs: Belongings) -> list[IssueExport]:
    rows = await db.many(
        Issue,
        f"""select {columns(Issue)} from issues
            where company = :company and order_id = :order_id and :ours order by created_at""",
        company=theirs.order.company,
        order_id=theirs.order.public_id,
        ours=theirs.ours,
    )
    return [spelled(row, IssueExport) for row in rows]
