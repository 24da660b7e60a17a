"""Photos: by the camera or from the phone, and small when they leave it."""

from typing import Any

import pytest
from playwright.async_api import Browser, Locator, expect

from console.browser import Troubles, axe
from driver import camera
from driver.conftest import held
from driver.hand import Hand, demand

pytestmark = pytest.mark.slow


def chooser(hand: Hand) -> Locator:
    """Find where photos of the phone are chosen."""
    return hand.page.locator("dialog input[type=file]")


def file(data: bytes, name: str = "door.jpg") -> Any:
    """A file of the phone."""
    return {"name": name, "mimeType": "image/jpeg", "buffer": data}


async def test_photos_by_the_camera_are_looked_at_removed_and_used(cameraman: Hand) -> None:
    page = cameraman.page
    await cameraman.begin(demand("photo"))
    await cameraman.looking()
    for number in (1, 2):
        await cameraman.button("Take photo").click()
        await expect(cameraman.button(f"View photo {number}")).to_be_visible()
    await cameraman.button("View photo 1").click()
    assert await axe(page) == []
    await cameraman.button("Remove").click()
    await page.get_by_label("Notes").fill("Left with the concierge.")
    assert await axe(page) == []
    await cameraman.button("Use photo").click()
    made = await cameraman.told()
    assert made["path"] == "/v1/orders/order_1/capture-photo/waypoint_1"
    assert made["body"]["remarks"] == "Left with the concierge."
    assert made["body"]["data"] == {"sources": ["camera"]}
    [picture] = made["pictures"]
    assert (picture["field"], picture["type"]) == ("photos", "image/jpeg")
    assert picture["width"] / picture["height"] == pytest.approx(4 / 3, rel=0.01)


async def test_a_huge_photo_is_made_small_on_the_phone(hand: Hand) -> None:
    await hand.begin(demand("photo"))
    await expect(hand.page.get_by_text("No camera found")).to_be_visible()
    assert await axe(hand.page) == []
    await chooser(hand).set_input_files(
        [file(camera.photo(8000, 6000)), file(camera.photo(30, 40))]
    )
    await hand.button("Use 2 photos").click()
    large, small = (await hand.told())["pictures"]
    assert (large["width"], large["height"]) == (1600, 1200)
    assert large["size"] < 1_000_000
    assert (small["width"], small["height"]) == (30, 40)


async def test_files_that_are_no_photos_and_more_than_ten_are_refused_in_words(
    hand: Hand,
) -> None:
    await hand.begin(demand("photo"))
    await chooser(hand).set_input_files([file(b"no picture", "notes.jpg")])
    await expect(hand.page.get_by_text("notes.jpg cannot be opened")).to_be_visible()
    await expect(hand.button("Use photo")).to_be_hidden()
    await chooser(hand).set_input_files([file(camera.photo(64, 48))])
    await expect(hand.page.get_by_text("cannot be opened")).to_be_hidden()
    await hand.button("Use photo").click()
    assert len((await hand.told())["pictures"]) == 1
    await hand.begin(demand("photo", "entity_lamp"))
    await chooser(hand).set_input_files([file(camera.photo(64, 48))] * 11)
    await expect(hand.page.get_by_text("You can add up to 10 photos")).to_be_visible()
    await hand.button("Use 10 photos").click()
    assert len((await hand.told())["pictures"]) == 10


async def test_a_camera_that_is_not_allowed_says_how_to_allow_it(
    lens: Browser, troubles: Troubles
) -> None:
    async with held(lens, troubles) as context:
        hand = Hand(await context.new_page())
        await hand.begin(demand("photo"))
        await expect(hand.page.get_by_text("Camera access is blocked")).to_be_visible()
        assert await axe(hand.page) == []
        await hand.button("Take photo").click()
        await expect(hand.page.get_by_text("The camera is not ready yet")).to_be_visible()
        await context.grant_permissions(["camera", "geolocation"])
        await hand.button("Try again").click()
        await hand.looking()
        await hand.button("Take photo").click()
        await hand.button("Use photo").click()
        assert len((await hand.told())["pictures"]) == 1
