"""A storage that hangs holds up those who wait for it, and nobody else."""

import asyncio

import pytest

from invoices.desk import Desk
from pannier.files.storage import Storage
from pannier.proofs.documents import MAX_WAITING
from program import PATIENCE
from proofs.evidence import Courier
from stage import Firm, House

pytestmark = pytest.mark.slow

CALLERS = 24  # more than there are connections
MAX_PER_COMPANY = MAX_WAITING // 2 + 1  # the one being made, and half of those that wait


class HangingStorage(Storage):
    """The same folder, on a disk that does not answer before it is told to."""

    def __init__(self, like: Storage) -> None:
        super().__init__(like.url, like.upload_limit)
        self.asked, self.go = asyncio.Semaphore(0), asyncio.Event()

    async def put(self, sha256: bytes, data: bytes) -> None:
        self.asked.release()
        await self.go.wait()
        await super().put(sha256, data)

    async def get(self, sha256: bytes) -> bytes:
        self.asked.release()
        await self.go.wait()
        return await super().get(sha256)


@pytest.fixture
def hanging(house: House) -> HangingStorage:
    storage = HangingStorage(house.edge.services["storage"])
    house.edge.services["storage"] = storage
    return storage


async def all_ask(hanging: HangingStorage, number: int) -> None:
    async with asyncio.timeout(PATIENCE):
        for _ in range(number):
            await hanging.asked.acquire()


async def test_uploads_wait_for_the_storage_without_a_connection(
    acme: Firm, hanging: HangingStorage
) -> None:
    uploads = [
        asyncio.create_task(acme.api.post("/v1/files", files={"file": ("a.txt", b"%d" % number)}))
        for number in range(CALLERS)
    ]
    await all_ask(hanging, CALLERS)
    assert (await acme.api.get("/v1/organizations/current")).status_code == 200
    hanging.go.set()
    assert {answer.status_code for answer in await asyncio.gather(*uploads)} == {201}


async def test_a_capture_waits_for_the_storage_without_holding_its_order(
    acme: Firm, hanging: HangingStorage
) -> None:
    courier = Courier(acme)
    order = await courier.started()
    capture = asyncio.create_task(courier.photographed(order))
    await all_ask(hanging, 2)  # the picture and its thumbnail
    changed = await courier.patch(f"orders/{order['id']}", notes="Ring twice.")
    assert changed["notes"] == "Ring twice."
    assert not capture.done()
    hanging.go.set()
    proof = await capture
    assert (await courier.get(f"proofs/{proof['id']}/verify"))["valid"] is True


async def test_documents_wait_in_a_short_queue_and_without_a_connection(
    acme: Firm, hanging: HangingStorage
) -> None:
    courier, desk = Courier(acme), Desk(acme)
    customer = await desk.customer()
    await desk.configure(currency="EUR")
    await desk.charged(customer)
    invoice = await desk.issued(customer)
    order = await courier.started()
    hanging.go.set()
    await courier.photographed(order)
    await all_ask(hanging, 2)
    hanging.go.clear()
    path = f"/v1/orders/{order['id']}/proof-sheet.pdf"
    sheets = [asyncio.create_task(acme.api.get(path)) for _ in range(CALLERS)]
    await all_ask(hanging, 1)
    # One is being made and some wait; the others have their answer while it hangs.
    async with asyncio.timeout(PATIENCE):
        while sum(sheet.done() for sheet in sheets) < CALLERS - MAX_PER_COMPANY:
            await asyncio.wait(sheets, return_when=asyncio.FIRST_COMPLETED, timeout=0.1)
    assert (await acme.api.get("/v1/organizations/current")).status_code == 200
    # The structured form of a long invoice takes seconds too.
    busy = await acme.api.get(f"/v1/invoices/{invoice['id']}.xml")
    assert (busy.status_code, busy.json()["code"]) == (503, "documents_busy")
    hanging.go.set()
    answers = await asyncio.gather(*sheets)
    refused = [answer for answer in answers if answer.is_error]
    assert len(refused) == CALLERS - MAX_PER_COMPANY
    assert {answer.json()["code"] for answer in refused} == {"documents_busy"}
    assert refused[0].status_code == 503
    assert refused[0].headers["retry-after"] == "2"
    assert {answer.content[:5] for answer in answers if answer.is_success} == {b"%PDF-"}
