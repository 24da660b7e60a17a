"""Returns in the console: created on the delivered order's page, and linked both ways."""

import pytest

from console.seat import Seat
from contract.test_returns import BOX, CHANGI, RAFFLES, STOPS, addresses, delivered, pieces
from orders.shop import Shop
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_a_return_is_created_without_a_script(seat: Seat, shop: Shop, acme: Firm) -> None:
    order = await delivered(shop, internal_id="WEB-5", entities=[BOX, {"name": "Bag"}])
    home = f"/console/orders/{order['id']}"
    assert f"{home}/return" in (await seat.open(home)).text
    box, bag = (f"quantity-{item['id']}" for item in order["payload"]["entities"])
    form = (await seat.open(f"{home}/return")).form(f"{home}/return")
    assert (form[box], form[bag]) == ("3", "1")
    for changes, message in (
        ({box: "4"}, "At most 3 can be returned."),
        ({box: "0", bag: ""}, "Enter a quantity for at least one item."),
        ({"scheduled_at": "2020-01-01T00:00"}, "must be in the future"),
    ):
        answer = await seat.send(f"{home}/return", {**form, "reason": "Too small.", **changes})
        assert answer.status_code in {409, 422}
        assert message in answer.text
        assert "Too small." in answer.text
    page = await seat.sent(f"{home}/return", {**form, box: "2", bag: "0", "reason": "Too small."})
    assert "Return created." in page.text
    [back] = [row for row in await shop.get("orders") if row["return_of"] == order["id"]]
    assert (pieces(back), back["notes"]) == ({"Box": 2}, "Too small.")
    assert addresses(back)[-1] == RAFFLES["street1"]
    # Both pages link to each other, and the label says what it is.
    assert home in page.text
    assert "WEB-5" in page.text
    assert f"/console/orders/{back['id']}" in (await seat.open(home)).text
    for path in ("/console/orders", "/console/orders?layout=table"):
        assert (await seat.open(path)).text.count("</svg>Return</span>") == 1, path
    assert "<b>Return</b>" in (await seat.open(f"/console/orders/{back['id']}/label")).text
    form = (await seat.open(f"{home}/return")).form(f"{home}/return")
    assert (form[box], form[bag]) == ("1", "1")
    assert (await acme.api.delete(f"/v1/orders/{back['id']}")).status_code == 200
    assert "(deleted)" in (await seat.open(home)).text


async def test_the_page_says_why_nothing_can_be_returned(seat: Seat, shop: Shop) -> None:
    order = await shop.order()
    home = f"/console/orders/{order['id']}"
    assert f"{home}/return" not in (await seat.open(home)).text
    assert "The order is not completed." in (await seat.open(f"{home}/return")).text
    order = await delivered(shop, waypoints=STOPS)
    home = f"/console/orders/{order['id']}"
    form = (await seat.open(f"{home}/return")).form(f"{home}/return")
    page = await seat.sent(f"{home}/return", form)
    assert "Return created." in page.text
    assert CHANGI["street1"] in page.text
    assert "Everything that was delivered" in (await seat.open(f"{home}/return")).text


async def test_a_viewer_cannot_create_a_return(shop: Shop, acme: Firm) -> None:
    order = await delivered(shop, entities=[BOX])
    seat = await Seat.of(acme, "viewer")
    home = f"/console/orders/{order['id']}"
    assert "Create return" not in (await seat.open(home)).text
    assert (await seat.client.get(f"{home}/return")).status_code == 403
