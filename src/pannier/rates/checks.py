"""Validation of rates: one message for each fault. Pure rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import rules as settings
from pannier.errors import FieldError
from pannier.kit import money, tax
from pannier.kit.local_time import parse_minute
from pannier.rates import formula, surcharges
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, format_number
from pannier.rates.models import LISTS, Band, Method, PeakWindow, ServiceRate, SurchargeRule
from pannier.rates.surcharges import Surcharge

Value = TypeVar("Value")
MAX_TIERS: Final = 200
MAX_WINDOWS: Final = 50
MAX_ZONE_FEES: Final = 100
# For all lists together.
MAX_ENTRIES: Final = 300
# Products with units are then exact in ordinary decimals.
MAX_DIGITS: Final = 12
MAX_DECIMALS: Final = 6
MAX_QUOTE_LIFE_SECONDS: Final = 7 * 24 * 60 * 60
MIN_QUOTE_LIFE_SECONDS: Final = 60
_MAX_COD_PERCENT: Final = 100
_MAX_PEAK_PERCENT: Final = 1_000

_MIN_MAX_PAIRS: Final = (
    ("min_weight", "max_weight"),
    ("min_volume", "max_volume"),
    ("min_stops", "max_stops"),
    ("min_cod", "max_cod"),
    ("minimum_fee", "maximum_fee"),
)
# Integers that are not amounts and may be negative.
_UNCHECKED_FIELDS: Final = frozenset(("version", "priority"))
_MAX_LENGTHS: Final = dict.fromkeys(LISTS, MAX_TIERS) | {
    "zone_fees": MAX_ZONE_FEES,
    "peak_windows": MAX_WINDOWS,
}
# The field that each method requires.
_REQUIRED_FIELDS: Final[Mapping[Method, str]] = {
    "per_meter": "per_meter_flat_rate_fee",
    "per_drop": "drop_fees",
    "parcel": "parcel_fees",
    "weight": "weight_fees",
    "volume": "volume_fees",
    "multi_zone_distance": "zone_fees",
    "algorithm": "algorithm",
}


def list_faults(rate: ServiceRate) -> list[FieldError]:
    """List the validation errors of a rate. A rate without errors can be saved."""
    errors = [*_check_names(rate), *_check_numbers("", rate)]
    # The other rules compare numbers, so they need valid ones.
    return errors or [error for rule in RULES for error in rule(rate)]


def _check_names(rate: ServiceRate) -> Iterator[FieldError]:
    for name in ("service_name", "service_type"):
        if not getattr(rate, name).strip():
            yield FieldError(name, "must not be empty.")
    if rate.currency not in money.CURRENCIES:
        yield FieldError("currency", "must be a currency code of three letters, such as SGD.")
    if rate.timezone is not None:
        yield from _check_parsed("timezone", settings.parse_time_zone, rate.timezone)


def _check_numbers(path: str, value: object) -> Iterator[FieldError]:
    """Check all numbers in a rate, at any depth."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in _UNCHECKED_FIELDS:
                yield from _check_numbers(f"{path}.{name}".lstrip("."), getattr(value, name))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _check_numbers(f"{path}[{number}]", entry)
    elif isinstance(value, Decimal):
        yield from _check_decimal(path, value)
    elif isinstance(value, int) and not 0 <= value <= money.MAX_AMOUNT:
        yield FieldError(
            path, f"must be a whole number of minor units between 0 and {money.MAX_AMOUNT:,}."
        )


def _check_decimal(path: str, number: Decimal) -> Iterator[FieldError]:
    if not number.is_finite() or number < 0:
        yield FieldError(path, "must be 0 or more.")
    elif number.adjusted() >= MAX_DIGITS or _count_decimals(number) > MAX_DECIMALS:
        maximum = f"{MAX_DIGITS} digits before the point and {MAX_DECIMALS} after it"
        yield FieldError(path, f"must have at most {maximum}.")


