"""Labels say where a parcel goes, in every script, and no text of theirs commands a printer."""

import asyncio
import re
import threading
from io import BytesIO
from itertools import islice
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from PIL import Image

from orders.shop import MANDAI, RAFFLES, Shop
from pannier.orders.labels.content import Label, LabelParty, count_letters
from pannier.orders.labels.sizes import locate_label
from pannier.orders.labels.zpl import escape_text
from pannier.proofs.documents import document_queue
from probe import refused
from stage import Firm

HOSTILE = "Leave ^FS^XZ~JR here_5E \\& \\(\nnow"
CYRILLIC = "Анна Кузнецова"
SIZES = {"a6": (105, 148), "4x6": (101.6, 152.4), "a4": (210, 297)}


async def full(shop: Shop, **more: Any) -> dict[str, Any]:
    return await shop.order(
        pickup={**RAFFLES, "name": "Depot"}, dropoff={**MANDAI, "name": "Zoo"},
        customer={"name": CYRILLIC, "phone": "+6591234567"}, internal_id="WEB-5",
        entities=[{"name": "Box"}, {"name": "Bag"}], cod_amount=2500, cod_currency="SGD",
        time_window_start="2026-01-20T01:00:00Z", time_window_end="2026-01-20T02:00:00Z",
        **more,
    )  # fmt: skip


def read_pages(document: bytes) -> list[str]:
    with pypdfium2.PdfDocument(document) as pdf:
        return [page.get_textpage().get_text_range() for page in pdf]


@pytest.mark.slow
async def test_a_pdf_has_its_size_and_the_texts_of_the_order(acme: Firm, shop: Shop) -> None:
    order = await full(shop, notes="Ring twice.")
    number = order["tracking_number"]["tracking_number"]
    for size, millimetres in SIZES.items():
        answer = await acme.api.get(f"/v1/orders/{order['id']}/label", params={"size": size})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/pdf"
        with pypdfium2.PdfDocument(answer.content) as pdf:
            found = tuple(round(points / 72 * 25.4, 1) for points in pdf[0].get_size())
        assert found == millimetres
        [text] = read_pages(answer.content)
        for part in ("Depot", CYRILLIC, "80 Mandai Lake Road", "Ring twice.", number,
                     "Collect 25.00 SGD", "WEB-5", "Acme"):  # fmt: skip
            assert part in text, (size, part)


@pytest.mark.slow
async def test_a_picture_has_codes_that_scan(acme: Firm, shop: Shop) -> None:
    order = await full(shop)
    answer = await acme.api.get(f"/v1/orders/{order['id']}/label", params={"format": "png"})
    assert answer.headers["content-type"] == "image/png"
    picture = Image.open(BytesIO(answer.content))
    assert abs(picture.width - 105 / 25.4 * 203) < 2
    codes = {code.format: code.text for code in zxingcpp.read_barcodes(picture)}
    number = order["tracking_number"]["tracking_number"]
    assert codes == {
        zxingcpp.BarcodeFormat.QRCode: number, zxingcpp.BarcodeFormat.Code128: number
    }  # fmt: skip


async def test_zpl_is_utf_8_and_no_text_of_it_is_a_command(acme: Firm, shop: Shop) -> None:
    order = await full(shop, notes=HOSTILE)
    query = {"format": "zpl", "size": "4x6"}
    answer = await acme.api.get(f"/v1/orders/{order['id']}/label", params=query)
    assert answer.headers["content-type"].startswith("application/zpl")
    text = answer.content.decode()
    assert text.startswith("^XA^CI28^PW812^LL1219^LH0,0\n")
    assert text.count("^XA") == text.count("^XZ") == 1
    assert "~" not in text
    assert "^FDLeave _5EFS_5EXZ_7EJR here_5F5E \\\\& \\\\( now^FS" in text
    assert f"^FD{CYRILLIC}^FS" in text
    number = order["tracking_number"]["tracking_number"]
    assert f"^BQN,2,6^FH_^FDMA,{number}^FS" in text
    assert re.search(rf"\^BY[123]\^BCN,144,N,N,N,A\^FH_\^FD{number}\^FS", text)
    refused(
        await acme.api.get(f"/v1/orders/{order['id']}/label?format=zpl&size=a4"),
        422,
        "validation_failed",
    )


def test_every_character_that_begins_a_command_is_escaped() -> None:
    assert escape_text("a^b~c_d\u202e\x1b") == "a_5Eb_7Ec_5Fd"
    assert escape_text(f"東京\t{CYRILLIC}") == f"東京 {CYRILLIC}"


