"""What a driver sees and presses."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import BrowserContext, Page, expect

from console.browser import Troubles, until
from console.looking import NARROW
from driver.hand import Hand, fetched
from driver.rider import PHONE, Rider
from stage import Firm

pytestmark = pytest.mark.slow
TYRE = (40, 30, 90)


@pytest.fixture
async def rider(acme: Firm, app: Page) -> Rider:
    """A driver who has the link, and nothing else yet."""
    return await Rider.of(acme, app)


async def test_a_driver_signs_in_by_the_link_and_a_code_and_stays_signed_in(rider: Rider) -> None:
    await rider.round()
    # The link is opened in an app that is open.
    await rider.page.goto("/driver")
    await expect(rider.page.get_by_label("Or paste the link")).to_be_visible()
    await rider.open()
    await rider.enter()
    await expect(rider.link("Night Safari")).to_be_visible()
    await expect(rider.link("Terminal 3")).to_contain_text("late")
    assert "key=" not in rider.page.url
    await rider.page.reload()
    await expect(rider.link("Night Safari")).to_be_visible()


async def test_a_stop_tells_what_to_do_and_one_button_does_it_also_without_reception(
    rider: Rider, phone: BrowserContext, troubles: Troubles
) -> None:
    order = await rider.round()
    machine = order["payload"]["entities"][0]["id"]
    await rider.shop.patch(f"entities/{machine}", quantity=2)
    await rider.sign_in()
    await expect(rider.link("Night Safari")).to_contain_text("2 items")
    await rider.link("Night Safari").click()
    page = rider.page
    await expect(rider.heading("Night Safari")).to_be_visible()
    for words in (
        "80 Mandai Lake Road",
        "Ada Lovelace",
        "Ring twice.",
        "2 items",
        "2 \N{MULTIPLICATION SIGN} Coffee machine",
        "Fragile.",
    ):
        await expect(page.get_by_text(words).first).to_be_visible()
    # The cash is collected at the last stop.
    await expect(page.get_by_text("12.50")).to_have_count(0)
    assert await rider.link("Call").get_attribute("href") == "tel:+6598765432"
    assert str(await rider.link("Navigate").get_attribute("href")).startswith("geo:1.404,103.79")
    await expect(rider.button("Start order")).to_be_enabled()
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await phone.set_offline(True)
    await rider.button("Start order").click()
    await rider.button("Arrived").click()
    await expect(page.get_by_text("Required for “Handed over”")).to_be_visible()
    await rider.button("Handed over").click()
    await expect(page.get_by_role("heading", name="Signature", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Back").click()
    await expect(rider.button("Handed over")).to_be_enabled()
    await rider.link("Offline · 2").click()
    await expect(page.get_by_role("listitem").filter(has_text="SO-2041")).to_have_count(2)
    await phone.set_offline(False)
    await expect(page.get_by_text("Everything has been sent")).to_be_visible()
    assert (await rider.read(order))["status"] == "arrived"


async def test_what_waited_for_the_sign_in_is_sent_by_it(rider: Rider, troubles: Troubles) -> None:
    # Without the timers by which the app looks again of itself.
    await rider.page.add_init_script(
        "const timer = setTimeout; setTimeout = (act, ms) => (ms < 5000 ? timer(act, ms) : 0)"
    )
    order = await rider.round()
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await expect(rider.button("Start order")).to_be_enabled()
    async with rider.shop.firm.house.database.transaction() as db:
        await db.execute("delete from tokens where kind = 'driver'")
    troubles.excuse("status of 401")
    await rider.button("Start order").click()
    await expect(rider.page.get_by_text("Unsent updates: 1.")).to_be_visible()
    await rider.go("stops")
    async with rider.answered(f"/orders/{order['id']}/start"):
        await rider.enter()


async def test_a_driver_takes_an_order_nearby_on_duty_and_goes_off_duty(rider: Rider) -> None:
    await rider.shop.order(adhoc=True, dispatch=True)
    await rider.sign_in()
    duty = rider.page.get_by_role("switch")
    await rider.go_on_duty()
    await expect(duty).to_contain_text("On duty")
    await rider.shop.post(f"drivers/{rider.driver['id']}/track", latitude=1.284, longitude=103.851)
    await rider.link("Nearby").click()
    await rider.button("Accept").click()
    await expect(rider.link("1 Raffles Place")).to_be_visible()
    await duty.click()
    await expect(duty).not_to_be_checked()


# A word on two lines: the text of one word has two rectangles.
BROKEN = """() => [...document.querySelectorAll("nav.foot a, .choice")].flatMap((one) =>
    [...one.childNodes].filter((text) => text.nodeType === Node.TEXT_NODE || text.matches("span"))
        .filter((text) => {
            const range = document.createRange();
            range.selectNodeContents(text);
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            return !/\\s/.test(text.textContent.trim()) && lines.size > 1;
        }).map(({ textContent }) => textContent))"""


async def test_no_word_is_broken_on_a_narrow_phone(rider: Rider) -> None:
    await rider.page.set_viewport_size(NARROW)
    await rider.sign_in()
    await rider.link("Account").click()
    for language, heading in (
        ("Deutsch", "Konto"), ("Français", "Compte"), ("Español", "Cuenta"), ("English", "Account"),
    ):  # fmt: skip
        await rider.page.get_by_text(language).click()
        await expect(rider.heading(heading)).to_be_visible()
        assert await rider.page.evaluate(BROKEN) == [], language


async def test_signing_out_takes_the_orders_away_and_a_chosen_language_and_look_stay(
    rider: Rider,
) -> None:
    await rider.round()
    await rider.sign_in()
    await expect(rider.link("Night Safari")).to_be_visible()
    await rider.link("Account").click()
    await rider.button("Sign out").click()
    await expect(rider.page.get_by_text("Everything has been sent.")).to_be_visible()
    await rider.page.locator("dialog").get_by_role("button", name="Sign out").click()
    await expect(rider.page.get_by_label("Phone number")).to_have_value(PHONE)
    await rider.sign_in()
    await expect(rider.link("Night Safari")).to_be_visible()
    await rider.link("Account").click()
    await rider.page.get_by_text("Deutsch").click()
    await expect(rider.heading("Konto")).to_be_visible()
    await rider.page.get_by_text("Dunkel").click()
    await expect(rider.page.locator("html[data-theme=dark][lang=de]")).to_be_attached()
    await rider.page.reload()
    await expect(rider.page.locator("html[data-theme=dark][lang=de]")).to_be_attached()


async def test_what_could_not_be_delivered_is_said_with_a_reason_and_taken_back(
    rider: Rider,
) -> None:
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    for place in ("Night Safari", "Terminal 3"):
        await rider.link(place).click()
        await rider.button("Report failed delivery").click()
        await rider.page.get_by_label("Delivery refused").check()
        await rider.page.get_by_label("Note for your dispatcher").fill("Wrong colour.")
        await rider.button("Send report").click()
        await expect(rider.heading("Stops")).to_be_visible()
    await rider.link("Return").click()
    await rider.button("Returned").click()
    await expect(rider.page.get_by_text("No stops")).to_be_visible()
    await rider.sent()
    told = await rider.shop.get(f"orders/{order['id']}/attempts")
    assert [(one["reason"], one["remarks"]) for one in told] == [("refused", "Wrong colour.")] * 2


async def test_issues_are_reported_in_words_with_a_photo_and_of_a_stop(rider: Rider) -> None:
    page = rider.page
    await rider.round()
    await rider.sign_in()
    await rider.link("Account").click()
    await rider.link("Report an issue").click()
    await page.get_by_label("Road or traffic").check()
    await page.get_by_label("Description").fill("A tree lies across Mandai Road.")
    await page.get_by_label("Urgent").check()
    async with rider.answered("/v1/issues"):
        await rider.button("Send report").click()
        # It goes away by itself, however long the server takes.
        await expect(page.get_by_text("Report saved.")).to_be_visible()
    (told,) = await rider.shop.get("issues")
    assert (told["report"], told["type"], told["priority"], told["driver"]) == (
        "A tree lies across Mandai Road.",
        "road",
        "high",
        rider.driver["id"],
    )
    await rider.link("Report an issue").click()
    await page.get_by_label("Vehicle").check()
    await page.get_by_label("Description").fill("The tyre is flat.")
    await rider.button("Add photo").click()
    tyre = BytesIO()
    Image.new("RGB", (640, 480), TYRE).save(tyre, "JPEG")
    taken = {"name": "tyre.jpg", "mimeType": "image/jpeg", "buffer": tyre.getvalue()}
    await page.locator("dialog input[type=file]").set_input_files([taken])
    await rider.button("Use photo").click()
    await expect(page.get_by_text("1 photo")).to_be_visible()
    async with rider.answered("/v1/issues/with-photos") as answered:
        await rider.button("Send report").click()
    assert (await answered.value).status == 201
    [issue] = [one for one in await rider.shop.get("issues") if one["id"] != told["id"]]
    (photo,) = await rider.shop.get(f"issues/{issue['id']}/photos")
    house = rider.shop.firm.house
    kept = await house.client().get(photo["url"].removeprefix(house.settings.base_url))
    with Image.open(BytesIO(kept.content)) as picture:
        seen: Any = picture.convert("RGB").getpixel((320, 240))
        assert (issue["report"], picture.size) == ("The tyre is flat.", (640, 480))
    assert max(abs(one - other) for one, other in zip(seen, TYRE, strict=True)) < 10
    # One of a stop leads back to it.
    await rider.go("stops")
    await rider.link("Night Safari").click()
    await rider.link("Report an issue").click()
    await page.get_by_label("Description").fill("The box is wet.")
    await rider.button("Send report").click()
    await expect(rider.heading("Night Safari")).to_be_visible()


async def test_an_issue_reported_by_itself_leads_to_the_app_and_is_reported_once(
    rider: Rider,
) -> None:
    await rider.sign_in()
    await rider.page.goto("about:blank")
    await rider.page.goto("/driver#/issue")
    await rider.page.get_by_label("Description").fill("A tree lies across Mandai Road.")
    await rider.button("Send report").evaluate("(button) => { button.click(); button.click(); }")
    await expect(rider.page.get_by_role("heading", name="Grace Hopper")).to_be_visible()
    await rider.link("Outbox").click()
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    assert len(await rider.shop.get("issues")) == 1


# A camera before which the code of the company lies.
SEEN = """(link) => {
    window.BarcodeDetector = class {
        static getSupportedFormats = async () => ["qr_code", "code_128"];
        detect = async () => [{ rawValue: link, format: "qr_code" }];
    };
}"""


async def test_the_code_of_the_company_is_scanned_at_sign_in(
    rider: Rider, troubles: Troubles, cameraman: Hand
) -> None:
    rider.page = cameraman.page
    await cameraman.open()
    await rider.page.evaluate(SEEN, f"{troubles.origin}/driver#key={rider.key}")
    await fetched(rider.page)
    await rider.button("Scan code").click()
    await rider.enter()


# The phone takes for ever to write something down.
STALLED = """() => {
    const begin = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (...given) {
        const made = begin.apply(this, given), [name] = made.objectStoreNames;
        const hold = () => { made.objectStore(name).count().onsuccess = hold; };
        if (made.mode === "readwrite") window.stalled = true, hold();
        return made;
    };
}"""


async def test_a_link_whose_key_was_not_kept_yet_is_there_when_the_app_is_opened_again(
    rider: Rider,
) -> None:
    await rider.page.goto("/driver")
    await expect(rider.page.get_by_label("Or paste the link")).to_be_visible()
    await rider.page.evaluate(STALLED)
    await rider.open()
    await until(rider.page, "window.stalled")
    await rider.page.reload()
    await rider.enter()
