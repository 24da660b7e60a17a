"""The browser that the console is tested in sees the house as its people do, and tells troubles."""

import asyncio

import pytest
from playwright.async_api import Page

from console.browser import Tabs, Troubles, axe
from program import PATIENCE
from stage import Firm

pytestmark = pytest.mark.slow


async def test_a_page_is_signed_in_as_somebody_of_the_company(page: Page, acme: Firm) -> None:
    answer = await page.goto("/int/v1/me")
    assert answer is not None
    assert (await answer.json())["operator"]["email"] == acme.email("admin")


async def test_others_come_with_their_own_role_theme_and_width(browse: Tabs, acme: Firm) -> None:
    viewer = await browse(role="viewer", theme="dark", phone=True)
    answer = await viewer.goto("/int/v1/me")
    assert answer is not None
    assert (await answer.json())["operator"]["email"] == acme.email("viewer")
    assert await viewer.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert await viewer.evaluate("innerWidth") == 390
    stranger = await browse(role=None)
    answer = await stranger.goto("/docs")
    assert answer is not None
    assert answer.status == 200


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("document.body.setAttribute('style', 'color: red')", "policy: style-src-attr inline"),
        ("setTimeout(() => { throw new Error('broken') })", "script: broken"),
        ("fetch('http://elsewhere.example.com/').catch(() => 0)", "policy: connect-src http://e"),
        ("console.error('odd')", "console: odd"),
    ],
)
async def test_what_goes_wrong_in_a_page_is_told(
    page: Page, troubles: Troubles, script: str, trouble: str
) -> None:
    await page.goto("/docs")
    await page.evaluate(f"() => {{ {script} }}")
    async with asyncio.timeout(PATIENCE):
        while not any(trouble in one for one in troubles.left()):
            await page.evaluate("new Promise(requestAnimationFrame)")
    troubles.excuse(".")


async def test_a_page_that_leads_elsewhere_is_told(page: Page, troubles: Troubles) -> None:
    await page.goto("/docs")
    async with page.expect_request("http://elsewhere.example.com/"):
        await page.evaluate("setTimeout(() => { location = 'http://elsewhere.example.com/' })")
    assert troubles.left() == ["another origin: http://elsewhere.example.com/"]
    troubles.excuse("elsewhere")


async def test_what_keeps_people_from_using_a_page_is_named(page: Page) -> None:
    await page.goto("/docs")
    assert await axe(page) == []
    await page.evaluate("document.querySelector('h1').innerHTML += '<img>'")
    assert [one.partition(":")[0] for one in await axe(page)] == ["image-alt"]