def _count_decimals(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _check_limits(rate: ServiceRate) -> Iterator[FieldError]:
    if rate.volumetric_divisor == 0:
        yield FieldError(
            "volumetric_divisor", "must be at least 1 (cubic centimetres per kilogram)."
        )
    if (
        rate.quote_life is not None
        and not MIN_QUOTE_LIFE_SECONDS <= rate.quote_life <= MAX_QUOTE_LIFE_SECONDS
    ):
        yield FieldError("quote_life", "must be between 60 seconds and 7 days (604800).")
    if rate.tax_rate is not None:
        yield from _check_parsed("tax_rate", tax.parse_rate, rate.tax_rate)
    yield from _check_percent("cod_percent", rate.cod_percent, _MAX_COD_PERCENT)
    yield from _check_percent("peak_hours_percent", rate.peak_hours_percent, _MAX_PEAK_PERCENT)


def _check_percent(path: str, percent: Decimal | None, maximum: int) -> Iterator[FieldError]:
    if percent is not None and percent > maximum:
        yield FieldError(path, f"must be at most {maximum} per cent.")


def _check_above_zero(path: str, number: Decimal | None) -> Iterator[FieldError]:
    if number == 0:
        yield FieldError(path, "must be more than 0.")


def _check_bounds(rate: ServiceRate) -> Iterator[FieldError]:
    for min_name, max_name in _MIN_MAX_PAIRS:
        minimum, maximum = getattr(rate, min_name), getattr(rate, max_name)
        if minimum is not None and maximum is not None and minimum > maximum:
            yield FieldError(max_name, f"must not be less than `{min_name}`.")
    if rate.min_distance is not None and rate.max_distance is not None:
        maximum = rate.max_distance * TENTHS_OF_MILLIMETRES[rate.max_distance_unit]
        if rate.min_distance * TENTHS_IN_A_METRE > maximum:
            yield FieldError(
                "max_distance", "must not be less than `min_distance`, which is in metres."
            )
    if rate.valid_from and rate.valid_until and rate.valid_until <= rate.valid_from:
        yield FieldError("valid_until", "must be after `valid_from`.")


def _check_lengths(rate: ServiceRate) -> Iterator[FieldError]:
    long_lists = [
        name for name, maximum in _MAX_LENGTHS.items() if len(getattr(rate, name)) > maximum
    ]
    yield from (
        FieldError(name, f"must not have more than {_MAX_LENGTHS[name]} entries.")
        for name in long_lists
    )
    if not long_lists and rate.entry_count > MAX_ENTRIES:
        longest_list = max(LISTS, key=lambda name: len(getattr(rate, name)))
        message = f"must have at most {MAX_ENTRIES} entries together with the rate's other lists."
        yield FieldError(longest_list, message)


def _check_method(rate: ServiceRate) -> Iterator[FieldError]:
    method = rate.rate_calculation_method
    required_field = _REQUIRED_FIELDS.get(method)
    if required_field is not None and getattr(rate, required_field) in (None, "", []):
        yield FieldError(required_field, f"This field is required by the method {method}.")
    if rate.algorithm:
        yield from _check_parsed("algorithm", formula.check_formula, rate.algorithm)


def _check_meter_fees(rate: ServiceRate) -> Iterator[FieldError]:
    distances: set[Decimal] = set()
    for number, tier in enumerate(rate.meter_fees):
        path = f"meter_fees[{number}]"
        yield from _check_above_zero(f"{path}.distance", tier.distance)
        if tier.distance in distances:
            yield FieldError(
                f"{path}.distance", "must not be in the list twice: each distance has one fee."
            )
        distances.add(tier.distance)


def _check_stop_bands(rate: ServiceRate) -> Iterator[FieldError]:
    for number, band in enumerate(rate.drop_fees):
        if band.min % 1 or (band.max or 0) % 1:
            yield FieldError(f"drop_fees[{number}]", "must be a whole number of stops.")
    yield from _check_bands("drop_fees", rate.drop_fees, step=1)


def _check_weight_bands(rate: ServiceRate) -> Iterator[FieldError]:
    yield from _check_bands("weight_fees", rate.weight_fees, step=0)


def _check_volume_bands(rate: ServiceRate) -> Iterator[FieldError]:
    yield from _check_bands("volume_fees", rate.volume_fees, step=0)


def _check_bands(name: str, bands: Sequence[Band], *, step: int) -> Iterator[FieldError]:
    """Check that bands neither overlap nor leave gaps. `step` is the distance between two bands."""
    errors = [
        error
        for number, band in enumerate(bands)
        for error in _check_band(f"{name}[{number}]", band, is_half_open=not step)
    ]
    yield from errors
    if errors:
        return
    numbers_by_start = sorted(range(len(bands)), key=lambda number: bands[number].min)
    for previous_number, current_number in pairwise(numbers_by_start):
        end, start = bands[previous_number].max, bands[current_number].min
        path = f"{name}[{current_number}].min"
        if end is None or start < end + step:
            yield FieldError(path, f"overlaps {name}[{previous_number}].")
        elif start > end + step:
            gap = f"from {format_number(end)} to {format_number(start)}"
            yield FieldError(
                path, f"leaves a gap after {name}[{previous_number}]: there is no fee {gap}."
            )


def _check_band(path: str, band: Band, *, is_half_open: bool) -> Iterator[FieldError]:
    if band.max is None:
        return
    if band.max < band.min:
        yield FieldError(f"{path}.max", "must not be less than `min`.")
    elif is_half_open and band.max == band.min:
        yield FieldError(
            f"{path}.max", "must be more than `min`: the end belongs to the next band."
        )


def _check_parcel_fees(rate: ServiceRate) -> Iterator[FieldError]:
    for number, fee in enumerate(rate.parcel_fees):
        path = f"parcel_fees[{number}]"
        if not fee.size.strip():
            yield FieldError(f"{path}.size", "must not be empty.")
        for name in ("length", "width", "height", "weight"):
            yield from _check_above_zero(f"{path}.{name}", getattr(fee, name))


def _check_zone_fees(rate: ServiceRate) -> Iterator[FieldError]:
    zones: set[UUID | None] = set()
    for number, fee in enumerate(rate.zone_fees):
        path = f"zone_fees[{number}]"
        if fee.zone is not None and fee.service_area is not None:
            yield FieldError(path, "must name a zone or a service area, not both.")
        border = fee.zone or fee.service_area
        if border in zones:
            description = "a fee for everywhere else" if border is None else "this zone or area"
            yield FieldError(path, f"must not be in the list twice for {description}.")
        zones.add(border)


def _check_cash(rate: ServiceRate) -> Iterator[FieldError]:
    if rate.has_cod_fee:
        yield from _check_surcharge(
            "cod_", "calculation_method", surcharges.make_cash_surcharge(rate)
        )


def _check_peaks(rate: ServiceRate) -> Iterator[FieldError]:
    if (rate.peak_hours_start is None) != (rate.peak_hours_end is None):
        missing_bound = "start" if rate.peak_hours_start is None else "end"
        yield FieldError(
            f"peak_hours_{missing_bound}",
            "This field is required: a window has a start and an end.",
        )
    for name in ("peak_hours_start", "peak_hours_end"):
        if getattr(rate, name) is not None:
            yield from _check_parsed(name, parse_minute, getattr(rate, name))
    for number, window in enumerate(rate.peak_windows):
        yield from _check_window(rate, f"peak_windows[{number}]", window)
    if not rate.has_peak_hours_fee:
        return
    if rate.peak_hours_start is not None:
        fee = surcharges.make_peak_hours_surcharge(rate)
        yield from _check_surcharge("peak_hours_", "calculation_method", fee)
    elif not rate.peak_windows:
        yield FieldError("peak_hours_start", "Send this or `peak_windows` if peak hours cost more.")


def _check_window(rate: ServiceRate, path: str, window: PeakWindow) -> Iterator[FieldError]:
    for name in ("start", "end"):
        yield from _check_parsed(f"{path}.{name}", parse_minute, getattr(window, name))
    if len(set(window.days)) < len(window.days):
        yield FieldError(f"{path}.days", "must not name a day twice.")
    yield from _check_percent(f"{path}.percent", window.percent, _MAX_PEAK_PERCENT)
    if rate.has_peak_hours_fee:
        yield from _check_surcharge(
            f"{path}.", "method", surcharges.make_window_surcharge(rate, window)
        )


def _check_rules(rate: ServiceRate) -> Iterator[FieldError]:
    for number, rule in enumerate(rate.surcharges):
        path = f"surcharges[{number}]"
        if not rule.name.strip():
            yield FieldError(f"{path}.name", "must not be empty.")
        if (rule.percent is None) == (rule.flat_fee is None):
            yield FieldError(f"{path}.percent", "Send either `percent` or `flat_fee`.")
        yield from _check_percent(f"{path}.percent", rule.percent, _MAX_PEAK_PERCENT)
        if rule.zone is not None and rule.service_area is not None:
            yield FieldError(path, "must name a zone or a service area, not both.")
        yield from _check_rule_conditions(path, rule)


def _check_rule_conditions(path: str, rule: SurchargeRule) -> Iterator[FieldError]:
    """Check that a surcharge has the condition that its kind is about."""
    if rule.kind == "holiday" and not rule.dates:
        yield FieldError(f"{path}.dates", "This field is required by the kind `holiday`.")
    if rule.kind == "remote_area" and rule.zone is None and rule.service_area is None:
        yield FieldError(f"{path}.zone", "Send this or `service_area` for a remote area.")
    if rule.kind == "oversize" and not rule.has_item_limits:
        yield FieldError(f"{path}.over_length", "Send this or `over_weight` for large items.")
    if rule.kind == "insured_value" and rule.percent is None:
        yield FieldError(f"{path}.percent", "This field is required by the kind `insured_value`.")


def _check_surcharge(prefix: str, name: str, fee: Surcharge) -> Iterator[FieldError]:
    """Check that a surcharge has a method and its value."""
    if fee.method is None:
        yield FieldError(f"{prefix}{name}", "must be one of: flat, percentage.")
    elif fee.method == "flat" and fee.flat is None:
        yield FieldError(f"{prefix}flat_fee", "This field is required, because the fee is flat.")
    elif fee.method == "percentage" and fee.percent is None:
        yield FieldError(
            f"{prefix}percent", "This field is required, because the fee is a percentage."
        )


def _check_parsed(
    path: str, parse: Callable[[Value], object], value: Value
) -> Iterator[FieldError]:
    try:
        parse(value)
    except ValueError as error:
        yield FieldError(path, str(error))


RULES: Final[tuple[Callable[[ServiceRate], Iterator[FieldError]], ...]] = (
    _check_limits,
    _check_bounds,
    _check_lengths,
    _check_method,
    _check_meter_fees,
    _check_stop_bands,
    _check_weight_bands,
    _check_volume_bands,
    _check_parcel_fees,
    _check_zone_fees,
    _check_cash,
    _check_peaks,
    _check_rules,
)
