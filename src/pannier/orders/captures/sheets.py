"""Loading an order's proofs, and building the proof sheet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.files import queries as files
from pannier.files.models import File
from pannier.fleet.models import Vehicle
from pannier.kit.structs import convert_struct
from pannier.orders import views
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.tracking import queries as tracking
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.queries import ENTITIES, WAYPOINTS
from pannier.places.models import PlaceRow
from pannier.places.queries import places
from pannier.proofs import service as proofs
from pannier.proofs.archive import ProofAttachment
from pannier.proofs.integrity import Chain
from pannier.proofs.models import Proof
from pannier.proofs.phrases import Phrase
from pannier.proofs.sheet import Exhibit, Sheet, SheetItem, SheetStop, TimelineEntry
from pannier.proofs.signing import PublicKey

MAX_MOMENTS: Final = 20
ARRIVAL_PREFIX: Final = "arriv"


class OrderProofs(OrderAggregate, kw_only=True):
    """An order with its proofs and related records, including deleted ones."""

    company: str
    settings: CompanySettings
    logo: File | None
    files: Mapping[UUID, File]
    statuses: list[TrackingStatus]
    subjects: Mapping[UUID, UUID]
    stops: dict[UUID, Waypoint]
    items: dict[UUID, Entity]
    places: Mapping[UUID, PlaceRow]
    chain: Chain

    @property
    def proofs(self) -> Sequence[Proof]:
        """The order's proofs, in the order they were received."""
        return self.chain.proofs

    @property
    def keys(self) -> tuple[PublicKey, ...]:
        """The keys that signed any of the proofs."""
        used = {name for row in self.proofs for name in (row.key_id, row.erasure_key)}
        used |= set() if self.chain.head is None else {self.chain.head.key_id}
        return tuple(key for name, key in sorted(self.chain.keys.items()) if name in used)

    def find_stop(self, status: TrackingStatus | None) -> UUID | None:
        """Return the stop where a status was recorded, if it was at one."""
        subject = None if status is None else self.subjects.get(status.tracking_number)
        return subject if subject in self.stops else None


async def load_order_proofs(db: Db, order: Order) -> OrderProofs:
    """Load an order with its proofs. The number of queries is constant."""
    company = order.company
    related = await views.load_related(db, company, [order])
    chain = await proofs.load_chain(db, company, order.uuid, order.public_id)
    rows = chain.proofs
    whole, numbers = related.wholes[order.payload], related.numbers
    proved = [row.subject_uuid for row in rows]
    stops = {stop.uuid: stop for stop in whole.waypoints}
    stops |= await WAYPOINTS.load_many(db, company, proved)
    items = {item.uuid: item for item in whole.entities}
    settings = await company_settings.load(db, company)
    logo = settings.branding.logo
    return OrderProofs(
        company=(await accounts.get_company(db, company)).name,
        settings=settings,
        logo=None if logo is None else await files.find(db, company, logo),
        row=order,
        related=related,
        files=await files.load_by_uuids(db, company, [row.file for row in rows if row.file]),
        statuses=await tracking.list_history(db, company, numbers[order.uuid]),
        subjects={row.uuid: subject for subject, row in numbers.items()},
        stops=stops,
        items=items | await ENTITIES.load_many(db, company, proved),
        places=await places.load_many(db, company, [stop.place for stop in stops.values()]),
        chain=chain,
    )


def build_sheet(
    found: OrderProofs,
    attachments: Mapping[str, ProofAttachment],
    logo: bytes | None = None,
    link: str | None = None,
) -> Sheet:
    order = found.row
    order_out = found.to_order_out()
    changed = [order.updated_at, *(row.received_at for row in found.proofs)]
    return convert_struct(
        order,
        Sheet,
        company=found.company,
        brand=found.settings.branding.name,
        color=found.settings.branding.color,
        logo=logo,
        zone=found.settings.time_zone,
        locale=found.settings.locale,
        order_id=order.public_id,
        tracking_number=order_out.tracking_number.tracking_number,
        made_at=max(changed),
        placed_at=order.created_at,
        customer=order_out.customer.name if order_out.customer else None,
        facilitator=order_out.facilitator.name if order_out.facilitator else None,
        driver=order_out.driver_assigned.name if order_out.driver_assigned else None,
        vehicle=_vehicle(found.related.vehicles.get(order.vehicle) if order.vehicle else None),
        window_start=order.time_window_start,
        window_end=order.time_window_end,
        head=found.chain.head,
        keys=found.keys,
        link=link,
        stops=tuple(_build_stops(found, attachments)),
    )


def group_pictures(found: OrderProofs) -> list[list[Proof]]:
    """Group the proofs with a picture by the part of the sheet that shows them."""
    parts: dict[UUID | None, list[Proof]] = {}
    for row in found.proofs:
        if row.file is not None:
            parts.setdefault(_find_stop_of_proof(found, row), []).append(row)
    return list(parts.values())


