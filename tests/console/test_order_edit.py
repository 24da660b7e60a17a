"""Everything of an order is changed in one form, until it is too late for it."""

from typing import Any

import pytest

from console.reading import Page, sent_by
from console.seat import Seat
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from stage import Firm

CLUNY = {"street1": "1 Cluny Road", "city": "Singapore", "latitude": 1.31, "longitude": 103.81}


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def typed(seat: Seat, order: dict[str, Any]) -> dict[str, Any]:
    """What the form of the order would send."""
    return (await seat.open(f"/console/orders/{order['id']}/edit")).sheet()


async def command(seat: Seat, order: dict[str, Any], form: dict[str, Any], do: str) -> Any:
    """Press a button of the form that changes nothing yet, and read what the form is then."""
    home = f"/console/orders/{order['id']}/edit"
    return Page((await seat.send(home, {**form, "do": do})).text).sheet()


async def saved(seat: Seat, shop: Shop, order: dict[str, Any], form: dict[str, Any]) -> Any:
    answer = await seat.send(f"/console/orders/{order['id']}/edit", form)
    assert answer.status_code == 303, answer.text
    return await shop.get(f"orders/{order['id']}")


def streets(order: dict[str, Any]) -> list[str]:
    return [stop["place"]["street1"] for stop in order["payload"]["waypoints"]]


async def route(shop: Shop, **more: Any) -> dict[str, Any]:
    stops = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}]
    return await shop.ready(waypoints=stops, pickup=None, dropoff=None, **more)


async def test_a_form_that_is_sent_as_it_is_changes_nothing(seat: Seat, shop: Shop) -> None:
    stop = {
        "place": MANDAI, "contact": {"name": "Ada", "phone": "+6591234567"}, "notes": "Ring.",
        "time_window_start": "2026-01-16T01:30:20Z", "service_time": 300, "cod_amount": 700,
        "cod_currency": "SGD",
    }  # fmt: skip
    item = {"name": "Box", "weight": 450.5, "weight_unit": "g", "destination": 1}
    order = await shop.order(
        waypoints=[{"place": RAFFLES, "type": "pickup"}, stop], pickup=None, dropoff=None,
        entities=[item],
    )  # fmt: skip
    now = await saved(seat, shop, order, await typed(seat, order))
    assert now["version"] == order["version"]
    assert now["payload"] == order["payload"]


async def test_stops_are_added_moved_removed_and_changed(seat: Seat, shop: Shop) -> None:
    order = await route(shop, entities=[{"name": "Box", "destination": 1}, {"name": "Bag"}])
    form = await typed(seat, order)
    form = await command(seat, order, form, "down waypoints 1")
    form = await command(seat, order, form, "waypoints")
    form |= {
        "waypoints[3].place": "1.31,103.81", "waypoints[3].contact": "Grace Hopper",
        "waypoints[3].contact.phone": "+6591110000", "waypoints[3].notes": "Back door.",
        "waypoints[2].time_window_end": "2026-01-16T09:30", "waypoints[2].cod_amount": "7,50",
        "cod_currency": "SGD", "entities[1].destination": "3", "entities[1].sku": "B-1",
    }  # fmt: skip
    form = await command(seat, order, form, "entities")
    form |= {"entities[2].name": "Vase", "entities[2].weight": "1,5"}
    now = await saved(seat, shop, order, form)
    before, stops = order["payload"]["waypoints"], now["payload"]["waypoints"]
    assert [stop["id"] for stop in stops[:3]] == [before[number]["id"] for number in (0, 2, 1)]
    assert stops[3]["recipient"] == {"name": "Grace Hopper", "phone": "+6591110000"}
    assert (stops[3]["notes"], stops[2]["cod_amount"]) == ("Back door.", 750)
    assert stops[2]["time_window_end"] is not None
    box, bag, vase = now["payload"]["entities"]
    assert (box["destination"], bag["destination"]) == (before[1]["id"], stops[3]["id"])
    assert (bag["sku"], vase["name"], vase["weight"]) == ("B-1", "Vase", 1.5)
    form = await command(seat, now, await typed(seat, now), "remove waypoints 1")
    form = await command(seat, now, form, "remove entities 0")
    now = await saved(seat, shop, now, form)
    assert streets(now)[:2] == ["1 Raffles Place", "80 Mandai Lake Road"]
    assert [item["name"] for item in now["payload"]["entities"]] == ["Bag", "Vase"]


