"""What is being captured outlives the app: kept as it comes, offered again, gone when used."""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import BrowserContext, Page, expect

from driver import camera
from driver.hand import SIGNED, Hand, demand
from driver.rider import Rider
from driver.test_capture_photo import chooser, file
from pannier.console import assets
from stage import Firm

pytestmark = pytest.mark.slow
PHOTO = camera.photo(64, 48)
KEPT = "Unfinished draft from"
DRAFTS = (
    "async (store) => (await (await import(store)).getAllRecords('drafts')).map(({ id }) => id)"
)
SIGN_IN = "async ([store, id]) => (await import(store)).saveValue('driver', { id })"


async def drafts(page: Page) -> list[str]:
    """List what was begun and neither used nor thrown away."""
    found: list[str] = await page.evaluate(DRAFTS, assets.url("driver/store.js"))
    return found


async def begun(page: Page, number: int = 1) -> None:
    """Wait until this driver has so many drafts; a phone may still have those of another."""
    await page.wait_for_function(
        """async ([store, number]) => {
            const { getAllRecords, loadValue } = await import(store);
            const kept = await getAllRecords("drafts");
            const by = (await loadValue("driver"))?.id ?? null;
            return kept.filter((one) => one.by === by && (
                one.taken?.length || one.strokes?.length || Object.keys(one.fields).length
            )).length === number;
        }""",
        arg=[assets.url("driver/store.js"), number],
    )


Again = Callable[[], Awaitable[Hand]]


@pytest.fixture
async def doomed(phone: BrowserContext) -> Page:
    """A page of the app that will be killed; then the phone's other one is opened."""
    return await phone.new_page()


@pytest.fixture
def hand(doomed: Page) -> Hand:
    """A driver whose phone has no camera."""
    return Hand(doomed)


@pytest.fixture
def again(doomed: Page, app: Page) -> Again:
    """The app is killed, and opened again."""

    async def killed() -> Hand:
        await doomed.close()
        return Hand(app)

    return killed


async def test_photos_and_remarks_are_there_again_after_the_app_was_killed(
    hand: Hand, again: Again
) -> None:
    await hand.begin(demand("photo"))
    await chooser(hand).set_input_files([file(PHOTO), file(PHOTO, "step.jpg")])
    await expect(hand.button("Use 2 photos")).to_be_visible()
    await hand.page.get_by_label("Notes").fill("Left with the concierge.")
    await begun(hand.page)
    hand = await again()
    await hand.begin(demand("photo"))
    await expect(hand.page.get_by_text(KEPT)).to_be_visible()
    await hand.button("Use 2 photos").click()
    made = await hand.told()
    assert [one["width"] for one in made["pictures"]] == [64, 64]
    assert made["body"]["remarks"] == "Left with the concierge."


async def test_a_signature_is_there_again_after_the_app_was_killed(
    hand: Hand, again: Again
) -> None:
    await hand.begin(demand("signature"))
    await hand.sign(*SIGNED)
    await hand.page.get_by_label("Signer's name").fill("Ada Lovelace")
    await hand.page.get_by_label("Relationship to recipient").select_option("neighbour")
    await begun(hand.page)
    hand = await again()
    await hand.begin(demand("signature"))
    await expect(hand.page.get_by_text(KEPT)).to_be_visible()
    await hand.button("Use signature").click()
    made = await hand.told()
    assert made["body"]["signer_name"] == "Ada Lovelace"
    assert made["body"]["signer_relationship"] == "neighbour"
    assert made["pictures"][0]["width"] > 100


async def test_what_was_begun_is_offered_for_nothing_else_and_to_nobody_else(
    hand: Hand, again: Again
) -> None:
    await hand.begin(demand("photo"))
    await chooser(hand).set_input_files([file(PHOTO)])
    await begun(hand.page)
    hand = await again()
    await hand.open()
    others = demand("photo", subject="entity_lamp"), demand("photo", activity="arrived")
    for other in others:
        await hand.begin(other)
        await expect(hand.page.get_by_role("dialog")).to_be_visible()
        await expect(hand.page.get_by_text(KEPT)).to_be_hidden()
        await hand.button("Back").click()
        assert await hand.told() is None
    await hand.page.evaluate(SIGN_IN, [assets.url("driver/store.js"), "driver_other"])
    await hand.begin(demand("photo"))
    await expect(hand.page.get_by_role("dialog")).to_be_visible()
    await expect(hand.page.get_by_text(KEPT)).to_be_hidden()


async def test_what_is_thrown_away_is_not_offered_again(hand: Hand, again: Again) -> None:
    await hand.begin(demand("photo"))
    await chooser(hand).set_input_files([file(PHOTO)])
    await begun(hand.page)
    await hand.button("Back").click()
    await hand.button("Discard").click()
    assert await hand.told() is None
    assert await drafts(hand.page) == []
    hand = await again()
    await hand.begin(demand("photo"))
    await expect(hand.page.get_by_text(KEPT)).to_be_hidden()


@pytest.fixture
async def rider(acme: Firm, doomed: Page) -> Rider:
    """A driver who has the link."""
    return await Rider.of(acme, doomed)


