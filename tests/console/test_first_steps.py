"""The first steps of a new company on the home page."""

from console.seat import Seat
from orders.shop import Shop
from stage import Firm

HOME = "/console/home"


async def steps(seat: Seat) -> dict[str, bool]:
    """The steps on the home page, and whether each is done."""
    page = await seat.open(HOME)
    return {
        link["href"]: "(done)" in link.text
        for list_ in page.main.all("ol")
        for link in list_.all("a")
    }


async def test_an_empty_company_sees_what_to_do_first(seat: Seat) -> None:
    found = await steps(seat)
    assert len(found) == 7
    for url in found:
        assert (await seat.client.get(url.partition("#")[0])).status_code == 200


async def test_a_step_is_done_once_its_record_exists(acme: Firm, seat: Seat) -> None:
    assert not (await steps(seat))["/console/drivers/new"]
    await acme.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "UTC", "currency": "SGD"})
    found = await steps(seat)
    assert [url for url, is_done in found.items() if is_done] == [
        "/console/settings#company",
        "/console/drivers/new",
    ]


async def test_the_steps_are_gone_once_an_order_is_completed(acme: Firm, seat: Seat) -> None:
    shop = Shop(acme)
    order = await shop.started()
    await shop.fire(order, "enroute")
    assert await steps(seat)
    await shop.act(order, "complete")
    assert await steps(seat) == {}


async def test_only_those_who_set_the_company_up_see_its_first_steps(acme: Firm) -> None:
    for role in ("viewer", "dispatcher", "billing"):
        assert await steps(await Seat.of(acme, role)) == {}


async def test_missing_providers_are_named_beside_the_settings_of_codes(seat: Seat) -> None:
    page = await seat.open("/console/settings")
    form = page.main.one("form", id="codes")
    assert "no provider for text messages and email." in form.text
    assert [link["href"] for link in form.all("a")] == [
        "/console/messages?state=drawer",
        "/docs/operate/messages",
    ]
