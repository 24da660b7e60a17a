"""What all ways to capture share: they are large, named and readable, and lose nothing."""

import pytest
from playwright.async_api import expect

from console.looking import Looker
from driver.hand import SIGNED, Hand, demand
from pannier.console import assets

pytestmark = pytest.mark.slow
FULL = """async ([address, activity, order]) => {
    const { captureProofs } = await import(address);
    window.kept = [];
    let full = true;
    window.ended = captureProofs(activity, order, async (one) => {
        if (full) throw new DOMException("There is no room.", "QuotaExceededError");
        window.kept.push(one);
    });
    window.makeRoom = () => { full = false; };
}"""


async def test_every_dialog_is_large_named_and_readable(hand: Hand) -> None:
    look = await Looker.at(hand.page, "capture")
    for method in ("scan", "signature", "photo", "sms"):
        await hand.begin(demand(method))
        await expect(hand.page.get_by_role("dialog")).to_be_visible()
        await look(method, target=48)
        await hand.button("Back").click()
        assert await hand.told() is None
    assert look.found == []


async def test_a_proof_that_the_phone_has_no_room_for_is_not_lost(hand: Hand) -> None:
    await hand.open()
    look = await Looker.at(hand.page, "capture")
    activity = {"code": "signed", "demands": [demand("signature")]}
    address = assets.url("driver/capture/index.js")
    await hand.page.evaluate(FULL, [address, activity, {"id": "order_1"}])
    await hand.sign(*SIGNED)
    await hand.button("Use signature").click()
    await expect(hand.page.get_by_role("alert")).to_contain_text("storage is full")
    await look("no-room", target=48)
    await hand.button("Try again").click()
    await expect(hand.page.get_by_role("alert")).to_contain_text("storage is full")
    await hand.page.evaluate("window.makeRoom()")
    await hand.button("Try again").click()
    assert await hand.told() is True
    assert [one["body"]["activity"] for one in await hand.kept()] == ["signed"]
    assert look.found == []


async def test_proofs_are_asked_for_one_after_another_and_those_before_going_back_are_kept(
    hand: Hand,
) -> None:
    both = demand("signature", "entity_lamp"), demand("signature", "entity_chair")
    await hand.walk(*both, {**demand("photo"), "met": True})
    await expect(hand.page.get_by_text("1 of 2 · Lamp")).to_be_visible()
    await hand.sign(*SIGNED)
    await hand.button("Use signature").click()
    await expect(hand.page.get_by_text("2 of 2 · Chair")).to_be_visible()
    await hand.button("Back").click()
    assert await hand.told() is False
    assert [one["path"][-4:] for one in await hand.kept()] == ["lamp"]


# Says the texts of refusals, also of captures.
REFUSALS = "driver/refusals.js"


def test_all_words_of_capturing_are_used_and_said_in_every_language() -> None:
    files = assets.load_store().files
    programs = b"".join(
        content
        for path, content in files.items()
        if (path.startswith("driver/capture/") and path.endswith(".js")) or path == REFUSALS
    ).decode()
    languages = [path for path in files if path.startswith("driver/words/")]
    assert len(languages) >= 2
    for path in languages:
        keys = {
            line.split('"')[1]
            for line in files[path].decode().splitlines()
            if line.strip().startswith('"capture.')
        }
        assert len(keys) > 50
        assert [key for key in keys if f'"{key}"' not in programs] == []
