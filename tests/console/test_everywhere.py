"""What holds on every page of the console, found by walking through it."""

from collections import Counter
from typing import Final

import pytest

from console import walk
from console.live_regions import list_faulty_regions
from console.raw_ids import raw_ids
from console.reading import Element, Page
from console.seat import Seat
from stage import Firm

MOST_HTML: Final = 100_000
# What ends an attribute, a script, and whatever else it stands in, and begins an element.
HOSTILE: Final = "</script>\"'><img src=x onerror=hostile()>{{7*7}}"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def hostile(firm: Firm) -> None:
    """Write what would run into whatever takes words."""
    made: dict[str, str] = {}
    for path, told in (
        ("contacts", {"name": HOSTILE, "title": HOSTILE}),
        ("vendors", {"name": HOSTILE}),
        ("drivers", {"name": HOSTILE, "phone": "+6591230001"}),
        ("vehicles", {"make": HOSTILE, "plate_number": HOSTILE[:20]}),
        ("places", {"name": HOSTILE, "street1": HOSTILE,
                    "location": {"type": "Point", "coordinates": [103.85, 1.29]}}),
        ("fleets", {"name": HOSTILE}),
    ):  # fmt: skip
        answer = await firm.api.post(f"/v1/{path}", json=told)
        assert answer.is_success, answer.text
        made[path] = answer.json()["id"]
    order = {"pickup": made["places"], "dropoff": made["places"], "notes": HOSTILE,
             "internal_id": HOSTILE, "customer": made["contacts"], "driver": made["drivers"],
             "entities": [{"name": HOSTILE, "sku": HOSTILE}],
             "meta": {HOSTILE: HOSTILE}}  # fmt: skip
    answer = await firm.api.post("/v1/orders", json=order)
    assert answer.is_success, answer.text
    issue = {"driver": made["drivers"], "type": "vehicle", "report": HOSTILE,
             "location": {"type": "Point", "coordinates": [103.85, 1.29]}}  # fmt: skip
    answer = await firm.api.post("/v1/issues", json=issue)
    assert answer.is_success, answer.text


def is_against_policy(element: Element) -> bool:
    """Tell whether a browser would refuse something of an element: styles or scripts within it."""
    return any(name == "style" or name.startswith("on") for name in element.attributes)


def lacks_export(seen: walk.Seen) -> bool:
    """Tell whether a page is a list of records, and offers no download of it."""
    is_record = "{" in walk.kind(seen.address)
    is_list = any("data-href" in one.attributes for one in seen.page.root.all("tr"))
    links = [one["href"] for one in seen.page.root.all("a") if "download" in one.attributes]
    return not is_record and is_list and not any("/export" in link for link in links)


def is_shown_hostile(page: Page, address: str) -> bool:
    """Tell whether a page shows what strangers wrote, which is only ever read."""
    elements = list(page.root.within())
    assert not page.root.all("img", src="x"), address
    assert not [one for one in elements if is_against_policy(one)], address
    return any("onerror" in str(one.inside) for one in elements)


async def test_the_side_bar_leads_everywhere_and_every_page_says_where_one_is(
    acme: Firm, seat: Seat
) -> None:
    await walk.furnish(acme)
    await hostile(acme)
    found = await walk.pages(seat)
    assert found.broken == []
    assert set(walk.BEGIN) <= {address for address, *_ in found.seen.values()}
    for address, page, size, _ in found.seen.values():
        assert page.heading, address
        assert page.root.all("title")[0].text.endswith("Pannier"), address
        assert size < MOST_HTML, f"{address} has {size} bytes."
        identifiers = Counter(one["id"] for one in page.root.within() if one.name != "marker")
        twice = {one for one, times in identifiers.items() if one and times > 1}
        assert not twice, f"{address} has {twice} twice."
    pages = {address: page for address, page, *_ in found.seen.values()}
    order, *_ = (await acme.api.get("/v1/orders")).json()
    for address in (f"/console/orders/{order['id']}", f"/console/orders/{order['id']}/label"):
        pages[address] = await seat.open(address)
    pages |= {one.address: one.page for one in await walk.records(seat, found)}
    raw = {address: ids for address, page in pages.items() if (ids := raw_ids(page))}
    assert raw == {}, "Show names, and offer ids to copy."
    faulty = {
        address: text for address, page in pages.items() if (text := list_faulty_regions(page))
    }
    assert faulty == {}
    without_export = [one.address for one in found.seen.values() if lacks_export(one)]
    assert without_export == [], "Every list exports what its filters show."
    shown = [address for address, page in pages.items() if is_shown_hostile(page, address)]
    assert len(shown) > 10
