"""The pages tell everything the document does, to people, without the internet."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from pannier.app import litestar
from pannier.errors import every_problem
from pannier.web.docs.pages import coloured, prose
from pannier.web.openapi import document
from stage import House

BASE = "http://127.0.0.1:8000"


class Page(HTMLParser):
    """What a browser would load, and where it could go."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.styled = False
        self.feed(text)
        self.anchors = set(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.styled |= "style" in found
        self.ids += [found["id"]] if "id" in found else []
        if tag == "a":
            self.links.append(found["href"])
        else:
            self.loaded += [found[name] for name in ("src", "href") if name in found]


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


async def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(house: House) -> None:
    pages = await every_page(house)
    assert len(pages) > 5
    for place, page in pages.items():
        outside = [one for one in page.loaded if not one.startswith(("/docs/", "data:"))]
        assert not outside, place
        assert not [link for link in page.links if not link.startswith(("/", "#"))], place
        assert page.tags.isdisjoint({"script", "iframe", "object", "embed", "form"}), place
        assert not page.styled, place
    style = (await house.client().get("/docs/style.css")).text
    assert "url(" not in style
    assert "@import" not in style


async def test_every_link_leads_to_something_that_is_there(house: House) -> None:
    pages = await every_page(house)
    for place, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if target == "/openapi.json" or not anchor:
                continue
            assert anchor in pages[target or place].anchors, link


@pytest.mark.parametrize("place", ["/docs", "/docs/errors", "/docs/operations"])
async def test_the_pages_state_their_own_policy(house: House, place: str) -> None:
    answer = await house.client().get(place)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; style-src 'self'" in policy
    assert "script-src" not in policy
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_page_that_is_not_there_is_a_plain_404(house: House) -> None:
    answer = await house.client().get("/docs/nothing")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


def test_words_are_escaped_before_they_are_set() -> None:
    assert prose("<b> `<i>`") == "&lt;b&gt; <code>&lt;i&gt;</code>"
    assert coloured('{"<a>": "</code>", "n": -1.5}') == (
        '{<span class="k">&#34;&lt;a&gt;&#34;</span>: '
        '<span class="s">&#34;&lt;/code&gt;&#34;</span>, '
        '<span class="k">&#34;n&#34;</span>: <span class="n">-1.5</span>}'
    )
