"""The delivery log at the console: found, shown with every attempt, sent again."""

from typing import Any

import pytest

from console.reading import Page
from console.seat import Seat
from pannier.console.screens.webhook_deliveries import list_steps
from stage import Firm
from webhooks.office import Office, answering

HOME = "/console/webhook-deliveries"


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


SUBJECT = "order_0000000000000002"


async def failing(office: Office, subject: str = "order_1") -> dict[str, Any]:
    """Let a delivery fail for good."""
    office.receivers.answer = lambda _: answering(500)
    await office.tell(subject=subject)
    await office.work()
    for _ in range(4):
        office.firm.house.clock.advance(hours=9)
        await office.work()
    return (await office.deliveries(subject=subject))[0]


@pytest.mark.slow
async def test_the_log_is_filtered_by_its_address(seat: Seat, office: Office) -> None:
    webhook = await office.register()
    await office.tell()
    await office.work()
    row = await failing(office, SUBJECT)
    assert [cells[1] for cells in (await seat.open(HOME)).rows()] == ["Failed", "Succeeded"]
    for query in ("state=failed", f"subject={SUBJECT}", f"event_id={row['event_id']}"):
        found = (await seat.open(f"{HOME}?{query}")).rows()
        assert [cells[1] for cells in found] == ["Failed"], query
    assert len((await seat.open(f"{HOME}?webhook={webhook['id']}&event=order.created")).rows()) == 2
    assert (await seat.open(f"{HOME}?since=2027-01-01T00:00")).rows() == []
    assert "There is no such webhook" in (await seat.open(f"{HOME}?webhook=webhook_0")).main.text


async def test_a_delivery_shows_what_is_sent_and_every_attempt(seat: Seat, office: Office) -> None:
    await office.register()
    row = await failing(office)
    page = await seat.open(f"{HOME}/{row['id']}")
    assert page.heading.endswith("order.created")
    assert len(page.main.all("details", class_="attempt")) == 5
    assert "Replay the delivery when the receiver works again." in page.main.text
    assert '"order_1"' in page.main.one("pre", aria_label="Payload").text
    drawn = page.main.one("svg", class_="steps")["aria-label"]
    assert drawn.startswith("Attempt 1, immediately: 500. Attempt 2, +5 min: 500.")
    assert "+8 h: 500" in drawn


async def test_the_schedule_shows_when_it_is_tried_next(seat: Seat, office: Office) -> None:
    await office.register()
    office.receivers.answer = lambda _: answering(503)
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    delivery = await office.delivery(row["id"])
    assert [step.outcome for step in list_steps(delivery)] == ["503", "next", *["if needed"] * 3]
    assert list_steps(delivery)[1].time == delivery["next_attempt_at"]
    assert "Next attempt" in (await seat.open(f"{HOME}/{row['id']}")).main.text


async def test_after_a_replay_the_schedule_begins_anew(office: Office, seat: Seat) -> None:
    await office.register()
    row = await failing(office)
    office.receivers.answer = lambda _: answering(200)
    page = await seat.sent(f"{HOME}/{row['id']}/replay")
    assert "Delivery queued again" in page.root.one("div", id="toasts").text
    assert page.main.one("div", id="delivery")["hx-trigger"] == "every 2s"
    await office.work()
    delivery = await office.delivery(row["id"])
    assert [step.outcome for step in list_steps(delivery)] == ["200", *["not needed"] * 4]


async def test_chosen_ones_are_replayed_each_for_itself(
    acme: Firm, seat: Seat, office: Office
) -> None:
    await office.register()
    row = await failing(office)
    page = await seat.sent(f"{HOME}/replay-selected", {"id": ["delivery_0", row["id"]]})
    assert "1 of 2 queued" in page.main.text
    assert [cells[2] for cells in page.rows()][1] == "Queued"
    assert (await office.deliveries(state="pending"))[0]["id"] == row["id"]
    log = (await acme.admin.get("/int/v1/audit?action=webhook_delivery.replayed")).json()["data"]
    assert [entry["actor_type"] for entry in log] == ["operator"]


async def test_nothing_chosen_is_said_in_words(seat: Seat) -> None:
    page = await seat.sent(f"{HOME}/replay-selected")
    assert "Select at least one delivery" in page.main.one("p", role="alert").text


@pytest.mark.slow
async def test_replay_since_counts_before_anything_is_sent(
    acme: Firm, seat: Seat, office: Office
) -> None:
    webhook = await office.register()
    await failing(office)
    page = await seat.open(f"{HOME}/replay?webhook={webhook['id']}&since=2026-01-01T00:00")
    assert "1 delivery will be sent again" in page.main.text
    assert await office.deliveries(state="pending") == []
    (form,) = [one for one in page.main.all("form") if one["method"] == "post"]
    fields = {one["name"]: one["value"] for one in form.all("input")}
    led = await seat.sent(f"{HOME}/replay", fields)
    assert "Deliveries queued: 1" in led.root.one("div", id="toasts").text
    assert len(await office.deliveries(state="pending")) == 1
    assert (await acme.admin.get("/int/v1/audit?action=webhook_deliveries.replayed")).json()["data"]


async def test_a_replay_that_names_nothing_is_refused(seat: Seat) -> None:
    page = await seat.sent(f"{HOME}/replay")
    assert "Set at least one filter" in page.main.one("p", role="alert").text


@pytest.mark.slow
async def test_a_viewer_is_offered_no_replay_and_refused_one(acme: Firm, office: Office) -> None:
    await office.register()
    row = await failing(office)
    viewer = await Seat.of(acme, "viewer")
    page: Page = await viewer.open(f"{HOME}/{row['id']}")
    assert page.main.all("form") == []
    assert (await viewer.open(HOME)).main.all("input", type="checkbox") == []
    refused = await viewer.sent(f"{HOME}/{row['id']}/replay")
    assert "This requires the dispatcher role" in refused.main.one("p", role="alert").text
