"""Files as people have them: encodings, separators, numbers, dates, and what is no spreadsheet."""

import asyncio
import io
import zipfile
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest

from imports.clerk import Clerk, counts, workbook
from pannier.files import queries as files
from pannier.files.storage import make_storage
from pannier.imports.program import MAX_UNPACKED_BYTES
from pannier.imports.reader import MAX_OPEN_SHEETS, MAX_OPEN_SHEETS_PER_COMPANY, open_sheet
from pannier.web.edge import ResponseInterruptedError
from pannier.web.streams import Streams
from stage import Firm, House

BROKEN = "The file is not valid CSV near line 2. Check its quotation marks."
TEXT = "Name,Ort\nCafé Zürich,Zürich\n"


@pytest.fixture
def clerk(acme: Firm) -> Clerk:
    return Clerk(acme)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
async def test_a_file_is_read_in_its_encoding(clerk: Clerk, encoding: str) -> None:
    made = await clerk.create("places", TEXT.encode(encoding))
    assert made["sample"] == [["Café Zürich", "Zürich"]]
    assert list(made["mapping"].values()) == ["name", "city"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
async def test_a_file_is_split_at_its_separator(clerk: Clerk, separator: str) -> None:
    text = TEXT.replace("Café Zürich", '"Café; an, der\tEcke"').replace("Name,", "Name,Land,")
    rows = text.replace('Ecke",', 'Ecke",CH,').split("\n")
    quoted = [row.replace(",Land,", f"{separator}Land{separator}") for row in rows]
    quoted[1] = quoted[1].replace('",CH,', f'"{separator}CH{separator}')
    made = await clerk.create("places", "\n".join(quoted))
    assert made["separator"] == separator
    assert made["sample"] == [["Café; an, der Ecke", "CH", "Zürich"]]


async def test_a_workbook_is_imported_with_its_numbers_and_dates(clerk: Clerk) -> None:
    rows = workbook(["Name", "Phone", "License expiry"], ["Ada", "+6591234567", "31.01.2027"])
    done = await clerk.imported("drivers", rows, name="drivers.xlsx")
    assert counts(done) == {"created": 1}, await clerk.errors(done)
    assert (done["format"], done["sheet"]) == ("xlsx", "Sheet")
    [driver] = await clerk.get("drivers")
    assert driver["license_expiry"] == "2027-01-31"


def bomb() -> bytes:
    data = io.BytesIO()
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(MAX_UNPACKED_BYTES // 2**20 + 1):
            part.write(bytes(2**20))
    return data.getvalue()


@pytest.mark.slow
async def test_what_would_fill_the_memory_is_refused(clerk: Clerk) -> None:
    # It takes a second to make: not while the tests are collected.
    await assert_refused(clerk, bomb(), "The file is too large when unpacked. Save it as CSV.")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"PK\x03\x04 nothing", "The file is not a valid XLSX file. Save it again, or as CSV."),
        (b"\n \n\n", "The file has no header row. Name the columns in the first row."),
        (b'name\n"' + b"a" * 20_000, BROKEN),
    ],
    ids=["no workbook", "empty", "an endless cell"],
)  # fmt: skip
async def test_what_is_no_spreadsheet_is_refused(clerk: Clerk, data: bytes, sentence: str) -> None:
    await assert_refused(clerk, data, sentence)


async def assert_refused(clerk: Clerk, data: bytes, sentence: str) -> None:
    file = await clerk.upload(data)
    answer = await clerk.firm.api.post("/v1/imports", json={"resource": "places", "file": file})
    assert answer.status_code == 422, answer.text
    assert (answer.json()["code"], answer.json()["detail"]) == ("import_file_unreadable", sentence)