async def test_a_signature_that_was_begun_before_a_crash_arrives_and_is_then_forgotten(
    rider: Rider, app: Page
) -> None:
    order = await rider.round()
    await rider.shop.act(order, "start")
    stop = order["payload"]["waypoints"][0]["id"]
    await rider.shop.act(order, "update-activity", activity="arrived")
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await rider.button("Handed over").click()
    await Hand(rider.page).sign(*SIGNED)
    await begun(rider.page)
    await rider.page.close()
    rider.page = app
    await rider.page.goto(f"/driver#/stop/{order['id']}/{stop}")
    await rider.button("Handed over").click()
    await expect(rider.page.get_by_text(KEPT)).to_be_visible()
    await rider.button("Use signature").click()
    await expect(rider.heading("Stops")).to_be_visible()
    assert await drafts(rider.page) == []
    await rider.link("Outbox").click()
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    assert len(await rider.shop.get(f"orders/{order['id']}/proofs")) == 1


async def test_why_it_could_not_be_delivered_is_there_again(rider: Rider, app: Page) -> None:
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await rider.button("Report failed delivery").click()
    await rider.page.get_by_label("Delivery refused").check()
    await rider.page.get_by_label("Note for your dispatcher").fill("Wrong colour.")
    await begun(rider.page)
    await rider.page.close()
    rider.page = app
    await rider.page.goto("/driver")
    await rider.link("Night Safari").click()
    await rider.button("Report failed delivery").click()
    await rider.button("Send report").click()
    await expect(rider.heading("Stops")).to_be_visible()
    assert await drafts(rider.page) == []
    await rider.link("Outbox").click()
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    [told] = await rider.shop.get(f"orders/{order['id']}/attempts")
    assert (told["reason"], told["remarks"]) == ("refused", "Wrong colour.")


async def test_a_photo_of_what_failed_is_asked_for_once_though_the_app_is_killed_after_it(
    rider: Rider, app: Page
) -> None:
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.link("Night Safari").click()
    # The phone goes out when the photo is kept and what failed is not.
    await rider.page.evaluate(
        """() => {
            const add = IDBObjectStore.prototype.add;
            IDBObjectStore.prototype.add = function (one) {
                return one.kind === "attempt" ? this.transaction.abort() : add.call(this, one);
            };
        }"""
    )
    await rider.button("Report failed delivery").click()
    await rider.page.get_by_label("Goods damaged").check()
    await rider.button("Take photo and send").click()
    await chooser(Hand(rider.page)).set_input_files([file(PHOTO)])
    await rider.button("Use photo").click()
    await expect(rider.page.get_by_role("dialog")).to_contain_text("Phone storage is full")
    await rider.page.close()
    rider.page = app
    await rider.page.goto("/driver")
    await rider.link("Night Safari").click()
    await rider.button("Report failed delivery").click()
    await rider.button("Send report").click()
    await expect(rider.heading("Stops")).to_be_visible()
    assert await drafts(rider.page) == []
    await rider.link("Outbox").click()
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    [told] = await rider.shop.get(f"orders/{order['id']}/attempts")
    assert told["reason"] == "damaged"
    assert len(await rider.shop.get(f"orders/{order['id']}/proofs")) == 1


async def test_a_report_with_its_photos_is_there_again(rider: Rider, app: Page) -> None:
    await rider.sign_in()
    await rider.go("issue")
    await rider.page.get_by_label("Road or traffic").check()
    await rider.page.get_by_label("Description").fill("A tree lies across Mandai Road.")
    await rider.page.get_by_label("Urgent").check()
    await rider.button("Add photo").click()
    await chooser(Hand(rider.page)).set_input_files([file(PHOTO)])
    await begun(rider.page, 2)
    await rider.page.close()
    rider.page = app
    await rider.page.goto("/driver")
    await rider.go("issue")
    await expect(rider.page.get_by_text("1 photo")).to_be_visible()
    await rider.button("Add photo").click()
    await rider.button("Use photo").click()
    await rider.button("Send report").click()
    await expect(rider.page.get_by_text("Report saved.")).to_be_visible()
    assert await drafts(rider.page) == []
    await rider.go("waiting")
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()
    [issue] = await rider.shop.get("issues")
    assert (issue["report"], issue["type"], issue["priority"]) == (
        "A tree lies across Mandai Road.",
        "road",
        "high",
    )
    assert len(await rider.shop.get(f"issues/{issue['id']}/photos")) == 1


async def test_a_phone_with_the_release_before_keeps_what_it_has(app: Page) -> None:
    hand = Hand(app)
    await hand.page.goto("/driver/manifest.webmanifest")
    await hand.page.evaluate(
        """() => new Promise((resolve) => {
            const asked = indexedDB.open("pannier-driver", 1);
            asked.onupgradeneeded = () => {
                asked.result.createObjectStore("state", { keyPath: "name" });
                for (const name of ["orders", "outbox", "pictures", "places"])
                    asked.result.createObjectStore(name, { keyPath: "id" });
            };
            asked.onsuccess = () => {
                const keeping = asked.result.transaction("state", "readwrite");
                keeping.objectStore("state").put({ name: "key", value: "app_live_before" });
                keeping.oncomplete = resolve;
                asked.result.close();
            };
        })"""
    )
    await hand.open()
    await expect(hand.page.get_by_label("Phone number")).to_be_visible()
    assert await drafts(hand.page) == []


async def test_signing_out_takes_what_was_begun_from_the_phone(rider: Rider, app: Page) -> None:
    rider.page = app
    await rider.sign_in()
    await rider.go("issue")
    await rider.page.get_by_label("Description").fill("A tree lies across Mandai Road.")
    await begun(rider.page)
    await rider.go("me")
    await rider.button("Sign out").click()
    await expect(rider.page.get_by_text("Unfinished drafts")).to_be_visible()
    await rider.page.locator("dialog").get_by_role("button", name="Sign out").click()
    await expect(rider.page.get_by_label("Phone number")).to_be_visible()
    assert await drafts(rider.page) == []
