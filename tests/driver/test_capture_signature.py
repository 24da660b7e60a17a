"""Signing with a finger."""

import pytest
from playwright.async_api import expect

from console.browser import axe
from driver.hand import SIGNED, Hand, demand

pytestmark = pytest.mark.slow


async def test_somebody_signs_with_a_finger_and_a_blank_signature_is_refused(hand: Hand) -> None:
    await hand.begin(demand("signature"))
    await hand.sign(*SIGNED)
    await hand.page.get_by_label("Signer's name").fill("Ada Lovelace")
    await hand.page.get_by_label("Relationship to recipient").select_option("Neighbor")
    assert await axe(hand.page) == []
    await hand.button("Use signature").click()
    made = await hand.told()
    assert made["path"] == "/v1/orders/order_1/capture-signature/waypoint_1"
    assert made["body"]["signer_name"] == "Ada Lovelace"
    assert made["body"]["signer_relationship"] == "neighbour"
    assert made["summary"] == "Signature by Ada Lovelace · 1 Raffles Place, Singapore"
    [picture] = made["pictures"]
    assert (picture["field"], picture["type"]) == ("signature", "image/png")
    assert picture["width"] > picture["height"]
    await hand.begin(demand("signature", "entity_lamp"))
    await hand.button("Use signature").click()
    refusal = hand.page.get_by_role("alert").filter(has_text="The signature is too short")
    await expect(refusal).to_be_visible()
    await hand.sign((0.5, 0.5), (0.51, 0.5))
    await expect(refusal).to_be_hidden()
    await hand.button("Use signature").click()
    await expect(refusal).to_be_visible()
    await hand.sign(*SIGNED)
    await hand.button("Clear").click()
    await hand.button("Use signature").click()
    await expect(refusal).to_be_visible()
    await hand.sign(*SIGNED)
    await hand.button("Use signature").click()
    assert len((await hand.told())["pictures"]) == 1


async def test_what_was_signed_stays_when_the_phone_is_turned_and_when_somebody_goes_back_once(
    hand: Hand,
) -> None:
    await hand.begin(demand("signature"))
    await hand.sign(*SIGNED)
    await hand.page.keyboard.press("Escape")
    await hand.button("Keep").click()
    await hand.page.set_viewport_size({"width": 740, "height": 360})
    await expect(hand.page.locator(".pad")).to_be_visible()
    assert await axe(hand.page) == []
    await hand.button("Use signature").click()
    [picture] = (await hand.told())["pictures"]
    assert picture["width"] > 40
    await hand.begin(demand("signature", "entity_lamp"))
    await hand.sign(*SIGNED)
    await hand.button("Back").click()
    await hand.button("Discard").click()
    assert await hand.told() is None