async def test_a_stop_is_added_between_pickup_and_drop_off(seat: Seat, shop: Shop) -> None:
    order = await shop.order()
    form = await typed(seat, order)
    assert "waypoints[0].place" not in form
    form = await command(seat, order, form, "waypoints")
    place = await shop.post("places", **CLUNY)
    now = await saved(seat, shop, order, {**form, "waypoints[0].place": place["id"]})
    assert streets(now) == ["1 Raffles Place", "1 Cluny Road", "80 Mandai Lake Road"]


async def test_a_contact_is_corrected_at_its_stop(seat: Seat, shop: Shop) -> None:
    order = await route(shop)
    grace = await shop.post("contacts", name="Grace", phone="+6591110000")
    form = await typed(seat, order)
    now = await saved(seat, shop, order, {**form, "waypoints[1].contact": "Grace"})
    assert now["payload"]["waypoints"][1]["contact"] == grace["id"]
    form = await typed(seat, now)
    assert form["waypoints[1].contact"] == "Grace"
    now = await saved(seat, shop, now, {**form, "waypoints[1].contact.phone": "+6592220000"})
    assert now["payload"]["waypoints"][1]["recipient"]["phone"] == "+6592220000"
    form = await typed(seat, now)
    cleared = {"waypoints[1].contact": "", "waypoints[1].contact.phone": ""}
    now = await saved(seat, shop, now, {**form, **cleared})
    assert now["payload"]["waypoints"][1]["contact"] is None
    home = f"/console/orders/{order['id']}/edit"
    form = await typed(seat, now) | {"waypoints[1].contact.phone": "+6592220000"}
    answer = await seat.send(home, form)
    assert answer.status_code == 422
    assert "Enter the contact" in answer.text


async def test_begun_stops_stay_and_later_ones_change(seat: Seat, shop: Shop) -> None:
    order = await route(shop)
    await shop.act(order, "start", skip_dispatch=True)
    await shop.fire(order, "enroute")
    page = await seat.open(f"/console/orders/{order['id']}/edit")
    form = page.sheet()
    assert "waypoints[0].place" not in form
    assert not page.main.all("button", id="waypoints-0-remove")
    form = await command(seat, order, form, "up waypoints 2")
    now = await saved(seat, shop, order, {**form, "waypoints[0].notes": "Gate 3."})
    assert streets(now) == ["1 Raffles Place", "60 Airport Boulevard", "80 Mandai Lake Road"]
    assert now["payload"]["waypoints"][0]["notes"] == "Gate 3."
    form = await command(seat, now, await typed(seat, now), "up waypoints 1")
    answer = await seat.send(f"/console/orders/{order['id']}/edit", form)
    assert answer.status_code == 409
    assert streets(await shop.get(f"orders/{order['id']}"))[1] == "60 Airport Boulevard"
    for code in ("completed", "enroute", "completed", "enroute", "completed"):
        now = await shop.fire(now, code)
    form = await typed(seat, now)
    assert not any(name.startswith(("waypoints", "entities", "cod_")) for name in form)
    now = await saved(seat, shop, now, {**form, "notes": "Signed by a neighbour."})
    assert now["notes"] == "Signed by a neighbour."


async def test_what_others_add_in_the_meantime_is_kept(seat: Seat, shop: Shop) -> None:
    order = await route(shop, entities=[{"name": "Box"}])
    form = await typed(seat, order)
    await shop.post("waypoints", payload=order["payload"]["id"], place=CLUNY)
    await shop.post("entities", payload=order["payload"]["id"], name="Bag")
    home = f"/console/orders/{order['id']}/edit"
    changed = {**form, "notes": "Ring.", "waypoints[1].notes": "Twice."}
    answer = await seat.send(home, changed)
    assert answer.status_code == 412
    now = await saved(seat, shop, order, Page(answer.text).sheet())
    assert streets(now)[-1] == "1 Cluny Road"
    assert [item["name"] for item in now["payload"]["entities"]] == ["Box", "Bag"]
    assert (now["notes"], now["payload"]["waypoints"][1]["notes"]) == ("Ring.", "Twice.")


