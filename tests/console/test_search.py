"""The search of the palette: what people call things, and commands."""

import pytest

from console.reading import Page
from console.seat import Seat
from orders.shop import DELIVERED, MANDAI, RAFFLES, Shop
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


def found(page: Page) -> list[tuple[str, str]]:
    """The results: where they lead, and their words."""
    rows = [row.all("a") for row in page.main.one("ul", id="found").all("li")]
    return [(link["href"], link.text) for links in rows for link in links]


async def search(seat: Seat, text: str) -> list[str]:
    answer = await seat.client.get("/console/search", params={"query": text})
    assert answer.status_code == 200, answer.text
    return [href for href, _ in found(Page(answer.text))]


async def test_everything_is_found_by_what_people_call_it(
    acme: Firm, shop: Shop, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG"})
    jose = await shop.post("contacts", name="José Müller", phone="+6591234567")
    driver = await shop.driver(name="Zoë Ångström", phone="+6581112222")
    van = await shop.vehicle(plate_number="SGX 4711 B")
    place = await shop.post("places", name="Café Zürich", **RAFFLES)
    order = await shop.order(
        internal_id="SO-2041", customer=jose["id"], pickup=place["id"], dropoff=MANDAI,
        entities=[{"name": "Crème brûlée"}],
    )  # fmt: skip
    number = order["tracking_number"]["tracking_number"]
    at_order = f"/console/orders/{order['id']}"
    expected = {
        "2041": at_order, "o204": at_order, number[-9:]: at_order, "creme": at_order,
        "mandai": at_order, "jose muller": f"/console/contacts/{jose['id']}",
        "9123 4567": f"/console/contacts/{jose['id']}", "zoe": f"/console/drivers/{driver['id']}",
        "8111 2222": f"/console/drivers/{driver['id']}",
        "sgx4711": f"/console/vehicles/{van['id']}",
        "4711": f"/console/vehicles/{van['id']}", "cafe zur": f"/console/places/{place['id']}",
    }  # fmt: skip
    for text, href in expected.items():
        assert href in await search(seat, text), text


async def test_a_plate_is_found_among_many_that_share_a_part(shop: Shop, seat: Seat) -> None:
    first, *_ = [await shop.vehicle(plate_number=f"BIKE-0{number}") for number in range(1, 8)]
    assert await search(seat, "bike 01") == [f"/console/vehicles/{first['id']}"]


async def test_orders_are_told_apart_by_their_customer_and_address(shop: Shop, seat: Seat) -> None:
    named = {**MANDAI, "name": "Night Safari"}
    for dropoff, shown in ((named, "Night Safari"), (MANDAI, str(MANDAI["street1"]))):
        order = await shop.order(customer={"name": "Ada"}, pickup=RAFFLES, dropoff=dropoff)
        answer = await seat.client.get("/console/search", params={"query": order["id"]})
        [(_, words)] = found(Page(answer.text))
        assert f"Created · Ada · {shown}" in words


async def test_a_phone_number_shows_its_open_orders_first(
    acme: Firm, shop: Shop, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG"})
    contact = await shop.post("contacts", name="Ada", phone="+6591234567")
    config = await shop.config(*DELIVERED)
    waiting = await shop.order(customer=contact["id"])
    started = await shop.started(customer=contact["id"])
    closed = await shop.started(customer=contact["id"], order_config=config["id"])
    await shop.act(closed, "complete")
    for text in ("+65 9123 4567", "9123 4567", "91234567"):
        assert (await search(seat, text))[:4] == [
            f"/console/orders/{started['id']}", f"/console/orders/{waiting['id']}",
            f"/console/orders/{closed['id']}", f"/console/contacts/{contact['id']}",
        ], text  # fmt: skip


async def test_commands_are_found_by_their_words(acme: Firm, shop: Shop, seat: Seat) -> None:
    order = await shop.order(internal_id="SO-2041")
    assert (await search(seat, "new order"))[0] == "/console/orders/new"
    assert "/console/orders/new" in await search(seat, "")
    assert (await search(seat, "assign"))[0].startswith("/console/orders?")
    home = f"/console/orders/{order['id']}"
    for text, href in (
        ("assign SO-2041", f"{home}?do=assign"), ("Assign 2041", f"{home}?do=assign"),
        ("schedule so2041", f"{home}?do=schedule"), ("edit 2041", f"{home}/edit"),
        ("cancel 2041", f"{home}?do=cancel"),
    ):  # fmt: skip
        assert (await search(seat, text))[0] == href
        assert (await seat.open(href)).heading
    await shop.act(order, "cancel")
    assert home not in " ".join(await search(seat, "assign 2041"))
    viewer = await Seat.of(acme, "viewer")
    assert await search(viewer, "new order") == []
    assert await search(viewer, "edit 2041") == []


@pytest.mark.parametrize("text", ["'", "%", "\\", "assign '", "+" * 300, "assign " + "9" * 300])
async def test_no_text_breaks_the_search(seat: Seat, text: str) -> None:
    assert await search(seat, text) == []
