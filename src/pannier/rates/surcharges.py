"""What cash on delivery and peak hours cost on top: an amount, or a part of one. Pure rules."""

from decimal import Decimal
from typing import NamedTuple

from pannier.rates.models import FeeMethod, PeakWindow, ServiceRate


class Surcharge(NamedTuple):
    """How a surcharge is found; no method when neither is said."""

    method: FeeMethod | None
    flat: int | None
    percent: Decimal | None


def of_cash(rate: ServiceRate) -> Surcharge:
    """Tell what collecting cash costs."""
    return _surcharge(rate.cod_calculation_method, rate.cod_flat_fee, rate.cod_percent)


def of_peak_hours(rate: ServiceRate) -> Surcharge:
    """Tell what peak hours cost, unless a window has its own say."""
    return _surcharge(
        rate.peak_hours_calculation_method, rate.peak_hours_flat_fee, rate.peak_hours_percent
    )


def of_window(rate: ServiceRate, window: PeakWindow) -> Surcharge:
    """Tell what a window costs: what it says itself, or else what the rate says."""
    own = _surcharge(window.method, window.flat_fee, window.percent)
    return of_peak_hours(rate) if own == _UNSAID else own


def _surcharge(method: FeeMethod | None, flat: int | None, percent: Decimal | None) -> Surcharge:
    """An amount alone is flat and a per cent alone is not, without anybody saying so."""
    if method is None and (flat is None) != (percent is None):
        method = "percentage" if flat is None else "flat"
    return Surcharge(method, flat, percent)


_UNSAID = Surcharge(None, None, None)
