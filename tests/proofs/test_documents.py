"""The documents of an order's proofs, fetched as they are by those who need them."""

import asyncio
import base64
import csv
import json
import zipfile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES
from pannier.files.models import File
from pannier.kit.clock import ManualClock
from pannier.orders.captures import documents
from pannier.proofs.models import Proof
from probe import refused
from proofs import checker, drawn, printed
from proofs.conftest import Phone
from proofs.evidence import Courier
from proofs.printed import bare
from proofs.test_archive import proof as link
from stage import Firm, House

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

KINDS = {
    "proof-sheet.pdf": "application/pdf",
    "proofs.zip": "application/zip",
    "proofs.csv": "text/csv; charset=utf-8",
}
STOPS: list[dict[str, Any]] = [
    {"place": {**RAFFLES, "name": "Warehouse North"}, "type": "pickup"},
    {"place": {**MANDAI, "name": "Night Safari"}, "notes": "Ring twice."},
    {"place": {**CHANGI, "name": "Terminal Three"}},
]


async def fetched(courier: Courier, order: dict[str, Any], name: str) -> httpx.Response:
    answer = await courier.firm.api.get(f"/v1/orders/{order['id']}/{name}")
    assert answer.status_code == 200, answer.text
    return answer


async def sheet(courier: Courier, order: dict[str, Any]) -> list[str]:
    return printed.pages((await fetched(courier, order, "proof-sheet.pdf")).content)


