"""All pages of the documentation, and every example on them; reading them all takes seconds."""

import re
import shlex
from base64 import b64encode
from functools import partial
from hashlib import sha256
from html import unescape
from typing import Any, Final

import pytest

from contract import test_every_route as doors
from pannier.app import build_litestar
from pannier.web.docs.pages import CONTENT_SECURITY_POLICY
from pannier.web.docs.views import ApiReference, DocumentedOperation
from pannier.web.openapi import build_document
from stage import Firm, House
from web.reader import Page

pytestmark = pytest.mark.slow

BASE: Final = "http://127.0.0.1:8000"
JSON: Final = "application/json"


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return build_document(build_litestar(), BASE).content


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
        assert (
            f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
            in CONTENT_SECURITY_POLICY
        )
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


# What has to be known first: a code that was sent, a token of a provider, an address that answers,
# a provider that sends.
BEFORE: Final = re.compile(
    r"/(login|link|verify|reset|request|confirm|logout|register|unregister|payment|stripe|account)"
    r"|/test-messages$"
    r"|/customers$|/customers/orders$|/from-qr"
)
CREATING: Final = [
    path
    for path, item in build_document(build_litestar(), BASE).content["paths"].items()
    if "post" in item and "{" not in path and not BEFORE.search(path)
]


@pytest.fixture(scope="module")
def posts(told: dict[str, Any]) -> dict[str, DocumentedOperation]:
    return {one.path: one for one in ApiReference(told).operations if one.method == "POST"}


# What a company has to have before an example creates anything.
NEEDS = {"/v1/plans": ("order_id", "driver_id")}
# Customers of whom an example tells more than that there are any.
CUSTOMERS = {"/invoices": doors.debtor, "/cash/remittances": partial(doors.merchant, amount=5000)}


@pytest.mark.parametrize("path", CREATING)
async def test_an_example_that_creates_works_as_it_stands(
    acme: Firm, posts: dict[str, DocumentedOperation], path: str
) -> None:
    operation = posts[path]
    for name in NEEDS.get(path, ()):
        await doors.MAKERS[name](acme)
    command, _, document = operation.curl.replace("\\\n", "").partition(" <<END\n")
    words = shlex.split(command)
    data = words[words.index("--data") + 1] if "--data" in words else ""
    text = document.removesuffix("\nEND") or data
    for variable in re.findall(r"\$(\w+)_ID", text):
        makers = {"CONTACT": CUSTOMERS.get(path.partition("/v1")[2], doors.contact)}
        make = makers.get(variable) or doors.MAKERS[f"{variable.lower()}_id"]
        made = await make(acme)
        text = text.replace(f"${variable}_ID", made)
    # Names of examples lead nowhere in tests, and webhooks want one that does.
    text = text.replace("shop.example.com", "93.184.216.34")
    client = doors.client_for(acme, operation.path)
    answer = await client.post(operation.path, content=text, headers={"Content-Type": JSON})
    assert answer.is_success, f"{operation.curl}\n{answer.text}"
