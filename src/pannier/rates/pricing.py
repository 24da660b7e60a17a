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
from pannier.rates.crossing import Borders, Work
from pannier.rates.formula import Formula
from pannier.rates.matching import Reason
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, spelled
from pannier.rates.models import Band, MeterFee, Method, PeakWindow, ServiceRate
from pannier.rates.shipment import Shipment
from pannier.rates.surcharges import Surcharge

Code = Literal[
    "BASE_FEE", "DISTANCE_FEE", "DROP_FEE", "PARCEL_FEE", "WEIGHT_FEE", "VOLUME_FEE",
    "ALGORITHM_FEE", "MULTI_ZONE_DISTANCE_FEE", "COD_FEE", "PEAK_HOUR_FEE",
    "MINIMUM_ADJUSTMENT", "MAXIMUM_ADJUSTMENT",
]  # fmt: skip


class Line(msgspec.Struct, frozen=True):
    """A part of a price, and what it is for."""

    code: Code
    details: str
    amount: int


class Priced(msgspec.Struct, frozen=True):
    """A price: the sum of its lines."""

    lines: tuple[Line, ...]
    amount: int


Lines: TypeAlias = list[Line]
_NOTHING: Final = Decimal(0)
_PER_CENT: Final = 100
# The limits of cutting one route: a fraction of a second for borders as they are usually drawn. A
# comb-shaped border has as many crossings as vertices, and one crossing costs as much as a hundred
# vertices.
MOST_VERTICES: Final = 250_000
MOST_CROSSINGS: Final = 2_000
# How many such cuts the rates of one quote may use together.
MAX_FULL_CUTS: Final = 20


class Cutting(msgspec.Struct):
    """The work that may still be spent on cutting routes at borders."""

    vertices: int = MAX_FULL_CUTS * MOST_VERTICES
    crossings: int = MAX_FULL_CUTS * MOST_CROSSINGS

    def spend(self, work: Work) -> None:
        """Subtract work that was done."""
        self.vertices = max(0, self.vertices - work.vertices)
        self.crossings = max(0, self.crossings - work.crossings)


class Terms(NamedTuple):
    """What pricing needs besides the rate: borders of its zone fees, formulas and a work budget."""

    borders: Borders
    compile_formula: Callable[[str], Formula]
    cutting: Cutting


def price(
    rate: ServiceRate,
    shipment: Shipment,
    *,
    time_zone: str,
    borders: Borders,
    compile_formula: Callable[[str], Formula] = Formula,
    cutting: Cutting | None = None,
) -> Priced | Reason:
    """Price a shipment by a rate that matches it, or return why the rate has no price for it.

    `time_zone` is the company's. A `compile_formula` with a cache saves work. Several rates may
    share one `cutting` budget, which then limits all of them together.
    """
    terms = Terms(borders, compile_formula, cutting or Cutting())
    service = METHODS[rate.rate_calculation_method](rate, shipment, terms)
    if isinstance(service, Reason):
        return service
    lines = _base(rate, service) + service
    worth = _sum(lines)
    lines += _cash(rate, shipment)
    lines += _peak(rate, peaks.open_at(rate, shipment.at, time_zone), worth)
    lines += _adjustment(rate, _sum(lines))
    amount = _sum(lines)
    if max(amount, *(abs(line.amount) for line in lines)) > money.LARGEST_AMOUNT:
        return Reason("amount_too_large", "The price is larger than any that can be kept.")
    return Priced(tuple(lines), amount)


def _base(rate: ServiceRate, service: Lines) -> Lines:
    """Return the base fee, even if it is 0 when there are no other lines."""
    return [Line("BASE_FEE", "Base fee", rate.base_fee)] if rate.base_fee or not service else []


