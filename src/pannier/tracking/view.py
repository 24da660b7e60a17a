"""Assembles the view of a delivery."""

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
from pannier.orders.models import TrackingStatus
from pannier.orders.storefront import tracker
from pannier.orders.storefront.tracker import Approach
from pannier.orders.tracker import TrackingSnapshot
from pannier.places.models import PlaceRow
from pannier.routing.route import Route
from pannier.tracking import parcel as parcels
from pannier.tracking import timeline
from pannier.tracking.localization import Localizer
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.schemas import DeliveryAddress, ParcelView


class ParcelData(msgspec.Struct):
    """All that is read of a delivery, before its route is measured."""

    parcel: TrackedParcel
    sight: TrackingSnapshot
    statuses: list[TrackingStatus]
    settings: CompanySettings
    logo: File | None


async def load(db: Db, parcel: TrackedParcel) -> ParcelData:
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
    people = await recipients.load_waiting(db, parcel.aggregate, parcel.number)
    stores = {recipient.store for recipient in people}
    store = stores.pop() if len(stores) == 1 else None
    return await company_settings.load(db, parcel.order.company, store)


def choose_zone(data: ParcelData, now: datetime) -> LocalZone:
    """Choose the time zone of the handover, as notifications do.

    The page names the zone if it is not the company's own, or if it may differ from the
    recipient's.
    """
    places, home = data.parcel.places, data.settings.zone
    local_zone = time_zones.choose_zone(places[-1].country if places else None, home, now)
    return local_zone._replace(named=local_zone.named or local_zone.zone.key != home.key)


def build_view(data: ParcelData, route: Route | None, localizer: Localizer) -> ParcelView:
    parcel, order = data.parcel, data.parcel.order
    approach = tracker.compute_approach(localizer.now, data.sight, route, parcel.stops)
    pickup = bool(approach.own) and all(leg.type == "pickup" for leg in approach.own)
    order_number = parcel.aggregate.related.numbers[order.uuid].uuid if parcel.stops else None
    stage = timeline.derive_stage(
        order, data.statuses, approach.own, is_next=approach.whereabouts is not None
    )
    position = approach.find_fresh_position(localizer.now)
    driver_position = position if stage == "next_stop" else None
    return ParcelView(
        number=parcel.number.number,
        brand=data.settings.branding.name,
        stage=stage,
        headline=localizer.say(_headline(stage, pickup=pickup)),
        note=timeline.describe_next_step(stage, approach.own, localizer),
        is_pickup=pickup,
        is_open=stage not in {"delivered", "returned", "canceled"},
        address=_delivery_address(parcel.places),
        window=_window(parcel, approach),
        eta=_eta(approach, stage),
        position=PointOut.from_point(driver_position.location) if driver_position else None,
        heading=driver_position.heading if driver_position else None,
        located_at=driver_position.located_at if driver_position else None,
        steps=timeline.list_steps(
            data.statuses, localizer, pickup=pickup, order_number=order_number
        ),
    )


def _headline(stage: str, *, pickup: bool) -> str:
    return (
        {"delivered": "collected", "failed": "failed_pickup"}.get(stage, stage) if pickup else stage
    )


def _delivery_address(places: Sequence[PlaceRow]) -> DeliveryAddress | None:
    """Return the street and the town only, and nothing that gives access to the building."""
    if not places:
        return None
    place = places[-1]
    town = " ".join(part for part in (place.postal_code, place.city) if part)
    return DeliveryAddress(
        street=place.street1, town=town or None, location=PointOut.from_point(place.location)
    )


def _window(parcel: TrackedParcel, approach: Approach) -> tuple[datetime | None, datetime | None]:
    """Return the time window of the recipient's stop, or else of the order."""
    stop = approach.nearest.waypoint if approach.nearest else next(iter(parcel.stops), None)
    for planned in (stop, parcel.order):
        if planned is not None and (planned.time_window_start or planned.time_window_end):
            return planned.time_window_start, planned.time_window_end
    return None, None


def _eta(approach: Approach, stage: str) -> datetime | None:
    return approach.eta if stage in {"next_stop", "on_the_way"} else None
