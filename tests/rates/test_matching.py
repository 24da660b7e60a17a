from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from pannier.rates.matching import RateCriteria, list_no_price_reasons
from pannier.rates.shipment import ShipmentParcel, to_parcel
from rates.examples import DROPOFF, PICKUP, rate, shipment

AREA, ZONE, CONFIG, VENDOR = (UUID(int=number) for number in range(1, 5))
HEAVY = (ShipmentParcel(weight=Decimal("2.5")), ShipmentParcel(weight=Decimal("7.5")))
BULKY = (to_parcel(length=100, width=50, height=40), to_parcel(length=1, width=1, height=1))


def codes(
    of: dict[str, Any], for_: dict[str, Any], wanted: RateCriteria | None = None, held: Any = None
) -> list[str]:
    asked = shipment(**for_)
    around = held if held is not None else [set()] * len(asked.stops)
    return [
        reason.code
        for reason in list_no_price_reasons(rate(**of), asked, wanted or RateCriteria(), around)
    ]


@dataclass
class Case:
    """A rate, a shipment, and the reasons why they do not meet."""

    of: dict[str, Any]
    expected: str | None
    for_: dict[str, Any] = field(default_factory=dict)
    wanted: RateCriteria | None = None


def at(hour: int) -> dict[str, Any]:
    return {"effective_at": datetime(2026, 5, 6, hour, tzinfo=UTC)}


FROM_NINE = {"valid_from": datetime(2026, 5, 6, 9, tzinfo=UTC)}
UNTIL_NINE = {"valid_until": datetime(2026, 5, 6, 9, tzinfo=UTC)}
TAKES_CASH = {"has_cod_fee": True, "cod_flat_fee": 100}
TAKES_PER_CENT = {"has_cod_fee": True, "cod_percent": Decimal(2)}
TEN_KG = {"parcels": HEAVY}
# 0.200001 m³
CUBIC = {"parcels": BULKY}
NINE_STOPS = {"stops": (PICKUP,) * 8 + (DROPOFF,)}


@pytest.mark.parametrize(
    "case",
    [
        Case({}, None),
        Case({"status": "inactive"}, "rate_inactive"),
        Case({"public": False}, "rate_not_public", wanted=RateCriteria(public=True)),
        Case({"public": True}, None, wanted=RateCriteria(public=True)),
        Case({}, None, wanted=RateCriteria(service_type="delivery", currency="SGD")),
        Case({}, "service_type_differs", wanted=RateCriteria(service_type="express")),
        Case({}, "currency_differs", wanted=RateCriteria(currency="EUR")),
        Case(FROM_NINE, "not_yet_valid", at(8)),
        Case(FROM_NINE, None, at(9)),
        Case(UNTIL_NINE, None, at(8)),
        Case(UNTIL_NINE, "no_longer_valid", at(9)),
        Case({"order_config": CONFIG}, None, {"order_config": CONFIG}),
        Case({"order_config": CONFIG}, "order_config_differs", {"order_config": VENDOR}),
        Case({"order_config": CONFIG}, "order_config_differs"),
        Case({}, None, {"order_config": CONFIG, "facilitator": VENDOR}),
        Case({"facilitator": VENDOR}, None, {"facilitator": VENDOR}),
        Case({"facilitator": VENDOR}, "facilitator_differs", {"facilitator": CONFIG}),
        Case({"facilitator": VENDOR}, "facilitator_differs"),
        Case({"max_weight": Decimal(10)}, None, TEN_KG),
        Case({"max_weight": Decimal("9.999")}, "too_heavy", TEN_KG),
        Case({"min_weight": Decimal(10)}, None, TEN_KG),
        Case({"min_weight": Decimal("10.001")}, "too_light", TEN_KG),
        Case({"min_weight": Decimal("0.001")}, "too_light"),
        Case({"max_weight": Decimal(0)}, None),
        Case(
            {"max_weight": Decimal(99)}, "weight_unknown", {"parcels": (*HEAVY, ShipmentParcel())}
        ),
        Case({}, None, {"parcels": (ShipmentParcel(),)}),
        Case({"max_volume": Decimal("0.200001")}, None, CUBIC),
        Case({"max_volume": Decimal("0.2")}, "too_large", CUBIC),
        Case({"min_volume": Decimal("0.200001")}, None, CUBIC),
        Case({"min_volume": Decimal("0.200002")}, "too_small", CUBIC),
        Case({"max_volume": Decimal(9)}, "volume_unknown", TEN_KG),
        Case({"min_distance": 5_000}, None, {"distance": 5_000}),
        Case({"min_distance": 5_000}, "too_near", {"distance": 4_999}),
        Case({"max_distance": Decimal(5)}, None, {"distance": 5_000}),
        Case({"max_distance": Decimal(5)}, "too_far", {"distance": 5_001}),
        Case({"max_distance": Decimal(5), "max_distance_unit": "mi"}, None, {"distance": 8_046}),
        Case(
            {"max_distance": Decimal(5), "max_distance_unit": "mi"}, "too_far", {"distance": 8_047}
        ),
        Case({"max_stops": 9, "min_stops": 9}, None, NINE_STOPS),
        Case({"max_stops": 8}, "too_many_stops", NINE_STOPS),
        Case({"min_stops": 10}, "too_few_stops", NINE_STOPS),
        Case({}, "cod_not_taken", {"cod": True, "cod_amount": 1}),
        Case({}, "cod_not_taken", {"cod": True}),
        Case(TAKES_CASH, None, {"cod": True}),
        Case(TAKES_CASH, None),
        Case(TAKES_CASH, None, {"cod": True, "cod_amount": 1, "cod_currency": "SGD"}),
        Case(
            TAKES_CASH,
            "cod_currency_differs",
            {"cod": True, "cod_amount": 1, "cod_currency": "EUR"},
        ),
        Case(TAKES_PER_CENT, "cod_amount_unknown", {"cod": True}),
        Case(TAKES_CASH | {"max_cod": 500}, "cod_amount_unknown", {"cod": True}),
        Case(TAKES_CASH | {"max_cod": 500}, None, {"cod": True, "cod_amount": 500}),
        Case(TAKES_CASH | {"max_cod": 500}, "cod_too_high", {"cod": True, "cod_amount": 501}),
        Case(TAKES_CASH | {"min_cod": 500}, "cod_too_low", {"cod": True, "cod_amount": 499}),
    ],
    ids=lambda case: f"{case.expected}-{case.of}",
)
def test_a_rate_holds_within_its_bounds_and_says_why_not_beyond(case: Case) -> None:
    assert codes(case.of, case.for_, case.wanted) == ([case.expected] if case.expected else [])


