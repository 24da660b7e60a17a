"""Templates in the console: saved on an order's page, and used from their list."""

import pytest

from console.seat import Seat
from orders.shop import MANDAI, RAFFLES, Shop
from stage import Firm

HOME = "/console/order-templates"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def test_an_order_becomes_a_template_and_the_template_an_order(
    seat: Seat, shop: Shop, acme: Firm
) -> None:
    order = await shop.ready(
        notes="Ring.", customer={"name": "Ada"}, scheduled_at="2026-01-20T00:00:00Z",
        entities=[{"name": "Box"}],
    )  # fmt: skip
    path = f"/console/orders/{order['id']}/save-template"
    form = (await seat.open(f"/console/orders/{order['id']}?do=save-template")).form(path)
    page = await seat.sent(path, {**form, "name": "Zoo"})
    assert "Template saved." in page.text
    (template,) = (await acme.api.get("/v1/order-templates")).json()
    assert template["body"]["notes"] == "Ring."
    rows = (await seat.open(HOME)).text
    for text in ("Zoo", "Ada", RAFFLES["street1"], MANDAI["street1"]):
        assert text in rows
    path = f"{HOME}/{template['id']}/create-order"
    form = (await seat.open(f"{HOME}/{template['id']}?do=create-order")).form(path)
    page = await seat.sent(path, {**form, "day": "2026-02-02", "internal_id": "SO-9"})
    assert "Order created." in page.text
    (made,) = [one for one in await shop.get("orders") if one["id"] != order["id"]]
    assert (made["internal_id"], made["scheduled_at"]) == ("SO-9", "2026-02-02T00:00:00.000Z")
    # The page keeps what was typed if the API refuses it.
    form = (await seat.open(f"{HOME}/{template['id']}?do=create-order")).form(path)
    answer = await seat.send(path, {**form, "day": "2026-01-02", "internal_id": "SO-10"})
    assert answer.status_code == 422
    assert "must be in the future" in answer.text
    assert "SO-10" in answer.text


async def test_templates_are_renamed_and_deleted(seat: Seat, shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    template = await shop.post("order-templates", name="Zoo", order=order["id"])
    home = f"{HOME}/{template['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.sent(f"{home}/edit", {**form, "name": "Zoo, mornings"})
    assert "Zoo, mornings" in (await seat.open(home)).text
    subject = {"subject": template["id"]}
    entries = (await acme.admin.get("/int/v1/audit", params=subject)).json()["data"]
    assert [row["action"] for row in entries] == ["order_template.changed"]
    assert entries[0]["after"] == {"name": "Zoo, mornings"}
    form = (await seat.open(home)).form(f"{home}/delete")
    await seat.sent(f"{home}/delete", {**form, "sure": "yes"})
    assert (await acme.api.get("/v1/order-templates")).json() == []
