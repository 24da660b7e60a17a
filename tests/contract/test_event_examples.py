"""Decisions §6: every event is emitted by a real operation, and docs/events shows what it tells.

Each operation runs through the real door. What it tells must be what the catalogue's schema says
and what the committed example shows. `PANNIER_WRITE_EXAMPLES=1` writes the examples anew.
"""

import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from fleet.depot import Depot
from pannier.app import EVENT_DATA_TYPES
from pannier.payments.fake import FakeGateway
from payments.purse import Purse
from payments.till import equipped
from rates.counter import rate
from stage import Firm

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "docs" / "events"
MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
# What is random in an event: a UUID, a public id, a tracking number, or the key of its page.
RANDOM: Final = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?P<prefix>[a-z]+(?:_[a-z]+)*)_[0-9A-Za-z]{16}\b"
    r"|\b(?P<hash>[0-9a-f]{64})\b"
    r"|\b(?P<letters>[A-Z]{1,3})(?:-[0-9A-HJKMNP-TV-Z]{4}){3}\b"
    r"|(?P<key>(?<=\?k=)[a-z2-7]{15})\b"
)
FORMATS: Final = FormatChecker(("uuid", "date"))


@FORMATS.checks("date-time", raises=ValueError)
def is_moment(value: object) -> bool:
    """Times are spelled as the contract has them: jsonschema alone checks none."""
    return not isinstance(value, str) or bool(
        MOMENT.fullmatch(value) and datetime.fromisoformat(value)
    )


async def ada(depot: Depot, **more: Any) -> dict[str, Any]:
    return await depot.driver(name="Ada Lovelace", internal_id="D-104", **more)


async def van(depot: Depot) -> dict[str, Any]:
    return await depot.vehicle(
        plate_number="SGX 1234 A", make="Toyota", model="HiAce", year=2024, type="van"
    )


async def issue(depot: Depot) -> dict[str, Any]:
    driver, vehicle, placed = await ada(depot), await van(depot), await order(depot)
    return await depot.issue(
        driver=driver["id"], vehicle=vehicle["id"], order=placed["id"], title="Rear door",
        report="The rear door does not close.", priority="high", type="vehicle",
        category="body work", tags=["door"], location="1.3521,103.8198",
    )  # fmt: skip


async def order(depot: Depot, **more: Any) -> dict[str, Any]:
    customer = await depot.post("contacts", name="Grace Hopper", phone="+6598765432")
    return await depot.order(
        internal_id="SO-2041", customer=customer["id"], notes="Ring twice.",
        pickup={
            "street1": "1 Raffles Place", "postal_code": "048616", "city": "Singapore",
            "country": "SG", "location": "1.2843,103.8511",
        },
        dropoff={
            "street1": "80 Mandai Lake Road", "postal_code": "729826", "city": "Singapore",
            "country": "SG", "location": "1.4043,103.7930",
        },
        **more,
    )  # fmt: skip


async def place_order(depot: Depot) -> None:
    await order(depot)


async def dispatch_order(depot: Depot) -> str:
    driver, placed = await ada(depot, vehicle=(await van(depot))["id"]), await order(depot)
    path = f"orders/{placed['id']}"
    await depot.post(f"{path}/assign-driver", driver=driver["id"])
    await depot.post(f"{path}/dispatch")
    return path


async def start_order(depot: Depot) -> str:
    path = await dispatch_order(depot)
    await depot.post(f"{path}/start")
    return path


async def complete_order(depot: Depot) -> None:
    path = await start_order(depot)
    while following := await depot.get(f"{path}/next-activity"):
        await depot.post(f"{path}/update-activity", activity=following[0]["code"])


async def cancel_order(depot: Depot) -> None:
    placed = await order(depot)
    await depot.post(f"orders/{placed['id']}/cancel", reason="The customer changed their mind.")


async def change_order(depot: Depot) -> None:
    placed = await order(depot)
    await depot.patch(f"orders/{placed['id']}", notes="Ring once.")


async def assign_driver(depot: Depot) -> None:
    fleet, driver = await depot.fleet(), await ada(depot)
    await depot.post(f"fleets/{fleet['id']}/drivers", driver=driver["id"])


async def move_driver(depot: Depot) -> None:
    driver = await ada(depot)
    await depot.post(
        f"drivers/{driver['id']}/track",
        latitude=1.3521, longitude=103.8198, heading=90, altitude=15, speed=8.3,
    )  # fmt: skip


async def bring_online(depot: Depot) -> None:
    driver = await ada(depot, location="1.3521,103.8198")
    await depot.post(f"drivers/{driver['id']}/toggle-online", online=True)