def _build_stops(
    found: OrderProofs, attachments: Mapping[str, ProofAttachment]
) -> Iterator[SheetStop]:
    """Yield a part for each stop, and one for proofs that belong to none."""
    proved: dict[UUID | None, list[Exhibit]] = {}
    for row in found.proofs:
        exhibit = _build_exhibit(found, row, attachments.get(row.public_id))
        proved.setdefault(_find_stop_of_proof(found, row), []).append(exhibit)
    handed: dict[UUID | None, list[SheetItem]] = {}
    for item in found.whole.entities:
        handed.setdefault(_find_delivery_stop(found, item), []).append(_build_item(found, item))
    if not found.whole.waypoints:
        yield _build_delivery(found, handed.get(None, []), proved.get(None, []))
    for uuid, stop in found.stops.items():
        yield _build_stop(found, stop, handed.get(uuid, []), proved.get(uuid, []))
    if found.whole.waypoints and None in proved:
        title = Phrase("order_proofs")
        yield SheetStop(heading=Phrase("all_stops"), title=title, exhibits=tuple(proved[None]))


def _find_stop_of_proof(found: OrderProofs, row: Proof) -> UUID | None:
    """Find the stop of a proof: its own, its item's, or where it was used."""
    if row.subject_uuid in found.stops:
        return row.subject_uuid
    if row.subject_uuid in found.items:
        return _find_delivery_stop(found, found.items[row.subject_uuid])
    return found.find_stop(
        next((status for status in found.statuses if status.uuid == row.used_by), None)
    )


def _find_delivery_stop(found: OrderProofs, item: Entity) -> UUID | None:
    """Find the stop where an item is delivered. Without a destination, it is the last one."""
    if item.destination in found.stops:
        return item.destination
    living = found.whole.waypoints
    ends = [stop for stop in living if stop.type == "dropoff"] or living
    return ends[-1].uuid if ends else None


def _build_exhibit(found: OrderProofs, row: Proof, attachment: ProofAttachment | None) -> Exhibit:
    item = found.items.get(row.subject_uuid)
    fixed = {"order": "whole_order", "waypoint": "this_stop"}.get(row.subject_type)
    subject = row.subject_id if item is None else item.name
    if fixed is not None:
        subject = Phrase(fixed)
    if attachment is None:
        return Exhibit.from_row(row, subject)
    return Exhibit.from_row(row, subject, picture=attachment.data, missing=attachment.missing)


def _build_delivery(
    found: OrderProofs, items: Sequence[SheetItem], exhibits: Sequence[Exhibit]
) -> SheetStop:
    payload, places_by_uuid = found.whole.payload, found.related.places
    ends = [
        None if uuid is None else places_by_uuid[uuid] for uuid in (payload.pickup, payload.dropoff)
    ]
    pickup, dropoff = (None if place is None else place.address for place in ends)
    last = ends[1] or ends[0]
    return SheetStop(
        heading=Phrase("delivery"),
        title=found.row.public_id if last is None else last.name or last.address,
        pickup=pickup,
        dropoff=dropoff,
        notes=found.row.notes,
        timeline=_timeline(found.statuses),
        items=tuple(items),
        exhibits=tuple(exhibits),
    )


def _build_stop(
    found: OrderProofs, stop: Waypoint, items: Sequence[SheetItem], exhibits: Sequence[Exhibit]
) -> SheetStop:
    place = found.places[stop.place]
    related = found.related
    contact = related.contacts.get(stop.contact) if stop.contact else None
    number = related.numbers.get(stop.uuid)
    happened = [status for status in found.statuses if found.find_stop(status) == stop.uuid]
    arrived = (status.occurred_at for status in happened if status.code.startswith(ARRIVAL_PREFIX))
    return SheetStop(
        heading=_heading(found, stop),
        title=place.name or place.address,
        address=place.address,
        tracking_number=None if number is None else number.number,
        contact=None if contact is None else contact.name,
        window_start=stop.time_window_start,
        window_end=stop.time_window_end,
        arrived_at=next(arrived, None),
        completed_at=stop.completed_at,
        notes=stop.notes,
        timeline=_timeline(happened),
        items=tuple(items),
        exhibits=tuple(exhibits),
    )


def _heading(found: OrderProofs, stop: Waypoint) -> str:
    living = [waypoint.uuid for waypoint in found.whole.waypoints]
    if stop.uuid not in living:
        return Phrase("stop_removed", Phrase(stop.type))
    number = living.index(stop.uuid) + 1
    return Phrase("stop_of", Phrase(stop.type), number, len(living))


def _timeline(statuses: Sequence[TrackingStatus]) -> tuple[TimelineEntry, ...]:
    return tuple(
        TimelineEntry(status.occurred_at, status.status) for status in statuses[-MAX_MOMENTS:]
    )


def _build_item(found: OrderProofs, item: Entity) -> SheetItem:
    number = found.related.numbers.get(item.uuid)
    proof_numbers = [str(row.sequence) for row in found.proofs if row.subject_uuid == item.uuid]
    return SheetItem(
        name=item.name,
        kind=item.type,
        reference=item.internal_id or item.sku or "",
        tracking_number="" if number is None else number.number,
        measures=_measures(item),
        evidence=Phrase("number", ", ".join(proof_numbers)) if proof_numbers else "",
    )


def _measures(item: Entity) -> str:
    edges = [edge for edge in (item.length, item.width, item.height) if edge is not None]
    size = f"{' x '.join(f'{edge:g}' for edge in edges)} {item.dimensions_unit}" if edges else ""
    weight = "" if item.weight is None else f"{item.weight:g} {item.weight_unit}"
    return ", ".join(part for part in (size, weight) if part)


def _vehicle(row: Vehicle | None) -> str | None:
    if row is None:
        return None
    name = " ".join(part for part in (row.make, row.model) if part)
    return ", ".join(part for part in (name, row.plate_number) if part) or row.public_id
