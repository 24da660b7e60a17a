"""Building of the view of a delivery."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.files import queries as files
from pannier.files.models import File
from pannier.fleet.schemas import PointOut
from pannier.kit import time_zones
from pannier.kit.time_zones import LocalZone
from pannier.news import recipients
from pannier.orders import numbering
from pannier.orders.models import TrackingStatus
from pannier.orders.storefront import tracker
from pannier.orders.storefront.tracker import Approach
from pannier.orders.tracker import TrackingSnapshot
from pannier.places import addresses
from pannier.places.models import PlaceRow
from pannier.routing.route import Route
from pannier.tracking import parcel as parcels
from pannier.tracking import timeline
from pannier.tracking.localization import Localizer
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.schemas import DeliveryAddress, ParcelView


class ParcelData(msgspec.Struct):
    """The data of a delivery, before its route is measured."""

    parcel: TrackedParcel
    snapshot: TrackingSnapshot
    statuses: list[TrackingStatus]
    settings: CompanySettings
    logo: File | None


async def load_data(db: Db, parcel: TrackedParcel) -> ParcelData:
    company = parcel.order.company
    settings = await load_settings(db, parcel)
    logo = settings.branding.logo
    return ParcelData(
        parcel,
        await tracker.load_snapshot(db, parcel.aggregate),
        await parcels.list_statuses(db, parcel),
        settings,
        None if logo is None else await files.find(db, company, logo),
    )


async def load_settings(db: Db, parcel: TrackedParcel) -> CompanySettings:
    """Load the settings of the customers' store, or of the company if there are several."""
    waiting_recipients = await recipients.load_waiting_recipients(
        db, parcel.aggregate, parcel.number
    )
    stores = {recipient.store for recipient in waiting_recipients}
    store = stores.pop() if len(stores) == 1 else None
    return await company_settings.load(db, parcel.order.company, store)


def choose_zone(data: ParcelData, now: datetime) -> LocalZone:
    """Choose the time zone of the handover, as notifications do.

    The page names the zone if it is not the company's own, or if it may differ from the
    recipient's.
    """
    places, company_zone = data.parcel.places, data.settings.zone
    local_zone = time_zones.choose_zone(places[-1].country if places else None, company_zone, now)
    return local_zone._replace(named=local_zone.named or local_zone.zone.key != company_zone.key)


def build_view(data: ParcelData, route: Route | None, localizer: Localizer) -> ParcelView:
    parcel, order = data.parcel, data.parcel.order
    approach = tracker.compute_approach(localizer.now, data.snapshot, route, parcel.stops)
    is_pickup = bool(approach.own_legs) and all(leg.type == "pickup" for leg in approach.own_legs)
    order_tracking = parcel.aggregate.related.numbers[order.uuid].uuid if parcel.stops else None
    stage = timeline.derive_stage(
        order, data.statuses, approach.own_legs, is_next=approach.whereabouts is not None
    )
    position = approach.find_fresh_position(localizer.now)
    driver_position = position if stage == "next_stop" else None
    return ParcelView(
        number=parcel.number.number,
        order_number=numbering.choose_number(order, parcel.number.number),
        brand=data.settings.branding.name,
        stage=stage,
        headline=localizer.translate(_choose_headline(stage, is_pickup=is_pickup)),
        note=timeline.describe_next_step(stage, approach.own_legs, localizer),
        is_pickup=is_pickup,
        is_open=stage not in {"delivered", "returned", "canceled"},
        address=_build_address(parcel.places),
        window=_choose_window(parcel, approach),
        eta=_choose_eta(approach, stage),
        position=PointOut.from_point(driver_position.location) if driver_position else None,
        heading=driver_position.heading if driver_position else None,
        located_at=driver_position.located_at if driver_position else None,
        steps=timeline.list_steps(
            data.statuses, localizer, is_pickup=is_pickup, order_number=order_tracking
        ),
    )


def _choose_headline(stage: str, *, is_pickup: bool) -> str:
    return (
        {"delivered": "collected", "failed": "failed_pickup"}.get(stage, stage)
        if is_pickup
        else stage
    )


def _build_address(places: Sequence[PlaceRow]) -> DeliveryAddress | None:
    """Build an address of street and town, without details that give access to the building."""
    if not places:
        return None
    place = places[-1]
    town = addresses.format_town(place.city, None, place.postal_code, place.country)
    return DeliveryAddress(
        street=place.street1, town=town or None, location=PointOut.from_point(place.location)
    )


def _choose_window(
    parcel: TrackedParcel, approach: Approach
) -> tuple[datetime | None, datetime | None]:
    """Return the time window of the recipient's stop, or else of the order."""
    stop = approach.nearest_leg.waypoint if approach.nearest_leg else next(iter(parcel.stops), None)
    for row in (stop, parcel.order):
        if row is not None and (row.time_window_start or row.time_window_end):
            return row.time_window_start, row.time_window_end
    return None, None


def _choose_eta(approach: Approach, stage: str) -> datetime | None:
    return approach.eta if stage in {"next_stop", "on_the_way"} else None
