from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from pannier.rates.checks import list_faults
from pannier.rates.models import Band, MeterFee, ParcelFee, PeakWindow, ZoneFee
from rates.examples import NOON, rate

ONE, TWO = UUID(int=1), UUID(int=2)


def band(low: Any, high: Any, fee: int = 100) -> Band:
    return Band(Decimal(low), None if high is None else Decimal(high), fee)


def box(**given: Any) -> ParcelFee:
    sides = dict.fromkeys(("length", "width", "height"), Decimal(10))
    return ParcelFee(**{"size": "S", "fee": 100, **sides, **given})


def window(**given: Any) -> PeakWindow:
    return PeakWindow(**{"start": "17:00", "end": "20:00", "flat_fee": 100, **given})


def by_weight(*bands: Band) -> dict[str, Any]:
    return {"rate_calculation_method": "weight", "weight_fees": list(bands)}


def by_drop(*bands: Band) -> dict[str, Any]:
    return {"rate_calculation_method": "per_drop", "drop_fees": list(bands)}


def by_zone(*fees: ZoneFee) -> dict[str, Any]:
    return {"rate_calculation_method": "multi_zone_distance", "zone_fees": list(fees)}


def by_formula(text: str) -> dict[str, Any]:
    return {"rate_calculation_method": "algorithm", "algorithm": text}


PEAKS = {"has_peak_hours_fee": True}
EVENING = PEAKS | {"peak_hours_start": "17:00", "peak_hours_end": "20:00"}


@pytest.mark.parametrize(
    "given",
    [
        {"base_fee": 500},
        {"meter_fees": [MeterFee(Decimal(9), 100), MeterFee(Decimal(5), 50)]},
        {"rate_calculation_method": "per_meter", "per_meter_flat_rate_fee": Decimal("0.5")},
        {"rate_calculation_method": "per_meter", "per_meter_flat_rate_fee": Decimal(0)},
        by_weight(band(5, 10), band(0, 5), band(10, None)),
        {"rate_calculation_method": "volume", "volume_fees": [band("0.1", "0.25")]},
        by_drop(band(1, 2), band(3, 3), band(4, None)),
        {"rate_calculation_method": "parcel", "parcel_fees": [box(), box(size="M")]},
        by_zone(ZoneFee(zone=ONE, fee=Decimal(1)), ZoneFee(fee=Decimal("1.5"))),
        by_formula("base_fee + distance_km * 80"),
        {"has_cod_fee": True, "cod_calculation_method": "flat", "cod_flat_fee": 0},
        {"has_cod_fee": True, "cod_percent": Decimal(100)},
        EVENING | {"peak_hours_percent": Decimal(150)},
        PEAKS | {"peak_windows": [window(start="22:00", end="02:00", days=["fri", "sat"])]},
        PEAKS | {"peak_windows": [window(flat_fee=None)], "peak_hours_flat_fee": 10},
        {"min_weight": Decimal(1), "max_weight": Decimal(1), "timezone": "Asia/Singapore"},
        {"min_distance": 5_000, "max_distance": Decimal(5)},
        {"minimum_fee": 500, "maximum_fee": 500, "quote_life": 60},
    ],
    ids=str,
)
def test_a_rate_that_makes_sense_is_taken(given: dict[str, Any]) -> None:
    assert list_faults(rate(**given)) == []


