"""What is wrong with a rate before it is kept: a sentence for each fault. Pure rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import rules as settings
from pannier.errors import Field
from pannier.kit import money
from pannier.rates import formula, peaks, surcharges
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, spelled
from pannier.rates.models import Band, Method, PeakWindow, ServiceRate
from pannier.rates.surcharges import Surcharge

MOST_TIERS: Final = 200
MOST_WINDOWS: Final = 50
MOST_ZONE_FEES: Final = 100
# What a numeric column keeps, and what sums of products have room for.
MOST_DIGITS: Final = 15
MOST_DECIMALS: Final = 9
LONGEST_LIFE: Final = 7 * 24 * 60 * 60
SHORTEST_LIFE: Final = 60
_PER_CENT: Final = 100
_MOST_PER_CENT: Final = 1_000

_PAIRS: Final = (
    ("min_weight", "max_weight"),
    ("min_volume", "max_volume"),
    ("min_stops", "max_stops"),
    ("min_cod", "max_cod"),
    ("minimum_fee", "maximum_fee"),
)
_AMOUNTS: Final = (
    "base_fee", "minimum_fee", "maximum_fee", "cod_flat_fee", "peak_hours_flat_fee", "min_cod",
    "max_cod",
)  # fmt: skip
_QUANTITIES: Final = (
    "min_weight", "max_weight", "min_volume", "max_volume", "max_distance",
    "per_meter_flat_rate_fee",
)  # fmt: skip
_COUNTS: Final = ("min_distance", "min_stops", "max_stops", "estimated_days")
_PERCENTS: Final = ("cod_percent", "peak_hours_percent")
_LISTS: Final = {
    "meter_fees": MOST_TIERS,
    "drop_fees": MOST_TIERS,
    "weight_fees": MOST_TIERS,
    "volume_fees": MOST_TIERS,
    "parcel_fees": MOST_TIERS,
    "zone_fees": MOST_ZONE_FEES,
    "peak_windows": MOST_WINDOWS,
}
# What each method cannot do without.
_NEEDED: Final[Mapping[Method, str]] = {
    "per_meter": "per_meter_flat_rate_fee",
    "per_drop": "drop_fees",
    "parcel": "parcel_fees",
    "weight": "weight_fees",
    "volume": "volume_fees",
    "multi_zone_distance": "zone_fees",
    "algorithm": "algorithm",
}


def check(rate: ServiceRate) -> list[Field]:
    """List what is wrong with a rate; nothing when it can be kept."""
    return [fault for rule in RULES for fault in rule(rate)]


def _names(rate: ServiceRate) -> Iterator[Field]:
    for name in ("service_name", "service_type"):
        if not getattr(rate, name).strip():
            yield Field(name, "must not be empty.")
    if rate.currency not in money.CURRENCIES:
        yield Field("currency", "must be a currency's code of three letters (ISO 4217), as SGD.")
    if rate.timezone is not None:
        yield from _read("timezone", settings.time_zone, rate.timezone)


def _numbers(rate: ServiceRate) -> Iterator[Field]:
    for name in _AMOUNTS:
        yield from _amount(name, getattr(rate, name))
    for name in _QUANTITIES:
        yield from _quantity(name, getattr(rate, name))
    for name in _COUNTS:
        yield from _quantity(name, getattr(rate, name))
    for name in _PERCENTS:
        yield from _percent(name, getattr(rate, name))
    if rate.volumetric_divisor is not None and rate.volumetric_divisor < 1:
        yield Field("volumetric_divisor", "must be at least 1 (cubic centimetres a kilogram).")
    if rate.quote_life is not None and not SHORTEST_LIFE <= rate.quote_life <= LONGEST_LIFE:
        yield Field("quote_life", "must be between 60 seconds and 7 days (604800).")


def _amount(path: str, amount: int | None) -> Iterator[Field]:
    if amount is not None and not 0 <= amount <= money.LARGEST_AMOUNT:
        yield Field(path, f"must be minor units between 0 and {money.LARGEST_AMOUNT}.")


def _quantity(path: str, number: Decimal | int | None) -> Iterator[Field]:
    if number is None:
        return
    exact = Decimal(number)
    if not exact.is_finite() or exact < 0:
        yield Field(path, "must be a number that is not below 0.")
    elif exact.adjusted() >= MOST_DIGITS or _decimals(exact) > MOST_DECIMALS:
        yield Field(
            path, f"must have at most {MOST_DIGITS} digits before the point and 9 after it."
        )


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _percent(path: str, percent: Decimal | None) -> Iterator[Field]:
    faults = list(_quantity(path, percent))
    yield from faults
    if not faults and percent is not None and percent > _MOST_PER_CENT:
        yield Field(path, f"must not be above {_MOST_PER_CENT} per cent.")


def _size(path: str, number: Decimal | None) -> Iterator[Field]:
    faults = list(_quantity(path, number))
    yield from faults
    if not faults and number == 0:
        yield Field(path, "must be above 0.")


def _bounds(rate: ServiceRate) -> Iterator[Field]:
    for low, high in _PAIRS:
        least, most = getattr(rate, low), getattr(rate, high)
        if least is not None and most is not None and least > most:
            yield Field(high, f"must not be below {low}.")
    if rate.min_distance is not None and rate.max_distance is not None:
        most = rate.max_distance * TENTHS_OF_MILLIMETRES[rate.max_distance_unit]
        if rate.min_distance * TENTHS_IN_A_METRE > most:
            yield Field("max_distance", "must not be below min_distance, which is in metres.")
    if rate.valid_from and rate.valid_until and rate.valid_until <= rate.valid_from:
        yield Field("valid_until", "must be after valid_from.")


def _lengths(rate: ServiceRate) -> Iterator[Field]:
    for name, most in _LISTS.items():
        if len(getattr(rate, name)) > most:
            yield Field(name, f"must not have more than {most} entries.")


def _method(rate: ServiceRate) -> Iterator[Field]:
    method = rate.rate_calculation_method
    needed = _NEEDED.get(method)
    if needed is not None and getattr(rate, needed) in (None, "", []):
        yield Field(needed, f"is what {method} goes by; give it, or take another method.")
    if rate.algorithm:
        yield from _read("algorithm", formula.check, rate.algorithm)


def _meter_fees(rate: ServiceRate) -> Iterator[Field]:
    seen: set[Decimal] = set()
    for number, tier in enumerate(rate.meter_fees):
        path = f"meter_fees[{number}]"
        yield from _amount(f"{path}.fee", tier.fee)
        yield from _size(f"{path}.distance", tier.distance)
        if tier.distance in seen:
            yield Field(f"{path}.distance", "stands twice; each distance has one fee.")
        seen.add(tier.distance)


def _stop_bands(rate: ServiceRate) -> Iterator[Field]:
    whole = [band for band in rate.drop_fees if band.min % 1 == 0 and (band.max or 0) % 1 == 0]
    for number, band in enumerate(rate.drop_fees):
        if band not in whole:
            yield Field(f"drop_fees[{number}]", "must count whole stops.")
    yield from _bands("drop_fees", rate.drop_fees, step=1)


def _weight_bands(rate: ServiceRate) -> Iterator[Field]:
    yield from _bands("weight_fees", rate.weight_fees, step=0)


def _volume_bands(rate: ServiceRate) -> Iterator[Field]:
    yield from _bands("volume_fees", rate.volume_fees, step=0)


def _bands(name: str, bands: Sequence[Band], *, step: int) -> Iterator[Field]:
    """See that bands follow each other without overlaps and gaps; `step` is between two of them."""
    faults = [
        fault
        for number, band in enumerate(bands)
        for fault in _band(f"{name}[{number}]", band, empty=not step)
    ]
    yield from faults
    if faults:
        return
    ordered = sorted(range(len(bands)), key=lambda number: bands[number].min)
    for before, after in pairwise(ordered):
        end, begin = bands[before].max, bands[after].min
        path = f"{name}[{after}].min"
        if end is None or begin < end + step:
            yield Field(path, f"overlaps {name}[{before}].")
        elif begin > end + step:
            gap = f"from {spelled(end)} to {spelled(begin)}"
            yield Field(path, f"leaves a gap after {name}[{before}]: nothing is said {gap}.")


def _band(path: str, band: Band, *, empty: bool) -> Iterator[Field]:
    yield from _amount(f"{path}.fee", band.fee)
    yield from _quantity(f"{path}.min", band.min)
    yield from _quantity(f"{path}.max", band.max)
    if band.max is None:
        return
    if band.max < band.min:
        yield Field(f"{path}.max", "must not be below min.")
    elif empty and band.max == band.min:
        yield Field(f"{path}.max", "must be above min: the end belongs to the next band.")


def _parcel_fees(rate: ServiceRate) -> Iterator[Field]:
    for number, fee in enumerate(rate.parcel_fees):
        path = f"parcel_fees[{number}]"
        if not fee.size.strip():
            yield Field(f"{path}.size", "must not be empty.")
        yield from _amount(f"{path}.fee", fee.fee)
        for name in ("length", "width", "height", "weight"):
            yield from _size(f"{path}.{name}", getattr(fee, name))


def _zone_fees(rate: ServiceRate) -> Iterator[Field]:
    seen: set[UUID | None] = set()
    for number, fee in enumerate(rate.zone_fees):
        path = f"zone_fees[{number}]"
        yield from _quantity(f"{path}.fee", fee.fee)
        if fee.zone is not None and fee.service_area is not None:
            yield Field(path, "must name a zone or a service area, not both.")
        named = fee.zone or fee.service_area
        if named in seen:
            what = "a fee for everywhere else" if named is None else "this zone or area"
            yield Field(path, f"is the second one for {what}.")
        seen.add(named)


def _cash(rate: ServiceRate) -> Iterator[Field]:
    if rate.has_cod_fee:
        yield from _surcharge("cod_", "calculation_method", surcharges.of_cash(rate))
    if rate.cod_percent is not None and rate.cod_percent > _PER_CENT:
        yield Field("cod_percent", "must not be above 100 per cent.")


def _peaks(rate: ServiceRate) -> Iterator[Field]:
    if (rate.peak_hours_start is None) != (rate.peak_hours_end is None):
        missing = "start" if rate.peak_hours_start is None else "end"
        yield Field(f"peak_hours_{missing}", "must be given: a window has a start and an end.")
    for name in ("peak_hours_start", "peak_hours_end"):
        if getattr(rate, name) is not None:
            yield from _read(name, peaks.minute, getattr(rate, name))
    for number, window in enumerate(rate.peak_windows):
        yield from _window(rate, f"peak_windows[{number}]", window)
    if not rate.has_peak_hours_fee:
        return
    if rate.peak_hours_start is not None:
        fee = surcharges.of_peak_hours(rate)
        yield from _surcharge("peak_hours_", "calculation_method", fee)
    elif not rate.peak_windows:
        yield Field(
            "peak_hours_start", "must be given, or peak_windows, when peak hours cost more."
        )


def _window(rate: ServiceRate, path: str, window: PeakWindow) -> Iterator[Field]:
    for name in ("start", "end"):
        yield from _read(f"{path}.{name}", peaks.minute, getattr(window, name))
    if len(set(window.days)) < len(window.days):
        yield Field(f"{path}.days", "must not name a day twice.")
    yield from _amount(f"{path}.flat_fee", window.flat_fee)
    yield from _percent(f"{path}.percent", window.percent)
    if rate.has_peak_hours_fee:
        yield from _surcharge(f"{path}.", "method", surcharges.of_window(rate, window))


def _surcharge(before: str, name: str, fee: Surcharge) -> Iterator[Field]:
    """See that a surcharge says how it is found, and from what."""
    if fee.method is None:
        yield Field(f"{before}{name}", "must be flat or percentage.")
    elif fee.method == "flat" and fee.flat is None:
        yield Field(f"{before}flat_fee", "must be given, because the fee is flat.")
    elif fee.method == "percentage" and fee.percent is None:
        yield Field(f"{before}percent", "must be given, because the fee is a percentage.")


def _read(path: str, read: Callable[[str], object], text: str) -> Iterator[Field]:
    try:
        read(text)
    except ValueError as wrong:
        yield Field(path, str(wrong))


RULES: Final[tuple[Callable[[ServiceRate], Iterator[Field]], ...]] = (
    _names,
    _numbers,
    _bounds,
    _lengths,
    _method,
    _meter_fees,
    _stop_bands,
    _weight_bands,
    _volume_bands,
    _parcel_fees,
    _zone_fees,
    _cash,
    _peaks,
)
