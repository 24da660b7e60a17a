"""The browser that the console is tested in sees the house as its people do, and tells troubles."""

import asyncio

import pytest
from playwright.async_api import Page, expect

from console.browser import Tabs, Troubles, axe
from console.shared import SharedPages
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
    answer = await stranger.goto("/t")
    assert answer is not None
    assert answer.status == 200


# A small page with a policy.
SMALL = "/t"


async def test_an_element_that_comes_late_is_awaited_and_one_that_never_comes_is_named(
    page: Page,
) -> None:
    await page.goto(SMALL)
    late = page.locator("#late")
    await expect(late).to_be_hidden()
    await expect(late).not_to_be_visible()
    await expect(late).not_to_be_attached()
    await expect(late).to_have_count(0)
    with pytest.raises(AssertionError, match=r"element\(s\) not found"):
        await expect(late).to_have_text("here", timeout=50)
    with pytest.raises(AssertionError, match=r"element\(s\) not found"):
        await expect(late).not_to_have_text("here", timeout=50)
    await page.evaluate(
        """() => { setTimeout(() => {
            document.body.append(Object.assign(document.createElement("p"), { id: "late" }));
            setTimeout(() => { document.getElementById("late").textContent = "here"; }, 50);
        }, 50); }"""
    )
    await expect(late).to_have_text("here")
    with pytest.raises(AssertionError, match="Actual value: here"):
        await expect(late).to_have_text("gone", timeout=50)
    await page.evaluate("() => document.body.append(document.getElementById('late').cloneNode())")
    with pytest.raises(AssertionError, match="strict mode violation"):
        await expect(late).to_be_attached()


WRONG = {
    "document.body.setAttribute('style', 'color: red')": "policy: style-src-attr inline",
    "setTimeout(() => { throw new Error('broken') })": "script: broken",
    "fetch('http://elsewhere.example.com/').catch(() => 0)": "policy: connect-src http://e",
    "console.error('odd')": "console: odd",
}


async def test_what_goes_wrong_in_a_page_is_told(page: Page, troubles: Troubles) -> None:
    await page.goto(SMALL)
    for script, trouble in WRONG.items():
        assert not [one for one in troubles.left() if trouble in one]
        await page.evaluate(f"() => {{ {script} }}")
        async with asyncio.timeout(PATIENCE):
            while not any(trouble in one for one in troubles.left()):
                await page.evaluate("new Promise(requestAnimationFrame)")
    troubles.excuse(".")


async def test_a_page_that_leads_elsewhere_is_told(page: Page, troubles: Troubles) -> None:
    await page.goto(SMALL)
    async with page.expect_request("http://elsewhere.example.com/"):
        await page.evaluate("setTimeout(() => { location = 'http://elsewhere.example.com/' })")
    assert troubles.left() == ["another origin: http://elsewhere.example.com/"]
    troubles.excuse("elsewhere")


async def test_what_keeps_people_from_using_a_page_is_named(page: Page) -> None:
    await page.goto("/console/contacts")
    assert await axe(page) == []
    await page.evaluate("document.querySelector('h1').innerHTML += '<img>'")
    assert [one.partition(":")[0] for one in await axe(page)] == ["image-alt"]


LEAVE = """async () => {
    localStorage.setItem("left", "behind");
    sessionStorage.setItem("left", "behind");
    document.cookie = "left=behind";
    history.pushState({}, "");
    await caches.open("left");
    await new Promise((kept) => { indexedDB.open("left").onsuccess = kept; });
}"""
LEFT = """async () => [
    localStorage.length, sessionStorage.length, document.cookie, history.length,
    (await caches.keys()).length, (await indexedDB.databases()).length, innerWidth,
    matchMedia("(prefers-color-scheme: dark)").matches,
]"""
SIZE = {"viewport": {"width": 500, "height": 400}}


@pytest.mark.usefixtures("troubles")
async def test_what_a_test_left_in_a_shared_page_is_gone_for_the_next(
    shared_pages: SharedPages,
) -> None:
    async with shared_pages.lend("of this test", **SIZE) as page:
        await page.goto(SMALL)
        await page.evaluate(LEAVE)
        await page.set_viewport_size({"width": 300, "height": 300})
        await page.emulate_media(color_scheme="dark")
        await page.route("**", lambda route: route.abort())
        await page.context.new_page()
        await page.context.set_offline(offline=True)
    async with shared_pages.lend("of this test", **SIZE) as again:
        assert again is page
        assert again.context.pages == [page]
        await again.goto(SMALL)
        assert await again.evaluate(LEFT) == [0, 0, "", 2, 0, 0, 500, False]


@pytest.mark.usefixtures("troubles")
@pytest.mark.parametrize("spoil", ["script", "clock", "closed"])
async def test_a_page_that_cannot_be_cleaned_is_not_shared(
    shared_pages: SharedPages, spoil: str
) -> None:
    async with shared_pages.lend("of this test", **SIZE) as page:
        if spoil == "script":
            await page.add_init_script("window.left = 'behind'")
        elif spoil == "clock":
            await page.clock.set_fixed_time(0)
        else:
            await page.close()
    async with shared_pages.lend("of this test", **SIZE) as another:
        assert another is not page
        await another.goto(SMALL)
        assert await another.evaluate("[window.left ?? null, Date.now() > 0]") == [None, True]
