"""What a shipment costs, once more: plain fractions, as slow and as literal as the rules are told.

Nothing of `pannier.rates` is used but the Structs that carry what was given.
"""

import math
from datetime import timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from pannier.rates.models import Band, ServiceRate
from pannier.rates.shipment import Shipment

METRES = {
    "m": Fraction(1),
    "km": Fraction(1000),
    "ft": Fraction("0.3048"),
    "yd": Fraction("0.9144"),
    "mi": Fraction("1609.344"),
}
CENTIMETRES = {
    "mm": Fraction("0.1"), "cm": Fraction(1), "m": Fraction(100), "in": Fraction("2.54"),
    "ft": Fraction("30.48"), "yd": Fraction("91.44"),
}  # fmt: skip
KILOGRAMS = {
    "g": Fraction("0.001"),
    "kg": Fraction(1),
    "oz": Fraction("0.45359237") / 16,
    "lb": Fraction("0.45359237"),
}
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

Lines = list[tuple[str, int]]


class NoPrice(Exception):  # noqa: N818 - the rate has none, which is no error
    """The rate has no price for it."""


def half_up(value: Fraction) -> int:
    """To the nearest whole number, halves away from zero."""
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def lines(rate: ServiceRate, shipment: Shipment, company_zone: str) -> Lines | None:
    """The codes and amounts of a price; None when the rate has none."""
    try:
        service = SERVICES[rate.rate_calculation_method](rate, shipment)
    except NoPrice:
        return None
    found: Lines = []
    if rate.base_fee != 0 or service == []:
        found.append(("BASE_FEE", rate.base_fee))
    found += service
    before_surcharges = sum(amount for _, amount in found)
    if shipment.cod and rate.has_cod_fee:
        if rate.cod_calculation_method == "flat":
            found.append(("COD_FEE", rate.cod_flat_fee))
        else:
            part = Fraction(shipment.cod_amount) * Fraction(rate.cod_percent) / 100
            found.append(("COD_FEE", half_up(part)))
    peak = dearest_peak(rate, shipment, before_surcharges, company_zone)
    if peak is not None:
        found.append(("PEAK_HOUR_FEE", peak))
    total = sum(amount for _, amount in found)
    least = rate.minimum_fee if rate.minimum_fee is not None else 0
    if total < least:
        found.append(("MINIMUM_ADJUSTMENT", least - total))
    elif rate.maximum_fee is not None and total > rate.maximum_fee:
        found.append(("MAXIMUM_ADJUSTMENT", rate.maximum_fee - total))
    return found


def dearest_peak(
    rate: ServiceRate, shipment: Shipment, worth: int, company_zone: str
) -> int | None:
    """What the dearest open window costs; windows are walked through minute by minute."""
    if not rate.has_peak_hours_fee:
        return None
    local = shipment.effective_at.astimezone(ZoneInfo(rate.timezone or company_zone))
    fees = []
    for window in rate.peak_windows:
        for began in (local.date(), local.date() - timedelta(days=1)):
            if window.days and DAYS[began.weekday()] not in window.days:
                continue
            start, end = clock(window.start), clock(window.end)
            if end <= start:
                end += 24 * 60
            past = (local.date() - began).days * 24 * 60 + local.hour * 60 + local.minute
            if past in range(start, end):
                flat = window.method == "flat"
                part = Fraction(worth) * Fraction(window.percent or 0) / 100
                fees.append(window.flat_fee if flat else half_up(part))
    return max(fees, default=None)


def clock(text: str) -> int:
    """Minutes since midnight."""
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)


def fixed_rate(rate: ServiceRate, shipment: Shipment) -> Lines:
    """The fee of the nearest distance that the way does not exceed."""
    if not rate.meter_fees:
        return []
    unit = METRES[rate.max_distance_unit]
    tiers = sorted((Fraction(tier.distance) * unit, tier.fee) for tier in rate.meter_fees)
    for reach, fee in tiers:
        if shipment.route.distance <= reach:
            return [("DISTANCE_FEE", fee)]
    if not rate.open_ended:
        raise NoPrice
    return [("DISTANCE_FEE", tiers[-1][1])]


