"""Scanning: by camera, from a picture, typed; the right code for the right item."""

from typing import Any

import pytest
from playwright.async_api import BrowserContext, Route, expect

from console.browser import Troubles, axe, until
from driver import camera
from driver.hand import HURRY, ORDER, REST, Hand, demand
from pannier.console import assets
from proofs.test_scans import CASES

pytestmark = pytest.mark.slow
# It waits for ever, and costs nothing meanwhile; without the memory to wait at it is never ready.
STUCK = """
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    onmessage = () => Atomics.wait(new Int32Array(buffer), 0, 0);
    postMessage({ ready: true });
"""
TORCH = """() => {
    window.shone = [];
    MediaStreamTrack.prototype.getCapabilities = () => ({ torch: true });
    MediaStreamTrack.prototype.applyConstraints = async ({ advanced: [{ torch }] }) => {
        window.shone.push(torch);
    };
}"""
LAMP, CHAIR, TABLE = (demand("scan", f"entity_{name}") for name in ("lamp", "chair", "table"))
DETECTOR = """() => {
    window.BarcodeDetector = class {
        static getSupportedFormats = async () => ["qr_code", "code_128"];
        detect = async () => [{ rawValue: "CHAIR-2", format: "code_128" }];
    };
}"""

# A camera that sees one wrong code after another.
FLICKER = """() => {
    window.looks = 0;
    window.BarcodeDetector = class {
        static getSupportedFormats = async () => ["qr_code", "code_128"];
        detect = async () => {
            window.looks += 1;
            return [{ rawValue: `WRONG-${Math.floor(window.looks / 3)}`, format: "code_128" }];
        };
    };
}"""


def label(text: str) -> list[Any]:
    """A photo of a label, as a file input takes it."""
    return [
        {"name": "label.jpg", "mimeType": "image/jpeg", "buffer": camera.seen(camera.qr(text), 3)}
    ]


async def test_a_code_before_the_camera_is_captured_at_once_and_of_several_each_for_its_item(
    cameraman: Hand,
) -> None:
    await cameraman.begin(LAMP)
    made = await cameraman.told()
    assert made["path"] == "/v1/orders/order_1/capture-qr/entity_lamp"
    body = made["body"]
    assert (body["code"], body["symbology"], body["activity"]) == (
        "LAMP-1",
        "QRCode",
        "handed_over",
    )
    assert body["entry"] == "scanned"
    assert body["location"]["latitude"] == pytest.approx(1.2839)
    assert body["proof_uuid"] == made["id"]
    assert body["device"]["id"]
    assert made["summary"] == "Scanned LAMP-1 · Lamp"
    await cameraman.walk(LAMP, CHAIR, {**TABLE, "met": True})
    assert await cameraman.told() is True
    kept = {one["body"]["code"]: one for one in await cameraman.kept()}
    assert kept["LAMP-1"]["path"].endswith("entity_lamp")
    assert kept["CHAIR-2"]["path"].endswith("entity_chair")
    assert kept["CHAIR-2"]["body"]["symbology"] == "Code128"
    assert len({one["id"] for one in kept.values()}) == 2


async def test_what_does_not_belong_here_is_said_and_light_is_offered(cameraman: Hand) -> None:
    page = cameraman.page
    order = {**ORDER, "flow": {"expected": {"entity_table": ["TABLE-9"]}, "waypoints": []}}
    await cameraman.open()
    await page.evaluate(TORCH)
    await cameraman.begin(TABLE, order)
    told = page.get_by_role("dialog").get_by_role("status").filter(has_text="does not match")
    await expect(told).to_contain_text("Expected for Table: TABLE-9")
    light = cameraman.button("Flashlight")
    await light.click()
    await expect(light).to_have_attribute("aria-pressed", "true")
    await light.click()
    assert await page.evaluate("window.shone") == [True, False]
    assert await axe(page) == []
    await cameraman.button("Back").click()
    assert await cameraman.told() is None