async def bring_offline(depot: Depot) -> None:
    driver = await ada(depot, location="1.3521,103.8198", online=True)
    await depot.post(f"drivers/{driver['id']}/toggle-online", online=False)


async def change_driver(depot: Depot) -> None:
    vehicle = await van(depot)
    driver = await ada(
        depot, email="ada@example.com", drivers_license_number="S1234567D",
        license_expiry="2028-05-31", country="SG", city="Singapore", vehicle=vehicle["id"],
        skills=["cold_chain"], shifts=[{"days": ["mon", "tue"], "start": "08:00", "end": "16:00"}],
        shift_exceptions=[{"date": "2026-02-17"}],
    )  # fmt: skip
    await depot.patch(f"drivers/{driver['id']}", status="on_duty")


async def change_vehicle(depot: Depot) -> None:
    vehicle = await van(depot)
    await depot.patch(f"vehicles/{vehicle['id']}", status="maintenance", vin="1HGBH41JXMN109186")


async def assign_vehicle(depot: Depot) -> None:
    vehicle, driver = await van(depot), await ada(depot)
    await depot.patch(f"drivers/{driver['id']}", vehicle=vehicle["id"])


async def report_issue(depot: Depot) -> None:
    await issue(depot)


async def change_issue(depot: Depot) -> None:
    await depot.patch(f"issues/{(await issue(depot))['id']}", status="in_progress")


async def resolve_issue(depot: Depot) -> None:
    path = f"issues/{(await issue(depot))['id']}/resolve"
    await depot.post(path, resolution="The hinge was replaced.")


async def capture_proof(depot: Depot) -> None:
    placed = await order(depot)
    body = {"code": "4006381333931", "location": "1.404,103.79", "remarks": "At the gate."}
    await depot.post(f"orders/{placed['id']}/capture-qr", **body)


async def owe(depot: Depot) -> tuple[Purse, dict[str, Any]]:
    """Accept the quote of an order at a company whose customers pay at the fake gateway."""
    firm = depot.firm
    gateway = FakeGateway(firm.house.clock, test_serves_live=True)
    purse = Purse(replace(firm, house=equipped(firm.house, gateway)))
    await rate(purse.firm, base_fee=1200)
    placed = await order(depot)
    [quote] = await depot.get(f"orders/{placed['id']}/service-quotes")
    answer = await purse.firm.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})
    assert answer.status_code == 201, answer.text
    return purse, answer.json()


async def create_transaction(depot: Depot) -> None:
    await owe(depot)


async def pay_transaction(depot: Depot) -> str:
    _, owed = await owe(depot)
    path = f"transactions/{owed['id']}"
    await depot.post(f"{path}/payments", method="transfer", reference="Receipt 2041")
    return path


async def refund_transaction(depot: Depot) -> None:
    await depot.post(f"{await pay_transaction(depot)}/refund", amount=500, reason="Late.")


async def void_transaction(depot: Depot) -> None:
    purse, owed = await owe(depot)
    await purse.void(owed["id"])


async def collect_cash(depot: Depot) -> None:
    driver, placed = await ada(depot), await order(depot, cod_amount=5000, cod_currency="SGD")
    await depot.post(f"orders/{placed['id']}/collect-cash", amount=5000, driver=driver["id"])


async def add_charge(depot: Depot) -> None:
    _, owed = await owe(depot)
    await depot.post(
        f"orders/{owed['order']}/charges", kind="waiting", amount=850, tax_rate=9,
        description="Waited 25 minutes at the dock",
    )  # fmt: skip


async def issue_invoice(depot: Depot) -> None:
    placed = await order(depot)
    await depot.patch(f"contacts/{placed['customer']['id']}", payment_terms_days=30)
    await depot.firm.admin.patch("/int/v1/settings", json={"currency": "SGD"})
    await depot.post(
        f"orders/{placed['id']}/charges", kind="waiting", amount=850, tax_rate=9,
        description="Waited 25 minutes at the dock",
    )  # fmt: skip
    draft = await depot.post("invoices", customer=placed["customer"]["id"])
    await depot.post(f"invoices/{draft['id']}/issue")


# What emits each event. One that a domain describes needs a line here.
OPERATIONS: Final[dict[str, Callable[[Depot], Awaitable[object]]]] = {
    "order.created": place_order,
    "order.dispatched": dispatch_order,
    "order.started": start_order,
    "order.completed": complete_order,
    "order.cancelled": cancel_order,
    "order.updated": change_order,
    "driver.assigned": assign_driver,
    "driver.location_changed": move_driver,
    "driver.online": bring_online,
    "driver.offline": bring_offline,
    "driver.updated": change_driver,
    "tracking_status.created": start_order,
    "tracking_number.created": place_order,
    "proof_of_delivery.created": capture_proof,
    "vehicle.updated": change_vehicle,
    "vehicle.assigned": assign_vehicle,
    "issue.created": report_issue,
    "issue.updated": change_issue,
    "issue.resolved": resolve_issue,
    "transaction.created": create_transaction,
    "transaction.paid": pay_transaction,
    "transaction.refunded": refund_transaction,
    "transaction.voided": void_transaction,
    "charge.created": add_charge,
    "cash.collected": collect_cash,
    "invoice.issued": issue_invoice,
}


