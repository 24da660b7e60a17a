"""The pages tell everything the document does, to people, without the internet."""

import asyncio
import re
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path
from typing import Final

import pytest

import stage
from pannier.app import build_litestar
from pannier.db import Database
from pannier.errors import list_problems
from pannier.kit.clock import ManualClock
from pannier.web.docs.guides import GuideLibrary
from pannier.web.docs.text import highlight_json, mark_code
from pannier.web.docs.views import ApiReference
from pannier.web.openapi import build_document
from stage import House
from web.reader import Page

BASE = "http://127.0.0.1:8000"
ROOT: Final = Path(__file__).resolve().parents[2]


async def test_an_operation_shows_a_request_and_an_answer(house: House) -> None:
    page = (await house.client().get("/docs/keys-and-operators")).text
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert "curl -X POST http://127.0.0.1:8000/int/v1/keys \\" in text
    assert '-H "Authorization: Bearer $OPERATOR_TOKEN"' in text
    assert '"name": "Night dispatch"' in text
    assert "Response 201 Created" in text
    assert "overlap_seconds" in text
    assert "idempotency_key_reused" in text


async def test_every_problem_code_has_its_place(house: House) -> None:
    answer = await house.client().get("/docs/errors")
    page = Page(answer.text)
    for kind in list_problems():
        assert kind.code in page.ids or not kind.__module__.startswith("pannier."), kind
    assert len(set(page.ids)) == len(page.ids)


async def test_the_type_of_a_problem_leads_to_its_explanation(house: House) -> None:
    client = house.client()
    place, _, code = (await client.get("/v1/nothing")).json()["type"].partition("#")
    assert code in Page((await client.get(place)).text).ids


@pytest.mark.parametrize("place", ["/docs", "/docs/errors", "/docs/operations"])
async def test_the_pages_state_their_own_policy(house: House, place: str) -> None:
    answer = await house.client().get(place)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; style-src 'self'" in policy
    assert "script-src 'sha256-" in policy
    assert "unsafe" not in policy
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("place", ["/docs/nothing", "/docs/guide/nothing", "/docs/no/such/page"])
async def test_a_page_that_is_not_there_is_a_page_to_a_browser_and_a_problem_to_a_program(
    house: House, place: str
) -> None:
    browser = await house.client(Accept="text/html,application/xhtml+xml,*/*;q=0.8").get(place)
    assert (browser.status_code, browser.headers["content-type"]) == (
        404, "text/html; charset=utf-8",
    )  # fmt: skip
    assert "Page not found" in browser.text
    program = await house.client().get(place)
    assert program.status_code == 404
    assert program.json()["code"] == "not_found"


async def test_a_missing_page_is_kept_by_no_cache_and_every_other_for_a_while(house: House) -> None:
    browser = house.client(Accept="text/html")
    for place, kept in (("/docs/nothing", "no-store"), ("/docs/errors", "public, max-age=300")):
        assert (await browser.get(place)).headers["cache-control"] == kept


@pytest.mark.parametrize(
    "name",
    ["..%2f..%2fpyproject.toml", "%2e%2e/pyproject.toml", "%2fetc%2fpasswd", "..\\SECURITY.md"],
)
@pytest.mark.parametrize("shelf", ["", "copy/", "guide/", "guide/../../"])
async def test_nothing_beside_the_pages_is_read(house: House, shelf: str, name: str) -> None:
    answer = await house.client().get(f"/docs/{shelf}{name}")
    assert answer.status_code == 404, answer.text


