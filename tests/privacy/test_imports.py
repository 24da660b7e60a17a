"""Whoever is erased is erased from the files that they were imported with, too."""

import pytest

from customers.mall import Mall
from imports.clerk import Clerk, counts
from pannier.kit.clock import ManualClock
from privacy import traces
from privacy.test_erasure import forgotten, swept
from privacy.traces import EMAIL, MARK, PHONE
from stage import House

pytestmark = pytest.mark.slow

CONTACTS = f"Name,Phone,Email\n{MARK} Ada,{PHONE},{EMAIL}\nEve,+6598765432,eve@example.com\n"
ORDERS = (
    "Order number,Customer,Customer phone,Pickup street,Street,Notes,Window end\n"
    f"SO-1,{MARK} Ada,{PHONE},1 Raffles Place,80 {MARK} Road,Ask for {MARK}.,\n"
    f"SO-2,{MARK} Ada,{PHONE},1 Raffles Place,80 {MARK} Road,,{MARK}\n"
)


async def test_a_customer_is_erased_from_files_rows_and_keys_of_imports(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    clerk = Clerk(mall.firm)
    customer = await mall.registered(name=f"{MARK} Ada", phone=PHONE)
    contacts = await clerk.imported("contacts", CONTACTS)
    assert counts(contacts) == {"created": 1, "unchanged": 1}
    orders = await clerk.imported("orders", ORDERS)
    assert counts(orders) == {"created": 1, "failed": 1}
    other = await clerk.imported("contacts", "Name,Phone\nBob,+6591112223\n")
    [order] = await clerk.get("orders")
    assert (await clerk.firm.api.post(f"/v1/orders/{order['id']}/cancel")).status_code == 200
    before = await traces.where(house, MARK, PHONE)
    assert set(before) >= {"imports", "import_rows"}
    assert [one for one in traces.objects(house) if MARK.encode() in one]
    await forgotten(mall, customer["id"])
    assert await traces.where(house, MARK, PHONE, EMAIL) == {}
    clock.advance(days=1)
    await swept(house)
    assert not [one for one in traces.objects(house) if MARK.encode() in one]
    # The file of somebody else stays, and so does what it was imported as.
    [kept] = [row for row in await clerk.get("imports") if row["file_name"] != "erased"]
    assert (kept["id"], kept["sample"]) == (other["id"], [["Bob", "+6591112223"]])
    assert {row["name"] for row in await clerk.get("contacts")} >= {"Eve", "Bob"}
    # What is left can be undone, and says of the erased file that it is gone.
    gone = await clerk.firm.api.get(f"/v1/imports/{orders['id']}/faulty-rows")
    assert gone.json()["code"] == "import_file_gone"
    assert (await clerk.run(contacts, "undo"))["counts"]["undone"] == 1
