"""The cash desk at the console: who carries what, counts, remittances and differences."""

import pytest

from cash.test_desk import collect
from console.seat import Seat
from orders.conftest import shop
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.console.screens import cash
from stage import Firm

__all__ = ["shop"]


async def test_the_desk_lists_who_carries_cash_and_to_whom_it_is_due(
    shop: Shop, seat: Seat
) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    await collect(shop, ada, 4250, customer=merchant["id"])
    await collect(shop, ada, 700, customer=merchant["id"], method="card")
    await collect(shop, ada, 900, "JPY")
    page = await seat.open("/console/cash")
    assert page.rows() == [
        [ada["name"], "900 JPY", "1", "now"],
        [ada["name"], "42.50 SGD", "1", "now"],
        ["Corner shop", "7.00 SGD", "1", "Remit"],
    ]
    assert f"/console/cash/drivers/{ada['id']}" in page.links()
    assert "/console/cash" in (await seat.open("/console/orders")).links()


async def test_a_count_that_fits_is_handed_in_at_once(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    home = f"/console/cash/drivers/{ada['id']}"
    form = (await seat.open(home)).form(f"{home}/hand-in")
    page = await seat.sent(f"{home}/hand-in", {**form, "counted_amount": "42,50"})
    assert "42.50 SGD handed in." in page.root.one("div", id="toasts").text
    assert f"{ada['name']} has no cash to hand in." in page.main.text
    [made] = await shop.get("cash/hand-ins")
    assert (made["counted_amount"], made["difference"]) == (4250, 0)


async def test_the_cash_of_a_deleted_driver_is_handed_in(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    deleted = await shop.firm.api.delete(f"/v1/drivers/{ada['id']}")
    assert deleted.status_code == 200, deleted.text
    home = f"/console/cash/drivers/{ada['id']}"
    assert home in (await seat.open("/console/cash")).links()
    opened = await seat.open(home)
    assert ada["name"] in opened.main.text
    assert f"/console/drivers/{ada['id']}" not in opened.links()
    page = await seat.sent(
        f"{home}/hand-in", {**opened.form(f"{home}/hand-in"), "counted_amount": "42.50"}
    )
    assert "42.50 SGD handed in." in page.root.one("div", id="toasts").text
    [made] = await shop.get("cash/hand-ins")
    assert made["driver"] == ada["id"]


async def test_a_difference_is_shown_before_it_is_recorded(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    home = f"/console/cash/drivers/{ada['id']}"
    form = (await seat.open(home)).form(f"{home}/hand-in")
    sent = {**form, "counted_amount": "40", "remarks": "A note is missing."}
    asked = await seat.sent(f"{home}/hand-in", sent)
    assert "2.50 SGD missing. Expected 42.50 SGD, counted 40.00 SGD." in asked.main.text
    assert await shop.get("cash/hand-ins") == []
    confirming = asked.form(f"{home}/hand-in")
    assert confirming["counted_amount"] == "40"
    # Another count than the confirmed one is asked for again.
    again = await seat.sent(f"{home}/hand-in", {**confirming, "counted_amount": "41"})
    assert "1.50 SGD missing." in again.main.text
    page = await seat.sent(f"{home}/hand-in", confirming)
    assert "40.00 SGD handed in." in page.root.one("div", id="toasts").text
    [made] = await shop.get("cash/hand-ins")
    assert (made["difference"], made["remarks"]) == (-250, "A note is missing.")
    assert made["actor"]["kind"] == "operator"
    assert [row[3] for row in page.rows()] == ["-2.50 SGD"]


async def test_cash_that_arrives_during_the_count_is_not_handed_in_unseen(
    shop: Shop, seat: Seat
) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    home = f"/console/cash/drivers/{ada['id']}"
    form = (await seat.open(home)).form(f"{home}/hand-in")
    await collect(shop, ada, 100)
    answer = await seat.send(f"{home}/hand-in", {**form, "counted_amount": "42.50"})
    assert answer.status_code == 409
    assert "The cash balance has changed." in answer.text
    assert "43.50 SGD" in answer.text
    assert await shop.get("cash/hand-ins") == []


@pytest.mark.parametrize(
    ("amount", "reason"),
    [("", "This field is required."), ("much", "is not a number"), ("1.005", "at most 2 decimal")],
)
async def test_a_count_that_is_no_amount_is_refused_beside_its_field(
    shop: Shop, seat: Seat, amount: str, reason: str
) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    home = f"/console/cash/drivers/{ada['id']}"
    form = (await seat.open(home)).form(f"{home}/hand-in")
    answer = await seat.send(f"{home}/hand-in", {**form, "counted_amount": amount})
    assert answer.status_code == 422
    assert reason in answer.text


@pytest.mark.parametrize("digits", [20, 5000])
async def test_a_balance_of_too_many_digits_is_refused(shop: Shop, seat: Seat, digits: int) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 4250)
    home = f"/console/cash/drivers/{ada['id']}"
    form = (await seat.open(home)).form(f"{home}/hand-in")
    sent = {**form, "counted_amount": "42.50", "expected": "9" * digits}
    answer = await seat.send(f"{home}/hand-in", sent)
    assert answer.status_code == 422
    assert "The balance is unknown. Open the page again." in answer.text
    assert await shop.get("cash/hand-ins") == []


async def test_more_collections_than_fit_are_listed_in_pages(
    shop: Shop, seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cash, "MAX_CARRIED_COLLECTIONS", 1)
    monkeypatch.setattr(cash, "MAX_COLLECTIONS", "1")
    ada, merchant = await shop.driver(), await shop.post("contacts", name="Corner shop")
    for amount in (100, 200):
        await collect(shop, ada, amount, customer=merchant["id"])
        await collect(shop, ada, amount, customer=merchant["id"], method="card")
        await collect(shop, ada, amount, "JPY", method="card", customer=merchant["id"])
    carried = await seat.open(f"/console/cash/drivers/{ada['id']}")
    assert "3.00 SGD" in carried.main.text
    due = await seat.open(f"/console/cash/remit?customer={merchant['id']}&currency=SGD")
    for page, amounts in ((carried, ["2.00 SGD", "1.00 SGD"]), (due, ["2.00 SGD", "1.00 SGD"])):
        assert len(page.rows()) == 1
        (link,) = [one for one in page.links() if one.startswith("/console/cash/collections?")]
        listed = await seat.open(link)
        assert [row[5] for row in listed.rows()] == amounts


async def test_cash_is_remitted_with_a_reference(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    order = await collect(shop, ada, 4250, customer=merchant["id"], method="card")
    page = await seat.open(f"/console/cash/remit?customer={merchant['id']}&currency=SGD")
    assert "Remit to Corner shop" in page.heading
    assert [row[-1] for row in page.rows()] == ["42.50 SGD"]
    form = page.form("/console/cash/remit")
    made = await seat.sent("/console/cash/remit", {**form, "reference": "Transfer 7"})
    assert "Remittance recorded." in made.root.one("div", id="toasts").text
    [remittance] = await shop.get("cash/remittances")
    assert (remittance["amount"], remittance["reference"]) == (4250, "Transfer 7")
    again = await seat.send("/console/cash/remit", form)
    assert again.status_code == 409
    assert "There is no cash to remit to this customer." in again.text
    record = await seat.open(f"/console/cash/collections/{order['id']}")
    assert f"/console/cash/remittances/{remittance['id']}" in record.links()


async def test_more_cash_than_was_shown_is_not_remitted(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    await collect(shop, ada, 100, customer=merchant["id"], method="card")
    page = await seat.open(f"/console/cash/remit?customer={merchant['id']}&currency=SGD")
    form = page.form("/console/cash/remit")
    await collect(shop, ada, 200, customer=merchant["id"], method="card")
    answer = await seat.send("/console/cash/remit", form)
    assert answer.status_code == 409
    assert "3.00 SGD" in answer.text
    assert await shop.get("cash/remittances") == []


async def test_differences_are_shown_and_exported(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], cod_amount=1000, cod_currency="SGD")
    await shop.act(order, "collect-cash", amount=600, reason="=No more cash")
    body = {"currency": "SGD", "counted_amount": 500, "remarks": "Lost."}
    await shop.post(f"drivers/{ada['id']}/cash/hand-in", **body)
    page = await seat.open("/console/cash/differences")
    totals, short, handed = page.rows()
    assert totals == [ada["name"], "4.00 SGD", "1", "1.00 SGD", "0.00 SGD", "1"]
    assert short[3:] == ["10.00 SGD", "6.00 SGD", "=No more cash"]
    assert handed[2:] == ["6.00 SGD", "5.00 SGD", "-1.00 SGD", "Lost."]
    file = await seat.client.get("/console/cash/differences/export")
    lines = file.text.splitlines()
    assert len(lines) == 3
    assert ",10.00,6.00,-4.00,'=No more cash," in lines[1]
    assert ",6.00,5.00,-1.00,Lost.," in lines[2]
    none = await seat.open("/console/cash/differences?until=2020-01-01T00:00")
    assert "No differences in this period." in none.main.text
    unknown = await seat.open("/console/cash/differences?driver=driver_nobody000000000")
    assert unknown.root.all("p", role="alert")


async def test_roles_see_what_they_may_do(shop: Shop, acme: Firm) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    await collect(shop, ada, 100, customer=merchant["id"])
    await collect(shop, ada, 200, customer=merchant["id"], method="card")
    home = f"/console/cash/drivers/{ada['id']}"
    remit = f"/console/cash/remit?customer={merchant['id']}&currency=SGD"
    for role, counts, remits in (
        ("viewer", 0, 0), ("dispatcher", 1, 0), ("billing", 1, 1),
    ):  # fmt: skip
        seat = await Seat.of(acme, role)
        page = await seat.open(home)
        assert len(page.main.all("form", action=f"{home}/hand-in")) == counts, role
        page = await seat.open(remit)
        assert len(page.main.all("form", action="/console/cash/remit")) == remits, role


async def test_an_order_shows_its_cash_and_who_collected_it(shop: Shop, seat: Seat) -> None:
    ada = await shop.driver()
    order = await shop.order(
        driver=ada["id"], cod_amount=2500, cod_currency="SGD", cod_payment_method="cash"
    )
    home = f"/console/orders/{order['id']}"
    assert ["Drop-off Cash", "25.00 SGD", "\N{EN DASH}"] in (await seat.open(home)).rows()
    board = await seat.open("/console/orders?layout=board")
    assert "COD 25.00 SGD" in board.main.text
    await shop.act(order, "collect-cash", amount=2000, reason="No more cash.")
    [row] = [row for row in (await seat.open(home)).rows() if row[1:] == ["25.00 SGD", "20.00 SGD"]]
    for part in ("Ada", "No more cash.", "With the driver", "recorded by Test (API key)"):
        assert part in row[0]
    board = await seat.open("/console/orders?layout=board")
    assert "COD 25.00 SGD" not in board.main.text


async def test_an_order_shows_the_cash_of_each_stop(shop: Shop, seat: Seat) -> None:
    stops = [
        {"place": RAFFLES, "type": "pickup"},
        {"place": MANDAI, "cod_amount": 700, "cod_currency": "KWD"},
        {"place": CHANGI, "cod_amount": 1250, "cod_currency": "KWD"},
    ]
    order = await shop.order(waypoints=stops, pickup=None, dropoff=None)
    rows = (await seat.open(f"/console/orders/{order['id']}")).rows()
    assert ["Stop 2", "0.700 KWD", "\N{EN DASH}"] in rows
    assert ["Stop 3", "1.250 KWD", "\N{EN DASH}"] in rows
    ada, stop = await shop.driver(), order["payload"]["waypoints"][1]["id"]
    await shop.act(order, "collect-cash", amount=700, stop=stop, driver=ada["id"])
    assert "COD 1.250 KWD" in (await seat.open("/console/orders?layout=board")).main.text


async def test_the_cash_of_an_order_its_stops_and_items_is_changed_at_once(
    shop: Shop, seat: Seat
) -> None:
    order = await shop.order(
        waypoints=[{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}],
        pickup=None, dropoff=None, entities=[{"name": "Box"}, {"name": "Bag"}], notes="Ring.",
    )  # fmt: skip
    home = f"/console/orders/{order['id']}"
    assert f"{home}/edit#cash" in (await seat.open(home)).links()
    form = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    sent = {
        **form, "cod_amount": "12,50", "cod_currency": "SGD", "cod_payment_method": "cash",
        "waypoints[1].cod_amount": "7", "entities[1].cod_amount": "0.25",
    }  # fmt: skip
    page = await seat.sent(f"{home}/edit", sent)
    assert "Saved." in page.root.one("div", id="toasts").text
    changed = await shop.get(f"orders/{order['id']}")
    payload = changed["payload"]
    assert (payload["cod_amount"], payload["cod_payment_method"]) == (1250, "cash")
    assert [stop["cod_amount"] for stop in payload["waypoints"]] == [None, 700, None]
    assert [item["cod_amount"] for item in payload["entities"]] == [None, 25]
    assert [stop["id"] for stop in payload["waypoints"]] == [
        stop["id"] for stop in order["payload"]["waypoints"]
    ]
    assert changed["notes"] == "Ring."
    # The currency of all parts changes together.
    form = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    assert (form["cod_amount"], form["waypoints[1].cod_amount"]) == ("12.50", "7.00")
    await seat.sent(f"{home}/edit", {**form, "cod_currency": "jpy", "cod_amount": "",
                                     "waypoints[1].cod_amount": "800",
                                     "entities[1].cod_amount": "20"})  # fmt: skip
    cash = (await shop.get(f"orders/{order['id']}"))["cash_to_collect"]
    assert (cash["amount"], cash["currency"]) == (820, "JPY")


async def test_collected_cash_is_not_changed(shop: Shop, seat: Seat) -> None:
    order = await shop.order(
        driver=(await shop.driver())["id"], cod_amount=2500, cod_currency="SGD"
    )
    home = f"/console/orders/{order['id']}"
    form = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    stale = await seat.send(f"{home}/edit", {**form, "version": "0", "cod_amount": "1"})
    assert stale.status_code == 412
    await shop.act(order, "collect-cash", amount=2500)
    form = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    answer = await seat.send(f"{home}/edit", {**form, "cod_amount": "30"})
    assert answer.status_code == 409
    assert "The cash of this stop was collected." in answer.text
    refused = await seat.send(f"{home}/edit", {**form, "cod_amount": "much"})
    assert refused.status_code == 422
    assert (await shop.get(f"orders/{order['id']}"))["cod_amount"] == 2500


async def test_the_office_records_a_collection_for_a_driver(
    shop: Shop, seat: Seat, acme: Firm
) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    order = await shop.order(
        waypoints=[
            {"place": RAFFLES, "type": "pickup"},
            {"place": MANDAI, "cod_amount": 700, "cod_currency": "SGD"},
            {"place": CHANGI, "cod_amount": 2500, "cod_currency": "SGD"},
        ],
        pickup=None, dropoff=None, driver=ada["id"],
    )  # fmt: skip
    home, stop = f"/console/orders/{order['id']}", order["payload"]["waypoints"][2]["id"]
    dialog = (await seat.open(home)).root.one("dialog", id="do-collect-cash")
    assert "Stop 3: 25.00 SGD" in dialog.text
    form = {"waypoint": stop, "amount": "20,50", "method": "check"}
    answer = await seat.send(f"{home}/collect-cash", form)
    assert answer.status_code == 422
    assert "Give a reason" in answer.text
    sent = {**form, "reason": "No more cash.", "driver": grace["id"]}
    page = await seat.sent(f"{home}/collect-cash", sent)
    assert "Collection recorded." in page.root.one("div", id="toasts").text
    [made] = await shop.get("cash/collections")
    assert (made["waypoint"], made["amount"], made["method"]) == (stop, 2050, "check")
    assert (made["driver"], made["actor"]["kind"]) == (grace["id"], "operator")
    dialog = (await seat.open(home)).root.one("dialog", id="do-collect-cash")
    assert "Stop 3" not in dialog.text
    last = await seat.send(f"{home}/collect-cash", {"amount": "7"})
    assert last.status_code == 303
    page = await seat.open(home)
    assert not page.root.all("dialog", id="do-collect-cash")
    viewer = await Seat.of(acme, "viewer")
    another = await shop.order(driver=ada["id"], cod_amount=100, cod_currency="SGD")
    page = await viewer.open(f"/console/orders/{another['id']}")
    assert not page.root.all("dialog", id="do-collect-cash")
