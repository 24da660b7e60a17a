"""Customers at the console: looked up, signed out, closed, opened again, erased, taken away."""

from itertools import count

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.browser import axe
from console.seat import Seat
from customers.mall import Mall
from stage import Firm


@pytest.fixture
def mall(acme: Firm) -> Mall:
    return Mall(acme, count(1))


async def test_a_customer_is_found_and_shown_with_orders_and_sign_ins(
    acme: Firm, mall: Mall, seat: Seat
) -> None:
    ada = (await mall.registered("Ada Lovelace"))["customer"]
    await mall.registered("Alan Turing")
    placed = await acme.api.post(
        "/v1/orders", json={"pickup": "1 Road", "dropoff": "2 Road", "customer": ada["contact"]}
    )
    assert placed.status_code == 201, placed.text
    (row,) = (await seat.open("/console/customers?query=love")).rows()
    assert row[0] == "Ada Lovelace"
    page = await seat.open(f"/console/customers/{ada['id']}")
    assert page.heading.endswith("Ada Lovelace")
    assert f"/console/orders/{placed.json()['id']}" in page.links()
    assert len(page.root.all("button", class_="danger")) >= 3


async def test_a_sign_in_is_ended_and_then_all_of_them(mall: Mall, seat: Seat) -> None:
    signed = await mall.registered()
    home = f"/console/customers/{signed['customer']['id']}"
    page = await seat.open(home)
    token = page.root.one("input", name="token")["value"]
    page = await seat.sent(f"{home}/tokens/end", {"token": token})
    assert "Session ended." in page.root.one("div", id="toasts").text
    assert "No active sessions." in page.main.text
    answer = await mall.signed(signed["token"]).get("/storefront/v1/customers/orders")
    assert answer.status_code == 401
    page = await seat.sent(f"{home}/tokens/end")
    assert "All sessions ended." in page.root.one("div", id="toasts").text


async def test_an_account_is_closed_with_a_reason_opened_again_and_erased(
    acme: Firm, mall: Mall, seat: Seat
) -> None:
    ada = (await mall.registered())["customer"]
    home = f"/console/customers/{ada['id']}"
    page = await seat.sent(f"{home}/close", {"reason": "Asked by phone."})
    assert "Asked by phone." in page.main.text
    assert page.root.all("form", action=f"{home}/restore")
    page = await seat.sent(f"{home}/restore")
    assert not page.root.all("form", action=f"{home}/restore")
    await seat.send(f"{home}/erase", {"reason": "Asked by letter."})
    told = (await acme.admin.get(f"/int/v1/customers/{ada['id']}")).json()
    assert told["close_reason"] == "Asked by letter."
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert {one["actor_type"] for one in log if one["subject"] == ada["id"]} >= {"operator"}


async def test_closing_without_a_reason_is_refused_in_words(mall: Mall, seat: Seat) -> None:
    home = f"/console/customers/{(await mall.registered())['customer']['id']}"
    page = await seat.sent(f"{home}/close", {"reason": ""})
    assert page.root.one("dialog", id="do-close").one("p", role="alert").text
    assert page.root.all("button", data_opens="do-close")


async def test_what_is_kept_of_a_customer_is_taken_away(mall: Mall, seat: Seat) -> None:
    ada = (await mall.registered())["customer"]
    answer = await seat.client.get(f"/console/customers/{ada['id']}/export?format=json")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f'"{ada["id"]}.json"')
    assert answer.json()["customer"]["id"] == ada["id"]


async def test_a_push_message_goes_to_the_devices_of_a_customer(
    acme: Firm, mall: Mall, seat: Seat
) -> None:
    signed = await mall.registered()
    device = {"platform": "ios", "token": "token-of-a-phone"}
    customer = mall.signed(signed["token"])
    await customer.post("/storefront/v1/customers/register-device", json=device)
    home = f"/console/customers/{signed['customer']['id']}"
    await seat.send(f"{home}/push", {"title": "On the way", "text": "Your parcel left."})
    assert await acme.house.value("select count(*) from messages where channel = 'push'") == 1


async def test_who_only_looks_sees_no_sign_ins_and_may_end_none(
    acme: Firm, mall: Mall, seat: Seat
) -> None:
    home = f"/console/customers/{(await mall.registered())['customer']['id']}"
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(home)
    assert "Sessions" not in page.main.text
    assert not page.main.all("dialog")
    await viewer.send(f"{home}/tokens/end")
    assert "This requires the dispatcher role" in (await viewer.open(home)).main.text
    assert "Signed in nowhere" not in (await seat.open(home)).main.text


@pytest.mark.slow
async def test_an_account_is_closed_in_the_browser_after_it_was_asked_for_a_reason(
    page: Tab, mall: Mall
) -> None:
    ada = (await mall.registered())["customer"]
    await page.goto(f"/console/customers/{ada['id']}")
    await page.get_by_role("button", name="Close account", exact=True).click()
    dialog = page.locator("#do-close")
    await dialog.get_by_label("Reason").fill("Asked by phone.")
    assert await axe(page) == []
    await dialog.get_by_role("button", name="Close account").press("Enter")
    await page.get_by_role("button", name="Reopen account").wait_for()
    await expect(page.get_by_text("Asked by phone.")).to_be_visible()
