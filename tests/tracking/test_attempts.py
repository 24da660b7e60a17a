"""Attempts that failed, as the recipient hears of them."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from stage import House
from tracking.asking import link_of, link_to, stranger


async def told(house: House, link: str, language: str = "en") -> dict[str, Any]:
    """Answer what the page says, as JSON."""
    answer = await stranger(house, language=language).get(link.replace("?", ".json?"))
    said: dict[str, Any] = answer.json()
    return said


@pytest.mark.parametrize(
    ("reason", "stage", "note"),
    [
        ("nobody_home", "failed", "We will try again."),
        ("wrong_address", "failed", "We are deciding on the next step."),
        ("refused", "returning", "It is being returned to the sender."),
    ],
)
async def test_the_recipient_hears_why_and_what_happens_next(
    shop: Shop, house: House, reason: str, stage: str, note: str
) -> None:
    order = await shop.started()
    await shop.fire(order, "enroute")
    await shop.act(order, "fail-attempt", reason=reason, remarks="A rude person.")
    link = await link_of(shop, order)
    said = await told(house, link)
    assert (said["stage"], said["details"], said["position"]) == (stage, note, None)
    assert said["timeline"][-1]["status"] == "Delivery attempt failed"
    page = await stranger(house).get(link)
    assert note in page.text
    assert "rude" not in page.text


async def test_usual_reasons_are_said_in_the_readers_language(shop: Shop, house: House) -> None:
    order = await shop.started()
    await shop.act(order, "fail-attempt", reason="nobody_home")
    said = await told(house, await link_of(shop, order), "de")
    assert said["timeline"][-1]["details"] == "Empfänger nicht angetroffen"


async def test_after_another_attempt_it_is_delivered(shop: Shop, house: House) -> None:
    order = await shop.started()
    await shop.act(order, "fail-attempt", reason="nobody_home")
    for code in ("enroute", "completed"):
        await shop.fire(order, code)
    said = await told(house, await link_of(shop, order))
    assert (said["stage"], said["details"]) == ("delivered", "")


async def test_what_went_back_was_not_delivered(shop: Shop, house: House) -> None:
    order = await shop.started(waypoints=[RAFFLES, MANDAI, CHANGI])
    for code in ("enroute", "completed", "enroute"):
        await shop.fire(order, code)
    await shop.act(order, "fail-attempt", reason="refused")
    refused, other = [
        await link_to(shop, stop["tracking_number"]) for stop in order["payload"]["waypoints"][1:]
    ]
    assert (await told(house, refused))["stage"] == "returning"
    for code in ("enroute", "completed", "returned"):
        order = await shop.fire(order, code)
    assert order["status"] == "completed"
    assert (await told(house, refused))["stage"] == "returned"
    assert (await told(house, other))["stage"] == "delivered"
    assert "returned" not in {step["code"] for step in (await told(house, other))["timeline"]}
