"""Handing out the drivers' app from a driver's page: link, QR code, SMS and email."""

import pytest

from console.seat import Seat
from fleet.depot import Depot
from routing.test_routing import sign_in
from stage import Firm, House


async def test_a_dispatcher_hands_out_the_app_from_the_drivers_page(acme: Firm) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})).json()
    driver = await Depot(acme).driver(phone="+6590000001", email="ada@example.com")
    seat = await Seat.of(acme, "dispatcher")
    home = f"/console/drivers/{driver['id']}"
    page = await seat.open(home)
    card = page.main.one("section", aria_labelledby="app-title")
    assert card.one("code").text.endswith(f"/driver#key={made['key']}")
    assert card.one("img")["src"].startswith("data:image/svg+xml;base64,")
    for channel, to in (("sms", "+6590000001"), ("email", "ada@example.com")):
        page = await seat.sent(f"{home}/send-app-link", {"channel": channel})
        assert f"App link sent to {to}." in page.root.one("div", id="toasts").text
    told = (await acme.admin.get("/int/v1/messages")).json()["data"]
    assert {one["to"] for one in told} == {"+6590000001", "ada@example.com"}
    assert all(made["key"] in one["text"] for one in told)
    log = (await acme.admin.get("/int/v1/audit?action=driver.app_link_sent")).json()["data"]
    assert {one["details"]["channel"] for one in log} == {"sms", "email"}
    assert {one["subject"] for one in log} == {driver["id"]}


async def test_the_page_says_when_the_app_was_last_opened(acme: Firm) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    depot = Depot(acme)
    driver = await depot.driver()
    home, path = f"/console/drivers/{driver['id']}", f"/int/v1/drivers/{driver['id']}/app-link"
    seat = await Seat.of(acme, "dispatcher")
    card = (await seat.open(home)).main.one("section", aria_labelledby="app-title")
    assert "Not opened yet" in card.text
    phone = await sign_in(acme, driver)
    card = (await seat.open(home)).main.one("section", aria_labelledby="app-title")
    assert "Last opened" in card.text
    assert (await acme.admin.get(path)).json()["last_opened_at"]
    # It stays known after the driver has signed out.
    await phone.post("/v1/drivers/logout")
    assert (await acme.admin.get(path)).json()["last_opened_at"]


async def test_the_page_says_with_which_code_a_test_number_signs_in(
    acme: Firm, house: House
) -> None:
    trial = await house.found("Trial", mode="test")
    numbers = {"+15555550101": True, "+6590000001": False}
    for firm, is_test_company in ((trial, True), (acme, False)):
        await firm.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
        seat = await Seat.of(firm, "dispatcher")
        for phone, is_test_number in numbers.items():
            driver = await Depot(firm).driver(phone=phone)
            page = await seat.open(f"/console/drivers/{driver['id']}")
            card = page.main.one("section", aria_labelledby="app-title")
            assert ("the code 000000" in card.text) == (is_test_company and is_test_number), phone


async def test_sending_the_link_is_limited(acme: Firm) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    driver = await Depot(acme).driver()
    path = f"/int/v1/drivers/{driver['id']}/send-app-link"
    codes = [(await acme.admin.post(path, json={"channel": "sms"})).status_code for _ in range(6)]
    assert codes == [200] * 5 + [429]


async def test_without_an_app_key_an_admin_creates_one_and_others_read_what_to_do(
    acme: Firm, seat: Seat
) -> None:
    driver = await Depot(acme).driver()
    home = f"/console/drivers/{driver['id']}"
    dispatcher = await Seat.of(acme, "dispatcher")
    assert "Ask an admin to create one." in (await dispatcher.open(home)).main.text
    refused = await acme.admin.get(f"/int/v1/drivers/{driver['id']}/app-link")
    assert (refused.status_code, refused.json()["code"]) == (409, "app_key_missing")
    page = await seat.sent(f"{home}/app-key")
    assert page.main.one("section", aria_labelledby="app-title").all("img")
    key = (await acme.admin.get("/int/v1/keys?kind=app")).json()["data"][0]
    await acme.admin.delete(f"/int/v1/keys/{key['id']}")
    assert "No app key yet." in (await seat.open(home)).main.text


async def test_a_viewer_is_not_given_the_link(acme: Firm) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    driver = await Depot(acme).driver()
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(f"/console/drivers/{driver['id']}")
    assert not page.main.all("section", aria_labelledby="app-title")


async def test_only_app_keys_are_kept_in_full(acme: Firm) -> None:
    for kind in ("api", "storefront", "app"):
        await acme.admin.post("/int/v1/keys", json={"kind": kind, "name": kind})
    async with acme.house.database.reading() as db:
        kept = await db.fetch_tuples("select kind, app_key is not null from keys where name = kind")
    assert dict(kept) == {"api": False, "storefront": False, "app": True}


async def test_neither_other_numbers_nor_other_drivers_get_around_the_limits(acme: Firm) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    depot = Depot(acme)
    driver = await depot.driver()
    codes = []
    for number in range(6):
        await depot.patch(f"drivers/{driver['id']}", phone=f"+659000010{number}")
        path = f"/int/v1/drivers/{driver['id']}/send-app-link"
        codes.append((await acme.admin.post(path, json={"channel": "sms"})).status_code)
    assert codes == [200] * 5 + [429]
    codes = []
    for _ in range(6):
        other = await depot.driver(phone="+6590000200")
        path = f"/int/v1/drivers/{other['id']}/send-app-link"
        codes.append((await acme.admin.post(path, json={"channel": "sms"})).status_code)
        await acme.api.delete(f"/v1/drivers/{other['id']}")
    assert codes == [200] * 5 + [429]


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("en", "Acme evil example: Sign in to the driver app: "),
        ("de-CH", "Acme evil example: Anmeldung in der Fahrer-App: "),
        ("fr", "Acme evil example : connectez-vous à l'application chauffeur : "),
        ("nl", "Acme evil example: Sign in to the driver app: "),
    ],
)
async def test_the_message_is_in_the_companys_language_and_has_one_link(
    acme: Firm, locale: str, text: str
) -> None:
    brand = {"locale": locale, "branding": {"name": "Acme\nevil.example"}}
    answer = await acme.admin.patch("/int/v1/settings", json=brand)
    assert answer.status_code == 200, answer.text
    await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    driver = await Depot(acme).driver()
    await acme.admin.post(f"/int/v1/drivers/{driver['id']}/send-app-link", json={"channel": "sms"})
    (message,) = (await acme.admin.get("/int/v1/messages")).json()["data"]
    assert message["text"].startswith(text)
    assert message["text"].count("://") == 1


async def test_a_viewer_can_neither_read_nor_send_the_link(acme: Firm) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})).json()
    driver = await Depot(acme).driver()
    path = f"/int/v1/drivers/{driver['id']}"
    await acme.admin.post(f"{path}/send-app-link", json={"channel": "email"})
    viewer = await Seat.of(acme, "viewer")
    assert (await viewer.client.get(f"{path}/app-link")).status_code == 403
    page = await viewer.sent(f"/console/drivers/{driver['id']}/send-app-link", {"channel": "sms"})
    assert "This requires the dispatcher role" in page.main.text
    assert (await acme.admin.get("/int/v1/messages?channel=sms")).json()["data"] == []
    for read in ("/int/v1/audit", "/int/v1/keys"):
        assert made["key"] not in (await viewer.client.get(read)).text, read
        assert made["key"] not in (await acme.admin.get(read)).text, read