@pytest.mark.slow
async def test_nobody_waits_while_pages_are_made_for_the_first_time(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    client = (await stage.build(database, clock, str(tmp_path))).client()
    done: list[str] = []

    async def ask(path: str) -> None:
        assert (await client.get(path)).status_code == 200
        done.append(path)

    for place in ("/openapi.json", "/docs", "/docs/orders"):
        await asyncio.gather(ask(place), ask("/healthz"))
    assert done == ["/healthz", "/openapi.json", "/healthz", "/docs", "/healthz", "/docs/orders"]


@pytest.mark.slow
def test_a_wheel_brings_the_guides_along(tmp_path: Path) -> None:
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    ours, theirs = GuideLibrary(), GuideLibrary(tmp_path / "site" / "pannier_docs")
    assert list(theirs.pages) == list(ours.pages)
    assert list(theirs.files) == list(ours.files)


@pytest.mark.slow
async def test_every_guide_is_a_page_that_the_overview_leads_to(house: House) -> None:
    links = Page((await house.client().get("/docs")).text).links
    for source in (*ROOT.glob("docs/guide/*.md"), *ROOT.glob("docs/operate/*.md")):
        place = f"/docs/{source.parent.name}/{source.stem}"
        assert place in links, place
        shown = (await house.client().get(place)).text
        title = source.read_text().splitlines()[0].removeprefix("# ")
        assert f">{title}</h1>" in shown
        assert ".md" not in "".join(Page(shown).links)


async def test_the_search_looks_through_guides_operations_and_codes(house: House) -> None:
    entries = (await house.client().get("/docs/search.json")).json()
    found = {address: (page, title, body) for page, title, address, body in entries}
    assert found["/docs/guide/conventions#idempotency"][1] == "Idempotency"
    assert "Idempotency-Key" in found["/docs/guide/conventions#idempotency"][2]
    assert found["/docs/orders#orders.create"][1] == "POST /v1/orders"
    assert found["/docs/errors#not_found"][0] == "Error codes"


@pytest.mark.slow
def test_twins_and_aliases_share_a_place() -> None:
    shown = ApiReference(build_document(build_litestar(), BASE).content)
    [changing] = [one for one in shown.chapters["orders"].operations if one.id == "orders.update"]
    assert [one.method for one in changing.methods] == ["PATCH", "PUT"]
    [company] = shown.chapters["company"].operations
    assert [one.path for one in company.aliases] == ["/v1/companies/current"]
    folded = [one for chapter in shown.chapters.values() for one in chapter.operations]
    texts = {(one.tags[0], one.summary, one.full_description) for one in folded}
    assert len(texts) == len(folded)


def test_words_are_escaped_before_they_are_set() -> None:
    assert mark_code("<b> `<i>`") == "&lt;b&gt; <code>&lt;i&gt;</code>"
    assert highlight_json('{"<a>": "</code>", "n": -1.5}') == (
        '{<b>"&lt;a&gt;"</b>: <u>"&lt;/code&gt;"</u>, <b>"n"</b>: <i>-1.5</i>}'
    )
    assert highlight_json("<gpx>") == "&lt;gpx&gt;"


async def test_no_page_weighs_300_kilobytes(house: House) -> None:
    overview = (await house.client().get("/docs")).text
    places = {"/docs", *re.findall(r'href="(/docs/[^"#]+)"', overview)}
    sizes = {place: len((await house.client().get(place)).content) for place in places}
    assert len(sizes) > 40
    assert {place: size for place, size in sizes.items() if size > 300_000} == {}


async def test_an_object_that_several_answers_carry_is_described_once(house: House) -> None:
    page = (await house.client().get("/docs/orders")).text
    assert page.count('id="object-OrderOut"') == 1
    assert page.count('href="#object-OrderOut"') > 10


def test_the_fields_of_an_object_are_listed_in_the_first_body_that_has_it() -> None:
    shown = ApiReference(build_document(build_litestar(), BASE).content)
    bodies = {
        one.id: one.bodies[0].rows for one in shown.chapters["orders"].operations if one.bodies
    }
    [name] = [
        f"{row.name} in {operation_id}"
        for operation_id, rows in bodies.items()
        for row in rows
        if row.name.endswith("waypoints[].subflow")
    ]
    assert name == "payload.waypoints[].subflow in orders.create"
    changed = {row.name: row.same_as for row in bodies["orders.update"]}
    assert changed["waypoints"] == "payload.waypoints in orders.create"
    assert not any(name.startswith("waypoints[]") for name in changed)
