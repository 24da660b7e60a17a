"""The pages tell everything the document does, to people, without the internet."""

import asyncio
import re
import shlex
import subprocess
import sys
import zipfile
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

import stage
from contract import test_every_route as doors
from pannier.app import litestar
from pannier.db import Database
from pannier.errors import every_problem
from pannier.kit.clock import ManualClock
from pannier.web.docs.guides import Library
from pannier.web.docs.pages import POLICY
from pannier.web.docs.text import coloured, prose
from pannier.web.docs.views import Guide
from pannier.web.openapi import document
from stage import Firm, House

BASE = "http://127.0.0.1:8000"
JSON: Final = "application/json"
ROOT: Final = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """What a browser would load, and where it could go."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.styled = False
        self._in_script = False
        self.feed(text)
        self.anchors = set(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.styled |= "style" in found
        self.ids += [found["id"]] if "id" in found else []
        self._in_script = tag == "script"
        if tag == "a":
            self.links.append(found["href"])
        else:
            self.loaded += [found[name] for name in ("src", "href") if name in found]

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)

    def handle_endtag(self, _: str) -> None:
        self._in_script = False


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return document(litestar(), BASE).content


# Pages change with the code only, and reading them takes seconds: each is read once a run.
READ: dict[str, Page] = {}


async def every_page(house: House) -> dict[str, Page]:
    """Follow the links, as a reader would."""
    client = house.client()
    waiting = [] if READ else ["/docs"]
    while waiting:
        place = waiting.pop().partition("#")[0]
        if place in READ or not place.startswith("/docs"):
            continue
        answer = await client.get(place)
        assert answer.status_code == 200, place
        if place.startswith("/docs/copy/"):
            continue
        READ[place] = Page(answer.text)
        waiting += READ[place].links
    return READ


@pytest.mark.slow
async def test_every_operation_is_on_the_overview_and_on_its_page(
    house: House, told: dict[str, Any]
) -> None:
    pages = await every_page(house)
    # Each page is read once: many operations share one.
    links = {link.partition("#")[2]: link for link in pages["/docs"].links}
    ids = {place: set(page.ids) for place, page in pages.items()}
    shown = {place: unescape(re.sub(r"<[^>]+>", "", page.text)) for place, page in pages.items()}
    for path, item in told["paths"].items():
        for operation in item.values():
            place = links[operation["operationId"]].partition("#")[0]
            assert operation["operationId"] in ids[place]
            assert path in pages[place].text
            assert operation["summary"].replace("`", "") in shown[place]


async def test_an_operation_shows_a_request_and_an_answer(house: House) -> None:
    page = (await house.client().get("/docs/keys-and-operators")).text
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert "curl -X POST http://127.0.0.1:8000/int/v1/keys \\" in text
    assert '-H "Authorization: Bearer $OPERATOR_TOKEN"' in text
    assert '"name": "Night dispatch"' in text
    assert "Answer 201 Created" in text
    assert "overlap_seconds" in text
    assert "idempotency_key_reused" in text


async def test_every_problem_code_has_its_place(house: House) -> None:
    answer = await house.client().get("/docs/errors")
    page = Page(answer.text)
    for kind in every_problem():
        assert kind.code in page.ids or not kind.__module__.startswith("pannier."), kind
    assert len(set(page.ids)) == len(page.ids)


async def test_the_type_of_a_problem_leads_to_its_explanation(house: House) -> None:
    client = house.client()
    place, _, code = (await client.get("/v1/nothing")).json()["type"].partition("#")
    assert code in Page((await client.get(place)).text).ids


async def test_nothing_is_loaded_from_elsewhere_and_only_our_own_script_runs(house: House) -> None:
    pages = await every_page(house)
    assert len(pages) > 20
    for place, page in pages.items():
        outside = [one for one in page.loaded if not one.startswith(("/docs/", "data:"))]
        assert not outside, place
        reference = (
            "/guide/" not in place and "/operate/" not in place and "/reference/" not in place
        )
        links = [link for link in page.links if not link.startswith(("/", "#"))]
        assert not (links and reference), place
        assert page.tags.isdisjoint({"iframe", "object", "embed", "form"}), place
        assert not page.styled, place
        # The policy lets in just this one, by what it says.
        [script] = page.scripts
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in POLICY
    style = (await house.client().get("/docs/style.css")).text
    assert "url(" not in style
    assert "@import" not in style


async def test_every_link_leads_to_something_that_is_there(house: House) -> None:
    pages = await every_page(house)
    for place, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if target == "/openapi.json" or "://" in link or not anchor:
                continue
            assert anchor in pages[target or place].anchors, link


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
    assert "There is no such page" in browser.text
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
    ours, theirs = Library(), Library(tmp_path / "site" / "pannier_docs")
    assert list(theirs.pages) == list(ours.pages)
    assert list(theirs.files) == list(ours.files)


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
    assert found["/docs/orders#create_order"][1] == "POST /v1/orders"
    assert found["/docs/errors#not_found"][0] == "Problem codes"


def test_twins_and_aliases_share_a_place() -> None:
    shown = Guide(document(litestar(), BASE).content)
    [changing] = [one for one in shown.chapters["orders"].operations if one.id.startswith("change")]
    assert [one.method for one in changing.methods] == ["PUT", "PATCH"]
    [company] = shown.chapters["company"].operations
    assert [one.path for one in company.aliases] == ["/v1/companies/current"]
    folded = [one for chapter in shown.chapters.values() for one in chapter.operations]
    assert len({(one.tags[0], one.said) for one in folded}) == len(folded)


# What has to be known first: a code that was sent, a token of a provider, an address that answers.
BEFORE: Final = re.compile(
    r"/(login|link|verify|reset|request|confirm|logout|register|unregister|payment|stripe|account)"
    r"|/customers$|/from-qr"
)
CREATING: Final = [
    operation
    for operation in Guide(document(litestar(), BASE).content).operations
    if operation.method == "POST" and "{" not in operation.path
    and not BEFORE.search(operation.path)
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("operation", CREATING, ids=lambda one: one.path)
async def test_an_example_that_creates_works_as_it_stands(acme: Firm, operation: Any) -> None:
    command, _, document = operation.curl.replace("\\\n", "").partition(" <<END\n")
    words = shlex.split(command)
    text = document.removesuffix("\nEND") or words[words.index("--data") + 1]
    for variable in re.findall(r"\$(\w+)_ID", text):
        made = await doors.MAKERS[f"{variable.lower()}_id"](acme)
        text = text.replace(f"${variable}_ID", made)
    # Names of examples lead nowhere in tests, and webhooks want one that does.
    text = text.replace("shop.example.com", "93.184.216.34")
    client = doors.client_for(acme, operation.path)
    answer = await client.post(operation.path, content=text, headers={"Content-Type": JSON})
    assert answer.is_success, f"{operation.curl}\n{answer.text}"


def test_words_are_escaped_before_they_are_set() -> None:
    assert prose("<b> `<i>`") == "&lt;b&gt; <code>&lt;i&gt;</code>"
    assert coloured('{"<a>": "</code>", "n": -1.5}') == (
        '{<span class="k">&#34;&lt;a&gt;&#34;</span>: '
        '<span class="s">&#34;&lt;/code&gt;&#34;</span>, '
        '<span class="k">&#34;n&#34;</span>: <span class="n">-1.5</span>}'
    )
