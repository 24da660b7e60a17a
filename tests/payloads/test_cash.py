"""Cash on delivery belongs to one stop each, whoever names it: the order, a stop or an item."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.payloads.cash import allocate_cash, sum_cash
from pannier.payloads.models import CodMethod, Entity, Payload, StopType, Waypoint
from payloads.warehouse import Warehouse
from probe import paths, refused

WHEN = datetime(2026, 1, 15, tzinfo=UTC)
COMPANY = uuid4()
AMOUNTS = st.none() | st.integers(min_value=0, max_value=100_000)
METHODS: st.SearchStrategy[CodMethod | None] = st.sampled_from((None, "cash", "card"))
TYPES: st.SearchStrategy[StopType] = st.sampled_from(("pickup", "dropoff"))


def named() -> dict[str, Any]:
    uuid = uuid4()
    return {
        "uuid": uuid, "public_id": str(uuid), "company": COMPANY, "created_at": WHEN,
        "updated_at": WHEN, "version": 1, "meta": {},
    }  # fmt: skip


@st.composite
def cash(draw: st.DrawFn) -> dict[str, Any]:
    amount = draw(AMOUNTS)
    return {
        "cod_amount": amount,
        "cod_currency": None if amount is None else "SGD",
        "cod_payment_method": draw(METHODS),
    }


@st.composite
def shipments(draw: st.DrawFn) -> tuple[Payload, list[Waypoint], list[Entity]]:
    payload = Payload(**named(), **draw(cash()))
    stops = [
        Waypoint(
            **named(), **draw(cash()), payload=payload.uuid, position=position, place=uuid4(),
            type=draw(TYPES),
        )
        for position in range(draw(st.integers(0, 5)))
    ]  # fmt: skip
    places = [None, uuid4(), *(stop.uuid for stop in stops)]
    items = [
        Entity(
            **named(), **draw(cash()), payload=payload.uuid, name="Box",
            destination=draw(st.sampled_from(places)),
        )
        for _ in range(draw(st.integers(0, 6)))
    ]  # fmt: skip
    return payload, stops, items


@given(shipments())
def test_the_stops_collect_what_was_named_and_nothing_twice(
    shipment: tuple[Payload, list[Waypoint], list[Entity]],
) -> None:
    payload, stops, items = shipment
    named_amount = sum(row.cod_amount or 0 for row in (payload, *stops, *items))
    found = allocate_cash(payload, stops, items)
    assert sum(one.amount for one in found.values()) == named_amount
    assert all(one.amount > 0 and one.currency == "SGD" for one in found.values())
    known: set[UUID | None] = {stop.uuid for stop in stops} or {None}
    assert found.keys() <= known
    total = sum_cash(found)
    assert (0 if total is None else total.amount) == named_amount
    for stop in stops:
        own = [stop, *(item for item in items if item.destination == stop.uuid)]
        least = sum(row.cod_amount or 0 for row in own)
        assert (found[stop.uuid].amount if stop.uuid in found else 0) >= least


def due(payload: dict[str, Any]) -> list[int | None]:
    """Return what each stop collects."""
    answers = [stop["cash_to_collect"] for stop in payload["waypoints"]]
    return [None if answer is None else answer["amount"] for answer in answers]


async def test_cash_of_orders_stops_and_items_is_shown_once_at_each_stop(depot: Warehouse) -> None:
    money = {"cod_currency": "SGD", "cod_payment_method": "cash"}
    made = await depot.post(
        "orders",
        waypoints=[
            {"place": "A", "type": "pickup"},
            {"place": "B", "cod_amount": 300, **money},
            {"place": "C"},
            {"place": "D", "type": "pickup"},
        ],
        entities=[
            {"name": "X", "cod_amount": 50, "cod_currency": "sgd", "destination": 1},
            {"name": "Y", "cod_amount": 7, "cod_currency": "SGD"},
        ],
        cod_amount=1000,
        cod_currency="SGD",
        cod_payment_method="card",
    )
    assert due(made["payload"]) == [None, 350, 1007, None]
    total = {"amount": 1357, "currency": "SGD", "method": None, "collected": False}
    assert made["cash_to_collect"] == made["payload"]["cash_to_collect"] == total
    assert (made["cod_amount"], made["cod_payment_method"]) == (1000, "card")
    second = made["payload"]["waypoints"][1]
    assert await depot.get(f"waypoints/{second['id']}") == second
    assert second["cod_amount"] == 300
    listed = await depot.get("waypoints", payload=made["payload"]["id"])
    assert {one["id"]: one["cash_to_collect"] for one in listed} == {
        one["id"]: one["cash_to_collect"] for one in made["payload"]["waypoints"]
    }
    item = made["payload"]["entities"][0]
    changed = await depot.patch(f"entities/{item['id']}", cod_amount=None)
    assert (changed["cod_amount"], changed["cod_currency"]) == (None, "SGD")
    now = await depot.get(f"orders/{made['id']}")
    assert due(now["payload"]) == [None, 300, 1007, None]


async def test_an_order_without_stops_collects_all_of_its_cash_at_the_dropoff(
    depot: Warehouse,
) -> None:
    made = await depot.payload(
        cod_amount=5, cod_currency="SGD", entities=[
            {"name": "X", "cod_amount": 6, "cod_currency": "SGD", "cod_payment_method": "cash"}
        ],
    )  # fmt: skip
    assert made["cash_to_collect"]["amount"] == 11
    free = await depot.payload()
    assert free["cash_to_collect"] is None


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"waypoints": ["A", {"place": "B", "cod_amount": 5}]}, "waypoints[1].cod_currency"),
        ({"entities": [{"name": "X", "cod_amount": 5}]}, "entities[0].cod_currency"),
        (
            {
                "cod_amount": 1, "cod_currency": "SGD",
                "entities": [{"name": "X", "cod_amount": 5, "cod_currency": "EUR"}],
            },
            "cod_currency",
        ),
        (
            {
                "cod_amount": 2**63 - 1, "cod_currency": "SGD",
                "entities": [{"name": "X", "cod_amount": 1, "cod_currency": "SGD"}],
            },
            "cod_amount",
        ),
    ],
)  # fmt: skip
async def test_cash_needs_one_currency(depot: Warehouse, sent: Any, path: str) -> None:
    body = sent if "waypoints" in sent else {"pickup": "A", "dropoff": "B", **sent}
    answer = await depot.firm.api.post("/v1/payloads", json=body)
    assert paths(answer) == [path]
    inside = await depot.firm.api.post("/v1/orders", json={"payload": body})
    assert paths(inside) == [f"payload.{path}"]


async def test_an_item_with_other_cash_does_not_join_a_payload(depot: Warehouse) -> None:
    made = await depot.payload(cod_amount=5, cod_currency="SGD")
    body = {"name": "X", "cod_amount": 5, "cod_currency": "EUR"}
    answer = await depot.firm.api.post("/v1/entities", json={**body, "payload": made["id"]})
    refused(answer, 422, "validation_failed")
    loose = await depot.post("entities", **body)
    moved = await depot.tried(f"entities/{loose['id']}", payload=made["id"])
    assert paths(moved) == ["cod_currency"]
