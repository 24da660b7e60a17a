"""Who sits in front of the console: `seat` reads pages without a browser, `page` is a real one.

`browse` opens pages for other people, themes and widths.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Page

from console.browser import Front, Tabs, Troubles
from console.seat import Seat
from console.shared import SharedPages
from stage import Firm


@pytest.fixture
async def troubles(acme: Firm, front: Front) -> AsyncIterator[Troubles]:
    """What went wrong in the browser, which fails the test at its end."""
    async with front.of(acme.house) as origin:
        found = Troubles(origin)
        yield found
    assert found.left() == []


@pytest.fixture
async def browse(shared_pages: SharedPages, acme: Firm, troubles: Troubles) -> AsyncIterator[Tabs]:
    """Open pages: `await browse(role="viewer", theme="dark", phone=True)`."""
    async with AsyncExitStack() as opened:
        yield Tabs(shared_pages, acme, troubles, opened)


@pytest.fixture
async def page(browse: Tabs) -> Page:
    """An empty page, signed in as Acme's admin; its maps are not drawn, which takes seconds."""
    return await browse(maps=False)


@pytest.fixture
async def seat(acme: Firm) -> Seat:
    """Acme's admin, reading pages and sending forms."""
    return await Seat.of(acme)
