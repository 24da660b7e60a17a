"""The browser's and the phone's own Back closes what lies on top, and not the screen under it."""

import pytest
from playwright.async_api import expect

from driver.hand import SIGNED, Hand, demand

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("method", ["scan", "signature", "photo", "sms"])
async def test_back_closes_an_open_dialog_and_stays_on_the_screen(hand: Hand, method: str) -> None:
    await hand.open()
    await hand.page.evaluate("location.hash = '#/me'")
    before = hand.page.url
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