async def test_only_a_few_files_are_read_at_once(clerk: Clerk) -> None:
    file = await clerk.upload(TEXT)
    done = await clerk.imported("places", "Name,Country\nDepot,Atlantis\n")
    waiting = await clerk.create("places", TEXT)
    async with clerk.house.database.reading() as db:
        stored = await files.get(db, clerk.firm.uuid, file)
    storage = make_storage(clerk.house.settings)
    companies = [uuid4() for _ in range(MAX_OPEN_SHEETS)]
    async with AsyncExitStack() as opened:
        for company in companies:
            await opened.enter_async_context(open_sheet(storage, stored, company=company))
        for answer in (
            await clerk.firm.api.post("/v1/imports", json={"resource": "places", "file": file}),
            await clerk.firm.api.get(f"/v1/imports/{done['id']}/faulty-rows"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (503, "readers_busy")
            assert answer.headers["retry-after"] == "2"
        # The worker does not wait for requests.
        assert counts(await clerk.run(waiting, "start")) == {"created": 1}
    answer = await clerk.firm.api.post("/v1/imports", json={"resource": "places", "file": file})
    assert answer.status_code == 201, answer.text


async def test_a_company_leaves_readers_to_others(clerk: Clerk, rival: Firm) -> None:
    file = await clerk.upload(TEXT)
    theirs = await Clerk(rival).upload(TEXT)
    async with clerk.house.database.reading() as db:
        stored = await files.get(db, clerk.firm.uuid, file)
    storage = make_storage(clerk.house.settings)
    async with AsyncExitStack() as opened:
        for _ in range(MAX_OPEN_SHEETS_PER_COMPANY):
            await opened.enter_async_context(open_sheet(storage, stored, company=clerk.firm.uuid))
        body = {"resource": "places", "file": file}
        refused = await clerk.firm.api.post("/v1/imports", json=body)
        assert refused.status_code == 503, refused.text
        answer = await rival.api.post("/v1/imports", json=body | {"file": theirs})
        assert answer.status_code == 201, answer.text


async def test_a_client_that_stops_reading_frees_the_reader(clerk: Clerk) -> None:
    rows = "".join(f"Depot {number},Atlantis\n" for number in range(1000))
    done = await clerk.imported("places", f"Name,Country\n{rows}")
    house, path = clerk.house, f"/v1/imports/{done['id']}/faulty-rows"
    services = house.edge.services
    house.edge.services = {**services, "streams": Streams(max_export_seconds=0.5)}
    async with asyncio.timeout(30):
        await asyncio.gather(*(stall(house, clerk.firm.api_key, path) for _ in range(2)))
    house.edge.services = services
    answer = await clerk.firm.api.get(path)
    assert answer.status_code == 200
    assert len(answer.text.splitlines()) == 1001


async def stall(house: House, key: str, path: str) -> None:
    """Request a download, read its beginning and nothing after it."""
    has_begun = asyncio.Event()

    async def send(message: Any) -> None:
        if message.get("body"):
            has_begun.set()
            await asyncio.Event().wait()

    async def receive() -> Any:
        await asyncio.Event().wait()

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {key}".encode())],
    }  # fmt: skip
    with pytest.raises(ResponseInterruptedError):
        await house.edge(scope, receive, send)
    assert has_begun.is_set()


DATES = (
    "Name,Phone,License expiry\nAda,+6591234567,3/4/2027\nEve,+6591234568,13/4/2027\n"
    "Bob,+6591234569,4/13/2027\nJoe,+6591234570,03.04.2027\nSue,+6591234571,5-5-2027\n"
)


async def test_a_date_that_can_be_read_in_two_ways_is_asked_about(clerk: Clerk) -> None:
    made = await clerk.create("drivers", DATES)
    checked = await clerk.run(made, "dry-run")
    sentence = (
        "License expiry: “3/4/2027” can be read in two ways. "
        "Choose whether dates begin with the day or the month."
    )
    assert await clerk.errors(checked) == {2: [sentence]}
    assert counts(checked) == {"ready": 4, "failed": 1}
    changed = await clerk.firm.api.patch(
        f"/v1/imports/{made['id']}", json={"date_order": "month_first"}
    )
    assert (changed.json()["state"], changed.json()["date_order"]) == ("new", "month_first")
    done = await clerk.run(changed.json(), "start")
    assert counts(done) == {"created": 4, "failed": 1}
    assert list(await clerk.errors(done)) == [3]
    expiries = {row["name"]: row["license_expiry"] for row in await clerk.get("drivers")}
    assert expiries == {
        "Ada": "2027-03-04", "Bob": "2027-04-13", "Joe": "2027-04-03", "Sue": "2027-05-05",
    }  # fmt: skip
    again = await clerk.imported("drivers", DATES.replace("+659", "+658"), date_order="day_first")
    assert counts(again) == {"created": 4, "failed": 1}
    expiries = {row["phone"]: row["license_expiry"] for row in await clerk.get("drivers")}
    assert expiries["+6581234567"] == "2027-04-03"
