"""Loading of an order's proofs, and building of the proof sheet."""

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

MAX_TIMELINE_ENTRIES: Final = 20
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
        key_ids = {name for row in self.proofs for name in (row.key_id, row.erasure_key)}
        key_ids |= set() if self.chain.head is None else {self.chain.head.key_id}
        return tuple(key for name, key in sorted(self.chain.keys.items()) if name in key_ids)

    def find_stop(self, status: TrackingStatus | None) -> UUID | None:
        """Return the stop where a status was recorded, if any."""
        subject = None if status is None else self.subjects.get(status.tracking_number)
        return subject if subject in self.stops else None


async def load_order_proofs(db: Db, order: Order) -> OrderProofs:
    """Load an order with its proofs and related records, in a constant number of queries."""
    company = order.company
    related = await views.load_related(db, company, [order])
    chain = await proofs.load_chain(db, company, order.uuid, order.public_id)
    rows = chain.proofs
    payload_aggregate, numbers = related.payload_aggregates[order.payload], related.numbers
    subjects = [row.subject_uuid for row in rows]
    stops = {stop.uuid: stop for stop in payload_aggregate.waypoints}
    stops |= await WAYPOINTS.load_many(db, company, subjects)
    items = {item.uuid: item for item in payload_aggregate.entities}
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
        items=items | await ENTITIES.load_many(db, company, subjects),
        places=await places.load_many(db, company, [stop.place for stop in stops.values()]),
        chain=chain,
    )


def build_sheet(
    order_proofs: OrderProofs,
    attachments: Mapping[str, ProofAttachment],
    logo: bytes | None = None,
    link: str | None = None,
) -> Sheet:
    order = order_proofs.row
    order_out = order_proofs.to_order_out()
    change_times = [order.updated_at, *(row.received_at for row in order_proofs.proofs)]
    return convert_struct(
        order,
        Sheet,
        company=order_proofs.company,
        brand=order_proofs.settings.branding.name,
        color=order_proofs.settings.branding.color,
        logo=logo,
        zone=order_proofs.settings.time_zone,
        locale=order_proofs.settings.locale,
        order_id=order.public_id,
        tracking_number=order_out.tracking,
        made_at=max(change_times),
        placed_at=order.created_at,
        customer=order_out.customer.name if order_out.customer else None,
        facilitator=order_out.facilitator.name if order_out.facilitator else None,
        driver=order_out.driver.name if order_out.driver else None,
        vehicle=_format_vehicle(
            order_proofs.related.vehicles.get(order.vehicle) if order.vehicle else None
        ),
        window_start=order.time_window_start,
        window_end=order.time_window_end,
        head=order_proofs.chain.head,
        keys=order_proofs.keys,
        link=link,
        stops=tuple(_build_stops(order_proofs, attachments)),
    )


def group_pictures(order_proofs: OrderProofs) -> list[list[Proof]]:
    """Group the proofs with a picture by their section of the sheet."""
    groups: dict[UUID | None, list[Proof]] = {}
    for row in order_proofs.proofs:
        if row.file is not None:
            groups.setdefault(_find_stop_of_proof(order_proofs, row), []).append(row)
    return list(groups.values())


def _build_stops(
    order_proofs: OrderProofs, attachments: Mapping[str, ProofAttachment]
) -> Iterator[SheetStop]:
    """Yield a section for each stop, and one for proofs without a stop."""
    exhibits_by_stop: dict[UUID | None, list[Exhibit]] = {}
    for row in order_proofs.proofs:
        exhibit = _build_exhibit(order_proofs, row, attachments.get(row.public_id))
        exhibits_by_stop.setdefault(_find_stop_of_proof(order_proofs, row), []).append(exhibit)
    items_by_stop: dict[UUID | None, list[SheetItem]] = {}
    for item in order_proofs.payload_aggregate.entities:
        items_by_stop.setdefault(_find_delivery_stop(order_proofs, item), []).append(
            _build_item(order_proofs, item)
        )
    if not order_proofs.payload_aggregate.waypoints:
        yield _build_delivery(
            order_proofs, items_by_stop.get(None, []), exhibits_by_stop.get(None, [])
        )
    for uuid, stop in order_proofs.stops.items():
        yield _build_stop(
            order_proofs, stop, items_by_stop.get(uuid, []), exhibits_by_stop.get(uuid, [])
        )
    if order_proofs.payload_aggregate.waypoints and None in exhibits_by_stop:
        title = Phrase("order_proofs")
        yield SheetStop(
            heading=Phrase("all_stops"), title=title, exhibits=tuple(exhibits_by_stop[None])
        )


def _find_stop_of_proof(order_proofs: OrderProofs, row: Proof) -> UUID | None:
    """Find the stop of a proof: its subject, its item's stop, or the stop where it was used."""
    if row.subject_uuid in order_proofs.stops:
        return row.subject_uuid
    if row.subject_uuid in order_proofs.items:
        return _find_delivery_stop(order_proofs, order_proofs.items[row.subject_uuid])
    return order_proofs.find_stop(
        next((status for status in order_proofs.statuses if status.uuid == row.used_by), None)
    )


