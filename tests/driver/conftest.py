"""A driver's phone before the house: `phone` is a real browser, small and with touch.

`hand` captures in it; `cameraman` does so on a phone with a camera, before which labels pass.
`handset` has the app without its screens, in Node, and `browser_handset` in a browser; `weather` is
what lies between it and the house, which runs by the machine's clock, as phones do.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from console.browser import PATIENCE, Front, Troubles, launched
from console.conftest import troubles
from console.shared import SharedPages
from driver import camera
from driver.hand import Hand
from driver.handset import BrowserHandset, Dispatcher, NodeHandset
from driver.weather import Weather
from maps.conftest import helsinki, helsinki_pbf
from pannier.kit.clock import ManualClock
from stage import Firm, House

__all__ = ["helsinki", "helsinki_pbf", "troubles"]


class RunningClock(ManualClock):
    """The machine's clock, which can be put forward too."""

    def now(self) -> datetime:
        """Answer the present moment, and what it was put forward by."""
        return self._now + (datetime.now(UTC) - self._begun)

    def __init__(self) -> None:
        self._begun = datetime.now(UTC)
        super().__init__(self._begun)


@pytest.fixture
def clock() -> ManualClock:
    """The time of day."""
    return RunningClock()


@pytest.fixture
async def acme(house: House) -> Firm:
    """The company the story is about, founded today."""
    return await house.found("Acme")


@pytest.fixture
def dispatcher(acme: Firm) -> Dispatcher:
    """Whoever gives drivers their orders."""
    return Dispatcher(acme)


@pytest.fixture
def weather(acme: Firm, front: Front, troubles: Troubles) -> Weather:
    """What lies between phones and the house; fine, until a test says otherwise."""
    troubles.excuse("Failed to load resource|ERR_")
    made = Weather(acme.house.edge)
    front.before(made)
    return made


@pytest.fixture
async def handset(troubles: Troubles, dispatcher: Dispatcher) -> AsyncIterator[NodeHandset]:
    """The app without its screens, and a driver signed in."""
    driver = await dispatcher.driver()
    async with NodeHandset.started(troubles.origin) as handset:
        handset.driver, handset.token = driver, await dispatcher.signed_in(driver)
        await handset.sign_in(handset.token)
        yield handset


@pytest.fixture
async def browser_handset(
    phone_with_worker: BrowserContext, dispatcher: Dispatcher
) -> BrowserHandset:
    """The app in a browser, with its service worker, and a driver signed in."""
    driver = await dispatcher.driver()
    return await BrowserHandset.at(phone_with_worker, driver, await dispatcher.signed_in(driver))


SINGAPORE: Final[dict[str, Any]] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
    "locale": "en-GB",
    "timezone_id": "Asia/Singapore",
    "reduced_motion": "reduce",
    "geolocation": {"latitude": 1.2839, "longitude": 103.8515},
    "permissions": ["geolocation"],
}


@asynccontextmanager
async def held(
    browser: Browser, troubles: Troubles, *permissions: str, **options: Any
) -> AsyncIterator[BrowserContext]:
    """Hold a phone of somebody in Singapore that nobody else has, with a service worker."""
    allowed = {"permissions": [*SINGAPORE["permissions"], *permissions]}
    context = await browser.new_context(
        base_url=troubles.origin, **{**SINGAPORE, **allowed, **options}
    )
    context.set_default_timeout(PATIENCE)
    troubles.watch(context)
    yield context
    await context.close()


@pytest.fixture
async def app(shared_pages: SharedPages, troubles: Troubles) -> AsyncIterator[Page]:
    """An empty page on the phone of somebody in Singapore, who lets the app see where it is.

    Other tests have it before and after. It has no service worker: see `phone_with_worker`.
    """
    async with shared_pages.lend("app", service_workers="block", **SINGAPORE) as page:
        troubles.watch(page.context)
        yield page
        troubles.look_away(page.context)


@pytest.fixture
def phone(app: Page) -> BrowserContext:
    """The phone that the app is on."""
    return app.context


@pytest.fixture
async def phone_with_worker(browser: Browser, troubles: Troubles) -> AsyncIterator[BrowserContext]:
    """A new phone, on which the app installs its service worker."""
    async with held(browser, troubles) as context:
        yield context


@pytest.fixture
def hand(app: Page) -> Hand:
    """A driver whose phone has no camera."""
    return Hand(app)


@pytest.fixture(scope="session")
async def lens(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """A Chromium with a camera, before which a QR code and a bar code pass in turn."""
    labels = camera.qr("LAMP-1"), camera.code128("CHAIR-2")
    film = camera.film(tmp_path_factory.mktemp("camera"), *labels)
    async with launched(*camera.FLAGS, film, shell=False) as started:
        yield started


@pytest.fixture(scope="session")
async def camera_pages(lens: Browser, front: Front) -> SharedPages:
    """The page of the Chromium with a camera."""
    return SharedPages(lens, front.url)


@pytest.fixture
async def cameraman(camera_pages: SharedPages, troubles: Troubles) -> AsyncIterator[Hand]:
    """A driver who lets the app use the camera; the page is shared as `app` is."""
    allowed = {"permissions": [*SINGAPORE["permissions"], "camera"]}
    options = {**SINGAPORE, **allowed, "service_workers": "block"}
    async with camera_pages.lend("app", **options) as page:
        troubles.watch(page.context)
        yield Hand(page)
        troubles.look_away(page.context)
