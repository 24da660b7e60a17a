"""Collection of a person's data for an export."""

from collections.abc import AsyncIterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.tokens import queries as tokens
from pannier.customers import erasure as customers
from pannier.customers import sessions
from pannier.customers.desk import CustomerShown
from pannier.db import Database, Db, audit
from pannier.fleet import erasure as fleet
from pannier.fleet.schemas import Spot
from pannier.notifications import erasure as notifications
from pannier.orders import erasure as orders
from pannier.orders.models import Order
from pannier.partners import erasure as partners
from pannier.payloads import erasure as loose
from pannier.payloads import queries as payloads
from pannier.payloads.models import Waypoint
from pannier.payloads.schemas import WaypointOut
from pannier.payments import erasure as payments
from pannier.places import erasure as places
from pannier.places.models import Place
from pannier.places.schemas import PlaceOut
from pannier.privacy.belongings import Belongings, find_belongings
from pannier.privacy.messages import list_messages
from pannier.privacy.people import Person
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
from pannier.proofs import erasure as proofs
from pannier.proofs.archive import SUFFIXES
from pannier.proofs.models import Proof
from pannier.web.spelling import spelled

Out = TypeVar("Out", bound=msgspec.Struct)

BATCH: Final = 500
# Keys of a proof's data about the company's staff.
OTHERS: Final = frozenset({"captured_by", "device", "override"})


def _to_outs(rows: Sequence[msgspec.Struct], out: type[Out]) -> list[Out]:
    return [spelled(row, out) for row in rows]


async def account(db: Db, who: Person) -> PersonExport:
    """Load the account and the records that belong to it."""
    company, customer = who.company, who.customer
    contacts = await partners.export(db, company, who.contacts)
    own = {row.public_id for row in contacts}
    homes = {row.place for row in contacts if row.place is not None}
    homes |= set(await places.list_owned(db, company, [*own]))
    stops = await loose.list_loose_stops(db, company, who.contacts)
    items = await loose.list_loose_items(db, company, who.contacts)
    sessions_held = await tokens.export(db, sessions.holder(customer))
    return PersonExport(
        customer=CustomerShown.of(customer),
        former_identities=customer.former,
        contacts=_to_outs(contacts, ContactExport),
        places=[_place(row, own) for row in await places.export(db, company, [*homes])],
        waypoints=[
            _stop(stop, own | {None}) for stop in await payloads.waypoint_outs(db, company, stops)
        ],
        entities=await payloads.entity_outs(db, company, items),
        providers=_to_outs(await customers.export_identities(db, customer), LinkExport),
        devices=_to_outs(await customers.export_devices(db, customer), DeviceExport),
        sessions=_to_outs(sessions_held, SessionExport),
        payment_accounts=_to_outs(
            await payments.export_accounts(db, company, customer.uuid), AccountExport
        ),
        transactions=_to_outs(await payments.export(db, company, who.contacts), TransactionExport),
        changes=_to_outs(await audit.export(db, company, [customer.public_id, *own]), ChangeExport),
    )


async def messages(database: Database, who: Person) -> AsyncIterator[MessageExport]:
    """Yield the messages that went to a person, oldest first."""
    after = UUID(int=0)
    while True:
        async with database.reading() as db:
            found = await list_messages(db, who, after, BATCH)
            rows = await notifications.export(db, who.company, found)
        for row in rows:
            yield spelled(row, MessageExport, body=row.shown)
        if len(found) < BATCH:
            return
        after = found[-1]


async def order(db: Db, who: Person, row: Order) -> tuple[OrderExport, dict[str, UUID]]:
    """Load a person's part of an order, and the pictures that belong to it."""
    theirs = await find_belongings(db, who, row)
    shown = await payloads.shown(db, row.company, [row.payload])
    whole = shown.wholes[row.payload]
    captured = await proofs.export(db, row.company, row.uuid, theirs.subjects)
    own = {each.public_id for each in await partners.export(db, row.company, who.contacts)}
    here = own | {row.public_id}
    pickup, dropoff = (
        shown.places[end] if end and theirs.ours and not whole.waypoints else None
        for end in (whole.payload.pickup, whole.payload.dropoff)
    )
    issues = await fleet.export(db, row.company, row.public_id) if theirs.ours else []
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
        statuses=[
            spelled(status, StatusExport, location=Spot.of(status.location))
            for status in await orders.export_statuses(db, row, theirs.subjects)
        ],
        attempts=[
            spelled(attempt, AttemptExport, location=Spot.of(attempt.location))
            for attempt in await orders.export_attempts(db, row, theirs.stops, whole=theirs.ours)
        ],
        proofs=[_proof(proof) for proof in captured],
        issues=_to_outs(issues, IssueExport),
    )
    pictures = {_named(proof): proof.file for proof in captured if proof.file is not None}
    return told, pictures


def _is_exported(theirs: Belongings, stop: Waypoint, places: Mapping[UUID, Place]) -> bool:
    """Return whether a stop is the person's, or in their order and not at the company's place."""
    if stop.uuid in theirs.stops:
        return True
    return stop.place in theirs.places and places[stop.place].owner_type != "company"


def _place(row: Place, owners: AbstractSet[str | None]) -> PlaceOut:
    return _without_access(PlaceOut.of(row), owners)


def _stop(stop: WaypointOut, owners: AbstractSet[str | None]) -> WaypointOut:
    return msgspec.structs.replace(stop, place=_without_access(stop.place, owners))


def _without_access(place: PlaceOut, owners: AbstractSet[str | None]) -> PlaceOut:
    """Remove access code, phone and meta of a place that none of `owners` owns."""
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
