"""Surcharges for cash on delivery, peak hours and by rule. Pure rules."""

from decimal import Decimal
from typing import NamedTuple

from pannier.kit.lazy_modules import shapely
from pannier.rates.crossing import Borders
from pannier.rates.models import FeeMethod, PeakWindow, ServiceRate, SurchargeRule
from pannier.rates.peaks import load_time_zone
from pannier.rates.shipment import Shipment, ShipmentParcel


class Surcharge(NamedTuple):
    """The calculation of a surcharge. `method` is None if it cannot be inferred."""

    method: FeeMethod | None
    flat: int | None
    percent: Decimal | None


def make_cash_surcharge(rate: ServiceRate) -> Surcharge:
    return _make_surcharge(rate.cod_calculation_method, rate.cod_flat_fee, rate.cod_percent)


def make_peak_hours_surcharge(rate: ServiceRate) -> Surcharge:
    return _make_surcharge(
        rate.peak_hours_calculation_method, rate.peak_hours_flat_fee, rate.peak_hours_percent
    )


def make_window_surcharge(rate: ServiceRate, window: PeakWindow) -> Surcharge:
    """Return the window's surcharge, or the rate's if the window has none."""
    surcharge = _make_surcharge(window.method, window.flat_fee, window.percent)
    return make_peak_hours_surcharge(rate) if surcharge == _UNSPECIFIED else surcharge


def _make_surcharge(
    method: FeeMethod | None, flat: int | None, percent: Decimal | None
) -> Surcharge:
    """Infer the method: an amount alone is flat, and a percentage alone is not."""
    if method is None and (flat is None) != (percent is None):
        method = "percentage" if flat is None else "flat"
    return Surcharge(method, flat, percent)


def count_occasions(
    rate: ServiceRate,
    rule: SurchargeRule,
    shipment: Shipment,
    time_zone: str,
    borders: Borders,
) -> int:
    """Return how often a surcharge applies: once, or for each item beyond its limits."""
    if rule.dates:
        moment = shipment.effective_at.astimezone(load_time_zone(rate.timezone or time_zone))
        if moment.date() not in rule.dates:
            return 0
    border = rule.zone or rule.service_area
    if border is not None and not _has_stop_inside(shipment, borders.get(border)):
        return 0
    if rule.kind == "insured_value" and not shipment.sum_declared_values(rate.currency):
        return 0
    if not rule.has_item_limits:
        return 1
    return sum(parcel.quantity for parcel in shipment.parcels if _exceeds_limits(rule, parcel))


def _has_stop_inside(shipment: Shipment, shape: object) -> bool:
    points = [shapely.Point(stop.longitude, stop.latitude) for stop in shipment.stops]
    return shape is not None and bool(shapely.covers(shape, points).any())


def _exceeds_limits(rule: SurchargeRule, parcel: ShipmentParcel) -> bool:
    sides = [side for side in (parcel.length, parcel.width, parcel.height) if side is not None]
    is_long = rule.over_length is not None and max(sides, default=0) > rule.over_length
    return is_long or (
        rule.over_weight is not None
        and parcel.weight is not None
        and parcel.weight > rule.over_weight
    )


_UNSPECIFIED = Surcharge(None, None, None)
