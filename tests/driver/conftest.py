"""A driver's phone before the house: `phone` is a real browser, small and with touch."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext

from console.browser import PATIENCE, Troubles
from console.conftest import browser, front, troubles

__all__ = ["browser", "front", "troubles"]


@pytest.fixture
async def phone(browser: Browser, troubles: Troubles) -> AsyncIterator[BrowserContext]:
    """A phone of somebody in Singapore, who lets the app see where it is."""
    context = await browser.new_context(
        base_url=troubles.origin,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        timezone_id="Asia/Singapore",
        reduced_motion="reduce",
        geolocation={"latitude": 1.2839, "longitude": 103.8515},
        permissions=["geolocation"],
    )
    context.set_default_timeout(PATIENCE)
    troubles.watch(context)
    yield context
    await context.close()