def per_meter(rate: ServiceRate, shipment: Shipment) -> Lines:
    """Length times fee."""
    length = shipment.route.distance / METRES[rate.per_meter_unit]
    if rate.distance_rounding == "started_unit":
        length = Fraction(math.ceil(length))
    return [("DISTANCE_FEE", half_up(length * Fraction(rate.per_meter_flat_rate_fee)))]


def per_drop(rate: ServiceRate, shipment: Shipment) -> Lines:
    """The fee of the band with both ends in."""
    stops = len(shipment.stops)
    for band in rate.drop_fees:
        if stops >= band.min and (band.max is None or stops <= band.max):
            return [("DROP_FEE", band.fee)]
    raise NoPrice


def weight(rate: ServiceRate, shipment: Shipment) -> Lines:
    """The fee of what is to be paid for, in kilograms."""
    if not shipment.parcels or any(parcel.weight is None for parcel in shipment.parcels):
        raise NoPrice
    kilograms = Fraction(0)
    for parcel in shipment.parcels:
        sides = (parcel.length, parcel.width, parcel.height)
        heavy = Fraction(parcel.weight)
        if rate.volumetric_divisor and None not in sides:
            bulky = math.prod(Fraction(side) for side in sides) / rate.volumetric_divisor
            heavy = max(heavy, bulky)
        kilograms += heavy
    return [("WEIGHT_FEE", of_band(rate, rate.weight_fees, kilograms))]


def volume(rate: ServiceRate, shipment: Shipment) -> Lines:
    """The fee of the cubic metres."""
    if not shipment.parcels:
        raise NoPrice
    cubic = Fraction(0)
    for parcel in shipment.parcels:
        sides = (parcel.length, parcel.width, parcel.height)
        if None in sides:
            raise NoPrice
        cubic += math.prod(Fraction(side) for side in sides) / 100**3
    return [("VOLUME_FEE", of_band(rate, rate.volume_fees, cubic))]


def of_band(rate: ServiceRate, bands: list[Band], value: Fraction) -> int:
    """The fee of the band whose end belongs to the next one."""
    ordered = sorted(bands, key=lambda band: band.min)
    for band in ordered:
        if value >= Fraction(band.min) and (band.max is None or value < Fraction(band.max)):
            return band.fee
    if rate.open_ended and value >= Fraction(ordered[-1].min):
        return ordered[-1].fee
    raise NoPrice


def parcel(rate: ServiceRate, shipment: Shipment) -> Lines:
    """Each item in its smallest box; boxes of a kind are one line."""
    if not shipment.parcels:
        raise NoPrice
    boxes = []
    for fee in rate.parcel_fees:
        scale = CENTIMETRES[fee.dimensions_unit]
        sides = sorted(Fraction(side) * scale for side in (fee.length, fee.width, fee.height))
        limit = None if fee.weight is None else Fraction(fee.weight) * KILOGRAMS[fee.weight_unit]
        order = (math.prod(sides), limit is None, limit or 0, fee.fee, fee.size)
        boxes.append((order, sides, limit, fee.fee))
    boxes.sort()
    counted: dict[int, int] = {}
    for item in shipment.parcels:
        if None in (item.length, item.width, item.height):
            raise NoPrice
        own = sorted(Fraction(side) for side in (item.length, item.width, item.height))
        for number, (_, sides, limit, _) in enumerate(boxes):
            fits = all(side <= room for side, room in zip(own, sides, strict=True))
            if fits and (limit is None or (item.weight is not None and item.weight <= limit)):
                counted[number] = counted.get(number, 0) + 1
                break
        else:
            raise NoPrice
    return [("PARCEL_FEE", count * boxes[number][3]) for number, count in sorted(counted.items())]


SERVICES = {
    "fixed_rate": fixed_rate,
    "per_meter": per_meter,
    "per_drop": per_drop,
    "weight": weight,
    "volume": volume,
    "parcel": parcel,
}
