"""Decisions §2: the app key, good for a driver's sign-in and for nothing else."""

import re
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

import stage
from contract.test_every_route import SHUT
from fleet.depot import Depot
from fleet.test_signin import SENT, code
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.web import logs
from probe import paths, refused
from stage import Firm, House

PHONE: Final = "+6591234567"
LOGIN, VERIFY = "/v1/drivers/login-with-sms", "/v1/drivers/verify-code"
OPEN: Final = {("POST", LOGIN), ("POST", VERIFY)}


async def issue(firm: Firm, **wish: Any) -> dict[str, Any]:
    answer = await firm.admin.post("/int/v1/keys", json={"kind": "app", "name": "App", **wish})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def app(firm: Firm, **more: str) -> httpx.AsyncClient:
    """Come as somebody who has the company's app."""
    return firm.house.client((await issue(firm))["key"], **more)


async def test_an_app_key_has_its_form_and_no_scopes(acme: Firm, house: House) -> None:
    made = await issue(acme)
    assert re.fullmatch(r"app_live_[0-9A-Za-z]+_[0-9A-Za-z]{40,}", made["key"])
    assert (made["scopes"], made["store"]) == ([], None)
    [row] = (await acme.admin.get("/int/v1/keys?kind=app")).json()["data"]
    assert (row["id"], "key" in row) == (made["id"], False)
    trial = await house.found("Trial", "test")
    assert (await issue(trial))["key"].startswith("app_test_")


async def test_an_app_key_is_good_for_a_drivers_sign_in(acme: Firm, house: House) -> None:
    driver = await Depot(acme).driver(phone=PHONE)
    client = await app(acme)
    assert (await client.post(LOGIN, json={"phone": PHONE})).json() == SENT
    done = await client.post(VERIFY, json={"identity": PHONE, "code": await code(house)})
    assert done.status_code == 200, done.text
    me = await house.client(done.json()["token"]).get("/v1/drivers/me")
    assert me.json()["id"] == driver["id"]


@pytest.mark.slow
async def test_an_app_key_is_good_for_nothing_else(acme: Firm, house: House) -> None:
    key = (await issue(acme))["key"]
    client = house.client(key, **{"Customer-Token": key, "Cookie": f"pannier_session={key}"})
    assert set(SHUT) >= OPEN
    for method, template in sorted(set(SHUT) - OPEN):
        path = re.sub(r"{\w+}", "anything", template)
        answer = await client.request(method, path, json={})
        assert answer.status_code == 401, f"{method} {path}: {answer.text[:300]}"
        assert "Acme" not in answer.text


async def test_it_reaches_the_drivers_of_its_own_company_only(
    acme: Firm, rival: Firm, house: House
) -> None:
    await Depot(acme).driver(phone=PHONE)
    client = await app(rival)
    assert (await client.post(LOGIN, json={"phone": PHONE})).json() == SENT
    assert await house.value("select count(*) from messages") == 0
    await (await app(acme)).post(LOGIN, json={"phone": PHONE})
    body = {"identity": PHONE, "code": await code(house)}
    refused(await client.post(VERIFY, json=body), 422, "invalid_code")


async def test_a_secret_key_goes_on_working_there(acme: Firm) -> None:
    assert (await acme.api.post(LOGIN, json={"phone": PHONE})).json() == SENT
    narrow = await issue(acme, kind="api", scopes=["drivers:read"])
    answer = await acme.house.client(narrow["key"]).post(LOGIN, json={"phone": PHONE})
    refused(answer, 403, "forbidden")


async def test_it_is_revoked_and_rotated_like_any_key(acme: Firm, clock: ManualClock) -> None:
    made = await issue(acme)
    old = acme.house.client(made["key"])
    path = f"/int/v1/keys/{made['id']}"
    turned = await acme.admin.post(f"{path}/rotate", json={"overlap_seconds": 3600})
    assert (turned.json()["kind"], turned.json()["scopes"]) == ("app", [])
    new = acme.house.client(turned.json()["key"])
    for client in (old, new):
        assert (await client.post(LOGIN, json={"phone": PHONE})).status_code in {200, 429}
    clock.advance(hours=1)
    refused(await old.post(LOGIN, json={"phone": PHONE}), 401, "unauthenticated")
    assert (await new.post(LOGIN, json={"phone": PHONE})).status_code == 200
    assert (await acme.admin.delete(f"/int/v1/keys/{turned.json()['id']}")).status_code == 200
    refused(await new.post(LOGIN, json={"phone": PHONE}), 401, "unauthenticated")


async def test_nobody_can_give_it_a_scope(acme: Firm) -> None:
    body = {"kind": "app", "name": "App", "scopes": ["orders:read"]}
    assert paths(await acme.admin.post("/int/v1/keys", json=body)) == ["scopes"]
    made = await issue(acme)
    answer = await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"scopes": ["*"]})
    assert paths(answer) == ["scopes"]
    renamed = await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"name": "Android"})
    assert (renamed.json()["name"], renamed.json()["scopes"]) == ("Android", [])


@pytest.mark.slow
async def test_who_has_the_app_asks_for_so_many_codes_and_tries_so_many(acme: Firm) -> None:
    client, numbers = await app(acme), [f"+6591{number:06}" for number in range(101)]
    asked = [
        (await client.post(LOGIN, json={"phone": phone})).status_code for phone in numbers[:21]
    ]
    assert asked == [200] * 20 + [429]
    tried = [
        (await client.post(VERIFY, json={"identity": phone, "code": "123456"})).status_code
        for phone in numbers
    ]
    assert tried == [422] * 100 + [429]
    other = acme.house.client(client.headers["authorization"].split()[1], address="192.0.2.1")
    assert (await other.post(LOGIN, json={"phone": PHONE})).status_code == 200
    assert (await acme.api.post(LOGIN, json={"phone": numbers[-1]})).status_code == 200


async def test_a_stranger_with_the_app_cannot_use_up_its_limit(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), credential_rate="6")
    firm = await house.found("Acme")
    key = (await issue(firm))["key"]
    stranger, driver = house.client(key, address="192.0.2.9"), house.client(key)
    codes = [(await stranger.post(LOGIN, json={})).status_code for _ in range(7)]
    assert codes == [422] * 6 + [429]
    assert (await driver.post(LOGIN, json={"phone": PHONE})).status_code == 200


async def test_an_app_keys_secret_is_no_part_of_any_log_line(acme: Firm) -> None:
    key = (await issue(acme))["key"]
    assert key.rpartition("_")[2] not in logs.redact(f"GET /{key}?{key}")
