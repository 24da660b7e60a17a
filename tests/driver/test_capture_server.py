"""All four ways to prove a delivery, captured in the app and judged by the real server."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.async_api import Page, expect

from console.browser import PATIENCE, Troubles
from driver.hand import SIGNED, Hand, fetched
from orders.shop import Shop
from pannier.console import assets
from pannier.kit.clock import ManualClock
from stage import Firm

pytestmark = pytest.mark.slow
ADA = {"name": "Ada", "phone": "+6598765432"}
METHODS = {"scanned": "scan", "photographed": "photo", "signed": "signature", "told": "sms"}
NOTED = """async ([address, token, driver]) => {
    const { saveValue } = await import(address);
    await saveValue("token", token);
    await saveValue("driver", driver);
}"""
WALK = """async ([capture, outbox, activity, order]) => {
    const { captureProofs } = await import(capture);
    const { addEntry } = await import(outbox);
    const keep = ({ id, sent, ...one }) => addEntry({ kind: "proof", order: order.id, ...one });
    window.ended = captureProofs(activity, order, keep);
}"""

SEND = "async (address) => { await (await import(address)).send(); }"
ARRIVED = """async (address) => {
    const { listEntries } = await import(address);
    for (;;) {
        const left = await listEntries();
        if (left.every(({ state }) => state === "refused")) return left;
        await new Promise(requestAnimationFrame);
    }
}"""


def flow() -> list[dict[str, Any]]:
    """A hand-over in four steps, each proved in another way."""
    codes = list(METHODS)
    return [
        {
            "code": code,
            "status": code,
            "next": codes[number + 1 : number + 2],
            "complete": number == len(codes) - 1,
            "require_pod": True,
            "pod_method": METHODS[code],
            "pod_scope": "entity" if code == "scanned" else "order",
        }
        for number, code in enumerate(codes)
    ]


async def texted(firm: Firm) -> str:
    text: str = await firm.house.value(
        "select body from messages order by created_at desc, uuid desc limit 1"
    )
    return text[:6]


async def signed_in(page: Page, firm: Firm, driver: dict[str, Any]) -> str:
    """Sign the driver in on the phone."""
    body = {"phone": driver["phone"]}
    await firm.api.post("/v1/drivers/login-with-sms", json=body)
    body["code"] = await texted(firm)
    token: str = (await firm.api.post("/v1/drivers/verify-code", json=body)).json()["token"]
    known = [assets.url("driver/store.js"), token, {"id": driver["id"]}]
    await page.evaluate(NOTED, known)
    return token


async def walk(hand: Hand, shop: Shop, order: dict[str, Any], code: str) -> None:
    """Begin to capture what an activity needs, as the server told it; the outbox sends it."""
    told = await shop.get(f"orders/{order['id']}/flow")
    [activity] = [each for each in told["activities"] if each["code"] == code]
    files = [assets.url("driver/capture/index.js"), assets.url("driver/outbox.js")]
    await hand.page.evaluate(WALK, [*files, activity, {**order, "flow": told}])


async def arrived(hand: Hand) -> None:
    """Wait until all was captured, and nothing waits on the phone."""
    assert await hand.page.evaluate("window.ended") is True
    async with asyncio.timeout(PATIENCE / 1000):
        refused = await hand.page.evaluate(ARRIVED, assets.url("driver/outbox.js"))
    assert refused == []


async def typed_code(hand: Hand, code: str) -> None:
    await hand.page.get_by_label("Recipient's code").fill(code)
    await hand.button("Check code").click()


async def test_a_code_typed_without_reception_is_judged_when_it_arrives(
    hand: Hand, acme: Firm, clock: ManualClock, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    clock.advance(seconds=(datetime.now(UTC) - clock.now()).total_seconds())
    shop = Shop(acme)
    config = await shop.config({**flow()[-1], "code": "told"})
    driver = await shop.driver()
    order = await shop.order(driver=driver["id"], order_config=config["id"], customer=ADA)
    await shop.act(order, "start", skip_dispatch=True)
    await hand.open()
    await signed_in(hand.page, acme, driver)
    await walk(hand, shop, order, "told")
    await hand.button("Send code").click()
    await expect(hand.page.get_by_text("Code sent to")).to_be_visible()
    await hand.page.context.set_offline(offline=True)
    await typed_code(hand, await texted(acme))
    assert await hand.page.evaluate("window.ended") is True
    assert await shop.get(f"orders/{order['id']}/proofs") == []
    await hand.page.context.set_offline(offline=False)
    await hand.page.evaluate(SEND, assets.url("driver/outbox.js"))
    await arrived(hand)
    assert (await shop.fire(order, "told"))["status"] == "completed"


async def test_all_four_ways_to_prove_are_taken_by_the_server(
    cameraman: Hand, acme: Firm, clock: ManualClock
) -> None:
    clock.advance(seconds=(datetime.now(UTC) - clock.now()).total_seconds())
    hand, shop = cameraman, Shop(acme)
    config = await shop.config(*flow())
    driver = await shop.driver()
    entities = [
        {"name": "Lamp", "expected_codes": ["LAMP-1"]},
        {"name": "Chair", "expected_codes": ["CHAIR-2"]},
    ]
    order = await shop.order(
        driver=driver["id"], order_config=config["id"], entities=entities, customer=ADA
    )
    await shop.act(order, "start", skip_dispatch=True)
    await hand.open()
    await signed_in(hand.page, acme, driver)

    await fetched(hand.page)
    await walk(hand, shop, order, "scanned")
    await arrived(hand)
    await shop.fire(order, "scanned")

    await walk(hand, shop, order, "photographed")
    await hand.looking()
    for number in (1, 2):
        await hand.button("Take photo").click()
        await expect(hand.button(f"View photo {number}")).to_be_visible()
    await hand.page.get_by_label("Notes").fill("At the door.")
    await hand.button("Use 2 photos").click()
    await arrived(hand)
    await shop.fire(order, "photographed")

    await walk(hand, shop, order, "signed")
    await hand.sign(*SIGNED)
    await hand.page.get_by_label("Signer's name").fill("Ada Lovelace")
    await hand.button("Use signature").click()
    await arrived(hand)
    await shop.fire(order, "signed")

    await walk(hand, shop, order, "told")
    await hand.button("Send code").click()
    await expect(hand.page.get_by_text("Code sent to +65•••5432.")).to_be_visible()
    code = await texted(acme)
    await typed_code(hand, f"{(int(code) + 1) % 10**6:06}")
    await expect(hand.page.get_by_text("Attempts left: 4.")).to_be_visible()
    await typed_code(hand, code)
    await arrived(hand)
    assert (await shop.fire(order, "told"))["status"] == "completed"

    proofs = await shop.get(f"orders/{order['id']}/proofs")
    assert sorted(proof["method"] for proof in proofs) == [
        "photo", "photo", "scan", "scan", "signature", "sms",
    ]  # fmt: skip
    scans = {proof["raw_data"]: proof["data"]["scan"] for proof in proofs if proof["raw_data"]}
    assert scans["CHAIR-2"]["symbology"] == "Code128"
    assert scans["LAMP-1"]["match"] is True
    [signature] = [proof for proof in proofs if proof["method"] == "signature"]
    assert signature["data"]["signer"] == {"name": "Ada Lovelace"}
    for proof in proofs:
        assert proof["data"]["location"]["coordinates"] == pytest.approx([103.8515, 1.2839])
        assert proof["data"]["device"]["id"]
