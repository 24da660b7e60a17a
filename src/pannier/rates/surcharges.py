"""Surcharges for cash on delivery and peak hours: an amount or a percentage. Pure rules."""

from decimal import Decimal
from typing import NamedTuple

from pannier.rates.models import FeeMethod, PeakWindow, ServiceRate


class Surcharge(NamedTuple):
    """The calculation of a surcharge. `method` is None when it cannot be inferred."""

    method: FeeMethod | None
    flat: int | None
    percent: Decimal | None


def of_cash(rate: ServiceRate) -> Surcharge:
    return _surcharge(rate.cod_calculation_method, rate.cod_flat_fee, rate.cod_percent)


def of_peak_hours(rate: ServiceRate) -> Surcharge:
    return _surcharge(
        rate.peak_hours_calculation_method, rate.peak_hours_flat_fee, rate.peak_hours_percent
    )


def of_window(rate: ServiceRate, window: PeakWindow) -> Surcharge:
    """Return a window's own surcharge, or else the rate's."""
    own = _surcharge(window.method, window.flat_fee, window.percent)
    return of_peak_hours(rate) if own == _UNSAID else own


def _surcharge(method: FeeMethod | None, flat: int | None, percent: Decimal | None) -> Surcharge:
    """Infer the method: an amount alone is flat, and a percentage alone is not."""
    if method is None and (flat is None) != (percent is None):
        method = "percentage" if flat is None else "flat"
    return Surcharge(method, flat, percent)


_UNSAID = Surcharge(None, None, None)
