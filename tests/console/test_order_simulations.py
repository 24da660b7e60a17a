"""The order page of a test company offers a robot, and that of a live company none."""

from console.seat import Seat
from orders.shop import Shop
from stage import Firm, House

OFFER = "Simulate delivery"


async def test_an_order_of_a_test_company_is_simulated_and_stopped(house: House) -> None:
    trial = await house.found("Trial", "test")
    order = await Shop(trial).order()
    seat = await Seat.of(trial)
    page = await seat.open(f"/console/orders/{order['id']}")
    assert OFFER in page.text
    path = f"/console/orders/{order['id']}/simulate"
    form = (await seat.open(f"/console/orders/{order['id']}?do=simulate")).form(path)
    page = await seat.sent(path, {**form, "speed": "300"})
    assert "A robot delivers the order." in page.text
    assert OFFER not in page.text
    simulation = (await trial.api.get(f"/v1/orders/{order['id']}/simulate")).json()
    assert (simulation["state"], simulation["speed"]) == ("running", 300)
    path = f"/console/orders/{order['id']}/stop-simulation"
    page = await seat.sent(path, page.form(path))
    assert "Simulation stopped." in page.text
    assert OFFER in page.text


async def test_a_live_company_is_offered_no_robot(seat: Seat, acme: Firm) -> None:
    order = await Shop(acme).order()
    assert OFFER not in (await seat.open(f"/console/orders/{order['id']}")).text
    answer = await seat.send(f"/console/orders/{order['id']}/simulate", {"speed": "60"})
    assert answer.status_code == 409
