"""Webhooks at the console: registered, tested, paused, rotated, verified."""

import pytest

from console.reading import Page
from console.seat import Seat
from stage import Firm
from webhooks.office import Office, answering

HOME = "/console/webhooks"
URL = "https://93.184.216.34/hooks"


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def registered(seat: Seat, **fields: object) -> Page:
    form = (await seat.open(f"{HOME}/new")).sheet()
    form = {name: value for name, value in form.items() if name != "events"}
    answer = await seat.send(f"{HOME}/new", {**form, "url": URL, "events": "order.*", **fields})
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


async def test_a_webhook_is_registered_and_its_secret_shown_this_once(
    acme: Firm, seat: Seat
) -> None:
    page = await registered(
        seat, events=["order.*", "issue.created"], headers="Authorization: Bearer 7Y"
    )
    assert "whsec_" in page.main.one("div", class_="secret").text
    (made,) = (await acme.admin.get("/int/v1/webhooks")).json()["data"]
    assert made["events"] == ["order.*", "issue.created"]
    assert made["headers"] == {"Authorization": "***"}
    again = await seat.open(f"{HOME}/{made['id']}")
    assert "whsec_" not in again.main.text
    log = (await acme.admin.get(f"/int/v1/audit?subject={made['id']}")).json()["data"]
    assert [entry["actor_type"] for entry in log] == ["operator"]


async def test_the_picker_groups_the_events_and_warns_of_all(seat: Seat) -> None:
    page = await seat.open(f"{HOME}/new")
    offered = [box["value"] for box in page.main.all("input", name="events")]
    assert offered[0] == "*"
    assert {"order.*", "order.completed", "proof_of_delivery.created"} < set(offered)
    assert "every driver location update" in page.main.one("p", class_="warned").text


async def test_what_is_refused_stands_beside_its_field_and_what_was_chosen_stays(
    seat: Seat,
) -> None:
    sent = {"url": "http://93.184.216.34", "events": ["order.*", "driver.online"]}
    answer = await seat.send(f"{HOME}/new", sent)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.main.one("small", id="f-url-note").text
    chosen = [box["value"] for box in page.main.all("input", name="events")
              if "checked" in box.attributes]  # fmt: skip
    assert chosen == ["order.*", "driver.online"]
    answer = await seat.send(f"{HOME}/new", {"url": URL})
    assert "at least one event" in Page(answer.text).main.one("small", id="events-note").text


async def test_a_header_keeps_its_hidden_value_when_something_else_is_changed(
    acme: Firm, seat: Seat
) -> None:
    await registered(seat, headers="Authorization: Bearer 7Y")
    (made,) = (await acme.admin.get("/int/v1/webhooks")).json()["data"]
    page = await seat.open(f"{HOME}/{made['id']}/edit")
    assert page.main.one("textarea", name="headers").text == "Authorization: ***"
    form = {**page.sheet(), "events": "order.*", "description": "The shop"}
    await seat.send(f"{HOME}/{made['id']}/edit", form)
    changed = (await acme.admin.get(f"/int/v1/webhooks/{made['id']}")).json()
    assert (changed["description"], changed["headers"]) == ("The shop", {"Authorization": "***"})


async def test_it_is_paused_and_resumed(acme: Firm, seat: Seat, office: Office) -> None:
    made = await office.register()
    page = await seat.sent(f"{HOME}/{made['id']}/pause")
    assert "Events are held" in page.main.text
    assert f"{HOME}/{made['id']}/pause" not in [form["action"] for form in page.main.all("form")]
    page = await seat.sent(f"{HOME}/{made['id']}/resume")
    assert "Webhook resumed." in page.root.one("div", id="toasts").text
    assert (await acme.admin.get(f"/int/v1/webhooks/{made['id']}")).json()["state"] == "enabled"


async def test_a_secret_is_rotated_with_an_overlap_and_shown_this_once(
    seat: Seat, office: Office
) -> None:
    made = await office.register()
    sent = {"grace_seconds": "3600", "switch": "at_end"}
    page = await seat.sent(f"{HOME}/{made['id']}/rotate-secret", sent)
    assert "whsec_" in page.main.one("div", class_="secret").text
    assert page.main.text.count("Expires ") == 1


async def test_a_test_shows_at_once_why_the_receiver_was_not_reached(
    seat: Seat, office: Office
) -> None:
    made = await office.register()
    page = await seat.sent(f"{HOME}/{made['id']}/ping")
    card = page.main.one("section", id="ping")
    assert "Failed" in card.text
    assert "Error" in card.text
    assert any(link.startswith("/console/webhook-deliveries/delivery_") for link in page.links())


async def test_its_page_tells_how_the_last_day_went(seat: Seat, office: Office) -> None:
    made = await office.register()
    assert "No deliveries since" in (await seat.open(f"{HOME}/{made['id']}")).main.text
    await office.tell()
    await office.work()
    office.receivers.answer = lambda _: answering(500)
    await office.tell(subject="order_2")
    await office.work()
    page = await seat.open(f"{HOME}/{made['id']}")
    assert "50.0% Success rate" in page.main.text
    assert [row[1] for row in page.rows()] == ["order.created", "order.created"]


@pytest.mark.parametrize(
    ("language", "file"),
    [("python", "verify.py"), ("node", "verify.mjs"), ("go", "verify.go"), ("php", "verify.php")],
)
async def test_verifying_is_shown_in_several_languages(
    seat: Seat, office: Office, language: str, file: str
) -> None:
    made = await office.register(signature_format="bare")
    page = await seat.open(f"{HOME}/{made['id']}/verify?language={language}")
    assert page.main.one("h2", id="code").text.startswith(file)
    assert "X-Service-Signature: <hex>" in page.main.text
    assert "WEBHOOK_SECRET" in page.main.one("section", class_="code").text


async def test_a_viewer_looks_and_changes_nothing(acme: Firm, office: Office) -> None:
    made = await office.register()
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(f"{HOME}/{made['id']}")
    assert page.main.all("form") == []
    refused = await viewer.sent(f"{HOME}/{made['id']}/pause")
    assert "This requires the admin role" in refused.main.one("p", role="alert").text
    assert (await acme.admin.get(f"/int/v1/webhooks/{made['id']}")).json()["state"] == "enabled"
