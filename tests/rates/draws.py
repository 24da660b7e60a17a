"""Rates that can be kept and shipments of every kind, drawn at random.

Numbers are chosen so that bounds are met exactly and halves come up often.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from pannier.kit.geo import Point
from pannier.kit.local_time import WEEKDAYS
from pannier.rates.models import Band, MeterFee, ParcelFee, PeakWindow, ServiceRate
from pannier.rates.shipment import Shipment, ShipmentParcel
from pannier.routing.route import Route
from rates.examples import rate

ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu")
CURRENCIES = ("SGD", "EUR", "JPY", "KWD", "CLF")
UNITS = ("m", "km", "ft", "yd", "mi")
# Around both changes of the clocks of every zone above.
CHANGES = [
    datetime(2026, 3, 8, 7, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC),
    datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 4, 4, 15, tzinfo=UTC), datetime(2026, 10, 3, 15, 30, tzinfo=UTC),
]  # fmt: skip


def decimal(random: Random, most: int, digits: int = 3) -> Decimal:
    places = random.randint(0, digits)
    return Decimal(random.randint(0, most * 10**places)).scaleb(-places)


def measure(random: Random, most: int) -> Decimal:
    return decimal(random, most, 1) or Decimal(1)


def maybe(random: Random, value: Any) -> Any:
    return value if random.random() < 0.5 else None


def bands(random: Random, most: int, *, step: int) -> list[Band]:
    """Bands without overlaps and gaps, in any order; perhaps the last has no end."""
    begin = Decimal(random.randint(0, 2))
    found = []
    for _ in range(random.randint(1, 5)):
        end = begin + max(1, random.randint(1, most))
        found.append(Band(begin, end, random.randint(0, 5_000)))
        begin = end + step
    if random.random() < 0.3:
        found.append(Band(begin, None, random.randint(0, 5_000)))
    random.shuffle(found)
    return found


def clock(random: Random) -> str:
    return f"{random.randint(0, 23):02}:{random.choice((0, 0, 15, 30, 59)):02}"


def window(random: Random) -> PeakWindow:
    days = random.sample(WEEKDAYS, random.randint(0, 7))
    start, end = clock(random), clock(random)
    if random.random() < 0.5:
        flat = random.randint(0, 900)
        return PeakWindow(days=days, start=start, end=end, method="flat", flat_fee=flat)
    share = decimal(random, 200)
    return PeakWindow(days=days, start=start, end=end, method="percentage", percent=share)


def box(random: Random) -> ParcelFee:
    return ParcelFee(
        size=random.choice("SML"),
        length=measure(random, 60),
        width=measure(random, 60),
        height=measure(random, 60),
        dimensions_unit=random.choice(("mm", "cm", "cm", "in", "ft")),
        weight=maybe(random, measure(random, 30)),
        weight_unit=random.choice(("g", "kg", "kg", "oz", "lb")),
        fee=random.randint(0, 3_000),
    )


def fees(random: Random, method: str) -> dict[str, Any]:
    match method:
        case "fixed_rate":
            reaches = {measure(random, 30) for _ in range(random.randint(0, 5))}
            return {"meter_fees": [MeterFee(reach, random.randint(0, 5_000)) for reach in reaches]}
        case "per_meter":
            rounding = random.choice(("exact", "started_unit"))
            return {
                "per_meter_flat_rate_fee": decimal(random, 300, 4),
                "distance_rounding": rounding,
            }
        case "per_drop":
            return {"drop_fees": bands(random, 3, step=1)}
        case "weight":
            divisor = maybe(random, random.choice((3_000, 5_000, 6_000)))
            return {"weight_fees": bands(random, 8, step=0), "volumetric_divisor": divisor}
        case "volume":
            return {"volume_fees": [_tenth(band) for band in bands(random, 3, step=0)]}
        case "parcel":
            return {"parcel_fees": [box(random) for _ in range(random.randint(1, 6))]}
    raise ValueError(method)


def _tenth(band: Band) -> Band:
    return Band(band.min / 10, None if band.max is None else band.max / 10, band.fee)


def draw_rate(random: Random, method: str) -> ServiceRate:
    least, most = (
        maybe(random, random.randint(0, 3_000)),
        maybe(random, random.randint(3_000, 9_000)),
    )
    return rate(
        rate_calculation_method=method,
        currency=random.choice(CURRENCIES),
        base_fee=random.choice((0, random.randint(0, 2_000))),
        max_distance_unit=random.choice(UNITS),
        per_meter_unit=random.choice(UNITS),
        open_ended=random.random() < 0.5,
        minimum_fee=least,
        maximum_fee=most,
        has_cod_fee=True,
        cod_calculation_method=random.choice(("flat", "percentage")),
        cod_flat_fee=random.randint(0, 500),
        cod_percent=decimal(random, 10),
        has_peak_hours_fee=random.random() < 0.7,
        peak_windows=[window(random) for _ in range(random.randint(1, 3))],
        timezone=maybe(random, random.choice(ZONES)),
        **fees(random, method),
    )


def draw_parcel(random: Random, *, known: bool) -> ShipmentParcel:
    sides = [measure(random, 60) for _ in range(3)]
    if not known and random.random() < 0.1:
        sides[random.randrange(3)] = None
    heavy = measure(random, 10) if known or random.random() < 0.95 else None
    return ShipmentParcel(length=sides[0], width=sides[1], height=sides[2], weight=heavy)


def draw_parcels(random: Random) -> Sequence[ShipmentParcel]:
    known = random.random() < 0.8
    return tuple(draw_parcel(random, known=known) for _ in range(random.randint(0, 5)))


def draw_shipment(random: Random) -> Shipment:
    cod = random.random() < 0.5
    near = timedelta(
        minutes=random.randint(-2 * 24 * 60, 2 * 24 * 60), seconds=random.randint(0, 59)
    )
    return Shipment(
        effective_at=random.choice(CHANGES) + near,
        stops=(Point(103.8, 1.3),) * random.randint(1, 12),
        route=Route(random.choice((0, 500, 5_000, random.randint(0, 40_000))), 600),
        parcels=tuple(draw_parcels(random)),
        cod=cod,
        cod_amount=random.randint(0, 50_000) if cod else None,
    )
