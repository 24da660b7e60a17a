"""Codes by SMS: asked for, waited for, typed; and typed without reception."""

import json
from typing import Any

import pytest
from playwright.async_api import Route, expect

from console.browser import Troubles, axe
from driver.hand import Hand, demand

pytestmark = pytest.mark.slow
SENT = {"status": "ok", "sent_to": "+65•••4567", "expires_in": 7200, "resend_after": 30}


async def answer(hand: Hand, door: str, status: int, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer a door as the server would, and tell what was sent to it."""
    heard: list[dict[str, Any]] = []

    async def fulfil(route: Route) -> None:
        heard.append(route.request.post_data_json or {})
        kind = "application/problem+json" if status >= 400 else "application/json"
        headers = {"Content-Type": kind, "X-Request-Id": "test"}
        await route.fulfill(status=status, body=json.dumps(body), headers=headers)

    await hand.page.route(f"**/{door}/**", fulfil)
    return heard


async def type_code(hand: Hand, code: str = "402917") -> None:
    await hand.page.get_by_label("Recipient's code").fill(code)
    await hand.button("Check code").click()


async def test_a_code_is_sent_and_another_one_only_after_a_while(hand: Hand) -> None:
    await hand.page.clock.install()
    await hand.open()
    await answer(hand, "send-sms-code", 200, SENT)
    await hand.begin(demand("sms"))
    await hand.button("Send code").click()
    await expect(hand.page.get_by_text("Code sent to +65•••4567.")).to_be_visible()
    await expect(hand.button("Resend in")).to_be_disabled()
    assert await axe(hand.page) == []
    await hand.page.clock.fast_forward(31_000)
    await expect(hand.button("Resend code")).to_be_enabled()


async def test_a_wrong_code_is_said_at_the_door_and_a_busy_server_keeps_nobody_there(
    hand: Hand, troubles: Troubles
) -> None:
    troubles.excuse("status of (423|503)")
    await hand.open()
    wrong = {"code": "pod_code_incorrect", "title": "Wrong.", "attempts_left": 4}
    heard = await answer(hand, "capture-sms", 422, wrong)
    await hand.begin(demand("sms"))
    await type_code(hand, "12")
    await expect(hand.page.get_by_text("Enter the code that")).to_be_visible()
    assert heard == []
    await type_code(hand)
    await expect(hand.page.get_by_text("Attempts left: 4.")).to_be_visible()
    assert heard[0]["code"] == "402917"
    await answer(hand, "capture-sms", 423, {"code": "pod_code_locked"})
    await type_code(hand)
    await expect(hand.page.get_by_text("Ask your dispatcher to unlock")).to_be_visible()
    await answer(hand, "capture-sms", 201, {"id": "proof_1"})
    await type_code(hand)
    made = await hand.told()
    assert (made["sent"], made["body"]["code"]) == (True, "402917")
    await answer(hand, "capture-sms", 503, {"code": "unavailable"})
    await hand.begin(demand("sms"))
    await type_code(hand)
    assert (await hand.told())["sent"] is False


async def test_without_reception_the_typed_code_is_kept_to_be_checked_later(
    hand: Hand, troubles: Troubles
) -> None:
    troubles.excuse("ERR_INTERNET_DISCONNECTED")
    await hand.open()
    await hand.begin(demand("sms"))
    await hand.page.context.set_offline(offline=True)
    await hand.button("Send code").click()
    await expect(hand.page.get_by_text("no code can be sent")).to_be_visible()
    assert await axe(hand.page) == []
    await type_code(hand)
    made = await hand.told()
    assert made["sent"] is False
    assert made["path"] == "/v1/orders/order_1/capture-sms/waypoint_1"
    assert made["body"]["code"] == "402917"
