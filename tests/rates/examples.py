"""Rates and shipments of the tests, with what each leaves unsaid filled in."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pannier.kit.geo import Point
from pannier.rates.models import ServiceRate
from pannier.rates.pricing import Price, price_shipment
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route

NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)
NOBODY = UUID(int=0)
PICKUP, DROPOFF = Point(103.8506, 1.2918), Point(103.8198, 1.3521)


def rate(**given: Any) -> ServiceRate:
    whole = {
        "uuid": NOBODY,
        "public_id": "service_x",
        "company": NOBODY,
        "created_at": NOON,
        "updated_at": NOON,
        "service_name": "Same day",
        "service_type": "delivery",
        "currency": "SGD",
        "rate_calculation_method": "fixed_rate",
    }
    return ServiceRate(**whole | given)


def shipment(*, distance: int = 9_321, time: int = 1_260, **given: Any) -> Shipment:
    whole = {"effective_at": NOON, "stops": (PICKUP, DROPOFF), "route": Route(distance, time)}
    return Shipment(**whole | given)


def priced(what: ServiceRate, for_: Shipment, **more: Any) -> Price:
    found = price_shipment(what, for_, **{"time_zone": "UTC", "borders": {}} | more)
    assert isinstance(found, Price), found
    return found