IN, OUT = {AREA, ZONE}, {AREA}


@pytest.mark.parametrize(
    ("side", "held", "holds"),
    [
        ("both", [IN, IN, IN], True),
        ("both", [IN, OUT, IN], False),
        ("both", [OUT, IN, IN], False),
        ("origin", [IN, OUT, OUT], True),
        ("origin", [OUT, IN, IN], False),
        ("destination", [OUT, IN, IN], True),
        ("destination", [OUT, IN, OUT], False),
        ("destination", [OUT, OUT, IN], False),
        ("destination", [IN], True),
        ("destination", [OUT], False),
    ],
)
def test_a_zone_holds_the_origin_the_destinations_or_all_stops(
    side: Any,
    held: Any,
    holds: bool,  # noqa: FBT001 - a column
) -> None:
    found = codes(
        {"zone": ZONE, "service_area": AREA, "zone_applies_to": side},
        {"stops": (PICKUP, DROPOFF, DROPOFF)[: len(held)]},
        held=held,
    )
    assert found == ([] if holds else ["outside_zone"])


def test_every_stop_lies_inside_the_service_area() -> None:
    assert codes({"service_area": AREA}, {}, held=[{AREA}, {AREA, ZONE}]) == []
    assert codes({"service_area": AREA}, {}, held=[{AREA}, {ZONE}]) == ["outside_service_area"]
    asked = shipment()
    sentences = [
        reason.detail
        for reason in list_no_price_reasons(
            rate(service_area=AREA), asked, RateCriteria(), [{AREA}, set()]
        )
    ]
    assert sentences == ["Stop 2 lies outside the rate's service area."]


def test_all_reasons_are_told() -> None:
    found = codes(
        {"status": "inactive", "zone": ZONE, "max_weight": Decimal(1), "max_stops": 1},
        TEN_KG | {"cod": True},
        RateCriteria(currency="EUR"),
    )
    assert found == [
        "rate_inactive", "currency_differs", "outside_zone", "too_heavy", "too_many_stops",
        "cod_not_taken",
    ]  # fmt: skip


def test_every_reason_is_a_sentence_for_people() -> None:
    told = [
        reason.detail
        for reason in list_no_price_reasons(
            rate(
                valid_from=datetime(2027, 1, 1, tzinfo=UTC), max_weight=Decimal("9.50"),
                max_distance=Decimal("5.0"), max_stops=1, **TAKES_CASH, max_cod=500,
            ),
            shipment(parcels=HEAVY, cod=True, cod_amount=501),
            RateCriteria(service_type="express", currency="EUR"),
            [set(), set()],
        )
    ]  # fmt: skip
    assert told == [
        "The rate is not valid before 2027-01-01T00:00:00+00:00.",
        "The rate's service type is delivery, not express.",
        "The rate's currency is SGD, not EUR.",
        "The total is 10 kg, above 9.5 kg.",
        "The route is 9321 m, above 5 km.",
        "There are 2 stops, above 1.",
        "The cash is 5.01 SGD, above 5.00.",
    ]


@pytest.mark.parametrize(
    ("given", "kilograms"),
    [
        ((1, "lb"), "0.45359237"),
        ((16, "oz"), "0.45359237"),
        ((250, "g"), "0.25"),
        ((0.1, "kg"), "0.1"),
    ],
)
def test_an_item_weighs_exactly_what_was_written(given: tuple[Any, Any], kilograms: str) -> None:
    assert to_parcel(weight=given[0], weight_unit=given[1]).weight == Decimal(kilograms)


def test_a_thousand_grams_are_a_kilogram() -> None:
    grains = tuple(to_parcel(weight=0.001) for _ in range(1000))
    assert shipment(parcels=grains).weight == 1
