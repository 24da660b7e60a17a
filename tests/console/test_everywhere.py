"""What holds on every page of the console, found by walking through it."""

import pytest

from console import walk
from console.seat import Seat
from stage import Firm

MOST_HTML = 100_000

pytestmark = pytest.mark.slow


async def test_the_side_bar_leads_everywhere_and_every_page_says_where_one_is(
    acme: Firm, seat: Seat
) -> None:
    await walk.furnish(acme)
    found = await walk.pages(seat)
    assert found.broken == []
    assert set(walk.BEGIN) <= {address for address, _, _ in found.seen.values()}
    for address, page, size in found.seen.values():
        assert page.heading, address
        assert page.root.all("title")[0].text.endswith("Pannier"), address
        assert size < MOST_HTML, f"{address} has {size} bytes."
        identifiers = [
            one["id"] for one in page.root.within() if one["id"] and one.name != "marker"
        ]
        twice = {one for one in identifiers if identifiers.count(one) > 1}
        assert not twice, f"{address} has {twice} twice."


async def test_a_viewer_meets_no_page_that_is_refused_and_none_that_changes(acme: Firm) -> None:
    await walk.furnish(acme)
    viewer = await Seat.of(acme, "viewer")
    found = await walk.pages(viewer, ["/console/orders"])
    assert found.broken == []
    assert "/console/orders" in found.seen
    offered = {path for path in found.seen if path.endswith(("/new", "/edit"))}
    # What a shipment would cost can be asked by everybody, and changes nothing.
    assert offered <= {"/console/service-quotes/new"}
