"""The first steps of a new company on the home page."""

from console.seat import Seat
from fleet.depot import Depot
from orders.shop import Shop
from routing.test_routing import sign_in
from stage import Firm

HOME = "/console/home"
ADDING = "/console/settings/sample-data"


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
    assert len(found) == 9
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


async def test_the_steps_end_with_the_driver_opening_the_app(acme: Firm, seat: Seat) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    driver = await Depot(acme).driver()
    url = f"/console/drivers/{driver['id']}#app-title"
    assert not (await steps(seat))[url]
    await sign_in(acme, driver)
    assert (await steps(seat))[url]


async def test_sample_data_is_added_and_removed_on_the_home_page(seat: Seat) -> None:
    before = await steps(seat)
    page = await seat.sent(ADDING, on=HOME)
    assert "Sample data added." in page.root.one("div", id="toasts").text
    assert "SAMPLE-1" in page.main.text
    # It does not count as the company's own.
    assert await steps(seat) == before
    page = await seat.open(HOME)
    assert not page.main.all("form", action=ADDING)
    assert page.main.one("form", action=f"{ADDING}/remove")
    page = await seat.open(ADDING)
    assert "Kaisaniemi depot (sample)" in page.main.text
    page = await seat.sent(f"{ADDING}/remove", on=HOME)
    assert "Sample data removed." in page.root.one("div", id="toasts").text
    assert page.main.one("form", action=ADDING)


async def test_the_page_says_why_sample_data_was_not_removed(acme: Firm, seat: Seat) -> None:
    await seat.sent(ADDING)
    (place,) = (await acme.api.get("/v1/places?query=Kaisaniemi+depot")).json()
    await acme.api.patch(f"/v1/places/{place['id']}", json={"name": "Our depot"})
    page = await seat.sent(f"{ADDING}/remove")
    assert "23 removed, 1 not removed." in page.root.one("div", id="toasts").text
    assert "Our depot" in page.main.text
    assert "The record was changed after it was added." in page.main.text


async def test_only_those_who_set_the_company_up_see_its_first_steps(acme: Firm) -> None:
    for role in ("viewer", "dispatcher", "billing"):
        assert await steps(await Seat.of(acme, role)) == {}


async def test_missing_providers_are_named_beside_the_settings_of_codes(seat: Seat) -> None:
    page = await seat.open("/console/settings/codes")
    form = page.main.one("form", id="codes")
    assert "no provider for text messages and email." in form.text
    assert [link["href"] for link in form.all("a")] == [
        "/console/messages?state=drawer",
        "/docs/operate/messages",
    ]
