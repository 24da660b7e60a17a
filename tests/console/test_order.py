"""The page of an order: what comes next, why it is held up, and what can be done about it."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.reading import Element, Page
from console.seat import Seat
from news.waiting import all_told
from proofs.evidence import Courier
from stage import Firm, House

SOMEWHERE = {"street1": "80 Mandai Lake Road", "city": "Singapore", "country": "SG"}


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


def next_step(page: Page) -> Element:
    """What the page says comes next."""
    return page.main.one("section", aria_label="Next activity")


@pytest.mark.slow
async def test_an_order_is_assigned_dispatched_and_started_by_the_operator(
    acme: Firm, seat: Seat, courier: Courier
) -> None:
    order, driver = await courier.order(), await courier.driver()
    home = f"/console/orders/{order['id']}"
    assert "Requires a driver." in next_step(await seat.open(home)).text
    page = await seat.sent(f"{home}/assign", {"driver": driver["id"]})
    assert "Driver assigned." in page.root.one("div", id="toasts").text
    for activity in ("dispatched", "started"):
        page = await seat.sent(f"{home}/activity", {"activity": activity})
        assert f"Status: {activity.capitalize()}." in page.root.one("div", id="toasts").text
    assert (await courier.get(f"orders/{order['id']}"))["status"] == "started"
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    mine = [entry for entry in log if entry["subject"] == order["id"]]
    assert mine
    assert {entry["actor_type"] for entry in mine if entry["action"] != "order.created"} <= {
        "operator"
    }
    assert "Admin (operator)" in page.main.one("ol", class_="timeline").text
    assert "Event Time Published" in page.main.text


async def test_a_proof_that_is_missing_is_asked_for_in_words(seat: Seat, courier: Courier) -> None:
    order = await courier.careful("signature", dropoff=SOMEWHERE)
    home = f"/console/orders/{order['id']}"
    step = next_step(await seat.open(home))
    said = "Requires a signature at 80 Mandai Lake Road, Singapore, SG."
    assert said in step.text
    assert not step.all("input", name="activity")
    refused = await seat.sent(f"{home}/activity", {"activity": "handed_over"})
    assert "This step first needs a signature proof" in refused.main.one("p", role="alert").text


async def test_an_activity_happens_without_its_proof_for_a_reason_that_is_kept(
    acme: Firm, seat: Seat, courier: Courier
) -> None:
    order = await courier.careful("scan")
    home = f"/console/orders/{order['id']}"
    body = {"activity": "handed_over", "reason": "The scanner broke."}
    await seat.send(f"{home}/override-proof", body)
    assert (await courier.get(f"orders/{order['id']}"))["status"] == "completed"
    [proof] = await courier.get(f"orders/{order['id']}/proofs")
    assert proof["data"]["override"]["reason"] == "The scanner broke."
    entries = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert [one["actor_type"] for one in entries if one["action"] == "proof.overridden"] == [
        "operator"
    ]


async def test_without_a_reason_nothing_happens(seat: Seat, courier: Courier) -> None:
    order = await courier.careful("scan")
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/override-proof", {"activity": "handed_over", "reason": ""})
    assert page.main.one("p", role="alert").text
    assert (await courier.get(f"orders/{order['id']}"))["status"] == "started"


async def test_an_order_is_scheduled_by_the_companys_clocks_and_that_is_taken_back(
    acme: Firm, seat: Seat, courier: Courier
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    order = await courier.order()
    home = f"/console/orders/{order['id']}"
    await seat.send(f"{home}/schedule", {"scheduled_at": "2026-01-16T09:30"})
    now = await courier.get(f"orders/{order['id']}")
    assert now["scheduled_at"] == "2026-01-16T01:30:00.000Z"
    await seat.send(f"{home}/unschedule")
    assert (await courier.get(f"orders/{order['id']}"))["scheduled_at"] is None


async def test_an_order_is_cancelled_for_a_reason_and_then_offers_nothing_more(
    seat: Seat, courier: Courier
) -> None:
    order = await courier.order()
    home = f"/console/orders/{order['id']}"
    page = await seat.sent(f"{home}/cancel", {"reason": "Changed their mind."})
    assert "Changed their mind." in next_step(page).text
    assert not page.main.all("dialog", id="do-cancel")
    refused = await seat.sent(f"{home}/cancel", {"reason": "Again."})
    assert refused.main.one("p", role="alert").text


async def test_the_driver_is_sent_to_another_stop(seat: Seat, courier: Courier) -> None:
    stops = ["1 Raffles Place, Singapore", "80 Mandai Lake Road, Singapore", "1 Cluny Road"]
    order = await courier.started(pickup=None, dropoff=None, waypoints=stops)
    home = f"/console/orders/{order['id']}"
    last = order["payload"]["waypoints"][-1]["id"]
    page = await seat.sent(f"{home}/destination", {"stop": last})
    (current,) = page.main.all("li", aria_current="step")
    assert "1 Cluny Road" in current.text


@pytest.mark.slow
async def test_codes_are_sent_and_unlocked_from_the_page(seat: Seat, courier: Courier) -> None:
    customer = {"name": "Grace", "phone": "+6591234567"}
    order = await courier.careful("sms", customer=customer)
    home = f"/console/orders/{order['id']}"
    assert "Requires an SMS code" in next_step(await seat.open(home)).text
    page = await seat.sent(f"{home}/sms-code", {"subject": order["id"]})
    assert "Code sent to" in page.root.one("div", id="toasts").text
    assert "+6591234567" in page.main.text
    page = await seat.sent(f"{home}/sms-code", {"subject": order["id"], "do": "unlock"})
    assert "Code entry unlocked." in page.root.one("div", id="toasts").text


async def test_what_recipients_were_told_is_listed_with_its_way_and_standing(
    seat: Seat, courier: Courier, house: House
) -> None:
    ada = await courier.post("contacts", name="Ada Lovelace", phone="+6591234567")
    order = await courier.ready(customer=ada["id"], dispatch=True)
    other = await courier.ready(customer=ada["id"])
    await all_told(house)
    told = (await seat.open(f"/console/orders/{order['id']}")).main.one(
        "section", aria_labelledby="told"
    )
    assert "On its way SMS +6591234567" in " ".join(told.text.split())
    page = await seat.open(f"/console/messages?order={order['id']}")
    assert "+6591234567" in page.main.text
    told = (await seat.open(f"/console/orders/{other['id']}")).main.one(
        "section", aria_labelledby="told"
    )
    assert "+6591234567" not in told.text


@pytest.mark.slow
async def test_proofs_are_shown_and_taken_away(seat: Seat, courier: Courier) -> None:
    order = await courier.careful("signature")
    proof = await courier.signed(order)
    home = f"/console/orders/{order['id']}"
    page = await seat.open(home)
    assert f"/console/proofs/{proof['id']}" in page.links()
    (picture,) = page.main.one("ul", class_="thumbs").all("img")
    assert (await seat.client.get(picture["src"])).headers["content-type"].startswith("image/")
    for document, kind in (
        ("proof-sheet.pdf", "application/pdf"),
        ("proofs.zip", "application/zip"),
        ("proofs.csv", "text/csv"),
    ):
        answer = await seat.client.get(f"{home}/{document}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith(kind)
        assert "attachment" in answer.headers["content-disposition"]


async def test_the_label_has_the_codes_of_the_tracking_number(seat: Seat, courier: Courier) -> None:
    order = await courier.order()
    page = await seat.open(f"/console/orders/{order['id']}/label")
    for picture in page.main.all("img"):
        answer = await seat.client.get(picture["src"])
        assert answer.headers["content-type"] == "image/svg+xml"
    assert order["tracking_number"]["tracking_number"] in page.main.text


async def test_the_links_for_recipients_are_there_to_be_copied(
    seat: Seat, courier: Courier
) -> None:
    order = await courier.order(waypoints=[SOMEWHERE, {**SOMEWHERE, "street1": "1 Raffles Place"}])
    rows = await courier.get(f"tracking-numbers?order={order['id']}")
    page = await seat.open(f"/console/orders/{order['id']}")
    copied = {button.attributes.get("data-copy") for button in page.main.all("button")}
    assert {row["tracking_url"] for row in rows} <= copied


async def test_only_what_was_typed_anew_is_changed(seat: Seat, courier: Courier) -> None:
    order = await courier.order(notes="Ring twice.", scheduled_at="2026-01-16T09:30:17Z")
    home = f"/console/orders/{order['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.send(f"{home}/edit", {**form, "notes": "Do not ring."})
    now = await courier.get(f"orders/{order['id']}")
    assert (now["notes"], now["scheduled_at"]) == ("Do not ring.", "2026-01-16T09:30:17.000Z")
    answer = await seat.send(f"{home}/edit", {**form, "customer": "contact_nobody"})
    assert answer.status_code in {404, 412, 422}


async def test_a_viewer_sees_everything_and_is_offered_nothing(
    acme: Firm, courier: Courier
) -> None:
    order = await courier.careful("signature")
    viewer = await Seat.of(acme, "viewer")
    home = f"/console/orders/{order['id']}"
    page = await viewer.open(home)
    actions = [form["action"] for form in page.main.all("form")]
    assert actions == []
    refused = await viewer.sent(f"{home}/cancel", {"reason": "Mine."})
    assert "This requires the dispatcher role" in refused.main.one("p", role="alert").text


async def test_another_companys_order_is_not_found(rival: Firm, courier: Courier) -> None:
    order = await courier.order()
    stranger = await Seat.of(rival)
    for path in ("", "/label", "/edit", "/proofs.zip"):
        await stranger.open(f"/console/orders/{order['id']}{path}", status=404)


async def test_the_same_order_is_there_as_json_and_as_curl(seat: Seat, courier: Courier) -> None:
    order = await courier.order()
    page = await seat.open(f"/console/orders/{order['id']}")
    told: Any = page.main.one("details", id="json").text
    assert f"/v1/orders/{order['id']}" in told
    assert order["tracking_number"]["tracking_number"] in told


async def test_a_long_order_is_no_long_page(seat: Seat, courier: Courier) -> None:
    stops = [f"{number} Raffles Place, Singapore" for number in range(1, 26)]
    items = [{"name": f"Box {number}"} for number in range(25)]
    order = await courier.started(waypoints=stops, entities=items)
    answer = await seat.client.get(f"/console/orders/{order['id']}")
    assert len(answer.content) < 100_000
    assert "25 Raffles Place" in answer.text


@pytest.mark.slow
async def test_an_operator_delivers_an_order_in_the_browser(courier: Courier, page: Tab) -> None:
    driver = await courier.driver()
    order = await courier.order(driver=driver["id"])
    await page.goto(f"/console/orders/{order['id']}")
    for verb in ("Dispatch", "Start", "En route", "Completed"):
        await page.get_by_role("button", name=verb, exact=True).click()
    await page.locator("#sure").get_by_role("button", name="Completed").click()
    await expect(page.locator(".head .badge").first).to_contain_text("Completed")