def settled(body: dict[str, Any]) -> dict[str, Any]:
    """Put stand-ins in place of what is random: the same for the same, in order of appearance."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()

    def stand_in(found: re.Match[str]) -> str:
        if found[0] not in names:
            kind = found["prefix"] or found["letters"] or (found["key"] and "k") or ""
            counts[kind] += 1
            names[found[0]] = _stand_in(found, counts[kind])
        return names[found[0]]

    text = RANDOM.sub(stand_in, msgspec.json.encode(body).decode())
    stable: dict[str, Any] = msgspec.json.decode(text)
    return stable


def _stand_in(found: re.Match[str], number: int) -> str:
    if found["prefix"]:
        return f"{found['prefix']}_{number:016}"
    if found["hash"]:
        return f"{number:064x}"
    if found["key"]:
        return "a" * 14 + "abcdefghijklmnopqrstuvwxyz"[number - 1]
    if found["letters"]:
        return f"{found['letters']}-0000-0000-{number:04}"
    return f"00000000-0000-7000-8000-{number:012}"


def closed(node: Any) -> Any:
    """Forbid every field that a schema does not name."""
    if isinstance(node, list):
        return [closed(part) for part in node]
    if not isinstance(node, dict):
        return node
    parts = {key: closed(part) for key, part in node.items()}
    return {"additionalProperties": False, **parts} if "properties" in node else parts


async def schema_of(firm: Firm, name: str) -> dict[str, Any]:
    catalog = (await firm.admin.get("/int/v1/event-catalog")).json()
    [found] = [entry["schema"] for entry in catalog if entry["event"] == name]
    schema: dict[str, Any] = found
    return schema


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
async def test_an_operation_tells_what_the_schema_and_the_example_say(
    acme: Firm, name: str
) -> None:
    depot = Depot(acme)
    await OPERATIONS[name](depot)
    body = (await depot.told(name))[-1]
    schema = await schema_of(acme, name)
    assert list(body["data"]) == list(schema["properties"])
    Draft202012Validator(closed(schema), format_checker=FORMATS).validate(body["data"])
    stable, file = settled(body), EXAMPLES / f"{name}.json"
    if os.environ.get("PANNIER_WRITE_EXAMPLES") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(msgspec.json.format(msgspec.json.encode(stable), indent=2) + b"\n")
    assert file.exists(), f"Write {file.name} with PANNIER_WRITE_EXAMPLES=1."
    assert msgspec.json.decode(file.read_bytes()) == stable


def test_every_described_event_has_its_operation_and_its_example() -> None:
    assert {str(name) for name in EVENT_DATA_TYPES} == set(OPERATIONS)
    assert {path.stem for path in EXAMPLES.glob("*")} == set(OPERATIONS)


def test_the_same_gets_the_same_stand_in_and_keeps_its_prefix() -> None:
    one, two = "order_AbCdEfGhIjKlMnOp", "order_0123456789abcdef"
    uuid = "0194b8f2-6c1e-7d3a-9f40-5b2c8e71d6a3"
    body = {
        "a": one, "b": [two, one], "c": f"/v1/orders/{two}", "uuid": uuid, "d": "on_route",
        "number": "ACM-7K3Q-9X2M-4TRD",
    }  # fmt: skip
    assert settled(body) == {
        "a": "order_0000000000000001",
        "b": ["order_0000000000000002", "order_0000000000000001"],
        "c": "/v1/orders/order_0000000000000002",
        "uuid": "00000000-0000-7000-8000-000000000001",
        "d": "on_route",
        "number": "ACM-0000-0000-0001",
    }


@pytest.mark.parametrize(
    "wrong", ["2026-01-15", "2026-01-15T12:00:00Z", "2026-13-15T12:00:00.000Z"]
)
def test_a_time_in_another_spelling_is_refused(wrong: str) -> None:
    schema = {"type": "string", "format": "date-time"}
    assert not Draft202012Validator(schema, format_checker=FORMATS).is_valid(wrong)
    assert Draft202012Validator(schema, format_checker=FORMATS).is_valid("2026-01-15T12:00:00.000Z")
