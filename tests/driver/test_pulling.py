"""What the app asks for again and again, and what stays as the driver has it meanwhile."""

import pytest
from playwright.async_api import BrowserContext, Request, expect

from driver.handset import Dispatcher, Handset
from driver.rider import Rider
from stage import Firm

pytestmark = pytest.mark.slow
PULL = "return (await orders.pull(given.fresh)).status"
# Ends when no screen was drawn for a second: what was under way as a finger lifted comes late.
AT_REST = """() => new Promise((rest) => {
  let waiting = setTimeout(rest, 1000);
  const wait = () => (clearTimeout(waiting), (waiting = setTimeout(rest, 1000)));
  new MutationObserver(wait).observe(document.getElementById("app"), { childList: true });
})"""


async def test_only_flows_of_orders_that_changed_are_read_again(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    first, second = [await dispatcher.give(handset.driver) for _ in range(2)]
    asked: list[str] = []

    def heard(request: Request) -> None:
        if request.url.endswith("/flow"):
            asked.append(request.url.split("/")[-2])

    async def pulled(*, fresh: bool | str = False) -> list[str]:
        asked.clear()
        assert await handset.js(PULL, fresh=fresh) == 200
        return sorted(asked)

    handset.page.on("request", heard)
    both = sorted([first["id"], second["id"]])
    assert await pulled() == both
    assert await pulled() == []
    await dispatcher.act(first, "start")
    assert await pulled() == [first["id"]]
    kept = await handset.js("return (await orders.one(given.id)).flow.activity", id=first["id"])
    assert kept == "started"
    # A proof does not change the order; the server has the last word on what it is good for.
    await handset.photo(second)
    assert await handset.send() == 0
    assert await pulled() == [second["id"]]
    assert await pulled() == []
    assert await pulled(fresh=True) == both
    assert await pulled(fresh=second["id"]) == [second["id"]]
    # Whoever wants to know does so, though somebody is reading what has changed.
    asked.clear()
    await handset.js("orders.pull(); return orders.pull(given.id)", id=first["id"])
    assert asked == [first["id"]]


async def test_a_new_place_draws_nothing_anew_but_distances(
    acme: Firm, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, await phone.new_page())
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.page.get_by_role("switch").click()
    card = rider.link("Night Safari")
    await expect(card.locator(".far")).to_contain_text("km")
    await rider.page.evaluate(AT_REST)
    before = await card.locator(".far").text_content()
    await rider.page.evaluate(
        "() => { window.drawn = document.querySelector('a.stop'); window.drawn.focus(); }"
    )
    await phone.set_geolocation({"latitude": 1.40, "longitude": 103.80})
    await expect(card.locator(".far")).not_to_have_text(before or "")
    assert await rider.page.evaluate(
        "window.drawn.isConnected && window.drawn === document.activeElement"
    )


async def test_what_is_open_stays_open_when_there_is_news(
    acme: Firm, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, await phone.new_page())
    order = await rider.round()
    await rider.sign_in()
    await rider.link("Night Safari").click()
    summary = rider.page.get_by_text("All 2 stops of this order")
    await summary.click()
    await expect(rider.page.get_by_role("link", name="Terminal 3")).to_be_visible()
    await summary.focus()
    await rider.shop.act(order, "start")
    await rider.page.evaluate("dispatchEvent(new Event('online'))")
    await expect(rider.button("Arrived")).to_be_visible()
    await expect(rider.page.get_by_role("link", name="Terminal 3")).to_be_visible()
    assert await rider.page.evaluate("document.activeElement.id") == "way"


# Has a finger come down while the next screen is being read, stay for a second and be lifted; tells
# whether what it touched was there until then. It ends when the screen has been drawn anew.
TOUCHED = """() => new Promise((drawn) => {
  const app = document.getElementById("app"), button = app.querySelector("button.primary");
  const touch = (kind) => button.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  const begin = IDBDatabase.prototype.transaction;
  let down = false, stayed = true;
  new MutationObserver((_, observer) => {
    if (document.contains(button)) return;
    stayed &&= !down;
    if (!down) observer.disconnect(), drawn(stayed);
  }).observe(app, { childList: true });
  IDBDatabase.prototype.transaction = function (...given) {
    IDBDatabase.prototype.transaction = begin;
    touch("pointerdown");
    down = true;
    setTimeout(() => {
      const gone = !document.contains(button);
      down = false;
      dispatchEvent(new PointerEvent("pointerup"));
      if (gone) drawn(false);
    }, 1000);
    return begin.apply(this, given);
  };
  dispatchEvent(new Event("outbox"));
})"""

# Has a finger come down on the button that sends, and down again before anything comes of it; tells
# whether what it touched was still there a second later, though another screen was to follow.
MOVED_UNDER_A_FINGER = """() => new Promise((stayed) => {
  const button = document.querySelector("button[form=issue]");
  const touch = (kind) => button.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  addEventListener("hashchange", () => setTimeout(() => {
    stayed(document.contains(button));
    touch("pointerup");
  }, 1000));
  touch("pointerdown"), touch("pointerup"), button.click(), touch("pointerdown");
})"""


async def test_what_a_finger_touches_while_a_screen_is_read_stays_until_it_is_lifted(
    acme: Firm, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, await phone.new_page())
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.link("Night Safari").click()
    await expect(rider.page.locator("button.primary")).to_be_visible()
    assert await rider.page.evaluate(TOUCHED)


async def test_a_screen_that_follows_what_was_sent_does_not_come_under_a_finger(
    acme: Firm, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, await phone.new_page())
    await rider.sign_in()
    await rider.page.goto("/driver#/issue")
    await rider.page.get_by_label("What is wrong?").fill("A tree lies across Mandai Road.")
    await rider.button("Send report").hover()
    moved = rider.page.evaluate(MOVED_UNDER_A_FINGER)
    async with rider.page.expect_response("**/v1/issues"):
        assert await moved
    await expect(rider.page.get_by_role("heading", name="Grace Hopper")).to_be_visible()
