"""Price a shipment by a rate, line by line. Pure rules.

Calculations use whole numbers and exact fractions. Each line is rounded once, halves away from
zero, and the price is the sum of the lines.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from pannier.kit import money
from pannier.rates import boxes, crossing, peaks, surcharges
from pannier.rates.crossing import Borders, CuttingWork
from pannier.rates.formula import Formula
from pannier.rates.matching import NoPriceReason
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, format_number
from pannier.rates.models import Band, MeterFee, Method, PeakWindow, ServiceRate
from pannier.rates.shipment import Shipment
from pannier.rates.surcharges import Surcharge

Code = Literal[
    "BASE_FEE", "DISTANCE_FEE", "DROP_FEE", "PARCEL_FEE", "WEIGHT_FEE", "VOLUME_FEE",
    "ALGORITHM_FEE", "MULTI_ZONE_DISTANCE_FEE", "COD_FEE", "PEAK_HOUR_FEE",
    "MINIMUM_ADJUSTMENT", "MAXIMUM_ADJUSTMENT", "SURCHARGE", "TAX",
]  # fmt: skip


class PriceLine(msgspec.Struct, frozen=True):
    """A part of a price, with its description."""

    code: Code
    details: str
    amount: int


class Price(msgspec.Struct, frozen=True):
    """A price: the sum of its lines, which contains the tax."""

    lines: tuple[PriceLine, ...]
    amount: int
    tax_rate: Decimal | None = None
    tax_amount: int = 0


PriceLines: TypeAlias = list[PriceLine]
_ZERO: Final = Decimal(0)
_PER_CENT: Final = 100
# The limits of cutting one route, which takes a fraction of a second for usual borders. A
# comb-shaped border has as many crossings as vertices, and a crossing costs as much as a hundred
# vertices.
MAX_VERTICES: Final = 250_000
MAX_CROSSINGS: Final = 2_000
# The number of such cuts that all rates of one quote may share.
MAX_FULL_CUTS: Final = 20


class CuttingBudget(msgspec.Struct):
    """The work that may still be spent on cutting routes at borders."""

    vertices: int = MAX_FULL_CUTS * MAX_VERTICES
    crossings: int = MAX_FULL_CUTS * MAX_CROSSINGS

    def spend(self, work: CuttingWork) -> None:
        """Subtract work that was done."""
        self.vertices = max(0, self.vertices - work.vertices)
        self.crossings = max(0, self.crossings - work.crossings)


class PricingContext(NamedTuple):
    """The context of pricing: borders of zone fees, formulas and a work budget."""

    borders: Borders
    compile_formula: Callable[[str], Formula]
    cutting: CuttingBudget


def price_shipment(
    rate: ServiceRate,
    shipment: Shipment,
    *,
    time_zone: str,
    borders: Borders,
    compile_formula: Callable[[str], Formula] = Formula,
    cutting: CuttingBudget | None = None,
) -> Price | NoPriceReason:
    """Price a shipment by a rate that matches it, or return why the rate has no price for it.

    `time_zone` is the company's time zone. A `compile_formula` with a cache saves work. Several
    rates may share one `cutting` budget, which then limits all of them together.
    """
    context = PricingContext(borders, compile_formula, cutting or CuttingBudget())
    service_lines = PRICING_METHODS[rate.rate_calculation_method](rate, shipment, context)
    if isinstance(service_lines, NoPriceReason):
        return service_lines
    lines = _price_base(rate, service_lines) + service_lines
    service_amount = _sum_amounts(lines)
    lines += _price_cash(rate, shipment)
    lines += _price_peak(
        rate, peaks.find_open_windows(rate, shipment.effective_at, time_zone), service_amount
    )
    lines += _limit_price(rate, _sum_amounts(lines))
    lines += _price_rules(rate, shipment, time_zone, borders, _sum_amounts(lines))
    amount = _sum_amounts(lines)
    if max(amount, *(abs(line.amount) for line in lines)) > money.MAX_AMOUNT:
        return NoPriceReason("amount_too_large", "The price is too large to be stored.")
    return Price(tuple(lines), amount)


def _price_base(rate: ServiceRate, service_lines: PriceLines) -> PriceLines:
    """Return the base fee. A base fee of 0 has a line only if there is no other."""
    return (
        [PriceLine("BASE_FEE", "Base fee", rate.base_fee)]
        if rate.base_fee or not service_lines
        else []
    )


def _price_fixed(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    if not rate.meter_fees:
        return []
    unit = rate.max_distance_unit
    distance = shipment.route.distance * TENTHS_IN_A_METRE
    matching_fees = [
        fee for fee in rate.meter_fees if distance <= fee.distance * TENTHS_OF_MILLIMETRES[unit]
    ]
    if matching_fees:
        tier = min(matching_fees, key=_get_distance)
        return [PriceLine("DISTANCE_FEE", f"Up to {format_number(tier.distance)} {unit}", tier.fee)]
    last_fee = max(rate.meter_fees, key=_get_distance)
    last_distance = f"{format_number(last_fee.distance)} {unit}"
    if rate.open_ended:
        return [PriceLine("DISTANCE_FEE", f"Beyond {last_distance}", last_fee.fee)]
    return NoPriceReason(
        "beyond_last_tier",
        f"The route is longer than {last_distance}, the last distance with a fee.",
    )


def _get_distance(fee: MeterFee) -> Decimal:
    return fee.distance


def _price_per_meter(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    fee = rate.per_meter_flat_rate_fee or _ZERO
    return [_price_length("DISTANCE_FEE", rate, shipment.route.distance, fee)]


def _price_zones(
    rate: ServiceRate, shipment: Shipment, context: PricingContext
) -> PriceLines | NoPriceReason:
    borders, budget = context.borders, context.cutting
    maximum = CuttingWork(min(MAX_VERTICES, budget.vertices), min(MAX_CROSSINGS, budget.crossings))
    work = crossing.measure_work(shipment.stops, rate.zone_fees, borders, maximum)
    budget.spend(work)
    if work.vertices > maximum.vertices or work.crossings > maximum.crossings:
        return NoPriceReason(
            "too_complex", "The route crosses too many borders, or borders with too many vertices."
        )
    shares = crossing.apportion_distance(
        shipment.stops, shipment.route.distance, rate.zone_fees, borders
    )
    if shares is None:
        return NoPriceReason("outside_fee_zones", "The rate has no fee for a part of the route.")
    return [
        _price_length(
            "MULTI_ZONE_DISTANCE_FEE", rate, metres, fee.fee, f"{fee.label}: " if fee.label else ""
        )
        for fee, metres in shares
    ]


def _price_length(
    code: Code, rate: ServiceRate, metres: int, fee: Decimal, prefix: str = ""
) -> PriceLine:
    """Price a part of the route by its length."""
    unit = rate.per_meter_unit
    length, unit_length = metres * TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES[unit]
    if rate.distance_rounding == "started_unit":
        length = -(-length // unit_length) * unit_length
    units = Decimal(money.divide_half_up(length * 1000, unit_length)).scaleb(-3)
    unit_price = _format_amount(fee, rate)
    details = f"{prefix}{format_number(units)} {unit} at {unit_price} per {unit}"
    return PriceLine(code, details, _multiply_and_round(fee, length, unit_length))


def _price_stops(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    count = len(shipment.stops)
    for band in rate.drop_fees:
        if band.min <= count and (band.max is None or count <= band.max):
            return [PriceLine("DROP_FEE", f"{count} stops", band.fee)]
    return NoPriceReason("outside_bands", f"The rate has no fee for {count} stops.")


def _price_weight(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    billable = boxes.compute_billable_weight(shipment.parcels, rate.volumetric_divisor)
    if billable is None:
        return NoPriceReason(
            "weight_unknown",
            "The rate depends on the weight, but an item has no weight, or there are no items.",
        )
    return _price_band("WEIGHT_FEE", rate, rate.weight_fees, billable, "kg")


def _price_volume(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    if not shipment.parcels or shipment.volume is None:
        return NoPriceReason(
            "volume_unknown",
            "The rate depends on the volume, but an item has no size, or there are no items.",
        )
    return _price_band("VOLUME_FEE", rate, rate.volume_fees, Fraction(shipment.volume), "m³")


def _price_band(
    code: Code, rate: ServiceRate, bands: Sequence[Band], value: Fraction, unit: str
) -> PriceLines | NoPriceReason:
    """Find the fee for a weight or a volume. The end of a band belongs to the next band."""
    for band in bands:
        if band.min <= value and (band.max is None or value < band.max):
            end = "" if band.max is None else f" up to {format_number(band.max)}"
            return [PriceLine(code, f"From {format_number(band.min)}{end} {unit}", band.fee)]
    last_band = max(bands, key=_get_min, default=None)
    if last_band is None or not rate.open_ended or value < last_band.min:
        return NoPriceReason("outside_bands", f"The rate has no fee for this number of {unit}.")
    return [PriceLine(code, f"From {format_number(last_band.min)} {unit}", last_band.fee)]


def _get_min(band: Band) -> Decimal:
    return band.min


def _price_parcels(
    rate: ServiceRate, shipment: Shipment, _: PricingContext
) -> PriceLines | NoPriceReason:
    if not shipment.parcels:
        return NoPriceReason("no_items", "The rate is per parcel, but there are no items.")
    box_counts = boxes.pack_items(shipment.parcels, rate.parcel_fees)
    if isinstance(box_counts, NoPriceReason):
        return box_counts
    return [
        PriceLine(
            "PARCEL_FEE",
            f"{count} {box.size} at {_format_amount(box.fee, rate)} each",
            count * box.fee,
        )
        for box, count in box_counts
    ]


def _price_algorithm(
    rate: ServiceRate, shipment: Shipment, context: PricingContext
) -> PriceLines | NoPriceReason:
    formula = context.compile_formula(rate.algorithm or "0")
    # No items have no known weight, as in the methods by weight and by volume.
    has_items = bool(shipment.parcels)
    if "weight_kg" in formula.names and not (has_items and shipment.weight is not None):
        return NoPriceReason(
            "weight_unknown",
            "The formula uses the weight, but an item has no weight, or there are no items.",
        )
    if "volume_m3" in formula.names and not (has_items and shipment.volume is not None):
        return NoPriceReason(
            "volume_unknown",
            "The formula uses the volume, but an item has no size, or there are no items.",
        )
    numerator, denominator = formula.evaluate(
        {name: FORMULA_VALUES[name](rate, shipment) for name in formula.names}
    )
    return [
        PriceLine("ALGORITHM_FEE", "Custom formula", money.divide_half_up(numerator, denominator))
    ]


def _price_cash(rate: ServiceRate, shipment: Shipment) -> PriceLines:
    if not shipment.cod or not rate.has_cod_fee:
        return []
    fee, cash = surcharges.make_cash_surcharge(rate), shipment.cod_amount or 0
    return [_price_surcharge("COD_FEE", "Cash on delivery", rate, fee, cash)]


def _price_peak(
    rate: ServiceRate, windows: Sequence[PeakWindow], service_amount: int
) -> PriceLines:
    """Price peak hours. If several windows are open, only the most expensive one counts."""
    lines = [
        _price_surcharge(
            "PEAK_HOUR_FEE",
            f"Peak hours {window.start} to {window.end}",
            rate,
            surcharges.make_window_surcharge(rate, window),
            service_amount,
        )
        for window in windows
    ]
    return [max(lines, key=_get_amount)] if lines else []


def _price_surcharge(
    code: Code, details: str, rate: ServiceRate, fee: Surcharge, base_amount: int
) -> PriceLine:
    if fee.method != "percentage":
        return PriceLine(code, details, fee.flat or 0)
    percent = fee.percent or _ZERO
    base = _format_amount(base_amount, rate)
    details = f"{details}, {format_number(percent)}% of {base}"
    return PriceLine(code, details, _multiply_and_round(percent, base_amount, _PER_CENT))


def _price_rules(
    rate: ServiceRate, shipment: Shipment, time_zone: str, borders: Borders, price: int
) -> PriceLines:
    """Price the surcharges whose conditions are met. They come on top of the limits."""
    lines = []
    for rule in rate.surcharges:
        count = surcharges.count_occasions(rate, rule, shipment, time_zone, borders)
        if not count:
            continue
        if rule.percent is None:
            details = rule.name if count == 1 else f"{rule.name}, {count} items"
            line = PriceLine("SURCHARGE", details, count * (rule.flat_fee or 0))
        else:
            is_insurance = rule.kind == "insured_value"
            base = shipment.sum_declared_values(rate.currency) if is_insurance else price
            fee = Surcharge("percentage", None, rule.percent)
            line = _price_surcharge("SURCHARGE", rule.name, rate, fee, base)
        lines.append(line)
    return lines


def _format_amount(amount: Decimal | int, rate: ServiceRate) -> str:
    return f"{money.to_major_units(amount, rate.currency)} {rate.currency}"


def _get_amount(line: PriceLine) -> int:
    return line.amount


def _limit_price(rate: ServiceRate, amount: int) -> PriceLines:
    """Return the line that brings the price to the rate's minimum or maximum, if needed."""
    minimum, maximum = rate.minimum_fee or 0, rate.maximum_fee
    if amount < minimum:
        details = f"At least {_format_amount(minimum, rate)}"
        return [PriceLine("MINIMUM_ADJUSTMENT", details, minimum - amount)]
    if maximum is not None and amount > maximum:
        details = f"At most {_format_amount(maximum, rate)}"
        return [PriceLine("MAXIMUM_ADJUSTMENT", details, maximum - amount)]
    return []