async def test_a_typed_code_is_taken_for_what_it_belongs_to(hand: Hand) -> None:
    # It may be spelled loosely, and is sent as it is expected.
    await hand.begin(LAMP)
    await hand.page.get_by_label("Enter code manually").fill("wrong")
    await hand.button("Use").click()
    await expect(hand.page.get_by_text("wrong does not match.")).to_be_visible()
    await hand.page.get_by_label("Enter code manually").fill(" acm 7k4m")
    await hand.page.keyboard.press("Enter")
    made = await hand.told()
    assert (made["body"]["code"], made["body"]["entry"]) == ("ACM-7K4M", "typed")
    assert made["summary"] == "Entered ACM-7K4M · Lamp"
    # One code does not count for two items, unless the driver says so,
    order = {**ORDER, "flow": {"waypoints": []}}
    await hand.walk(LAMP, CHAIR, order=order)
    for _ in range(2):
        await hand.page.get_by_label("Enter code manually").fill("4006381333931")
        await hand.button("Use").click()
    await expect(hand.page.get_by_text("has already been scanned for Lamp")).to_be_visible()
    assert len(await hand.kept()) == 1
    await hand.button("Use for Chair too").click()
    assert await hand.told() is True
    assert [one["path"][-5:] for one in await hand.kept()] == ["_lamp", "chair"]
    # or both items have it.
    expected = {"entity_lamp": ["EAN-1"], "entity_chair": ["EAN-1"]}
    order = {**ORDER, "flow": {"expected": expected, "waypoints": []}}
    await hand.walk(LAMP, CHAIR, order=order)
    for _ in range(2):
        await hand.page.get_by_label("Enter code manually").fill("EAN-1")
        await hand.button("Use").click()
    assert await hand.told() is True
    assert [one["path"][-5:] for one in await hand.kept()] == ["_lamp", "chair"]


def explaining(**known: list[str]) -> dict[str, Any]:
    """An order whose hand-over accepts other codes with a reason and a photo."""
    step = {"code": "handed_over", "scan_mismatch": "explain", "demands": []}
    return {**ORDER, "flow": {"known": known, "waypoints": [], "activities": [step]}}


async def photographed(hand: Hand) -> None:
    """Choose a photo of the item in the dialog that asks for it."""
    file = hand.page.get_by_label("Choose from phone").and_(hand.page.locator("input"))
    await file.set_input_files(
        [{"name": "item.jpg", "mimeType": "image/jpeg", "buffer": camera.photo(640, 480)}]
    )
    await hand.button("Use photo").click()


async def test_a_code_that_is_none_of_the_items_is_refused(hand: Hand) -> None:
    await hand.begin(LAMP, {**ORDER, "flow": {"known": {"entity_lamp": ["A"]}, "waypoints": []}})
    await hand.page.get_by_label("Enter code manually").fill("WRONG-1")
    await hand.button("Use").click()
    await expect(hand.page.get_by_text("WRONG-1 does not match.")).to_be_visible()
    await expect(hand.page.get_by_label("Reason")).to_have_count(0)


async def test_a_code_that_is_none_of_the_items_is_used_with_a_reason_and_a_photo(
    hand: Hand,
) -> None:
    await hand.begin(LAMP, explaining(entity_lamp=["ACM-7K4M"]))
    await hand.page.get_by_label("Enter code manually").fill("WRONG-1")
    await hand.button("Use").click()
    await expect(hand.page.get_by_text("WRONG-1 does not match.")).to_be_visible()
    await expect(hand.page.get_by_text("Expected for Lamp: ACM-7K4M")).to_be_visible()
    await hand.button("use anyway").click()
    assert await hand.page.get_by_role("dialog").is_visible()
    assert await axe(hand.page) == []
    await hand.page.get_by_label("Reason").fill("The label is torn.")
    await hand.button("use anyway").click()
    await photographed(hand)
    made = await hand.told()
    assert [one["field"] for one in made["pictures"]] == ["photo"]
    body = made["body"]
    assert (body["code"], body["entry"], body["mismatch_reason"]) == (
        "WRONG-1", "typed", "The label is torn.",
    )  # fmt: skip


async def test_codes_are_compared_as_the_server_labels_and_people_do(hand: Hand) -> None:
    await hand.open()
    compare = """async ([address, cases]) => {
        const { matchCode } = await import(address);
        return cases.map((one) => matchCode(one, one.known) !== undefined);
    }"""
    address = assets.url("driver/capture/codes.js")
    told = await hand.page.evaluate(compare, [address, CASES])
    assert told == [case["match"] for case in CASES]
    spelled = await hand.page.evaluate(
        """async (address) => {
            const { matchCode } = await import(address);
            return [
                matchCode({ text: "036000291452", symbology: "UPCA" }, ["0036000291452"]),
                matchCode({ text: "0036000291452", symbology: "EAN13" }, ["036000291452"]),
                matchCode({ text: "036000291452", symbology: "Code128" }, ["0036000291452"]),
                matchCode({ text: "acm 7k", typed: true }, ["ACM-7K"]),
                matchCode({ text: "acm 7k", symbology: "QRCode" }, ["ACM-7K"]),
            ].map((one) => one ?? null);
        }""",
        address,
    )
    assert spelled == ["0036000291452", "036000291452", None, "ACM-7K", None]


