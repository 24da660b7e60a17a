"""Validation of rates: one sentence for each fault. Pure rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import rules as settings
from pannier.errors import Field
from pannier.kit import money
from pannier.rates import formula, peaks, surcharges
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, spelled
from pannier.rates.models import LISTS, Band, Method, PeakWindow, ServiceRate
from pannier.rates.surcharges import Surcharge

MOST_TIERS: Final = 200
MOST_WINDOWS: Final = 50
MOST_ZONE_FEES: Final = 100
# For all lists together.
MOST_ENTRIES: Final = 300
# So that a product with a unit is exact in ordinary decimals.
MOST_DIGITS: Final = 12
MOST_DECIMALS: Final = 6
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
# Integers that are not amounts and may be negative.
_FREE: Final = frozenset(("version", "priority"))
_LENGTHS: Final = dict.fromkeys(LISTS, MOST_TIERS) | {
    "zone_fees": MOST_ZONE_FEES,
    "peak_windows": MOST_WINDOWS,
}
# The field that each method requires.
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
    """List the faults of a rate. A rate without faults can be saved."""
    faults = [*_names(rate), *_numbers("", rate)]
    # The other rules compare numbers, so they need valid ones.
    return faults or [fault for rule in RULES for fault in rule(rate)]


def _names(rate: ServiceRate) -> Iterator[Field]:
    for name in ("service_name", "service_type"):
        if not getattr(rate, name).strip():
            yield Field(name, "must not be empty.")
    if rate.currency not in money.CURRENCIES:
        yield Field("currency", "must be a currency code of three letters, such as SGD.")
    if rate.timezone is not None:
        yield from _read("timezone", settings.time_zone, rate.timezone)


def _numbers(path: str, value: object) -> Iterator[Field]:
    """Check every number in a rate, at any depth."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in _FREE:
                yield from _numbers(f"{path}.{name}".lstrip("."), getattr(value, name))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _numbers(f"{path}[{number}]", entry)
    elif isinstance(value, Decimal):
        yield from _quantity(path, value)
    elif isinstance(value, int) and not 0 <= value <= money.LARGEST_AMOUNT:
        yield Field(
            path, f"must be a whole number of minor units between 0 and {money.LARGEST_AMOUNT:,}."
        )


def _quantity(path: str, number: Decimal) -> Iterator[Field]:
    if not number.is_finite() or number < 0:
        yield Field(path, "must be 0 or more.")
    elif number.adjusted() >= MOST_DIGITS or _decimals(number) > MOST_DECIMALS:
        most = f"{MOST_DIGITS} digits before the point and {MOST_DECIMALS} after it"
        yield Field(path, f"must have at most {most}.")


def _decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _limits(rate: ServiceRate) -> Iterator[Field]:
    if rate.volumetric_divisor == 0:
        yield Field("volumetric_divisor", "must be at least 1 (cubic centimetres a kilogram).")
    if rate.quote_life is not None and not SHORTEST_LIFE <= rate.quote_life <= LONGEST_LIFE:
        yield Field("quote_life", "must be between 60 seconds and 7 days (604800).")
    yield from _percent("cod_percent", rate.cod_percent, _PER_CENT)
    yield from _percent("peak_hours_percent", rate.peak_hours_percent, _MOST_PER_CENT)


def _percent(path: str, percent: Decimal | None, most: int) -> Iterator[Field]:
    if percent is not None and percent > most:
        yield Field(path, f"must be at most {most} per cent.")


def _above_zero(path: str, number: Decimal | None) -> Iterator[Field]:
    if number == 0:
        yield Field(path, "must be more than 0.")


def _bounds(rate: ServiceRate) -> Iterator[Field]:
    for low, high in _PAIRS:
        least, most = getattr(rate, low), getattr(rate, high)
        if least is not None and most is not None and least > most:
            yield Field(high, f"must not be less than `{low}`.")
    if rate.min_distance is not None and rate.max_distance is not None:
        most = rate.max_distance * TENTHS_OF_MILLIMETRES[rate.max_distance_unit]
        if rate.min_distance * TENTHS_IN_A_METRE > most:
            yield Field("max_distance", "must not be less than `min_distance`, which is in metres.")
    if rate.valid_from and rate.valid_until and rate.valid_until <= rate.valid_from:
        yield Field("valid_until", "must be after `valid_from`.")


def _lengths(rate: ServiceRate) -> Iterator[Field]:
    long = [name for name, most in _LENGTHS.items() if len(getattr(rate, name)) > most]
    yield from (Field(name, f"must not have more than {_LENGTHS[name]} entries.") for name in long)
    if not long and rate.entries > MOST_ENTRIES:
        longest = max(LISTS, key=lambda name: len(getattr(rate, name)))
        sentence = f"must have at most {MOST_ENTRIES} entries together with the rate's other lists."
        yield Field(longest, sentence)


