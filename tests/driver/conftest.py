"""A driver's phone before the house: `phone` is a real browser, small and with touch.

`hand` captures in it; `cameraman` does so on a phone with a camera, before which labels pass.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext

from console.browser import PATIENCE, Troubles, launched
from console.conftest import browser, front, troubles
from driver import camera
from driver.hand import Hand

__all__ = ["browser", "front", "troubles"]


@asynccontextmanager
async def held(
    browser: Browser, troubles: Troubles, *permissions: str, **options: Any
) -> AsyncIterator[BrowserContext]:
    """Hold a phone of somebody in Singapore."""
    context = await browser.new_context(
        base_url=troubles.origin,
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        locale="en-GB",
        timezone_id="Asia/Singapore",
        reduced_motion="reduce",
        geolocation={"latitude": 1.2839, "longitude": 103.8515},
        permissions=["geolocation", *permissions],
        **options,
    )
    context.set_default_timeout(PATIENCE)
    troubles.watch(context)
    yield context
    await context.close()


@pytest.fixture
async def phone(browser: Browser, troubles: Troubles) -> AsyncIterator[BrowserContext]:
    """A phone of somebody in Singapore, who lets the app see where it is."""
    async with held(browser, troubles) as context:
        yield context


@pytest.fixture
async def hand(phone: BrowserContext) -> Hand:
    """A driver whose phone has no camera."""
    return Hand(await phone.new_page())


@pytest.fixture(scope="session")
async def lens(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """A Chromium with a camera, before which a QR code and a bar code pass in turn."""
    labels = camera.qr("LAMP-1"), camera.code128("CHAIR-2")
    film = camera.film(tmp_path_factory.mktemp("camera"), *labels)
    async with launched(*camera.FLAGS, film) as started:
        yield started


@pytest.fixture
async def cameraman(lens: Browser, troubles: Troubles) -> AsyncIterator[Hand]:
    """A driver who lets the app use the camera."""
    async with held(lens, troubles, "camera") as context:
        yield Hand(await context.new_page())
