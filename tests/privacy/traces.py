"""Somebody who leaves traces everywhere, and a look at everything that is kept."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from customers.mall import Mall
from orders.shop import CHANGI, MANDAI
from pannier.db.row import RowReference
from pannier.partners.queries import contacts
from payments.purse import Purse
from proofs import drawn
from proofs.evidence import Courier
from rates.counter import BY_KILOMETRE, rate
from stage import House

HERE = "/storefront/v1/customers"
# In everything that is said of the person; of the other one, in everything that is said of her.
MARK, OTHER = "zzyzx", "quuxly"
OLD_PHONE, PHONE = "+6591110001", "+6592220002"
EMAIL = f"ada.{MARK}@example.com"
TRACES = (MARK, OLD_PHONE, PHONE, EMAIL, "1.404001", "103.790001")


async def kept(house: House) -> dict[str, str]:
    """Read every table as text, what is kept as bytes too."""
    names = await house.value(
        "select array_agg(tablename::text) from pg_tables where schemaname = 'public'"
    )
    return {
        name: await house.value(f"select coalesce(string_agg(t::text, ' '), '') from {name} t")
        for name in names
    }


def found(text: str, trace: str) -> bool:
    """Look for a trace as it is, or as the bytes of a column are spelled."""
    lowered = text.lower()
    return trace.lower() in lowered or trace.encode().hex() in lowered


async def where(house: House, *traces: str) -> dict[str, list[str]]:
    """Name the tables in which traces are found."""
    rows = await kept(house)
    hits = {name: [trace for trace in traces if found(text, trace)] for name, text in rows.items()}
    return {name: some for name, some in hits.items() if some}


def objects(house: House) -> list[bytes]:
    """Read every file that is stored."""
    folder = Path(house.settings.data) / "files"
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def place(where: dict[str, Any], mark: str) -> dict[str, Any]:
    return {
        **where, "name": f"{mark} house", "street1": f"{mark} street", "street2": f"{mark} 2",
        "building": f"{mark} tower", "security_access_code": f"{mark} code", "phone": "+6593330003",
        "meta": {"a": mark},
    }  # fmt: skip


async def ada(mall: Mall) -> tuple[dict[str, Any], httpx.AsyncClient]:
    """Register somebody who changes the phone, carries a device and keeps a card."""
    made, client = await mall.visitor(
        name=f"Ada {MARK}", phone=OLD_PHONE, email=EMAIL, meta={"a": MARK}
    )
    device = {"platform": "ios", "token": f"{MARK} device"}
    assert (await client.post(f"{HERE}/register-device", json=device)).status_code == 200
    await mall.firm.admin.post(
        f"/int/v1/customers/{made['id']}/push", json={"title": "News", "text": f"Hello {MARK}."}
    )
    return made, client


async def history(courier: Courier, customer: dict[str, Any]) -> dict[str, Any]:
    """Deliver an order to the person and to another one, with everything said that can be said."""
    other = await courier.post(
        "contacts", name=f"Eve {OTHER}", phone="+6594440004", meta={"a": OTHER}
    )
    twin = await courier.post(
        "contacts", name=customer["name"].upper(), phone=customer["phone"], title=MARK,
        tax_number=MARK, price_group=MARK,
    )  # fmt: skip
    home = await courier.post(
        "places",
        **place({**MANDAI, "latitude": 1.404001, "longitude": 103.790001}, MARK),
        owner_type="customer",
        owner=customer["contact"],
    )
    away = await courier.post("places", **place(CHANGI, OTHER))
    cash = {"cod_amount": 500, "cod_currency": "SGD"}
    stops = [
        {"place": away["id"], "contact": other["id"], "notes": OTHER, "meta": {"a": OTHER}, **cash},
        {"place": home["id"], "contact": customer["contact"], "notes": MARK, "meta": {"a": MARK},
         **cash},
    ]  # fmt: skip
    items = [
        {"name": "Box", "destination": 0, "description": OTHER, "meta": {"a": OTHER}},
        {"name": "Box", "destination": 1, "description": MARK, "meta": {"a": MARK}},
    ]
    order = await courier.started(
        customer=customer["id"], notes=f"Ask for {MARK}.", meta={"a": MARK},
        payload={"waypoints": stops, "entities": items, "meta": {"a": MARK}},
    )  # fmt: skip
    third = await courier.order(customer=twin["id"], dropoff=home["id"], notes=MARK)
    await courier.act(third, "cancel")
    theirs, own = (stop["id"] for stop in order["payload"]["waypoints"])
    await courier.signed(order, theirs, signer_name=OTHER, remarks=OTHER)
    said = {
        "remarks": MARK,
        "data": {"a": MARK},
        "location": {"latitude": 1.404001, "longitude": 103.790001},
    }
    name = {"signer_name": f"Ada {MARK}", "signature": drawn.text(drawn.signature(1))}
    await courier.signed(order, own, **name, **said)
    await courier.photographed(order, **said)
    for _ in stops:
        await courier.fire(order, "enroute")
        await courier.fire(order, "completed")
    for stop, mark in ((theirs, OTHER), (own, MARK)):
        reason = f"{mark} had no more."
        await courier.act(order, "collect-cash", stop=stop, amount=400, reason=reason)
    await courier.post("driver-messages", order=order["id"], text=f"{MARK} is not at home.")
    await courier.issue(order=order["id"], report=f"{MARK} was not at home.", title=MARK)
    second = await courier.order(customer=customer["id"], dropoff=home["id"])
    await courier.act(second, "cancel", reason=f"{MARK} changed their mind.")
    return order


async def owed(mall: Mall, customer: dict[str, Any], order: dict[str, Any]) -> None:
    """Have the person pay for an order and get some of it back, and owe what is called off."""
    purse = Purse(mall.firm)
    async with mall.firm.house.database.reading() as db:
        payer = await contacts.get(db, mall.firm.uuid, customer["contact"])
    paid = await purse.offered(order=RowReference(UUID(order["uuid"]), order["id"]), customer=payer)
    await purse.pay(paid)
    assert (await purse.refund(paid["id"], amount=1, reason=f"For {MARK}.")).status_code == 200
    await purse.offered(customer=payer, return_url=f"https://shop.example.com/{MARK}")
    void = await purse.offered(customer=payer)
    assert (await purse.void(void["id"], reason=f"{MARK} left.")).status_code == 200


async def bought(mall: Mall, client: httpx.AsyncClient, *marks: str) -> dict[str, Any]:
    """Have somebody place an order themself, from one place that they describe to the next."""
    stores = (await mall.firm.admin.get("/int/v1/storefronts")).json()["data"]
    path, wish = f"/int/v1/storefronts/{stores[0]['id']}", {"settings": {"orders": True}}
    assert (await mall.firm.admin.patch(path, json=wish)).status_code == 200
    await rate(mall.firm, **BY_KILOMETRE, public=True)
    spots = [
        {"street1": f"{mark} street", "location": {"latitude": 1.28 + at / 50, "longitude": 103.85}}
        for at, mark in enumerate(marks)
    ]
    way: dict[str, Any] = {"pickup": spots[0], "dropoff": spots[-1]}
    if spots[1:-1]:
        way["waypoints"] = spots[1:-1]
    asked = {name: json.dumps(value) for name, value in way.items()}
    quotes = await mall.client.get("/storefront/v1/service-quotes", params=asked)
    assert quotes.status_code == 200, quotes.text
    wish = {**way, "service_quote": quotes.json()[0]["id"]}
    placed = await client.post(f"{HERE}/orders", json=wish)
    assert placed.status_code == 201, placed.text
    order: dict[str, Any] = placed.json()["order"]
    return order