@pytest.mark.parametrize(
    ("given", "path", "sentence"),
    [
        ({"service_name": " "}, "service_name", "must not be empty."),
        ({"currency": "SGX"}, "currency", "must be a currency code"),
        ({"currency": "sgd"}, "currency", "must be a currency code"),
        ({"timezone": "Mars/Olympus"}, "timezone", "must be an IANA time zone"),
        ({"base_fee": -1}, "base_fee", "between 0 and"),
        ({"base_fee": 2**63}, "base_fee", "between 0 and"),
        ({"max_weight": Decimal("NaN")}, "max_weight", "must be 0 or more."),
        ({"max_weight": Decimal("-0.1")}, "max_weight", "must be 0 or more."),
        ({"max_weight": Decimal("1e12")}, "max_weight", "at most 12 digits"),
        ({"max_weight": Decimal("1e-7")}, "max_weight", "at most 12 digits"),
        ({"volumetric_divisor": 0}, "volumetric_divisor", "must be at least 1"),
        ({"quote_life": 59}, "quote_life", "between 60 seconds and 7 days"),
        (
            {"min_weight": Decimal(2), "max_weight": Decimal(1)},
            "max_weight",
            "must not be less than `min_weight`.",
        ),
        (
            {"min_volume": Decimal(2), "max_volume": Decimal(1)},
            "max_volume",
            "must not be less than `min_volume`.",
        ),
        ({"min_stops": 3, "max_stops": 2}, "max_stops", "must not be less than `min_stops`."),
        ({"min_cod": 3, "max_cod": 2}, "max_cod", "must not be less than `min_cod`."),
        (
            {"minimum_fee": 3, "maximum_fee": 2},
            "maximum_fee",
            "must not be less than `minimum_fee`.",
        ),
        ({"min_distance": 5_001, "max_distance": Decimal(5)}, "max_distance", "in metres."),
        ({"valid_from": NOON, "valid_until": NOON}, "valid_until", "must be after `valid_from`."),
        (
            {"rate_calculation_method": "per_meter"},
            "per_meter_flat_rate_fee",
            "required by the method per_meter.",
        ),
        ({"rate_calculation_method": "per_drop"}, "drop_fees", "required by the method per_drop."),
        ({"rate_calculation_method": "parcel"}, "parcel_fees", "required by the method parcel."),
        ({"rate_calculation_method": "weight"}, "weight_fees", "required by the method weight."),
        ({"rate_calculation_method": "volume"}, "volume_fees", "required by the method volume."),
        ({"rate_calculation_method": "multi_zone_distance"}, "zone_fees", "required by the method"),
        (
            {"rate_calculation_method": "algorithm"},
            "algorithm",
            "required by the method algorithm.",
        ),
        (by_formula("1 / items"), "algorithm", "could divide by zero"),
        (by_formula("1 +"), "algorithm", "ends at character 4"),
        (
            {"meter_fees": [MeterFee(Decimal(5), 1)] * 2},
            "meter_fees[1].distance",
            "must not be in the list twice",
        ),
        (
            {"meter_fees": [MeterFee(Decimal(0), 1)]},
            "meter_fees[0].distance",
            "must be more than 0.",
        ),
        ({"meter_fees": [MeterFee(Decimal(5), -1)]}, "meter_fees[0].fee", "between 0 and"),
        (
            {"meter_fees": [MeterFee(Decimal(n), 1) for n in range(1, 202)]},
            "meter_fees",
            "must not have more than 200 entries.",
        ),
        (
            {
                "meter_fees": [MeterFee(Decimal(n), 1) for n in range(1, 200)],
                "drop_fees": [band(n, n) for n in range(1, 103)],
            },
            "meter_fees",
            "must have at most 300 entries together with the rate's other lists.",
        ),
        (by_weight(band(0, 5), band(4, 9)), "weight_fees[1].min", "overlaps weight_fees[0]."),
        (by_weight(band(4, 9), band(0, 5)), "weight_fees[0].min", "overlaps weight_fees[1]."),
        (by_weight(band(0, None), band(4, 9)), "weight_fees[1].min", "overlaps weight_fees[0]."),
        (
            by_weight(band(0, 5), band(6, 9)),
            "weight_fees[1].min",
            "leaves a gap after weight_fees[0]: there is no fee from 5 to 6.",
        ),
        (by_weight(band(5, 5)), "weight_fees[0].max", "must be more than `min`"),
        (by_weight(band(5, 4)), "weight_fees[0].max", "must not be less than `min`."),
        (by_weight(band(0, 5, -1)), "weight_fees[0].fee", "between 0 and"),
        (by_drop(band(1, 3), band(3, 5)), "drop_fees[1].min", "overlaps drop_fees[0]."),
        (by_drop(band(1, 3), band(5, 6)), "drop_fees[1].min", "leaves a gap"),
        (by_drop(band(1, "2.5")), "drop_fees[0]", "must be a whole number of stops."),
        (
            {"rate_calculation_method": "parcel", "parcel_fees": [box(width=Decimal(0))]},
            "parcel_fees[0].width",
            "must be more than 0.",
        ),
        (
            by_zone(ZoneFee(zone=ONE, service_area=TWO, fee=Decimal(1))),
            "zone_fees[0]",
            "must name a zone or a service area, not both.",
        ),
        (
            by_zone(*[ZoneFee(zone=ONE, fee=Decimal(1))] * 2),
            "zone_fees[1]",
            "must not be in the list twice for this zone or area.",
        ),
        (by_zone(*[ZoneFee(fee=Decimal(1))] * 2), "zone_fees[1]", "for everywhere else."),
        ({"has_cod_fee": True}, "cod_calculation_method", "must be one of: flat, percentage."),
        (
            {"has_cod_fee": True, "cod_calculation_method": "percentage", "cod_flat_fee": 5},
            "cod_percent",
            "This field is required, because the fee is a percentage.",
        ),
        ({"cod_percent": Decimal("100.1")}, "cod_percent", "must be at most 100 per cent."),
        (
            {"peak_hours_percent": Decimal(1001)},
            "peak_hours_percent",
            "must be at most 1000 per cent.",
        ),
        (PEAKS, "peak_hours_start", "Send this or `peak_windows`"),
        (
            PEAKS | {"peak_hours_start": "17:00", "peak_hours_flat_fee": 1},
            "peak_hours_end",
            "a window has a start and an end.",
        ),
        (EVENING, "peak_hours_calculation_method", "must be one of: flat, percentage."),
        (
            EVENING | {"peak_hours_end": "24:00", "peak_hours_flat_fee": 1},
            "peak_hours_end",
            "must be a time of day such as 17:30.",
        ),
        ({"peak_windows": [window(start="5pm")]}, "peak_windows[0].start", "must be a time of day"),
        ({"peak_windows": [window(days=["mon", "mon"])]}, "peak_windows[0].days", "a day twice."),
        (
            PEAKS | {"peak_windows": [window(flat_fee=None)]},
            "peak_windows[0].method",
            "must be one of: flat, percentage.",
        ),
        (
            PEAKS | {"peak_windows": [window(method="percentage")]},
            "peak_windows[0].percent",
            "This field is required, because the fee is a percentage.",
        ),
    ],
)
def test_each_fault_is_a_sentence_at_its_path(
    given: dict[str, Any], path: str, sentence: str
) -> None:
    found = [fault for fault in list_faults(rate(**given)) if fault.path == path]
    assert len(found) == 1, list_faults(rate(**given))
    assert sentence in found[0].message
    assert found[0].message.endswith(".")


def test_all_faults_are_told_at_once() -> None:
    wrong = rate(
        minimum_fee=3,
        maximum_fee=2,
        valid_from=datetime(2027, 1, 1, tzinfo=UTC),
        valid_until=NOON,
        **by_formula("1 / 0"),
    )
    paths = [fault.path for fault in list_faults(wrong)]
    assert paths == ["maximum_fee", "valid_until", "algorithm"]


def test_what_is_no_number_is_told_before_anything_is_compared_with_it() -> None:
    wrong = rate(
        currency="XXX", base_fee=-1, min_weight=Decimal("NaN"), max_weight=Decimal("sNaN"),
        meter_fees=[MeterFee(Decimal("sNaN"), 1)], **by_drop(band("Infinity", "-Infinity")),
    )  # fmt: skip
    paths = [fault.path for fault in list_faults(wrong)]
    assert paths == [
        "currency", "min_weight", "max_weight", "base_fee", "meter_fees[0].distance",
        "drop_fees[0].min", "drop_fees[0].max",
    ]  # fmt: skip