def _fixed(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    if not rate.meter_fees:
        return []
    unit = rate.max_distance_unit
    way = shipment.route.distance * TENTHS_IN_A_METRE
    within = [fee for fee in rate.meter_fees if way <= fee.distance * TENTHS_OF_MILLIMETRES[unit]]
    if within:
        tier = min(within, key=_reach)
        return [Line("DISTANCE_FEE", f"Up to {spelled(tier.distance)} {unit}", tier.fee)]
    last = max(rate.meter_fees, key=_reach)
    reach = f"{spelled(last.distance)} {unit}"
    if rate.open_ended:
        return [Line("DISTANCE_FEE", f"Beyond {reach}", last.fee)]
    return Reason("beyond_last_tier", f"The way is longer than {reach}, where the fees end.")


def _reach(fee: MeterFee) -> Decimal:
    return fee.distance


def _per_meter(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    fee = rate.per_meter_flat_rate_fee or _NOTHING
    return [_way("DISTANCE_FEE", rate, shipment.route.distance, fee)]


def _multi_zone(rate: ServiceRate, shipment: Shipment, terms: Terms) -> Lines | Reason:
    borders, left = terms.borders, terms.cutting
    most = Work(min(MOST_VERTICES, left.vertices), min(MOST_CROSSINGS, left.crossings))
    work = crossing.work(shipment.stops, rate.zone_fees, borders, most)
    left.spend(work)
    if work.vertices > most.vertices or work.crossings > most.crossings:
        return Reason("too_complex", "The way crosses borders with too many vertices, too often.")
    metres = crossing.metres(shipment.stops, shipment.route.distance, rate.zone_fees, borders)
    if metres is None:
        return Reason("outside_fee_zones", "A part of the way lies where the rate has no fee.")
    return [
        _way("MULTI_ZONE_DISTANCE_FEE", rate, part, fee.fee, f"{fee.label}: " if fee.label else "")
        for fee, part in metres
    ]


def _way(code: Code, rate: ServiceRate, metres: int, fee: Decimal, before: str = "") -> Line:
    """Price a length of the route."""
    unit = rate.per_meter_unit
    length, whole = metres * TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES[unit]
    if rate.distance_rounding == "started_unit":
        length = -(-length // whole) * whole
    shown = Decimal(money.half_up(length * 1000, whole)).scaleb(-3)
    details = f"{before}{spelled(shown)} {unit} at {money.major(fee, rate.currency)} each"
    return Line(code, details, _rounded(fee, length, whole))


def _per_drop(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    count = len(shipment.stops)
    for band in rate.drop_fees:
        if band.min <= count and (band.max is None or count <= band.max):
            return [Line("DROP_FEE", f"{count} stops", band.fee)]
    return Reason("outside_bands", f"The rate has no fee for {count} stops.")


def _weight(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    billable = boxes.billable(shipment.parcels, rate.volumetric_divisor)
    if billable is None:
        return Reason("weight_unknown", "The rate goes by weight, and the items' is not known.")
    return _band("WEIGHT_FEE", rate, rate.weight_fees, billable, "kg")


def _volume(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    if not shipment.parcels or shipment.volume is None:
        return Reason("volume_unknown", "The rate goes by volume, and the items' is not known.")
    return _band("VOLUME_FEE", rate, rate.volume_fees, Fraction(shipment.volume), "m³")


def _band(
    code: Code, rate: ServiceRate, bands: Sequence[Band], value: Fraction, unit: str
) -> Lines | Reason:
    """Find the fee of a weight or a volume. The end of a band belongs to the next one."""
    for band in bands:
        if band.min <= value and (band.max is None or value < band.max):
            end = "" if band.max is None else f" up to {spelled(band.max)}"
            return [Line(code, f"From {spelled(band.min)}{end} {unit}", band.fee)]
    last = max(bands, key=_begin, default=None)
    if last is None or not rate.open_ended or value < last.min:
        return Reason("outside_bands", f"The rate has no fee for so many {unit}.")
    return [Line(code, f"From {spelled(last.min)} {unit}", last.fee)]


def _begin(band: Band) -> Decimal:
    return band.min


def _parcels(rate: ServiceRate, shipment: Shipment, _: Terms) -> Lines | Reason:
    if not shipment.parcels:
        return Reason("no_items", "The rate goes by parcel, and there are no items.")
    packed = boxes.packed(shipment.parcels, rate.parcel_fees)
    if isinstance(packed, Reason):
        return packed
    return [
        Line(
            "PARCEL_FEE",
            f"{count} {box.size} at {money.major(box.fee, rate.currency)} each",
            count * box.fee,
        )
        for box, count in packed
    ]


def _algorithm(rate: ServiceRate, shipment: Shipment, terms: Terms) -> Lines | Reason:
    formula = terms.compile_formula(rate.algorithm or "0")
    if "weight_kg" in formula.names and shipment.weight is None:
        return Reason("weight_unknown", "The formula goes by weight, and an item has none.")
    if "volume_m3" in formula.names and shipment.volume is None:
        return Reason("volume_unknown", "The formula goes by volume, and an item has no size.")
    above, below = formula.evaluate({name: VALUES[name](rate, shipment) for name in formula.names})
    return [Line("ALGORITHM_FEE", "By formula", money.half_up(above, below))]


def _cash(rate: ServiceRate, shipment: Shipment) -> Lines:
    if not shipment.cod or not rate.has_cod_fee:
        return []
    fee, cash = surcharges.of_cash(rate), shipment.cod_amount or 0
    return [_surcharge("COD_FEE", "Cash on delivery", rate, fee, cash)]


def _peak(rate: ServiceRate, windows: Sequence[PeakWindow], worth: int) -> Lines:
    """When several windows are open, charge the most expensive one."""
    lines = [
        _surcharge(
            "PEAK_HOUR_FEE",
            f"Peak hours {window.start} to {window.end}",
            rate,
            surcharges.of_window(rate, window),
            worth,
        )
        for window in windows
    ]
    return [max(lines, key=_amount)] if lines else []


def _surcharge(code: Code, details: str, rate: ServiceRate, fee: Surcharge, of: int) -> Line:
    if fee.method != "percentage":
        return Line(code, details, fee.flat or 0)
    percent = fee.percent or _NOTHING
    details = f"{details}, {spelled(percent)} % of {money.major(of, rate.currency)}"
    return Line(code, details, _rounded(percent, of, _PER_CENT))


def _amount(line: Line) -> int:
    return line.amount


def _adjustment(rate: ServiceRate, amount: int) -> Lines:
    """Raise or lower the sum to the rate's minimum or maximum, but never below 0."""
    least, most = rate.minimum_fee or 0, rate.maximum_fee
    if amount < least:
        details = f"At least {money.major(least, rate.currency)}"
        return [Line("MINIMUM_ADJUSTMENT", details, least - amount)]
    if most is not None and amount > most:
        details = f"At most {money.major(most, rate.currency)}"
        return [Line("MAXIMUM_ADJUSTMENT", details, most - amount)]
    return []


def _sum(lines: Lines) -> int:
    return sum(line.amount for line in lines)


def _rounded(factor: Decimal, numerator: int, denominator: int) -> int:
    """Multiply exactly, then round once, halves away from zero."""
    above, below = factor.as_integer_ratio()
    return money.half_up(above * numerator, below * denominator)


# The variables of formulas, as a numerator and a denominator.
VALUES: Final[Mapping[str, Callable[[ServiceRate, Shipment], tuple[int, int]]]] = {
    "distance_km": lambda _, shipment: (shipment.route.distance, 1000),
    "time_min": lambda _, shipment: (shipment.route.time, 60),
    "stops": lambda _, shipment: (len(shipment.stops), 1),
    "weight_kg": lambda _, shipment: (shipment.weight or _NOTHING).as_integer_ratio(),
    "volume_m3": lambda _, shipment: (shipment.volume or _NOTHING).as_integer_ratio(),
    "items": lambda _, shipment: (len(shipment.parcels), 1),
    "base_fee": lambda rate, _: (rate.base_fee, 1),
}

METHODS: Final[Mapping[Method, Callable[[ServiceRate, Shipment, Terms], Lines | Reason]]] = {
    "fixed_rate": _fixed,
    "per_meter": _per_meter,
    "per_drop": _per_drop,
    "parcel": _parcels,
    "weight": _weight,
    "volume": _volume,
    "multi_zone_distance": _multi_zone,
    "algorithm": _algorithm,
}
