"""Importing in the console: a file with errors, corrected columns, the import, and undoing it."""

import asyncio
import re
import time
from typing import Any

import pytest
from playwright.async_api import Response, expect

from console.browser import Tabs, axe
from console.reading import Page
from console.seat import Seat
from imports.clerk import Clerk, runner, workbook
from stage import Firm, House

FILE = "Designation;PLZ;Ort;Land\nDepot;048616;Singapore;SG\nZoo;729826;Singapore;Atlantis\n"


async def uploaded(seat: Seat, resource: str, data: str | bytes, name: str = "orte.csv") -> Any:
    """Send the form with a file, as browsers do."""
    page = await seat.open("/console/import")
    csrf = page.root.one("body")["data-csrf"]
    content = data.encode() if isinstance(data, str) else data
    return await seat.client.post(
        "/console/import",
        data={"csrf": csrf, "resource": resource},
        files={"file": (name, content)},
        headers={"Referer": "http://test/console/import"},
    )


async def test_a_file_with_errors_is_checked_mapped_imported_and_undone(
    acme: Firm, house: House
) -> None:
    seat, clerk = await Seat.of(acme, "dispatcher"), Clerk(acme)
    answer = await uploaded(seat, "places", FILE)
    assert answer.status_code == 303, answer.text
    here = answer.headers["Location"]
    page = await seat.open(here)
    assert "Designation" in page.text
    mapping = {"column-0": "name", "column-1": "postal_code", "column-2": "city"}
    await seat.send(f"{here}/mapping", {**mapping, "column-3": "country", "do": "check"})
    assert "Checking" in (await seat.open(here)).text
    assert await runner(house).step()
    checked = await seat.open(here)
    assert re.search(r"Rows with errors.*\b3\b.*Land", checked.text, re.DOTALL)
    assert "Import 1 record" in checked.text
    assert await clerk.get("places") == []
    await seat.send(f"{here}/mapping", {**mapping, "column-3": "country", "do": "start"})
    assert await runner(house).step()
    done = await seat.open(here)
    assert "Imported" in done.text
    assert [place["name"] for place in await clerk.get("places")] == ["Depot"]
    rows = await seat.client.get(f"{here}/faulty-rows")
    assert rows.text.splitlines()[1].startswith("Zoo,729826,Singapore,Atlantis,")
    await seat.send(f"{here}/undo")
    assert await runner(house).step()
    assert "Undone" in (await seat.open(here)).text
    assert await clerk.get("places") == []
    assert "orte.csv" in (await seat.open("/console/import")).text


async def test_the_form_says_what_is_wrong_with_a_file(acme: Firm) -> None:
    seat = await Seat.of(acme, "dispatcher")
    for content, sentence in (
        (b"PK\x03\x04 nothing", "not a valid XLSX file"),
        (b"", "Choose a file."),
    ):
        answer = await uploaded(seat, "places", content)
        assert answer.status_code == 422
        assert sentence in Page(answer.text).text
    missing = await uploaded(seat, "drivers", workbook(["Alter"], [7]), "drivers.xlsx")
    sent = await seat.send(f"{missing.headers['Location']}/mapping", {"do": "check"})
    assert sent.status_code == 422
    assert "Choose a column for Name, Phone." in Page(sent.text).text


async def test_only_those_who_may_create_records_import_them(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    assert "Import a file" not in (await viewer.open("/console/import")).text
    assert (await uploaded(viewer, "places", FILE)).status_code == 403
    dispatcher = await Seat.of(acme, "dispatcher")
    assert (await uploaded(dispatcher, "service-rates", "Name;Fee\nA;1\n")).status_code == 403
    assert (await uploaded(await Seat.of(acme), "service-rates", "Name\nA\n")).status_code == 303


async def test_uploading_a_large_file_leaves_the_loop_to_other_requests(acme: Firm) -> None:
    seat = await Seat.of(acme)
    form = (await seat.open("/console/import")).form("/console/import")
    fields = {name: text for name, text in form.items() if isinstance(text, str)}
    rows = b"".join(b"Place %d %s,Singapore\n" % (number, b"x" * 200) for number in range(120_000))
    request = seat.client.build_request(
        "POST", "/console/import", data=fields | {"resource": "places"},
        files={"file": ("places.csv", b"name,city\n" + rows)},
    )  # fmt: skip
    body, kind = request.read(), {"Content-Type": request.headers["Content-Type"]}
    steps, is_over = [], asyncio.Event()

    async def watch() -> None:
        # The time of this thread alone: other processes may be busy.
        while not is_over.is_set():
            before = time.thread_time()
            await asyncio.sleep(0.001)
            steps.append(time.thread_time() - before)

    watching = asyncio.create_task(watch())
    answer = await seat.client.post("/console/import", content=body, headers=kind)
    is_over.set()
    await watching
    assert answer.status_code == 303, answer.text
    assert max(steps) < 0.15
    [made] = (await acme.api.get("/v1/imports")).json()
    assert (made["file_name"], made["headers"]) == ("places.csv", ["name", "city"])


def is_sent(response: Response) -> bool:
    """Tell whether a form has been answered."""
    return response.request.method == "POST"


@pytest.mark.slow
async def test_a_dispatcher_corrects_the_columns_of_a_file_and_takes_the_import_back(
    acme: Firm, house: House, browse: Tabs
) -> None:
    page, clerk = await browse(role="dispatcher", maps=False), Clerk(acme)
    main = page.locator("#main")
    await page.goto("/console/import")
    await main.locator("#f-file").set_input_files(
        [{"name": "orte.csv", "mimeType": "text/csv", "buffer": FILE.encode()}]
    )
    await main.get_by_label("Records").select_option("places")
    await main.get_by_role("button", name="Upload").click()
    for column, field in enumerate(("name", "postal_code", "city", "country")):
        await main.locator(f"[name=column-{column}]").select_option(field)
    async with page.expect_response(is_sent):
        await main.get_by_role("button", name="Check").click()
    assert await runner(house).step()
    await page.reload()
    faulty = main.get_by_role("row").filter(has_text="Land")
    await expect(faulty.first).to_contain_text("3")
    assert await axe(page) == []
    async with page.expect_response(is_sent):
        await main.get_by_role("button", name="Import 1 record").click()
    assert await runner(house).step()
    await page.reload()
    await expect(main.get_by_text("Imported").first).to_be_visible()
    assert [place["name"] for place in await clerk.get("places")] == ["Depot"]
    async with page.expect_download() as downloading:
        await main.locator("a[href$=faulty-rows]").click()
    rows = await (await downloading.value).path()
    assert "Atlantis" in rows.read_text()
    await main.get_by_role("button", name="Undo import").click()
    async with page.expect_response(is_sent):
        await page.locator("#sure [value=yes]").click()
    assert await runner(house).step()
    await page.reload()
    await expect(main.get_by_text("Undone").first).to_be_visible()
    assert await clerk.get("places") == []