def test_a_used_sheet_is_filled_from_its_next_position() -> None:
    assert [locate_label("a4", index, 3) for index in range(4)] == [
        (0, 148.5, True), (105, 148.5, False), (0, 0, True), (105, 0, False),
    ]  # fmt: skip
    assert [locate_label("a6", index, 3) for index in range(2)] == [(0, 0, True)] * 2


@pytest.mark.slow
async def test_many_are_one_document_in_their_order(acme: Firm, shop: Shop) -> None:
    orders = [await shop.order(internal_id=f"WEB-{number}") for number in range(5)]
    body = {"orders": [order["id"] for order in orders], "size": "a4", "start": 3}
    answer = await acme.api.post("/v1/labels", json=body)
    assert answer.status_code == 200, answer.text
    first, second = read_pages(answer.content)
    assert re.findall("WEB-.", first) == ["WEB-0", "WEB-1"]
    assert re.findall("WEB-.", second) == ["WEB-2", "WEB-3", "WEB-4"]
    zpl_body = {**body, "size": "a6", "format": "zpl"}
    keyed = {"json": zpl_body, "headers": {"Idempotency-Key": "labels-1"}}
    zpl = await acme.api.post("/v1/labels", **keyed)
    assert zpl.content.count(b"^XA") == 5
    again = await acme.api.post("/v1/labels", **keyed)
    assert again.content == zpl.content
    # Nothing changes, so the document is not stored with the key.
    assert "idempotent-replayed" not in again.headers
    assert not await acme.house.value("select count(*) from idempotency_answers")


async def test_labels_of_others_and_too_many_are_refused(
    acme: Firm, rival: Firm, shop: Shop
) -> None:
    order = await shop.order()
    refused(await rival.api.get(f"/v1/orders/{order['id']}/label"), 404, "not_found")
    answer = await rival.api.post("/v1/labels", json={"orders": [order["id"], "order_x"]})
    refused(answer, 404, "not_found")
    assert [field["path"] for field in answer.json()["fields"]] == ["orders[0]", "orders[1]"]
    many = {"orders": [str(number) for number in range(101)]}
    refused(await acme.api.post("/v1/labels", json=many), 422, "validation_failed")


def test_different_letters_are_counted_because_each_makes_a_pdf_slow() -> None:
    party = LabelParty("ab", "bc")
    label = Label(
        brand="a", service="", number="PN1", sender=party, recipient=LabelParty("東京", "京都"),
        notes="d", cash="", details=(("Items", "e"),),
    )  # fmt: skip
    assert count_letters([label, label]) == len("abcde東京都")


@pytest.mark.slow
async def test_a_pdf_of_too_many_letters_is_refused(acme: Firm, shop: Shop) -> None:
    letters = iter("".join(map(chr, range(0x4E00, 0x9FA5))))
    orders = [
        await shop.order(notes="".join(islice(letters, 200)), internal_id=f"{number}")
        for number in range(11)
    ]
    body = {"orders": [order["id"] for order in orders]}
    answer = await acme.api.post("/v1/labels", json=body)
    refused(answer, 422, "validation_failed")
    assert [field["path"] for field in answer.json()["fields"]] == ["orders"]
    assert (await acme.api.post("/v1/labels", json={**body, "format": "zpl"})).status_code == 200


async def test_companies_take_turns_and_none_fills_the_queue(
    acme: Firm, rival: Firm, shop: Shop
) -> None:
    gate, ended = threading.Event(), list[str]()
    holding = asyncio.create_task(document_queue.run(gate.wait))

    async def fetch(firm: Firm, order: str) -> int:
        answer = await firm.api.get(f"/v1/orders/{order}/label?format=zpl")
        ended.append(firm.company.name)
        return answer.status_code

    async def fill(firm: Firm, order: str, count: int) -> tuple[int, set[asyncio.Task[int]]]:
        """Ask so often that one too many is refused."""
        tasks = [asyncio.create_task(fetch(firm, order)) for _ in range(count)]
        done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return sum(task.result() for task in done), waiting

    try:
        refusal, ours = await fill(acme, (await shop.order())["id"], 6)
        assert (refusal, len(ours)) == (503, 5)
        # Another company finds the other places free, until the queue is full.
        refusal, theirs = await fill(rival, (await Shop(rival).order())["id"], 5)
        assert (refusal, len(theirs)) == (503, 4)
    finally:
        ended.clear()
        gate.set()
    assert await asyncio.gather(holding, *ours, *theirs) == [True, *[200] * 9]
    # Whoever came first does not go first with all its documents.
    assert ended.index(rival.company.name) < 4
    assert not document_queue.is_busy
