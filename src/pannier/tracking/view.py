"""Assembles the view of a delivery."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.files import queries as files
from pannier.files.models import File
from pannier.fleet.schemas import Spot
from pannier.kit import zones
from pannier.kit.zones import Local
from pannier.news import recipients
from pannier.orders.models import TrackingStatus
from pannier.orders.storefront import tracker
from pannier.orders.storefront.tracker import Approach
from pannier.orders.tracker import Sight
from pannier.places.models import Place
from pannier.routing.route import Route
from pannier.tracking import parcel as parcels
from pannier.tracking import timeline
from pannier.tracking.parcel import Parcel
from pannier.tracking.schemas import Door, Following
from pannier.tracking.words import Speech

# A position older than this is not shown as the driver's current one.
FRESH: Final = timedelta(minutes=15)


class Gathered(msgspec.Struct):
    """All that is read of a delivery, before its route is measured."""

    parcel: Parcel
    sight: Sight
    told: list[TrackingStatus]
    settings: CompanySettings
    logo: File | None


async def gather(db: Db, parcel: Parcel) -> Gathered:
    company = parcel.order.company
    settings = await settings_of(db, parcel)
    logo = settings.branding.logo
    return Gathered(
        parcel,
        await tracker.look(db, parcel.read),
        await parcels.history(db, parcel),
        settings,
        None if logo is None else await files.find(db, company, logo),
    )


async def settings_of(db: Db, parcel: Parcel) -> CompanySettings:
    """Load the settings of the customers' store, or of the company if there are several."""
    people = await recipients.waiting(db, parcel.read, parcel.number)
    stores = {who.store for who in people}
    store = stores.pop() if len(stores) == 1 else None
    return await company_settings.of(db, parcel.order.company, store)


def local(found: Gathered, now: datetime) -> Local:
    """Choose the time zone of the handover, as notifications do.

    The page names the zone if it is not the company's own, or if it may differ from the
    recipient's.
    """
    places, home = found.parcel.places, found.settings.zone
    chosen = zones.local(places[-1].country if places else None, home, now)
    return chosen._replace(named=chosen.named or chosen.zone.key != home.key)


def following(found: Gathered, way: Route | None, speech: Speech) -> Following:
    parcel, order = found.parcel, found.parcel.order
    near = tracker.approach(found.sight, way, parcel.stops)
    pickup = bool(near.own) and all(leg.type == "pickup" for leg in near.own)
    whole = parcel.read.shown.numbers[order.uuid].uuid if parcel.stops else None
    stage = timeline.stage(order, found.told, near.own, coming=near.seen is not None)
    seen = near.seen if stage == "next_stop" and _is_fresh(near, speech.now) else None
    return Following(
        number=parcel.number.number,
        brand=found.settings.branding.name,
        stage=stage,
        headline=speech.say(_headline(stage, pickup=pickup)),
        note=timeline.coming_next(stage, near.own, speech),
        is_pickup=pickup,
        is_open=stage not in {"delivered", "returned", "canceled"},
        door=_door(parcel.places),
        window=_window(parcel, near),
        eta=_eta(speech.now, near, stage),
        position=Spot.of(seen.location) if seen else None,
        heading=seen.heading if seen else None,
        located_at=seen.located_at if seen else None,
        steps=timeline.steps(found.told, speech, pickup=pickup, whole=whole),
    )


def _is_fresh(near: Approach, now: datetime) -> bool:
    """Return whether the position is recent: an old one may be the driver's home."""
    return near.seen is None or now - near.seen.located_at < FRESH


def _headline(stage: str, *, pickup: bool) -> str:
    return (
        {"delivered": "collected", "failed": "failed_pickup"}.get(stage, stage) if pickup else stage
    )


def _door(places: Sequence[Place]) -> Door | None:
    """Return the street and the town only, and nothing that gives access to the building."""
    if not places:
        return None
    place = places[-1]
    town = " ".join(part for part in (place.postal_code, place.city) if part)
    return Door(street=place.street1, town=town or None, location=Spot.of(place.location))


def _window(parcel: Parcel, near: Approach) -> tuple[datetime | None, datetime | None]:
    """Return the time window of the recipient's stop, or else of the order."""
    stop = near.nearest.waypoint if near.nearest else next(iter(parcel.stops), None)
    for planned in (stop, parcel.order):
        if planned is not None and (planned.time_window_start or planned.time_window_end):
            return planned.time_window_start, planned.time_window_end
    return None, None


def _eta(now: datetime, near: Approach, stage: str) -> datetime | None:
    moving = stage in {"next_stop", "on_the_way"} and _is_fresh(near, now)
    if near.left is None or not moving:
        return None
    return now + timedelta(seconds=near.left)
