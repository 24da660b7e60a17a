"""A walk through the console: from the side bar along every link, one address of each kind."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from jinja2 import Template
from litestar.routes import HTTPRoute

from console.reading import Page
from console.seat import Seat
from contract.test_every_route import MAKERS
from pannier.app import build_litestar
from pannier.console.navigation import ENTRIES
from pannier.demo import seeding
from stage import Firm

# What makes another page of the same address.
TELLING = ("layout", "template", "tab", "follow")
MORE_RECORDS = 3
BEGIN = tuple(f"/console/{entry.resource}" for entry in ENTRIES)


async def furnish(firm: Firm) -> None:
    """Give a company what the demo has, and one of everything that has an identifier."""
    async with firm.house.database.transaction() as db:
        await seeding.seed(db, firm.uuid)
    for make in MAKERS.values():
        await make(firm)


@lru_cache
def kinds() -> tuple[tuple[re.Pattern[str], str], ...]:
    """List the addresses of pages, those without identifiers first."""
    formats = sorted(
        (
            route.path_format
            for route in build_litestar().routes
            if isinstance(route, HTTPRoute) and route.path_format.startswith("/console")
            if "GET" in route.route_handler_map
        ),
        key=lambda path: path.count("{"),
    )
    return tuple((re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), path) for path in formats)


def kind(address: str) -> str:
    """Name what kind of page an address leads to; nothing where it leads to none."""
    parts = urlsplit(address)
    given = parse_qs(parts.query)
    more = [f"{name}={given[name][0].partition('_')[0]}" for name in TELLING if name in given]
    known = [path for pattern, path in kinds() if pattern.match(parts.path)]
    return " ".join([known[0], *more]) if known else ""


class Seen(NamedTuple):
    """A page that somebody came to."""

    address: str
    page: Page
    size: int
    template: str = ""


class Walk(NamedTuple):
    """What was seen on a walk, by kind, and which links led to no page."""

    seen: dict[str, Seen]
    broken: list[str]


@contextmanager
def noting_templates() -> Iterator[list[str]]:
    """Note the names of the templates that are rendered meanwhile."""
    render, names = Template.render, list[str]()

    def noted(template: Template, *given: Any, **named: Any) -> str:
        names.append(template.name or "")
        return render(template, *given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "render", noted)
        yield names


async def pages(seat: Seat, begin: Sequence[str] = BEGIN) -> Walk:
    """Open a page of each kind that can be reached."""
    found: dict[str, Seen] = {}
    broken = []
    waiting, seen = list(begin), {"", kind("/console/sign-in")}
    while waiting:
        address = waiting.pop(0)
        if kind(address) in seen:
            continue
        seen.add(kind(address))
        with noting_templates() as rendered:
            answer = await seat.client.get(address, follow_redirects=True)
        if answer.status_code != 200:
            broken.append(f"{address}: {answer.status_code}")
        elif answer.headers["Content-Type"].startswith("text/html"):
            page = Page(answer.text)
            found[kind(address)] = Seen(address, page, len(answer.content), rendered[-1])
            waiting += leads(page, address)
    return Walk(found, broken)


async def records(seat: Seat, walked: Walk) -> list[Seen]:
    """Open more records of each kind that the pages of a walk lead to."""
    links = {to: kind(to) for seen in walked.seen.values() for to in leads(seen.page, seen.address)}
    known, seen = Counter[str](), []
    for address, name in links.items():
        if not name.endswith("{identifier}") or known[name] == MORE_RECORDS:
            continue
        known[name] += 1
        answer = await seat.client.get(address, follow_redirects=True)
        assert answer.status_code == 200, address
        seen.append(Seen(address, Page(answer.text), len(answer.content)))
    return seen


def leads(page: Page, address: str) -> Iterator[str]:
    """List where a page leads at the console, also by the rows of its tables."""
    rows = [row["data-href"] for row in page.root.all("tr") if row["data-href"]]
    for link in (*page.links(), *rows):
        to = urljoin(address, link)
        if to.startswith("/console/"):
            yield to.partition("#")[0]