async def test_what_is_before_the_camera_leaves_the_reason_that_is_being_typed(
    cameraman: Hand,
) -> None:
    await cameraman.open()
    await cameraman.page.evaluate(FLICKER)
    await cameraman.begin(TABLE, explaining(entity_table=["TABLE-3"]))
    reason = cameraman.page.get_by_label("Reason")
    await reason.fill("The label is torn.")
    looks = await cameraman.page.evaluate("window.looks")
    await until(cameraman.page, f"window.looks > {looks + 12}")
    await expect(reason).to_have_value("The label is torn.")
    await cameraman.button("use anyway").click()
    await photographed(cameraman)
    assert (await cameraman.told())["body"]["mismatch_reason"] == "The label is torn."


async def test_without_a_camera_a_photo_of_the_code_is_read(hand: Hand) -> None:
    await hand.begin(LAMP)
    await expect(hand.page.get_by_text("No camera found")).to_be_visible()
    file = hand.page.get_by_label("Photo of the code").and_(hand.page.locator("input"))
    await file.set_input_files(
        [{"name": "table.jpg", "mimeType": "image/jpeg", "buffer": camera.photo(640, 480)}]
    )
    await expect(hand.page.get_by_text("No code found in this photo")).to_be_visible()
    await file.set_input_files(label("LAMP-1"))
    assert (await hand.told())["body"]["code"] == "LAMP-1"


async def test_what_scanning_needs_is_fetched_ahead_and_there_without_reception(
    phone_with_worker: BrowserContext, troubles: Troubles
) -> None:
    hand = Hand(await phone_with_worker.new_page())
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await hand.open()
    await until(hand.page, "navigator.serviceWorker.controller")
    flow = {"activities": [{"demands": [LAMP]}], "waypoints": []}
    await hand.page.evaluate(
        "async ([address, flow]) => (await import(address)).preloadScanner([{ flow }])",
        [assets.url("driver/capture/index.js"), flow],
    )
    wasm = assets.url("vendor/zxing/reader/zxing_reader.wasm")
    assert await hand.page.evaluate("async (wasm) => Boolean(await caches.match(wasm))", wasm)
    await hand.page.context.set_offline(offline=True)
    await hand.page.reload()
    await hand.begin(LAMP)
    await hand.page.locator("dialog input[type=file]").set_input_files(label("LAMP-1"))
    assert (await hand.told())["body"]["code"] == "LAMP-1"


async def test_without_reception_and_without_a_reader_the_code_is_typed(
    phone_with_worker: BrowserContext, troubles: Troubles
) -> None:
    hand = Hand(await phone_with_worker.new_page())
    troubles.excuse("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    await hand.open()
    await until(hand.page, "navigator.serviceWorker.controller")
    await hand.page.context.set_offline(offline=True)
    await hand.begin(LAMP)
    await expect(hand.page.get_by_text("The scanner is still loading")).to_be_visible()
    assert await axe(hand.page) == []
    await hand.page.get_by_label("Enter code manually").fill("LAMP-1")
    await hand.button("Use").click()
    assert (await hand.told())["body"]["code"] == "LAMP-1"


async def test_a_reader_that_never_ends_is_ended_and_started_again(cameraman: Hand) -> None:
    started: list[str] = []
    real = assets.url("driver/capture/scan-worker.js")

    async def program(route: Route) -> None:
        started.append(route.request.url)
        again = len(started) > 1
        await cameraman.page.evaluate(REST if again else HURRY)
        body = f'import "{real}";' if again else STUCK
        await route.fulfill(body=body, content_type="text/javascript")

    await cameraman.page.route("**/driver/scanner.js", program)
    await cameraman.begin(LAMP)
    assert (await cameraman.told())["body"]["code"] == "LAMP-1"
    assert len(started) == 2


async def test_a_browser_that_reads_codes_itself_fetches_no_reader(cameraman: Hand) -> None:
    asked: list[str] = []
    cameraman.page.on("request", lambda request: asked.append(request.url))
    await cameraman.open()
    await cameraman.page.evaluate(DETECTOR)
    await cameraman.begin(CHAIR)
    made = await cameraman.told()
    assert (made["body"]["code"], made["body"]["symbology"]) == ("CHAIR-2", "Code128")
    assert not [address for address in asked if "scanner" in address or "zxing" in address]