async def files(courier: Courier, order: dict[str, Any]) -> dict[str, bytes]:
    packed = (await fetched(courier, order, "proofs.zip")).content
    with zipfile.ZipFile(BytesIO(packed)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def stored(house: House) -> list[Path]:
    return [path for path in (house.settings.folder / "files").rglob("*") if path.is_file()]


async def test_a_sheet_shows_what_was_captured(courier: Courier, clock: ManualClock) -> None:
    customer = await courier.post("contacts", name="Lovelace & Daughters", type="customer")
    vehicle = await courier.vehicle(make="Toyota", model="HiAce", plate_number="SGX1234A")
    order = await courier.started(
        customer=customer["id"], vehicle=vehicle["id"], internal_id="INV-20391",
        entities=[{"name": "Espresso machine", "weight": 12.5, "sku": "SKU-1001"}],
    )  # fmt: skip
    [item] = order["payload"]["entities"]
    clock.advance(hours=1)
    at = {"latitude": 1.404, "longitude": 103.79, "accuracy": 8}
    made = [
        await courier.signed(
            order, signer_name="محمد 李小龙", signer_relationship="neighbour", location=at,
            remarks="Left with the concierge.",
        ),
        await courier.photographed(order, captured_at="2026-01-15T12:30:00Z"),
        await courier.scanned(order, item["id"]),
    ]  # fmt: skip
    page = " ".join(await sheet(courier, order))
    wanted = [
        "Acme", order["id"], order["tracking_number"]["tracking_number"], "INV-20391",
        "Lovelace & Daughters", "Ada", "Toyota HiAce, SGX1234A", "1 Raffles Place, Singapore",
        "80 Mandai Lake Road, Singapore", "Espresso machine", "12.5 kg", "SKU-1001", "No. 3",
        item["tracking_number"], "李小龙", "neighbour", "Left with the concierge.",
        "At the stop, 0 m away", "1.40400, 103.79000 ±8 m", "captured offline",
        "2026-01-15 12:30:00 UTC", "Scan · Espresso machine", "4006381333931",
        "Signature · whole order", "Order started",
    ]  # fmt: skip
    assert [words for words in wanted if bare(words) not in bare(page)] == []
    for proof in made:
        assert proof["integrity"]["hash"] in page
        assert proof["id"] in page


async def test_each_stop_has_its_proofs_and_items_on_its_own_pages(courier: Courier) -> None:
    contact = await courier.post("contacts", name="Grace Hopper", phone="+6598765432")
    stops = [STOPS[0], {**STOPS[1], "contact": contact["id"]}, STOPS[2]]
    entities = [
        {"name": "Grinder", "destination": 1},
        {"name": "Beans"},
    ]
    order = await courier.started(waypoints=stops, entities=entities)
    first, second, third = order["payload"]["waypoints"]
    grinder = next(one for one in order["payload"]["entities"] if one["name"] == "Grinder")
    at_pickup = await courier.photographed(order, first["id"])
    of_item = await courier.scanned(order, grinder["id"])
    at_end = await courier.signed(order, third["id"], signer_name="Ada Lovelace")
    of_order = await courier.photographed(order)
    pages = await sheet(courier, order)
    assert [f"stop {turn} of 3" in page for turn, page in enumerate(pages, 1)] == [True] * 3 + [
        False
    ]
    for page, place, proved in zip(
        pages,
        ("Warehouse North", "Night Safari", "Terminal Three", "Order proofs"),
        (at_pickup, of_item, at_end, of_order),
        strict=True,
    ):
        assert place in page
        hashes = [one["integrity"]["hash"] for one in (at_pickup, of_item, at_end, of_order)]
        assert [hash_ for hash_ in hashes if hash_ in page] == [proved["integrity"]["hash"]]
    assert ["Grinder" in page for page in pages] == [False, True, False, False]
    assert ["Beans" in page for page in pages] == [False, False, True, False]
    assert "Grace Hopper" in pages[1]
    assert "Ring twice." in pages[1]
    assert "98765432" not in "".join(pages)
    assert second["tracking_number"] in pages[1]


async def test_a_proof_of_the_order_stands_where_it_was_used(courier: Courier) -> None:
    order = await courier.careful("signature", waypoints=STOPS[1:])
    proof = await courier.signed(order, signer_name="Ada Lovelace")
    assert (await courier.hand_over(order)).status_code == 200
    pages = await sheet(courier, order)
    assert [proof["integrity"]["hash"] in page for page in pages] == [True, False]
    assert "Handed over" in pages[0]
    assert "2026-01-15 12:00 UTC" in pages[0]


async def test_when_a_driver_arrived_is_shown(courier: Courier, clock: ManualClock) -> None:
    flow = [
        {"code": "arrived", "status": "At the door", "next": ["done"]},
        {"code": "done", "status": "Done", "complete": True},
    ]
    await courier.config(*flow, key="doors")
    order = await courier.started(type="doors", waypoints=STOPS[1:])
    clock.advance(minutes=7)
    await courier.fire(order, "arrived")
    clock.advance(minutes=4)
    await courier.fire(order, "done")
    page = (await sheet(courier, order))[0]
    assert "Arrived 2026-01-15 12:07 UTC" in page
    assert "2026-01-15 12:11 UTC" in page


async def test_an_order_without_proofs_has_documents_too(courier: Courier) -> None:
    order = await courier.order()
    assert "No proofs captured" in (await sheet(courier, order))[0]
    manifest = json.loads((await files(courier, order))["manifest.json"])
    assert manifest["proofs"] == []
    table = (await fetched(courier, order, "proofs.csv")).text
    assert table.count("\r\n") == 1


async def test_what_has_left_since_is_still_shown(courier: Courier, acme: Firm) -> None:
    customer = await courier.post("contacts", name="Lovelace & Daughters", type="customer")
    order = await courier.ready(
        waypoints=STOPS, customer=customer["id"], entities=[{"name": "Grinder"}]
    )
    second = order["payload"]["waypoints"][1]
    [item] = order["payload"]["entities"]
    proofs = [await courier.signed(order, second["id"]), await courier.scanned(order, item["id"])]
    for path in (
        f"waypoints/{second['id']}",
        f"entities/{item['id']}",
        f"contacts/{customer['id']}",
    ):
        answer = await acme.api.delete(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
    pages = await sheet(courier, order)
    for proof in proofs:
        assert proof["integrity"]["hash"] in "".join(pages)
    gone = next(page for page in pages if "Night Safari" in page)
    assert "Drop-off · removed from the order" in gone
    assert "Grinder" in "".join(pages)
    assert "Lovelace & Daughters" in gone


async def test_an_archive_can_be_checked_by_a_stranger(courier: Courier, house: House) -> None:
    order = await courier.order()
    made = [
        await courier.signed(order, remarks="已交付 \U0001f4e6"),
        await courier.photographed(order, data={"gate": 3, "deep": {"a": [1, 2.5, None]}}),
        await courier.scanned(order),
    ]
    packed = (await fetched(courier, order, "proofs.zip")).content
    keys = await house.client().get("/.well-known/jwks.json")
    assert checker.faults(packed, keys.json()) == []
    held = await files(courier, order)
    names = {f"files/{made[0]['id']}.png", f"files/{made[1]['id']}.jpg"}
    assert held.keys() == {"proof-sheet.pdf", "manifest.json", *names}
    manifest = json.loads(held["manifest.json"])
    assert [told["hash"] for told in manifest["proofs"]] == [
        proof["integrity"]["hash"] for proof in made
    ]
    verdict = await courier.get(f"proofs/{made[0]['id']}/verify")
    public = base64.urlsafe_b64decode(keys.json()["keys"][0]["x"] + "==")
    assert verdict["public_key"] == public.hex()
    assert manifest["keys"] == keys.json()["keys"]
    assert manifest["proofs"][0]["facts"] == verdict["facts"]


async def test_a_table_has_a_row_for_each_proof(courier: Courier) -> None:
    order = await courier.order()
    made = [
        await courier.signed(order, signer_name="=cmd|'/c calc'!A0", remarks='Ж, "李"'),
        await courier.scanned(order, code="-2+3"),
    ]
    answer = await fetched(courier, order, "proofs.csv")
    rows = list(csv.DictReader(StringIO(answer.content.decode(), newline="")))
    assert [row["proof"] for row in rows] == [proof["id"] for proof in made]
    assert (rows[0]["signer"], rows[0]["remarks"]) == ("'=cmd|'/c calc'!A0", 'Ж, "李"')
    assert (rows[1]["scanned"], rows[1]["order"]) == ("'-2+3", order["id"])
    assert rows[0]["file_sha256"] == made[0]["data"]["image"]["stored_sha256"]


@pytest.mark.parametrize("name", KINDS)
async def test_a_document_comes_as_a_file_with_a_clean_name(courier: Courier, name: str) -> None:
    order = await courier.order(internal_id='"; filename="evil.exe')
    answer = await fetched(courier, order, name)
    stem, _, suffix = name.partition(".")
    assert answer.headers["content-type"] == KINDS[name]
    assert answer.headers["content-disposition"] == (
        f'attachment; filename="{stem}-{order["id"]}.{suffix}"'
    )
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", KINDS)
async def test_only_those_who_may_see_the_order_get_its_documents(
    courier: Courier, rival: Firm, house: House, phone: Phone, name: str
) -> None:
    driver = await courier.driver()
    order = await courier.order(driver=driver["id"])
    path = f"/v1/orders/{order['id']}/{name}"
    assert (await (await phone(driver)).get(path)).status_code == 200
    refused(await (await phone(await courier.driver())).get(path), 404, "not_found")
    refused(await rival.api.get(path), 404, "not_found")
    refused(await house.client().get(path), 401, "unauthenticated")
    refused(await courier.firm.storefront.get(path), 401, "unauthenticated")
    refused(
        await courier.firm.api.get(f"/v1/orders/order_0000000000000000/{name}"), 404, "not_found"
    )


@pytest.mark.parametrize("name", KINDS)
async def test_the_same_order_gives_the_same_bytes_until_it_changes(
    courier: Courier, clock: ManualClock, name: str
) -> None:
    order = await courier.order()
    await courier.signed(order)
    first = (await fetched(courier, order, name)).content
    clock.advance(days=3)
    assert (await fetched(courier, order, name)).content == first
    await courier.photographed(order)
    assert (await fetched(courier, order, name)).content != first


async def test_a_picture_that_is_gone_or_damaged_is_told_and_the_rest_is_shown(
    courier: Courier, house: House
) -> None:
    order = await courier.order()
    proof = await courier.photographed(order)
    for path in stored(house):
        path.write_bytes(b"something else")
    changed = bare(" ".join(await sheet(courier, order)))
    assert bare("The stored image differs from the captured one.") in changed
    for path in stored(house):
        path.unlink()
    gone = bare(" ".join(await sheet(courier, order)))
    assert bare("The image is no longer stored.") in gone
    assert proof["integrity"]["hash"] in gone
    packed = await files(courier, order)
    assert list(packed) == ["proof-sheet.pdf", "manifest.json"]
    told = json.loads(packed["manifest.json"])["proofs"][0]["file"]
    assert told["missing"] == "The image is no longer stored."
    picture = "its image is missing or was replaced"
    assert checker.faults_of(packed) == [f"proof 1: {picture}"]


async def test_while_the_storage_is_away_no_half_archive_leaves(
    courier: Courier, house: House
) -> None:
    order = await courier.order()
    await courier.photographed(order)
    for path in stored(house):
        # A link that leads to itself: something is there, and cannot be read.
        path.unlink()
        path.symlink_to(path)
    answer = await courier.firm.api.get(f"/v1/orders/{order['id']}/proofs.zip")
    refused(answer, 503, "storage_unavailable")


@pytest.mark.slow
def row(number: int) -> Proof:
    return link(number, picture=drawn.photo())


def file_of(made: Proof, size: int) -> File:
    assert made.file is not None
    return File(
        uuid=made.file, public_id="file_1", company=uuid4(), created_at=made.created_at,
        sha256=bytes(32), size=size, content_type="image/jpeg", name="a.jpg",
    )  # fmt: skip


def test_only_so_many_pictures_and_bytes_are_read() -> None:
    rows = [row(number) for number in range(1, 61)]
    small = {made.file: file_of(made, 1000) for made in rows if made.file}
    assert documents.select_files_within_limits(small, rows) == [made.file for made in rows[:50]]
    large = {made.file: file_of(made, 20 * 1024 * 1024) for made in rows if made.file}
    assert documents.select_files_within_limits(large, rows) == [made.file for made in rows[:3]]


async def test_the_proofs_of_a_deleted_order_are_still_printed_listed_and_checked(
    courier: Courier, stranger: Courier
) -> None:
    order = await courier.careful("signature")
    proof = await courier.signed(order)
    assert (await courier.hand_over(order)).is_success
    empty = await courier.order()
    for each in (order, empty):
        assert (await courier.firm.api.delete(f"/v1/orders/{each['id']}")).status_code == 200
    assert (await courier.firm.api.get(f"/v1/orders/{order['id']}")).status_code == 404
    for name in ("proof-sheet.pdf", "proofs.zip", "proofs.csv"):
        answer = await courier.firm.api.get(f"/v1/orders/{order['id']}/{name}")
        assert answer.status_code == 200, answer.text
        assert (await stranger.firm.api.get(f"/v1/orders/{order['id']}/{name}")).status_code == 404
        assert (await courier.firm.api.get(f"/v1/orders/{empty['id']}/{name}")).status_code == 404
    assert [row["id"] for row in await courier.get(f"orders/{order['id']}/proofs")] == [proof["id"]]
    assert [row["id"] for row in await courier.get(f"proofs?order={order['id']}")] == [proof["id"]]
    assert (await courier.get(f"proofs/{proof['id']}/verify"))["valid"] is True


async def test_chosen_proofs_of_several_orders_are_packed_a_folder_for_each(
    courier: Courier, rival: Firm
) -> None:
    first, second = await courier.careful("signature"), await courier.careful("photo")
    signed, photo = await courier.signed(first), await courier.photographed(second)
    other = await courier.photographed(second)
    asked = f"/v1/proofs.zip?id={signed['id']}&id={photo['id']}"
    answer = await courier.firm.api.get(asked)
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(BytesIO(answer.content)) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read(f"{second['id']}/manifest.json"))
    assert f"{first['id']}/proof-sheet.pdf" in names
    assert [name for name in sorted(names) if photo["id"] in name]
    assert not [name for name in names if other["id"] in name]
    told = {proof["id"]: proof["file"] for proof in manifest["proofs"]}
    assert told[other["id"]]["missing"] == "Left out: this proof was not selected."
    assert (await rival.api.get(asked)).status_code == 404
    refused(await courier.firm.api.get("/v1/proofs.zip"), 422, "validation_failed")


async def test_a_single_sheet_does_not_wait_for_all_that_somebody_packs(courier: Courier) -> None:
    orders = [await courier.careful("signature") for _ in range(4)]
    signed = [await courier.signed(order) for order in orders]
    asked = "&".join(f"id={proof['id']}" for proof in signed)
    packing = asyncio.create_task(courier.firm.api.get(f"/v1/proofs.zip?{asked}"))
    while not documents.document_queue.is_busy:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0)
    printing = asyncio.create_task(fetched(courier, orders[0], "proof-sheet.pdf"))
    done, _ = await asyncio.wait({packing, printing}, return_when=asyncio.FIRST_COMPLETED)
    assert done == {printing}
    assert (await packing).status_code == 200