async def test_refused_input_stands_beside_its_field(seat: Seat, shop: Shop) -> None:
    order = await route(shop, entities=[{"name": "Box"}])
    form = await typed(seat, order) | {
        "entities[0].weight": "-3", "waypoints[1].time_window_start": "2026-01-16T10:00",
        "waypoints[1].time_window_end": "2026-01-16T09:00", "waypoints[1].place": "",
    }  # fmt: skip
    answer = await seat.send(f"/console/orders/{order['id']}/edit", form)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.main.one("input", name="waypoints[1].place")["aria-invalid"] == "true"
    form["waypoints[1].place"], form["waypoints[1].place~id"] = "1.31,103.81", ""
    page = Page((await seat.send(f"/console/orders/{order['id']}/edit", form)).text)
    assert page.main.one("input", name="entities[0].weight")["aria-invalid"] == "true"
    again = sent_by(page.main.one("form", class_="form"))
    assert again["waypoints[1].time_window_end"] == "2026-01-16T09:00"
    assert (await shop.get(f"orders/{order['id']}"))["version"] == order["version"]


async def test_a_viewer_has_no_form(acme: Firm, shop: Shop) -> None:
    order = await shop.order()
    viewer = await Seat.of(acme, "viewer")
    await viewer.open(f"/console/orders/{order['id']}/edit", status=403)
    answer = await viewer.send(f"/console/orders/{order['id']}/edit", {"do": "waypoints"})
    assert answer.status_code == 303


async def test_a_duplicate_opens_its_form(seat: Seat, shop: Shop) -> None:
    order = await route(shop, entities=[{"name": "Box"}], notes="Ring.")
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/duplicate", (await seat.open(home)).form(f"{home}/duplicate"))
    assert "Order duplicated." in page.root.one("div", id="toasts").text
    copy = next(one for one in await shop.get("orders") if one["id"] != order["id"])
    assert page.sheet()["notes"] == copy["notes"] == "Ring."
    assert streets(copy) == streets(order)


async def test_a_canceled_order_is_reopened(seat: Seat, shop: Shop) -> None:
    order = await shop.ready()
    home = f"/console/orders/{order['id']}"
    assert f'"{home}/reopen"' not in (await seat.open(home)).text
    await shop.act(order, "cancel")
    form = (await seat.open(home)).form(f"{home}/reopen")
    stale = await seat.send(f"{home}/reopen", {**form, "version": "1"})
    assert stale.headers["Location"] == home
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "canceled"
    page = await seat.sent(f"{home}/reopen", form)
    assert "Order reopened." in page.root.one("div", id="toasts").text
    assert (await shop.get(f"orders/{order['id']}"))["status"] == "created"


async def test_many_stops_and_items_are_collapsed_so_that_the_form_stays_small(
    seat: Seat, shop: Shop
) -> None:
    places = [
        {**CLUNY, "street1": f"{number} Cluny Road", "name": f"Shop {number}", "country": "SG"}
        for number in range(40)
    ]
    items = [{"name": f"Box {number}", "sku": f"BOX-{number}", "weight": 2} for number in range(40)]
    order = await shop.ready(
        waypoints=[{"place": place, "notes": "Ring twice."} for place in places],
        entities=items, pickup=None, dropoff=None,
    )  # fmt: skip
    home = f"/console/orders/{order['id']}"
    for address in (home, f"{home}/edit"):
        page = await seat.client.get(address)
        assert len(page.content) < 100_000, address
    form = await typed(seat, order)
    assert "waypoints[30].time_window_start" not in form
    assert (await saved(seat, shop, order, form))["updated_at"] == order["updated_at"]
    # Of an opened row everything can be changed, wherever it moves.
    opened = await command(seat, order, form, "open waypoints 30")
    opened = await command(seat, order, opened, "up waypoints 30")
    opened = await command(seat, order, opened, "open entities 3")
    assert opened["waypoints[29].notes"] == "Ring twice."
    assert "waypoints[28].time_window_start" not in opened
    opened |= {"waypoints[29].notes": "", "waypoints[29].service_time": "300"}
    opened |= {"entities[3].name": "Crate", "entities[3].destination": "29"}
    opened = await command(seat, order, opened, "remove waypoints 0")
    opened = await command(seat, order, opened, "open waypoints 5")
    changed = await saved(seat, shop, order, opened)
    assert streets(changed) == [
        f"{number} Cluny Road" for number in (*range(1, 29), 30, 29, *range(31, 40))
    ]
    stops, boxes = changed["payload"]["waypoints"], changed["payload"]["entities"]
    assert (stops[28]["notes"], stops[28]["service_time"]) == (None, 300)
    assert {stop["notes"] for stop in stops if stop != stops[28]} == {"Ring twice."}
    assert (boxes[3]["name"], boxes[3]["destination"]) == ("Crate", stops[28]["id"])
    assert [(box["name"], box["sku"], box["weight"]) for box in boxes[4:]] == [
        (f"Box {number}", f"BOX-{number}", 2) for number in range(4, 40)
    ]
