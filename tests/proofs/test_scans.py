"""Whether a scan is a code of its subject: the same rules here and in the driver's app."""

import json
from pathlib import Path
from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES
from pannier.orders.captures.scans import is_match
from proofs.evidence import Courier

# The driver's app is tested with the same table in `tests/driver/test_capture_scan.py`.
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "scans.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']}-{case['known']}")
def test_a_text_is_compared_as_the_table_says(case: dict[str, Any]) -> None:
    assert case["match"] is is_match(
        case["text"],
        case["known"],
        symbology=case.get("symbology"),
        is_typed=case.get("typed", False),
    )


async def matched(courier: Courier, order: dict[str, Any], subject: str, code: str) -> bool:
    """Scan a code for a subject, and tell whether it is one of its own."""
    proof = await courier.captured(order, "capture-qr", subject, code=code, entry="scanned")
    match: bool = proof["data"]["scan"]["match"]
    return match


async def test_the_codes_of_items_identify_the_stop_where_they_are_picked_up(
    courier: Courier,
) -> None:
    order = await courier.order(
        waypoints=[{"place": RAFFLES, "type": "pickup"}, MANDAI, CHANGI],
        entities=[{"name": "Lamp", "expected_codes": ["LAMP-1"], "destination": 1},
                  {"name": "Chair", "internal_id": "C-7"}],
    )  # fmt: skip
    pickup, mandai, changi = (stop["id"] for stop in order["payload"]["waypoints"])
    lamp, chair = order["payload"]["entities"]
    for code in ("LAMP-1", lamp["tracking_number"], "C-7", chair["id"]):
        assert await matched(courier, order, pickup, code), code
    assert not await matched(courier, order, pickup, "WRONG-1")
    # An item without a stop of its own may be handed over at any of them.
    for stop in (mandai, changi):
        assert await matched(courier, order, stop, "C-7")
    assert not await matched(courier, order, changi, "LAMP-1")


async def test_a_typed_code_is_compared_loosely_and_kept_as_it_was_typed(courier: Courier) -> None:
    order = await courier.order(entities=[{"name": "Lamp", "expected_codes": ["LAMP-1"]}])
    [lamp] = order["payload"]["entities"]
    proof = await courier.captured(order, "capture-qr", lamp["id"], code="lamp 1", entry="typed")
    assert (proof["raw_data"], proof["data"]["scan"]["match"]) == ("lamp 1", True)
