"""What was refused is captured again in place: with what there was, before what came after it."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from driver import camera
from driver.hand import SIGNED, Hand
from driver.rider import ADA, Rider
from driver.test_capture_photo import chooser, file
from driver.test_drafts import drafts
from driver.weather import Weather, problem
from pannier.console import assets
from stage import Firm

pytestmark = pytest.mark.slow
PROVED = {"require_pod": True, "pod_scope": "waypoint"}


def flow(**last: Any) -> list[dict[str, Any]]:
    """A flow whose hand-over needs something."""
    done = {"code": "handed_over", "status": "Handed over", "complete": True, **last}
    return [{"code": "arrived", "status": "Arrived", "next": ["handed_over"]}, done]


@pytest.fixture
async def rider(acme: Firm, app: Page, weather: Weather) -> Rider:
    """A driver who has the link."""
    weather.meets = lambda scope: "/capture-" in scope["path"]
    return await Rider.of(acme, app)


async def arrived(rider: Rider, **last: Any) -> dict[str, Any]:
    """Have the driver stand before the first door."""
    order = await rider.round(flow=flow(**last))
    await rider.shop.act(order, "start")
    await rider.shop.act(order, "update-activity", activity="arrived")
    await rider.sign_in()
    await rider.link("Night Safari").click()
    return order


async def sent(rider: Rider) -> None:
    """Wait until nothing is left on the phone."""
    await expect(rider.page.get_by_text("Everything has been sent")).to_be_visible()


async def test_a_photo_that_was_refused_is_taken_again_with_what_there_was(
    rider: Rider, weather: Weather
) -> None:
    order = await arrived(rider, pod_method="photo", **PROVED)
    weather.coming.append(problem(422, "image_unreadable"))
    await rider.button("Handed over").click()
    await chooser(Hand(rider.page)).set_input_files([file(camera.photo(64, 48))])
    await rider.page.get_by_label("Notes").fill("Left with the concierge.")
    await rider.button("Use photo").click()
    await rider.link("1 rejected").click()
    await rider.button("Capture again").click()
    await expect(rider.page.get_by_label("Notes")).to_have_value("Left with the concierge.")
    await chooser(Hand(rider.page)).set_input_files([file(camera.photo(80, 60))])
    await rider.button("View photo 1").click()
    await rider.button("Remove").click()
    await rider.button("Use photo").click()
    await sent(rider)
    [proof] = await rider.shop.get(f"orders/{order['id']}/proofs")
    assert proof["remarks"] == "Left with the concierge."
    # The step that waited behind it has happened too.
    stops = (await rider.read(order))["payload"]["waypoints"]
    assert stops[0]["complete"] is True


async def test_a_code_that_was_refused_is_scanned_again(rider: Rider, weather: Weather) -> None:
    order = await arrived(rider, pod_method="scan", **PROVED)
    weather.coming.append(problem(422, "code_mismatch"))
    await rider.button("Handed over").click()
    tracked = (await rider.read(order))["payload"]["waypoints"][0]["tracking_number"]
    code = tracked["tracking_number"] if isinstance(tracked, dict) else tracked
    await rider.page.get_by_label("Enter code manually").fill(code)
    await rider.button("Use").click()
    await rider.link("1 rejected").click()
    await rider.button("Capture again").click()
    await rider.page.get_by_label("Enter code manually").fill(code)
    await rider.button("Use").click()
    await sent(rider)
    assert len(await rider.shop.get(f"orders/{order['id']}/proofs")) == 1
    assert await drafts(rider.page) == []


async def handed_over(rider: Rider, order: dict[str, Any], **body: Any) -> None:
    """Have a phone that does not know that a proof is wanted tell of the hand-over."""
    await rider.page.evaluate(
        """async ([outbox, order, body]) => (await import(outbox)).addEntry({
            kind: "activity", order, path: `/v1/orders/${order}/update-activity`,
            body: { activity: "handed_over", ...body }, summary: "Handed over",
        })""",
        [assets.url("driver/outbox.js"), order["id"], body],
    )
    await rider.link("1 rejected").click()


async def test_a_code_by_sms_that_was_missing_arrives_once(rider: Rider) -> None:
    order = await arrived(rider, pod_method="sms", **PROVED)
    await handed_over(rider, order)
    await rider.button("Capture again").click()
    await rider.button("Send code").click()
    await expect(rider.page.get_by_text("Code sent to")).to_be_visible()
    sql = "select body from messages where secret and recipient = :phone"
    code = str(await rider.shop.firm.house.value(sql, phone=ADA["phone"]))[:6]
    await rider.page.get_by_label("Recipient's code").fill(code)
    await rider.button("Check code").click()
    await sent(rider)
    assert len(await rider.shop.get(f"orders/{order['id']}/proofs")) == 1
    assert (await rider.read(order))["payload"]["waypoints"][0]["complete"] is True


async def test_what_is_missing_is_captured_of_the_stop_that_was_meant(rider: Rider) -> None:
    order = await rider.round(flow=flow(pod_method="signature", **PROVED)[1:])
    await rider.shop.act(order, "start")
    await rider.sign_in()
    # What the phone has not heard of yet it asks for, and not for long.
    await expect(rider.link("Night Safari")).to_be_visible()
    second = order["payload"]["waypoints"][1]["id"]
    await handed_over(rider, order, waypoint=second)
    await rider.button("Capture again").click()
    await Hand(rider.page).sign(*SIGNED)
    await rider.button("Use signature").click()
    await sent(rider)
    [proof] = await rider.shop.get(f"orders/{order['id']}/proofs")
    assert proof["subject_id"] == second
    stops = (await rider.read(order))["payload"]["waypoints"]
    assert [stop["complete"] for stop in stops] == [False, True]


async def test_a_missing_proof_goes_before_its_step_and_a_second_touch_opens_no_second_dialog(
    rider: Rider, weather: Weather
) -> None:
    order = await arrived(rider, pod_method="signature", **PROVED)
    await handed_over(rider, order)
    weather.meets = lambda scope: scope["path"] == "/v1/orders"
    weather.coming.append("slow")
    # Both before the dialog opens, which it does in the end though nobody answers.
    await rider.button("Capture again").evaluate("(button) => { button.click(); button.click(); }")
    weather.sun.set()
    await Hand(rider.page).sign(*SIGNED)
    await rider.button("Use signature").click()
    await sent(rider)
    await expect(rider.page.get_by_role("dialog")).to_have_count(0)
    assert len(await rider.shop.get(f"orders/{order['id']}/proofs")) == 1
    assert (await rider.read(order))["payload"]["waypoints"][0]["complete"] is True


async def test_who_goes_back_has_what_was_refused_as_it_was(rider: Rider, weather: Weather) -> None:
    await arrived(rider, pod_method="signature", **PROVED)
    weather.coming.append(problem(422, "signature_blank"))
    await rider.button("Handed over").click()
    await Hand(rider.page).sign(*SIGNED)
    await rider.page.get_by_label("Signer's name").fill("Ada Lovelace")
    await rider.button("Use signature").click()
    await rider.link("1 rejected").click()
    await rider.button("Capture again").click()
    await expect(rider.page.get_by_label("Signer's name")).to_have_value("Ada Lovelace")
    await rider.page.get_by_role("button", name="Back").click()
    await expect(rider.button("Capture again")).to_be_visible()
    await rider.button("Send again").click()
    await sent(rider)