async def test_proofs_are_found_by_the_driver_who_captured_them(
    courier: Courier, phone: Phone
) -> None:
    order = await courier.careful("signature")
    driver = order["driver_assigned"]
    body = {"signature": drawn.text(drawn.signature())}
    path = f"/v1/orders/{order['id']}/capture-signature"
    mine = (await (await phone(driver)).post(path, json=body)).json()
    await courier.signed(order)
    assert [row["id"] for row in await courier.get(f"proofs?driver={driver['id']}")] == [mine["id"]]
    assert (await courier.firm.api.get("/v1/proofs?driver=driver_nobody")).status_code == 404


async def test_every_paper_names_the_person_an_order_is_for_at_somebody_elses_phone(
    courier: Courier, house: House
) -> None:
    phone = "+6591230009"
    anna = await courier.post("contacts", name="Anna", phone=phone, email="anna@example.com")
    bert = {"name": "Bert", "phone": phone, "email": "bert@example.com"}
    order = await courier.started(customer=bert, waypoints=[RAFFLES, {**MANDAI, "contact": bert}])
    await courier.signed(order, order["payload"]["waypoints"][1]["id"])
    read = f"/int/v1/events?subject={order['id']}"
    told = (await courier.firm.admin.get(read)).json()["data"]
    number = await courier.get(f"tracking-numbers/{order['tracking_number']['tracking_number']}")
    link = urlsplit(number["tracking_url"])
    page = await house.client().get(f"{link.path}?{link.query}")
    assert page.status_code == 200, page.text
    papers = {
        "order": json.dumps(await courier.get(f"orders/{order['id']}")),
        "sheet": " ".join(await sheet(courier, order)),
        "table": (await fetched(courier, order, "proofs.csv")).text,
        "archive": (await files(courier, order))["manifest.json"].decode(),
        "label": json.dumps(number),
        "page": page.text,
        **{row["event"]: json.dumps(row["body"]) for row in told},
    }
    for name, text in papers.items():
        assert not [one for one in ("Anna", "anna@", anna["id"], anna["uuid"]) if one in text], name
    # Events name the contact by its id, the papers by name; the label and the page name nobody.
    known = ("Bert", order["customer"]["id"])
    named = {name for name, text in papers.items() if any(one in text for one in known)}
    assert {"order", "sheet", "archive", "order.created", "order.started"} <= named
