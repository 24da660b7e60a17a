"""Decisions §7: a device's token is shown once, rotates, and ends with the device."""

import base64
from itertools import count
from typing import Any, Final

import httpx
import pytest

from devices.garage import Garage
from pannier.devices import limits
from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

BATCH: Final = "/int/v1/fleet-module/device-events/batch"
NUMBERS: Final = count()


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


async def sent(house: House, text: str, name: str | None = None, **headers: str) -> httpx.Response:
    """Send a sign of life of whoever is named, or of the sender."""
    event = {"event_type": "device_heartbeat", "event_id": str(next(NUMBERS))}
    body = [event if name is None else {**event, "device": name}]
    return await house.client(text or None, **headers).post(BATCH, json=body)


async def stored(house: House, text: str, name: str | None = None) -> bool:
    """Send a sign of life, and tell whether it was stored, or refused as nobody's."""
    answer = await sent(house, text, name)
    if answer.status_code == 200:
        assert answer.json() == {"accepted": 1, "duplicates": 0, "rejected": []}
        return True
    (rejected,) = refused(answer, 422, "reading_refused")["rejected"]
    assert rejected["code"] == "unknown_device"
    return False


async def rotated(garage: Garage, device: dict[str, Any], **body: Any) -> str:
    made = await garage.firm.api.post(f"/v1/devices/{device['id']}/rotate-token", json=body)
    assert made.status_code == 200, made.text
    return str(made.json()["token"])


async def test_post_v1_devices_answers_with_token_once(garage: Garage, house: House) -> None:
    device = await garage.device()
    assert device["token"].startswith("dvc_live_")
    assert await stored(house, device["token"])
    shown = [
        await garage.firm.api.get(f"/v1/devices/{device['id']}"),
        await garage.firm.api.get("/v1/devices"),
        await garage.firm.admin.get(f"/int/v1/devices/{device['id']}/tokens"),
        await garage.firm.admin.get("/int/v1/audit"),
    ]
    for answer in shown:
        assert answer.is_success
        assert device["token"].rpartition("_")[2] not in answer.text


async def test_a_rotated_token_lives_on_for_the_grace_and_two_live_at_most(
    garage: Garage, house: House, clock: ManualClock
) -> None:
    first = await garage.device()
    second = await rotated(garage, first, grace_seconds=600)
    for text in (first["token"], second):
        assert (await sent(house, text)).status_code == 200
    third = await rotated(garage, first, grace_seconds=600)
    refused(await sent(house, first["token"]), 401, "unauthenticated")
    for text in (second, third):
        assert (await sent(house, text)).status_code == 200
    clock.advance(seconds=600)
    refused(await sent(house, second), 401, "unauthenticated")
    last = await rotated(garage, first, grace_seconds=0)
    refused(await sent(house, third), 401, "unauthenticated")
    assert (await sent(house, last)).status_code == 200
    living = await garage.firm.admin.get(f"/int/v1/devices/{first['id']}/tokens")
    assert len(living.json()["data"]) == 1


async def test_issuing_and_rotating_are_in_the_audit_log_whoever_does_it(garage: Garage) -> None:
    device = await garage.device()
    text = await rotated(garage, device, grace_seconds=60)
    rows = (await garage.firm.admin.get(f"/int/v1/audit?subject={device['id']}")).json()["data"]
    told = [(row["action"], row["actor_type"]) for row in rows]
    assert told == [("device.token_rotated", "key"), ("device.token_issued", "key")]
    assert rows[0]["details"]["grace_seconds"] == 60
    assert rows[0]["details"]["token"] == f"session_{text.split('_')[2]}"


async def test_operators_list_and_revoke_a_devices_tokens_and_the_very_next_event_is_refused(
    garage: Garage, house: House
) -> None:
    device = await garage.device()
    assert (await sent(house, device["token"])).status_code == 200
    path = f"/int/v1/devices/{device['id']}/tokens"
    (token,) = (await garage.firm.admin.get(path)).json()["data"]
    assert token["method"] == "issued"
    assert (await garage.firm.admin.delete(f"{path}/{token['id']}")).status_code == 200
    refused(await sent(house, device["token"]), 401, "unauthenticated")
    assert await house.value("select count(*) from device_events") == 1