def _sum_amounts(lines: PriceLines) -> int:
    return sum(line.amount for line in lines)


def _multiply_and_round(factor: Decimal, numerator: int, denominator: int) -> int:
    """Multiply exactly, then round once, halves away from zero."""
    factor_numerator, factor_denominator = factor.as_integer_ratio()
    return money.divide_half_up(factor_numerator * numerator, factor_denominator * denominator)


# The variables of formulas, as a numerator and a denominator.
FORMULA_VALUES: Final[Mapping[str, Callable[[ServiceRate, Shipment], tuple[int, int]]]] = {
    "distance_km": lambda _, shipment: (shipment.route.distance, 1000),
    "time_min": lambda _, shipment: (shipment.route.time, 60),
    "stops": lambda _, shipment: (len(shipment.stops), 1),
    "weight_kg": lambda _, shipment: (shipment.weight or _ZERO).as_integer_ratio(),
    "volume_m3": lambda _, shipment: (shipment.volume or _ZERO).as_integer_ratio(),
    "items": lambda _, shipment: (shipment.item_count, 1),
    "base_fee": lambda rate, _: (rate.base_fee, 1),
}

PRICING_METHODS: Final[
    Mapping[Method, Callable[[ServiceRate, Shipment, PricingContext], PriceLines | NoPriceReason]]
] = {
    "fixed_rate": _price_fixed,
    "per_meter": _price_per_meter,
    "per_drop": _price_stops,
    "parcel": _price_parcels,
    "weight": _price_weight,
    "volume": _price_volume,
    "multi_zone_distance": _price_zones,
    "algorithm": _price_algorithm,
}