def _method(rate: ServiceRate) -> Iterator[Field]:
    method = rate.rate_calculation_method
    needed = _NEEDED.get(method)
    if needed is not None and getattr(rate, needed) in (None, "", []):
        yield Field(needed, f"This field is required by the method {method}.")
    if rate.algorithm:
        yield from _read("algorithm", formula.check, rate.algorithm)


def _meter_fees(rate: ServiceRate) -> Iterator[Field]:
    seen: set[Decimal] = set()
    for number, tier in enumerate(rate.meter_fees):
        path = f"meter_fees[{number}]"
        yield from _above_zero(f"{path}.distance", tier.distance)
        if tier.distance in seen:
            yield Field(
                f"{path}.distance", "must not be in the list twice: each distance has one fee."
            )
        seen.add(tier.distance)


def _stop_bands(rate: ServiceRate) -> Iterator[Field]:
    for number, band in enumerate(rate.drop_fees):
        if band.min % 1 or (band.max or 0) % 1:
            yield Field(f"drop_fees[{number}]", "must be a whole number of stops.")
    yield from _bands("drop_fees", rate.drop_fees, step=1)


def _weight_bands(rate: ServiceRate) -> Iterator[Field]:
    yield from _bands("weight_fees", rate.weight_fees, step=0)


def _volume_bands(rate: ServiceRate) -> Iterator[Field]:
    yield from _bands("volume_fees", rate.volume_fees, step=0)


def _bands(name: str, bands: Sequence[Band], *, step: int) -> Iterator[Field]:
    """Check that bands neither overlap nor leave gaps. `step` is the distance between two bands."""
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
            yield Field(path, f"leaves a gap after {name}[{before}]: there is no fee {gap}.")


def _band(path: str, band: Band, *, empty: bool) -> Iterator[Field]:
    if band.max is None:
        return
    if band.max < band.min:
        yield Field(f"{path}.max", "must not be less than `min`.")
    elif empty and band.max == band.min:
        yield Field(f"{path}.max", "must be more than `min`: the end belongs to the next band.")


def _parcel_fees(rate: ServiceRate) -> Iterator[Field]:
    for number, fee in enumerate(rate.parcel_fees):
        path = f"parcel_fees[{number}]"
        if not fee.size.strip():
            yield Field(f"{path}.size", "must not be empty.")
        for name in ("length", "width", "height", "weight"):
            yield from _above_zero(f"{path}.{name}", getattr(fee, name))


def _zone_fees(rate: ServiceRate) -> Iterator[Field]:
    seen: set[UUID | None] = set()
    for number, fee in enumerate(rate.zone_fees):
        path = f"zone_fees[{number}]"
        if fee.zone is not None and fee.service_area is not None:
            yield Field(path, "must name a zone or a service area, not both.")
        named = fee.zone or fee.service_area
        if named in seen:
            what = "a fee for everywhere else" if named is None else "this zone or area"
            yield Field(path, f"must not be in the list twice for {what}.")
        seen.add(named)


def _cash(rate: ServiceRate) -> Iterator[Field]:
    if rate.has_cod_fee:
        yield from _surcharge("cod_", "calculation_method", surcharges.of_cash(rate))


def _peaks(rate: ServiceRate) -> Iterator[Field]:
    if (rate.peak_hours_start is None) != (rate.peak_hours_end is None):
        missing = "start" if rate.peak_hours_start is None else "end"
        yield Field(
            f"peak_hours_{missing}", "This field is required: a window has a start and an end."
        )
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
        yield Field("peak_hours_start", "Send this or `peak_windows` when peak hours cost more.")


def _window(rate: ServiceRate, path: str, window: PeakWindow) -> Iterator[Field]:
    for name in ("start", "end"):
        yield from _read(f"{path}.{name}", peaks.minute, getattr(window, name))
    if len(set(window.days)) < len(window.days):
        yield Field(f"{path}.days", "must not name a day twice.")
    yield from _percent(f"{path}.percent", window.percent, _MOST_PER_CENT)
    if rate.has_peak_hours_fee:
        yield from _surcharge(f"{path}.", "method", surcharges.of_window(rate, window))


def _surcharge(before: str, name: str, fee: Surcharge) -> Iterator[Field]:
    """Check that a surcharge has a method and its value."""
    if fee.method is None:
        yield Field(f"{before}{name}", "must be one of: flat, percentage.")
    elif fee.method == "flat" and fee.flat is None:
        yield Field(f"{before}flat_fee", "This field is required, because the fee is flat.")
    elif fee.method == "percentage" and fee.percent is None:
        yield Field(f"{before}percent", "This field is required, because the fee is a percentage.")


def _read(path: str, read: Callable[[str], object], text: str) -> Iterator[Field]:
    try:
        read(text)
    except ValueError as wrong:
        yield Field(path, str(wrong))


RULES: Final[tuple[Callable[[ServiceRate], Iterator[Field]], ...]] = (
    _limits,
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
