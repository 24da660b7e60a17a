"""Drivers sign in with a code, and their token reaches nobody but themselves."""

from typing import Any

import httpx
import pytest
from litestar.routes import HTTPRoute

from fleet.depot import Depot
from pannier.app import build_litestar
from pannier.kit.clock import ManualClock
from probe import paths, refused
from stage import Firm, House

PHONE = "+6591234567"
SENT = {"status": "ok", "method": "sms", "expires_in": 300, "resend_after": 30}


async def ask(firm: Firm, phone: str = PHONE) -> httpx.Response:
    return await firm.api.post("/v1/drivers/login-with-sms", json={"phone": phone})


async def code(house: House) -> str:
    text: str = await house.value(
        "select body from messages order by created_at desc, uuid desc limit 1"
    )
    return text[:6]


async def signed_in(firm: Firm, phone: str = PHONE) -> dict[str, Any]:
    await ask(firm, phone)
    body = {"identity": phone, "code": await code(firm.house)}
    answer = await firm.api.post("/v1/drivers/verify-code", json=body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_a_code_becomes_a_token_that_is_kept_as_a_hash(
    depot: Depot, acme: Firm, house: House
) -> None:
    made = await depot.driver(phone=PHONE)
    assert (await ask(acme, "0065 9123 4567")).json() == SENT
    body = {"phone": PHONE, "code": await code(house)}
    done = (await acme.api.post("/v1/drivers/verify-code", json=body)).json()
    assert done["token"].startswith("drv_live_")
    assert (done["driver"]["id"], done["id"], done["name"]) == (made["id"], made["id"], "Ada")
    secret = done["token"].rpartition("_")[2].encode()
    assert await house.value("select secret_hash from tokens where kind = 'driver'") not in {
        secret,
        done["token"],
    }
    days = await house.value(
        "select extract(day from expires_at - created_at)::int from tokens where kind = 'driver'"
    )
    assert days == 180
    again = await acme.api.post("/v1/drivers/verify-code", json=body)
    refused(again, 422, "invalid_code")


async def test_an_unknown_phone_gets_the_same_answer_and_no_message(
    depot: Depot, acme: Firm, rival: Firm, house: House
) -> None:
    await depot.driver(phone="+6591111111")
    suspended = await depot.driver(phone="+6592222222", status="suspended")
    known = await ask(acme, "+6591111111")
    for firm, phone in ((acme, "+6593333333"), (acme, suspended["phone"]), (rival, "+6591111111")):
        unknown = await ask(firm, phone)
        assert (unknown.status_code, unknown.json()) == (known.status_code, known.json())
        body = {"identity": phone, "code": "123456"}
        answer = await firm.api.post("/v1/drivers/verify-code", json=body)
        refused(answer, 422, "invalid_code")
    assert await house.value("select count(*) from messages") == 1
    assert await house.value("select count(*) from tokens where kind = 'driver'") == 0


@pytest.mark.parametrize("wrong", [None, "", 123456, [], True])
async def test_a_code_that_is_none_is_refused(depot: Depot, acme: Firm, wrong: Any) -> None:
    await depot.driver(phone=PHONE)
    await ask(acme)
    body = {"identity": PHONE, "code": wrong}
    assert paths(await acme.api.post("/v1/drivers/verify-code", json=body)) == ["code"]
    answer = await acme.api.post("/v1/drivers/verify-code", json={"code": "123456"})
    assert paths(answer) == ["identity"]


async def test_the_code_is_in_no_answer_and_no_event(
    depot: Depot, acme: Firm, house: House
) -> None:
    await depot.driver(phone=PHONE)
    answer = await ask(acme)
    secret = await code(house)
    assert secret not in answer.text
    assert secret not in str(await depot.told())


async def test_a_driver_reaches_themself_by_every_name(
    depot: Depot, acme: Firm, house: House
) -> None:
    made = await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    for name in ("me", made["id"], made["uuid"], made["uuid"].upper()):
        assert (await me.get(f"/v1/drivers/{name}")).json()["id"] == made["id"]
        body = {"latitude": 1.3, "longitude": 103.8}
        assert (await me.post(f"/v1/drivers/{name}/track", json=body)).status_code == 200
        assert (await me.get(f"/v1/drivers/{name}/positions")).json()[0]["location"] is not None
        assert (await me.patch(f"/v1/drivers/{name}/toggle-online")).status_code == 200


async def test_anything_of_another_driver_is_404(
    depot: Depot, yard: Depot, acme: Firm, house: House
) -> None:
    await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    body = {"latitude": 1.3, "longitude": 103.8}
    for other in (await depot.driver(), await yard.driver()):
        for name in (other["id"], other["uuid"]):
            refused(await me.get(f"/v1/drivers/{name}"), 404, "not_found")
            refused(await me.get(f"/v1/drivers/{name}/positions"), 404, "not_found")
            refused(await me.get(f"/v1/drivers/{name}/history"), 404, "not_found")
            for act in ("track", "toggle-online", "sos"):
                answer = await me.post(
                    f"/v1/drivers/{name}/{act}", json=body if act == "track" else {}
                )
                refused(answer, 404, "not_found")
    assert await house.value("select count(*) from device_events") == 0


@pytest.mark.slow
async def test_no_other_door_opens_to_a_driver(depot: Depot, acme: Firm, house: House) -> None:
    made = await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    own = {
        "/v1/drivers/{driver_id}": {"GET"},
        "/v1/drivers/{driver_id}/track": {"POST", "PUT", "PATCH"},
        "/v1/drivers/{driver_id}/positions": {"GET", "POST"},
        "/v1/drivers/{driver_id}/toggle-online": {"POST", "PATCH"},
        "/v1/drivers/{driver_id}/sos": {"POST"},
        "/v1/drivers/{driver_id}/history": {"GET"},
        "/v1/drivers/logout": {"POST"},
        "/v1/drivers/logout-all": {"POST"},
        "/v1/drivers/sessions": {"GET"},
        "/v1/drivers/sessions/{session_id}": {"DELETE"},
        "/v1/orders": {"GET"},
        "/v1/orders/{order_id}": {"GET"},
        "/v1/orders/{order_id}/start": {"POST", "PATCH"},
        "/v1/orders/{order_id}/next-activity": {"GET"},
        "/v1/orders/{order_id}/flow": {"GET"},
        "/v1/orders/{order_id}/attempts": {"GET"},
        "/v1/orders/{order_id}/fail-attempt": {"POST", "PATCH"},
        "/v1/orders/{order_id}/take": {"POST"},
        "/v1/orders/nearby": {"GET"},
        "/v1/orders/{order_id}/update-activity": {"POST", "PATCH"},
        "/v1/orders/{order_id}/complete": {"POST", "PATCH"},
        "/v1/orders/{order_id}/set-destination/{stop_id}": {"POST", "PATCH"},
        "/v1/orders/{order_id}/distance-and-time": {"GET"},
        "/v1/orders/{order_id}/tracker": {"GET"},
        "/v1/orders/{order_id}/route": {"GET"},
        "/v1/orders/{order_id}/proof-sheet.pdf": {"GET"},
        "/v1/orders/{order_id}/proofs.zip": {"GET"},
        "/v1/orders/{order_id}/proofs.csv": {"GET"},
        "/v1/orders/{order_id}/verify-proofs": {"GET"},
        "/v1/drivers/{driver_id}/stops": {"GET"},
        "/v1/orders/{order_id}/collect-cash": {"POST"},
        "/v1/drivers/{driver_id}/cash": {"GET"},
        "/v1/driver-messages": {"GET", "POST"},
        "/v1/driver-messages/{driver_message_id}/read": {"POST", "PATCH"},
        "/v1/driver-messages/with-photos": {"POST"},
        "/v1/issues": {"GET", "POST"},
        "/v1/issues/{issue_id}": {"GET"},
        "/v1/issues/with-photos": {"POST"},
        "/v1/issues/{issue_id}/photos": {"GET", "POST"},
    }
    for action in ("signature", "photo", "qr", "sms"):
        own[f"/v1/orders/{{order_id}}/capture-{action}"] = {"POST"}
        own[f"/v1/orders/{{order_id}}/capture-{action}/{{subject_id}}"] = {"POST"}
    for subject in ("", "/{subject_id}"):
        own[f"/v1/orders/{{order_id}}/send-sms-code{subject}"] = {"POST"}
        own[f"/v1/orders/{{order_id}}/proofs{subject}"] = {"GET"}
    for route in build_litestar().routes:
        if not isinstance(route, HTTPRoute) or "/v1" not in route.path_format:
            continue
        methods = set(route.route_handler_map) - {"OPTIONS"} - own.get(route.path_format, set())
        path = route.path_format.replace("{driver_id}", made["id"])
        for method in methods - ({"POST"} if path == "/int/v1/login" else set()):
            answer = await me.request(method, path, json={})
            assert answer.status_code in {401, 403}, f"{method} {path}: {answer.text}"
    assert (await depot.get("drivers"))[0]["id"] == made["id"]


@pytest.mark.parametrize("end", ["logout", "delete", "inactive", "phone", "expiry"])
async def test_after_the_end_the_very_next_request_is_401(
    depot: Depot, acme: Firm, house: House, clock: ManualClock, end: str
) -> None:
    made = await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    assert (await me.get("/v1/drivers/me")).status_code == 200
    address = f"/v1/drivers/{made['id']}"
    match end:
        case "logout":
            assert (await me.post("/v1/drivers/logout")).json() == {"status": "ok"}
        case "delete":
            await acme.api.delete(address)
        case "inactive":
            await acme.api.patch(address, json={"status": "inactive"})
        case "phone":
            await acme.api.patch(address, json={"phone": "+6598765432"})
        case _:
            clock.advance(days=180)
    refused(await me.get("/v1/drivers/me"), 401, "unauthenticated")
    if end == "inactive":
        await acme.api.patch(address, json={"status": "active"})
        refused(await me.get("/v1/drivers/me"), 401, "unauthenticated")


async def test_a_token_with_another_secret_or_mode_is_401(
    depot: Depot, acme: Firm, house: House
) -> None:
    await depot.driver(phone=PHONE)
    token = (await signed_in(acme))["token"]
    for wrong in (token[:-1] + ("a" if token[-1] != "a" else "b"), token.replace("live", "test")):
        refused(await house.client(wrong).get("/v1/drivers/me"), 401, "unauthenticated")


async def test_me_is_nobody_to_a_key_and_only_a_driver_can_sign_out(acme: Firm) -> None:
    refused(await acme.api.get("/v1/drivers/me"), 404, "not_found")
    refused(await acme.api.post("/v1/drivers/logout"), 401, "unauthenticated")


async def test_using_a_token_is_noted_to_the_minute(
    depot: Depot, acme: Firm, house: House, clock: ManualClock
) -> None:
    await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    clock.advance(minutes=2)
    await me.get("/v1/drivers/me")
    assert await house.value("select last_used_at from tokens where kind = 'driver'") == clock.now()


async def test_a_stranger_with_the_app_locks_no_driver_out_of_their_phone(
    depot: Depot, acme: Firm, house: House
) -> None:
    await depot.driver(phone=PHONE)
    issued = await acme.admin.post("/int/v1/keys", json={"kind": "app", "name": "App"})
    key = issued.json()["key"]
    proof = (await signed_in(acme))["device_proof"]
    driver = house.client(key, address="203.0.113.9", **{"Device-Proof": proof})
    await driver.post("/v1/drivers/login-with-sms", json={"phone": PHONE})
    body = {"identity": PHONE, "code": await code(house)}
    guessed = [
        await house.client(key, address=f"198.51.100.{turn}").post(
            "/v1/drivers/verify-code", json={**body, "code": "x"}
        )
        for turn in range(11)
    ]
    assert [answer.status_code for answer in guessed] == [422] * 10 + [429]
    stranger = house.client(key, address="203.0.113.9")
    refused(await stranger.post("/v1/drivers/verify-code", json=body), 429, "too_many_requests")
    done = await driver.post("/v1/drivers/verify-code", json=body)
    assert done.status_code == 200, done.text
