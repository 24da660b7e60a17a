"""Surcharges for cash on delivery and peak hours: an amount or a percentage. Pure rules."""

from decimal import Decimal
from typing import NamedTuple

from pannier.rates.models import FeeMethod, PeakWindow, ServiceRate


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


_UNSPECIFIED = Surcharge(None, None, None)
