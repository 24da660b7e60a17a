"""Forms that come late, twice, torn or from a page that is old: done once, and never half."""

from typing import Any

import pytest

from console.reading import Page
from console.seat import Seat
from pannier.accounts.models import Role
from pannier.console import responses
from stage import Firm

NEW = "/console/contacts/new"


async def test_what_was_refused_for_now_only_is_done_when_it_is_sent_again(acme: Firm) -> None:
    seat = await Seat.of(acme, "viewer")
    body = (await seat.open("/console/contacts")).root.one("body")
    form = {"csrf": body["data-csrf"], "once": "the-same-form", "name": "Ada"}
    refused = await seat.client.post(NEW, data=form)
    assert refused.status_code == 403, refused.text
    other = {**form, "once": "third", "sure": "yes"}
    gone = "/console/contacts/contact_nothing/delete"
    assert (
        "This%20requires%20the%20dispatcher%20role"
        in (await seat.client.post(gone, data=other)).headers["set-cookie"]
    )
    await promote(acme, "viewer")
    done = await seat.client.post(NEW, data=form)
    assert done.status_code == 303, done.text
    assert (
        "This%20requires%20the%20dispatcher%20role"
        not in (await seat.client.post(gone, data=other)).headers["set-cookie"]
    )


async def promote(firm: Firm, role: Role) -> None:
    """Let an operator do the daily work."""
    found = (await firm.admin.get("/int/v1/operators")).json()["data"]
    (one,) = [operator for operator in found if operator["email"] == firm.email(role)]
    answer = await firm.admin.patch(f"/int/v1/operators/{one['id']}", json={"role": "dispatcher"})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("version", ["", "one", "1.5", "\N{SUPERSCRIPT TWO}", "9" * 5000])
async def test_a_version_that_is_none_is_refused_in_words(
    acme: Firm, seat: Seat, version: str
) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    home = f"/console/contacts/{made['id']}"
    page = await seat.sent(f"{home}/delete", {"version": version}, on=home)
    assert "changed since you read it" in page.main.one("p", role="alert").text
    answer = await seat.send(f"{home}/edit", {"name": "Grace", "version": version})
    assert answer.status_code == 412
    assert (await acme.api.get(f"/v1/contacts/{made['id']}")).json()["name"] == "Ada"


async def test_who_saves_over_what_another_changed_is_told_what_that_is(
    acme: Firm, seat: Seat
) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    home = f"/console/contacts/{made['id']}"
    form = (await seat.open(f"{home}/edit")).sheet()
    await acme.api.patch(f"/v1/contacts/{made['id']}", json={"title": "Countess"})
    answer = await seat.send(f"{home}/edit", {**form, "name": "Somebody"})
    page = Page(answer.text)
    assert "Countess" in page.root.one("small", id="f-title-note").text
    assert "Ada" in page.root.one("small", id="f-name-note").text
    assert "Saved value" not in page.root.one("small", id="f-phone-note").text


async def test_more_orders_than_go_at_once_are_refused_and_none_is_left_out_in_silence(
    seat: Seat,
) -> None:
    many: dict[str, Any] = {"order": [f"order_{number}" for number in range(61)], "verb": "start"}
    page = await seat.sent("/console/orders/bulk", many, on="/console/orders?layout=table")
    assert "60 at a time" in page.main.one("p", role="alert").text


@pytest.mark.parametrize("on", ["9999-12-31", "0001-01-01"])
async def test_a_day_at_the_end_of_the_calendar_is_no_error(seat: Seat, on: str) -> None:
    page = await seat.open(f"/console/orders?layout=planner&on={on}")
    assert page.heading == "Orders"


@pytest.mark.parametrize("moment", ["9999-12-31T23:59Z", "0001-01-01T00:00Z"])
async def test_a_moment_at_the_end_of_the_calendar_is_no_error(
    acme: Firm, seat: Seat, moment: str
) -> None:
    for zone in ("Asia/Singapore", "America/New_York"):
        await acme.admin.patch("/int/v1/settings", json={"time_zone": zone})
        for page in ("orders?layout=table&", "contacts?", "events?", "device-events?", "audit?"):
            said = "&".join(f"{name}={moment}" for name in ("since", "until", "from", "to"))
            answer = await seat.client.get(f"/console/{page}{said}")
            assert answer.status_code == 200, (page, zone)


async def test_what_is_no_moment_exports_nothing_and_says_why(seat: Seat) -> None:
    page = await seat.open("/console/device-events/export?from=soon", status=422)
    assert "Enter a date and time" in page.main.text


async def test_deliveries_that_are_too_many_are_refused_and_none_is_left_out_in_silence(
    seat: Seat,
) -> None:
    many: dict[str, Any] = {"id": [f"delivery_{number}" for number in range(61)]}
    page = await seat.sent("/console/webhook-deliveries/replay-selected", many)
    assert "60 at a time" in page.main.one("p", role="alert").text


async def test_another_row_does_not_make_a_rate_newer_than_what_was_looked_at(
    acme: Firm, seat: Seat
) -> None:
    told = {"service_name": "Same day", "service_type": "express", "currency": "SGD",
            "rate_calculation_method": "per_meter", "per_meter_flat_rate_fee": 80}  # fmt: skip
    rate = (await acme.api.post("/v1/service-rates", json=told)).json()
    edit = f"/console/service-rates/{rate['id']}/edit"
    form = (await seat.open(edit)).form(edit)
    await acme.api.patch(f"/v1/service-rates/{rate['id']}", json={"base_fee": 500})
    again = await seat.send(edit, {**form, "do": "price"})
    assert again.status_code == 200, again.text
    answer = await seat.send(edit, {**Page(again.text).form(edit), "service_name": "Mine"})
    assert answer.status_code == 412
    assert (await acme.api.get(f"/v1/service-rates/{rate['id']}")).json()["base_fee"] == 500


def test_a_note_is_never_longer_than_a_browser_keeps() -> None:
    assert len(responses.encode_flash("\N{PACKAGE}" * 1000)) <= responses.MAX_FLASH_LENGTH
    assert responses.encode_flash("Saved.") == "Saved."
