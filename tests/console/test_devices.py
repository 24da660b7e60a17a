"""Devices at the console: taken in, put on vehicles, given new tokens."""

from typing import Any

import pytest

from console.reading import Page
from console.seat import Seat
from fleet.depot import Depot
from stage import Firm


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


async def device(firm: Firm, **more: Any) -> dict[str, Any]:
    made = await firm.admin.post("/int/v1/devices", json={"name": "Tracker", **more})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


async def test_the_token_of_a_new_device_is_shown_this_once(acme: Firm, seat: Seat) -> None:
    form = (await seat.open("/console/devices/new")).sheet()
    answer = await seat.send("/console/devices/new", {**form, "name": "Tracker"})
    token = Page(answer.text).main.one("div", class_="secret").one("code").text
    assert token.startswith("dvc_")
    (made,) = (await acme.admin.get("/int/v1/devices")).json()["data"]
    assert token not in (await seat.client.get(f"/console/devices/{made['id']}")).text
    beat = {"event_type": "device_heartbeat"}
    sent = await acme.house.client().post(
        f"/int/v1/fleet-module/devices/{made['id']}/events",
        json=beat,
        headers={"Authorization": f"Bearer {token}"},
    )
    assert sent.is_success, sent.text


@pytest.mark.slow
async def test_a_device_goes_on_a_vehicle_and_off_again_and_its_history_stays(
    acme: Firm, depot: Depot, seat: Seat
) -> None:
    made, vehicle = await device(acme), await depot.vehicle(plate_number="SGX 7")
    home = f"/console/devices/{made['id']}"
    page = await seat.sent(f"{home}/attach", {"vehicle": vehicle["id"]})
    assert [page.rows()[0][0], page.rows()[0][2]] == ["SGX 7", "Still attached"]
    acme.house.clock.advance(hours=1)
    page = await seat.sent(f"{home}/detach")
    assert "SGX 7" in page.main.text
    assert "Still attached" not in page.main.text
    refused = await seat.sent(f"{home}/attach", {"vehicle": "vehicle_nowhere"})
    assert refused.main.one("p", role="alert").text


@pytest.mark.slow
async def test_a_token_is_rotated_and_the_older_one_ended(acme: Firm, seat: Seat) -> None:
    made = await device(acme)
    home = f"/console/devices/{made['id']}"
    answer = await seat.send(f"{home}/rotate-token", {"grace_seconds": "3600"})
    token = Page(answer.text).main.one("div", class_="secret").one("code").text
    assert token not in {"", made["token"]}
    page = await seat.open(home)
    tokens = [field["value"] for field in page.main.all("input", name="token")]
    assert len(tokens) == 2
    for token in tokens:
        await seat.sent(f"{home}/tokens/end", {"token": token})
    assert "No active tokens" in (await seat.open(home)).main.text


async def test_a_viewer_sees_devices_without_their_tokens(acme: Firm) -> None:
    made = await device(acme)
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(f"/console/devices/{made['id']}")
    assert "Tokens" not in page.main.text
    refused = await viewer.sent(f"/console/devices/{made['id']}/rotate-token")
    assert "This requires the dispatcher role" in refused.main.one("p", role="alert").text