def _find_delivery_stop(order_proofs: OrderProofs, item: Entity) -> UUID | None:
    """Find the stop where an item is delivered, or else the last drop-off."""
    if item.destination in order_proofs.stops:
        return item.destination
    stops = order_proofs.payload_aggregate.waypoints
    dropoffs = [stop for stop in stops if stop.type == "dropoff"] or stops
    return dropoffs[-1].uuid if dropoffs else None


def _build_exhibit(
    order_proofs: OrderProofs, row: Proof, attachment: ProofAttachment | None
) -> Exhibit:
    item = order_proofs.items.get(row.subject_uuid)
    phrase_key = {"order": "whole_order", "waypoint": "this_stop"}.get(row.subject_type)
    subject = row.subject_id if item is None else item.name
    if phrase_key is not None:
        subject = Phrase(phrase_key)
    if attachment is None:
        return Exhibit.from_row(row, subject)
    return Exhibit.from_row(row, subject, picture=attachment.data, missing=attachment.missing)


def _build_delivery(
    order_proofs: OrderProofs, items: Sequence[SheetItem], exhibits: Sequence[Exhibit]
) -> SheetStop:
    payload, places_by_uuid = order_proofs.payload_aggregate.payload, order_proofs.related.places
    end_places = [
        None if uuid is None else places_by_uuid[uuid] for uuid in (payload.pickup, payload.dropoff)
    ]
    pickup, dropoff = (None if place is None else place.address for place in end_places)
    last_place = end_places[1] or end_places[0]
    return SheetStop(
        heading=Phrase("delivery"),
        title=order_proofs.row.public_id
        if last_place is None
        else last_place.name or last_place.address,
        pickup=pickup,
        dropoff=dropoff,
        notes=order_proofs.row.notes,
        timeline=_build_timeline(order_proofs.statuses),
        items=tuple(items),
        exhibits=tuple(exhibits),
    )


def _build_stop(
    order_proofs: OrderProofs,
    stop: Waypoint,
    items: Sequence[SheetItem],
    exhibits: Sequence[Exhibit],
) -> SheetStop:
    place = order_proofs.places[stop.place]
    related = order_proofs.related
    contact = related.contacts.get(stop.contact) if stop.contact else None
    number = related.numbers.get(stop.uuid)
    stop_statuses = [
        status for status in order_proofs.statuses if order_proofs.find_stop(status) == stop.uuid
    ]
    arrival_times = (
        status.occurred_at for status in stop_statuses if status.code.startswith(ARRIVAL_PREFIX)
    )
    return SheetStop(
        heading=_build_heading(order_proofs, stop),
        title=place.name or place.address,
        address=place.address,
        tracking_number=None if number is None else number.number,
        contact=None if contact is None else stop.contact_name or contact.name,
        window_start=stop.time_window_start,
        window_end=stop.time_window_end,
        arrived_at=next(arrival_times, None),
        completed_at=stop.completed_at,
        notes=stop.notes,
        timeline=_build_timeline(stop_statuses),
        items=tuple(items),
        exhibits=tuple(exhibits),
    )


def _build_heading(order_proofs: OrderProofs, stop: Waypoint) -> str:
    stop_uuids = [waypoint.uuid for waypoint in order_proofs.payload_aggregate.waypoints]
    if stop.uuid not in stop_uuids:
        return Phrase("stop_removed", Phrase(stop.type))
    number = stop_uuids.index(stop.uuid) + 1
    return Phrase("stop_of", Phrase(stop.type), number, len(stop_uuids))


def _build_timeline(statuses: Sequence[TrackingStatus]) -> tuple[TimelineEntry, ...]:
    return tuple(
        TimelineEntry(status.occurred_at, status.status)
        for status in statuses[-MAX_TIMELINE_ENTRIES:]
    )


def _build_item(order_proofs: OrderProofs, item: Entity) -> SheetItem:
    number = order_proofs.related.numbers.get(item.uuid)
    proof_numbers = [
        str(row.sequence) for row in order_proofs.proofs if row.subject_uuid == item.uuid
    ]
    return SheetItem(
        name=item.name,
        kind=item.type,
        reference=item.internal_id or item.sku or "",
        tracking_number="" if number is None else number.number,
        measures=_format_measures(item),
        evidence=Phrase("number", ", ".join(proof_numbers)) if proof_numbers else "",
    )


def _format_measures(item: Entity) -> str:
    edges = [edge for edge in (item.length, item.width, item.height) if edge is not None]
    size = f"{' x '.join(f'{edge:g}' for edge in edges)} {item.dimensions_unit}" if edges else ""
    weight = "" if item.weight is None else f"{item.weight:g} {item.weight_unit}"
    pieces = "" if item.quantity == 1 else f"{item.quantity} x"
    return " ".join(part for part in (pieces, ", ".join(filter(None, (size, weight)))) if part)


def _format_vehicle(row: Vehicle | None) -> str | None:
    if row is None:
        return None
    name = " ".join(part for part in (row.make, row.model) if part)
    return ", ".join(part for part in (name, row.plate_number) if part) or row.public_id
