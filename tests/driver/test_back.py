"""The browser's and the phone's own Back closes what lies on top, and not the screen under it."""

import pytest
from playwright.async_api import Page, expect

from driver.hand import SIGNED, Hand, demand
from driver.rider import Rider
from stage import Firm

pytestmark = pytest.mark.slow
# Leaves a dialog by its arrow, and follows a link before a slow browser has gone back for it.
LEFT_IN_A_HURRY = """() => {
    const dialog = document.querySelector("dialog"), go = history.go.bind(history);
    history.go = (steps) => {
        document.getElementById("tab-me").click();
        setTimeout(go, 700, steps);
    };
    dialog.querySelector("button").click();
}"""


async def test_back_closes_an_open_dialog_and_stays_on_the_screen(hand: Hand) -> None:
    await hand.open()
    await hand.page.evaluate("location.hash = '#/me'")
    before = hand.page.url
    for method in ("scan", "signature", "photo", "sms"):
        await hand.begin(demand(method))
        await expect(hand.page.get_by_role("dialog")).to_be_visible()
        await hand.page.go_back()
        await expect(hand.page.get_by_role("dialog")).to_have_count(0)
        assert await hand.told() is None
        assert hand.page.url == before


async def test_back_asks_before_a_capture_is_thrown_away_and_then_closes_the_question(
    hand: Hand,
) -> None:
    await hand.open()
    before = hand.page.url
    await hand.begin(demand("signature"))
    await hand.sign(*SIGNED)
    await hand.page.go_back()
    await expect(hand.page.get_by_role("dialog")).to_have_count(2)
    await hand.page.go_back()
    await expect(hand.page.get_by_role("dialog")).to_have_count(1)
    await hand.button("Use signature").click()
    assert (await hand.told()) is not None
    assert hand.page.url == before
    assert await hand.page.evaluate("history.state?.sheet ?? 0") == 0


async def test_closing_a_dialog_by_its_button_leaves_no_entry_behind(hand: Hand) -> None:
    await hand.open()
    await hand.page.evaluate("location.hash = '#/me'")
    await hand.begin(demand("photo"))
    await hand.button("Back").click()
    assert await hand.told() is None
    await hand.page.go_back()
    await expect(hand.page).not_to_have_url("**/driver#/me")
    assert "#/me" not in hand.page.url


async def test_a_link_that_is_followed_as_a_dialog_closes_leads_on(acme: Firm, app: Page) -> None:
    rider, hand = await Rider.of(acme, app), Hand(app)
    await rider.sign_in()
    await hand.begin(demand("signature"))
    await expect(app.get_by_role("dialog")).to_be_visible()
    await app.evaluate(LEFT_IN_A_HURRY)
    assert await hand.told() is None
    await expect(rider.button("Sign out")).to_be_visible()
    assert app.url.endswith("#/me")
    assert await app.evaluate("history.state?.sheet ?? 0") == 0


async def test_two_backs_at_once_leave_the_screen_under_an_open_capture(hand: Hand) -> None:
    await hand.open()
    await hand.page.evaluate("location.hash = '#/me'")
    before = hand.page.url
    await hand.begin(demand("signature"))
    await hand.sign(*SIGNED)
    # The second one closes the question that the first one opens.
    await hand.page.evaluate("history.back(), history.back()")
    await hand.button("Use signature").click()
    assert (await hand.told()) is not None
    assert hand.page.url == before
    assert await hand.page.evaluate("history.state?.sheet ?? 0") == 0