async def test_a_deleted_devices_token_is_refused(garage: Garage, house: House) -> None:
    device = await garage.device()
    assert (await sent(house, device["token"])).status_code == 200
    await garage.firm.api.delete(f"/v1/devices/{device['id']}")
    refused(await sent(house, device["token"]), 401, "unauthenticated")
    unseen = await garage.device()
    await garage.firm.api.delete(f"/v1/devices/{unseen['id']}")
    refused(await sent(house, unseen["token"]), 401, "unauthenticated")


async def test_what_is_not_quite_a_token_is_refused(garage: Garage, house: House) -> None:
    device = await garage.device()
    kind, mode, name, secret = device["token"].split("_")
    assert (await sent(house, device["token"])).status_code == 200
    wrong = [
        "", "nonsense", f"{kind}_test_{name}_{secret}", f"{kind}_{mode}_{name}_{secret[::-1]}",
        f"api_{mode}_{name}_{secret}", f"drv_{mode}_{name}_{secret}", garage.firm.storefront_key,
    ]  # fmt: skip
    for text in wrong:
        refused(await sent(house, text), 401, "unauthenticated")
    basic = base64.b64encode(f"anybody:{device['token']}".encode()).decode()
    assert (await sent(house, "", Authorization=f"Basic {basic}")).status_code == 200


async def test_a_device_speaks_for_itself_a_gateway_for_its_company_and_nobody_for_another(
    garage: Garage, rival: Firm, house: House
) -> None:
    device, other = await garage.device(), await garage.device(identifier="352093")
    gateway, theirs = await garage.device(kind="gateway"), await Garage(rival).device()
    assert not await stored(house, device["token"], other["id"])
    for name in (other["id"], other["uuid"], "352093"):
        assert await stored(house, gateway["token"], name)
        assert await stored(house, garage.firm.api_key, name)
    for text in (gateway["token"], garage.firm.api_key):
        for name in (theirs["id"], theirs["uuid"], "unknown"):
            assert not await stored(house, text, name)


async def test_a_gateway_that_adopts_takes_in_what_it_is_the_first_to_name(
    garage: Garage, house: House
) -> None:
    gateway = await garage.device(kind="gateway", adopts=True)
    assert await stored(house, gateway["token"], "352093")
    assert not await stored(house, gateway["token"], "device_0000000000000000")
    (made,) = await garage.get("devices?identifier=352093")
    assert (made["name"], made["kind"], made["status"]) == ("352093", "tracker", "online")


async def test_a_key_sends_only_with_the_scope_and_only_while_it_has_it(
    garage: Garage, house: House
) -> None:
    device = await garage.device()
    body = {"kind": "api", "name": "Reader", "scopes": ["devices:read"]}
    made = (await garage.firm.admin.post("/int/v1/keys", json=body)).json()
    refused(await sent(house, made["key"], device["id"]), 403, "forbidden")
    body = {"kind": "api", "name": "Sender", "scopes": ["devices:write"]}
    made = (await garage.firm.admin.post("/int/v1/keys", json=body)).json()
    assert await stored(house, made["key"], device["id"])
    path = f"/int/v1/keys/{made['id']}"
    narrowed = await garage.firm.admin.patch(path, json={"scopes": ["devices:read"]})
    assert narrowed.status_code == 200
    refused(await sent(house, made["key"], "other"), 401, "unauthenticated")


async def test_a_device_may_send_thirty_times_a_second_and_a_gateway_three_thousand(
    garage: Garage, house: House, clock: ManualClock
) -> None:
    device, gateway = await garage.device(), await garage.device(kind="gateway")
    limiter, sources = house.edge.limiter, house.edge.services["sources"]
    for one, burst in ((device, 120), (gateway, 3000)):
        source = (await sources.authenticate(one["token"])).source
        assert (await sent(house, one["token"])).status_code == 200
        for _ in range(burst - 1):
            limits.count_request(limiter, source, clock.now().timestamp())
        many = await sent(house, one["token"])
        refused(many, 429, "too_many_requests")
        assert many.headers["retry-after"] == "1"
    clock.advance(seconds=1)
    for one in (device, gateway):
        assert (await sent(house, one["token"])).status_code == 200
