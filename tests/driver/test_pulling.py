"""What the app asks for again and again, and what stays as the driver has it meanwhile."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from driver.hand import Hand, demand
from driver.handset import Dispatcher, Handset
from driver.rider import PHONE, Rider
from stage import Firm

pytestmark = pytest.mark.slow
PULL = "return (await orders.pullOrders(given.fresh)).status"
# Ends when no screen was drawn for a second: what was under way as a finger lifted comes late.
AT_REST = """() => new Promise((rest) => {
  let waiting = setTimeout(rest, 1000);
  const wait = () => (clearTimeout(waiting), (waiting = setTimeout(rest, 1000)));
  new MutationObserver(wait).observe(document.getElementById("app"), { childList: true });
})"""

# Tells of news several times, with time between them to look at it.
NEWS = """async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    dispatchEvent(new Event("outbox"));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}"""


async def test_only_flows_of_orders_that_changed_are_read_again(
    handset: Handset, dispatcher: Dispatcher
) -> None:
    first, second = [await dispatcher.give(handset.driver) for _ in range(2)]

    async def asked(script: str, **given: Any) -> list[str]:
        """List the orders whose flow is asked for while a script runs."""
        await handset.js("requests.length = 0")
        assert await handset.js(script, **given) == 200
        flows = [path for path in await handset.js("return requests") if path.endswith("/flow")]
        return sorted(path.split("/")[-2] for path in flows)

    async def pulled(*, fresh: bool | str = False) -> list[str]:
        return await asked(PULL, fresh=fresh)

    both = sorted([first["id"], second["id"]])
    assert await pulled() == both
    assert await pulled() == []
    await dispatcher.act(first, "start")
    assert await pulled() == [first["id"]]
    kept = await handset.js(
        "return (await orders.findOrder(given.id)).flow.activity", id=first["id"]
    )
    assert kept == "started"
    # A proof does not change the order; the server has the last word on what it is good for.
    await handset.photo(second)
    assert await handset.send() == 0
    assert await pulled() == [second["id"]]
    assert await pulled() == []
    assert await pulled(fresh=True) == both
    assert await pulled(fresh=second["id"]) == [second["id"]]
    # Whoever wants to know does so, though somebody is reading what has changed.
    twice = "orders.pullOrders(); return (await orders.pullOrders(given.id)).status"
    assert await asked(twice, id=first["id"]) == [first["id"]]


async def test_a_new_place_draws_nothing_anew_but_distances(
    acme: Firm, app: Page, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, app)
    order = await rider.round()
    await rider.shop.act(order, "start")
    await rider.sign_in()
    await rider.go_on_duty()
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

# Has a finger send a form, and come down again as another screen is to follow; tells whether what
# it touched was still there a second later, and how long after it was lifted that screen came.
MOVED_UNDER_A_FINGER = """() => new Promise((told) => {
  const app = document.getElementById("app"), button = app.querySelector("button[form=issue]");
  const touch = (kind) => button.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  addEventListener("hashchange", () => {
    touch("pointerdown");
    setTimeout(() => {
      const stayed = document.contains(button), lifted = performance.now();
      const came = () => told([stayed, performance.now() - lifted]);
      touch("pointerup");
      if (!stayed) return came();
      new MutationObserver(came).observe(app, { childList: true });
    }, 1000);
  });
  touch("pointerdown"), touch("pointerup"), button.click();
})"""


async def test_a_screen_that_follows_what_was_sent_does_not_come_under_a_finger(
    acme: Firm, app: Page
) -> None:
    rider = await Rider.of(acme, app)
    await rider.sign_in()
    await rider.page.goto("/driver#/issue")
    await rider.page.get_by_label("Description").fill("A tree lies across Mandai Road.")
    await rider.button("Send report").hover()
    stayed, after = await rider.page.evaluate(MOVED_UNDER_A_FINGER)
    assert stayed
    # The second of two quick taps comes within 300 milliseconds.
    assert after > 290
    await expect(rider.page.get_by_role("heading", name="Grace Hopper")).to_be_visible()


async def test_a_screen_is_read_once_though_there_is_news_while_it_is_read(
    acme: Firm, app: Page, phone: BrowserContext
) -> None:
    rider = await Rider.of(acme, app)
    await rider.sign_in()
    await rider.go_on_duty()
    await rider.shop.post(f"drivers/{rider.driver['id']}/track", latitude=1.284, longitude=103.851)
    await rider.page.evaluate(AT_REST)
    asked: list[str] = []
    told = asyncio.Event()

    async def slowly(route: Route) -> None:
        asked.append(route.request.url)
        await told.wait()
        await route.continue_()

    await phone.route("**/v1/orders/nearby*", slowly)
    async with rider.page.expect_request("**/v1/orders/nearby*"):
        await rider.link("Nearby").click()
    await rider.page.evaluate(NEWS)
    told.set()
    await expect(rider.page.get_by_role("heading", name="Nearby")).to_be_visible()
    assert len(asked) == 1


# Has a finger send the form, come down again as another screen is to follow, and be lifted.
SENT_TWICE = """() => new Promise((done) => {
  const button = document.querySelector("form .primary");
  const touch = (kind) => button.dispatchEvent(new PointerEvent(kind, { bubbles: true }));
  addEventListener("signed", () => {
    touch("pointerdown");
    setTimeout(() => {
      touch("pointerup");
      button.click();
      done();
    }, 500);
  }, { once: true });
  touch("pointerdown"), touch("pointerup"), button.click();
})"""


# Tells which clicks a call button heeds once a stop is shown: of the second of two quick taps, of a
# single one, and of the second of two that both came while it was shown.
HEARD = """(link) => new Promise((told) => {
  const tapped = (detail) => {
    const tap = new MouseEvent("click", { detail, bubbles: true, cancelable: true });
    const call = document.querySelector("a[href^='tel:']");
    let heard = false;
    call.onclick = () => ((heard = true), false);
    call.dispatchEvent(tap);
    return heard;
  };
  new MutationObserver((_, watching) => {
    watching.disconnect();
    told([tapped(2), tapped(1), tapped(2)]);
  }).observe(document.getElementById("app"), { childList: true });
  link.click();
})"""


async def test_a_stop_stays_as_it_is_under_quick_taps_with_news_and_under_a_finger(
    acme: Firm, app: Page
) -> None:
    rider = await Rider.of(acme, app)
    order = await rider.round()
    await rider.sign_in()
    await expect(rider.link("Night Safari")).to_be_visible()
    await rider.page.evaluate(AT_REST)
    # The second of two quick taps on a stop calls nobody.
    assert await rider.link("Night Safari").evaluate(HEARD) == [False, True, True]
    # What is open stays open when there is news, and what has the focus keeps it.
    summary = rider.page.get_by_text("All stops (2)")
    await summary.click()
    await expect(rider.page.get_by_role("link", name="Terminal 3")).to_be_visible()
    await summary.focus()
    await rider.shop.act(order, "start")
    await rider.page.evaluate("dispatchEvent(new Event('online'))")
    await expect(rider.button("Arrived")).to_be_visible()
    await expect(rider.page.get_by_role("link", name="Terminal 3")).to_be_visible()
    assert await rider.page.evaluate("document.activeElement.id") == "way"
    # What a finger touches while the screen is read stays until it is lifted.
    await rider.page.evaluate(AT_REST)
    assert await rider.page.evaluate(TOUCHED)


# Tells whether a button of a dialog heeds a tap: the second of two, of which the first opened it,
# hears nobody.
OVERHEARD = """(dialog, detail) => {
  let heard = false;
  const button = dialog.querySelector("button:enabled");
  const hear = (event) => ((heard = true), event.stopImmediatePropagation());
  button.addEventListener("click", hear, true);
  button.dispatchEvent(new MouseEvent("click", { detail, bubbles: true, cancelable: true }));
  button.removeEventListener("click", hear, true);
  return heard;
}"""


async def test_the_second_of_two_quick_taps_presses_nothing_in_a_dialog(
    hand: Hand,
) -> None:
    await hand.open()
    await hand.page.get_by_role("heading").click()
    await hand.begin(demand("signature"))
    dialog = hand.page.locator("dialog[open]")
    await expect(dialog).to_be_visible()
    assert [await dialog.evaluate(OVERHEARD, detail) for detail in (2, 1, 2)] == [False, True, True]


async def test_who_taps_twice_gets_one_code(acme: Firm, app: Page) -> None:
    rider = await Rider.of(acme, app)
    await rider.open()
    await rider.page.get_by_label("Phone number").fill(PHONE)
    await rider.page.evaluate(SENT_TWICE)
    await expect(rider.page.get_by_label("Code")).to_be_visible()
    await rider.page.evaluate(AT_REST)
    assert await acme.house.value("select count(*) from messages") == 1
