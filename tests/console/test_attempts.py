"""Failed attempts at the console: seen, decided, and their reasons edited."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab

from console.reading import Page, sent_by
from console.seat import Seat
from console.test_order_configs import named, press, sheet
from orders.shop import MANDAI, RAFFLES, Shop
from pannier.web.times import to_rfc3339
from proofs import drawn
from stage import NOON, Firm

STOPS = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}]


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def held(shop: Shop) -> dict[str, Any]:
    """Have an order whose address nobody found, with a photo of where the driver was."""
    order = await shop.started()
    picture = drawn.text(drawn.photo())
    await shop.post(f"orders/{order['id']}/capture-photo", photo=picture)
    body = {"reason": "wrong_address", "remarks": "There is a lake."}
    return await shop.act(order, "fail-attempt", **body)


def attempts(page: Page) -> str:
    return page.main.one("section", aria_labelledby="attempts").text


@pytest.mark.slow
async def test_what_is_held_is_on_the_board_and_decided_on_the_page_of_its_order(
    acme: Firm, seat: Seat, shop: Shop
) -> None:
    order = await held(shop)
    home = f"/console/orders/{order['id']}"
    board = await seat.open("/console/orders")
    card = board.main.one("li", id=order["id"])
    assert card.all("span", class_="amber")[0].text == "On hold"
    [listed] = await shop.get("orders?attention=true")
    assert listed["id"] == order["id"]
    page = await seat.open(home)
    said = attempts(page)
    for words in ("Address not found", "There is a lake.", "On hold"):
        assert words in said
    assert page.main.one("section", aria_labelledby="attempts").all("img", alt="Photo")
    after = await seat.sent(f"{home}/decide", {"then": "retry"})
    assert "Delivery will be retried." in after.root.one("div", id="toasts").text
    assert (await shop.get(f"orders/{order['id']}"))["undelivered"] is None
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    decided = [entry for entry in log if entry["action"] == "delivery_attempt.changed"]
    assert [entry["actor_type"] for entry in decided] == ["operator"]


async def test_another_attempt_may_have_another_time_address_driver_and_note(
    seat: Seat, shop: Shop
) -> None:
    order, driver = await held(shop), await shop.driver(name="Grace Hopper")
    home = f"/console/orders/{order['id']}"
    page = await seat.open(f"{home}?do=retry")
    dialog = page.root.one("dialog", id="do-retry")
    assert "open" in dialog.attributes
    form = sent_by(dialog.one("form"))
    assert form["driver"] == order["driver_assigned"]["name"]
    window = {
        "time_window_start": f"{NOON.date()}T14:00",
        "time_window_end": f"{NOON.date()}T16:00",
    }
    changes = {**window, "dropoff": "60 Airport Boulevard, Singapore", "dropoff~id": "",
               "driver": "Grace Hopper", "driver~id": "", "notes": "Side entrance."}  # fmt: skip
    await seat.sent(f"{home}/decide", {**form, **changes})
    changed = await shop.get(f"orders/{order['id']}")
    assert changed["undelivered"] is None
    assert changed["driver_assigned"]["id"] == driver["id"]
    assert changed["notes"] == "Side entrance."
    assert changed["time_window_end"] == to_rfc3339(NOON.replace(hour=16))
    assert "60 Airport Boulevard" in changed["payload"]["dropoff"]["address"]


async def test_another_attempt_at_a_stop_changes_that_stop(seat: Seat, shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    await shop.fire(order, (await shop.upcoming(order))[0])
    order = await shop.act(order, "fail-attempt", reason="wrong_address")
    (stop,) = [one for one in order["payload"]["waypoints"] if one["undelivered"] == "hold"]
    home = f"/console/orders/{order['id']}"
    page = await seat.open(f"{home}?do=retry-{stop['id']}")
    form = sent_by(page.root.one("dialog", id=f"do-retry-{stop['id']}").one("form"))
    await seat.sent(f"{home}/decide", {**form, "notes": "Ring twice."})
    stops = (await shop.get(f"orders/{order['id']}"))["payload"]["waypoints"]
    (changed,) = [one for one in stops if one["id"] == stop["id"]]
    assert (changed["notes"], changed["undelivered"]) == ("Ring twice.", None)
    assert changed["place"]["id"] == stop["place"]["id"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"driver": "Nobody", "driver~id": ""}, "No driver matches “Nobody”."),
        ({"time_window_start": "2026-01-06T10:00", "time_window_end": "2026-01-06T09:00"},
         "must not be before"),
        ({"version": "1"}, "changed"),
    ],
)  # fmt: skip
async def test_another_attempt_that_is_refused_decides_nothing(
    seat: Seat, shop: Shop, fields: dict[str, str], sentence: str
) -> None:
    order = await held(shop)
    home = f"/console/orders/{order['id']}"
    dialog = (await seat.open(home)).root.one("dialog", id="do-retry")
    page = await seat.sent(f"{home}/decide", {**sent_by(dialog.one("form")), **fields})
    dialog = page.root.one("dialog", id="do-retry")
    assert "open" in dialog.attributes
    assert sentence in dialog.text
    assert (await shop.get(f"orders/{order['id']}"))["undelivered"] == "hold"


@pytest.mark.slow
async def test_a_dispatcher_writes_down_what_a_driver_says_on_the_phone(
    seat: Seat, shop: Shop
) -> None:
    order = await shop.started(waypoints=STOPS)
    home = f"/console/orders/{order['id']}"
    page = await seat.open(home)
    offered = page.main.one("select", id="fail-reason").all("option")
    assert [one["value"] for one in offered][:2] == ["nobody_home", "no_access"]
    page = await seat.sent(f"{home}/attempt", {"reason": "closed", "then": "return"})
    assert "Return" in attempts(page)
    refusal = await seat.sent(f"{home}/attempt", {"reason": "damaged"})
    assert "This step first needs a photo proof" in refusal.main.one("p", role="alert").text


async def test_a_viewer_sees_attempts_and_decides_nothing(acme: Firm, shop: Shop) -> None:
    order = await held(shop)
    seat = await Seat.of(acme, "viewer")
    home = f"/console/orders/{order['id']}"
    page = await seat.open(home)
    assert "There is a lake." in attempts(page)
    assert "Try again" not in attempts(page)
    assert not page.root.all("dialog", id="do-retry")
    await seat.send(f"{home}/decide", {"then": "retry"})
    assert (await shop.get(f"orders/{order['id']}"))["undelivered"] == "hold"


@pytest.mark.slow
async def test_reasons_are_written_in_the_editor_of_flows(acme: Firm, seat: Seat) -> None:
    config = await named(acme, "transport")
    path = f"/console/order-configs/{config['id']}/edit"
    page = await seat.open(path)
    assert page.main.one("input", id="reason-label-0")["value"] == "Recipient not available"
    page = await press(seat, path, page, "unreason.0")
    page = await press(seat, path, page, "reason")
    last = len(config["failure_reasons"]) - 1
    typed = {
        f"reason.{last}.label": "No one of age", f"reason.{last}.then": "return",
        f"reason.{last}.photo": "on",
    }  # fmt: skip
    shown = await seat.sent(path, {**sheet(page), **typed})
    assert "Saved as version 2" in shown.root.one("div", id="toasts").text
    assert "No one of age" in shown.main.one("section", aria_labelledby="reasons").text
    saved = (await named(acme, "transport"))["failure_reasons"]
    assert saved[0]["code"] == "no_access"
    assert saved[-1] == {
        "code": "no_one_of_age", "label": "No one of age", "photo": True, "then": "return",
    }  # fmt: skip


async def test_a_reason_that_stands_twice_is_marked(acme: Firm, seat: Seat) -> None:
    config = await named(acme, "transport")
    path = f"/console/order-configs/{config['id']}/edit"
    page = await seat.open(path)
    answer = await seat.send(path, {**sheet(page), "reason.1.code": "nobody_home"})
    assert answer.status_code == 422
    marked = Page(answer.text).main.one("li", id="reason-1")
    assert "The code nobody_home is used twice." in marked.text


@pytest.mark.slow
async def test_what_is_held_is_tried_again_in_the_browser(page: Tab, shop: Shop) -> None:
    order = await held(shop)
    await page.goto(f"/console/orders/{order['id']}")
    await page.get_by_role("button", name="Try again").click()
    await page.locator("#do-retry").get_by_role("button", name="Try again").click()
    await page.wait_for_selector("#toasts >> text=Delivery will be retried.")
