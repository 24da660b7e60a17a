"""Strangers with the store's key guess and ask; whoever is known does not pay for it."""

from typing import Any

import httpx
import pytest

from customers.mall import PASSWORD, PHONE, Mall
from pannier.kit.clock import ManualClock
from probe import refused
from stage import House

STRANGER, ELSEWHERE = "198.51.100.7", "203.0.113.9"


def at(mall: Mall, address: str, proof: str = "") -> httpx.AsyncClient:
    """Come to the store from somewhere, with what the device keeps."""
    headers = {"Device-Proof": proof} if proof else {}
    return mall.firm.house.client(mall.firm.storefront_key, address=address, **headers)


async def post(client: httpx.AsyncClient, action: str, **body: Any) -> httpx.Response:
    return await client.post(f"/storefront/v1/customers/{action}", json=body)


@pytest.mark.slow
async def test_wrong_codes_of_a_stranger_lock_nobody_out_of_a_known_device(
    mall: Mall, clock: ManualClock
) -> None:
    made = await mall.registered(phone=PHONE)
    owner = at(mall, ELSEWHERE, made["device_proof"])
    assert (await post(owner, "login-with-sms", phone=PHONE)).status_code == 200
    code = await mall.texted()
    guessed = [
        (await post(at(mall, f"10.0.0.{turn}"), "verify-code", identity=PHONE, code="x"))
        for turn in range(11)
    ]
    assert [answer.status_code for answer in guessed] == [422] * 10 + [429]
    new = await post(at(mall, ELSEWHERE), "verify-code", identity=PHONE, code=code)
    refused(new, 429, "too_many_requests")
    done = await post(owner, "verify-code", identity=PHONE, code=code)
    assert done.status_code == 200, done.text
    assert done.json()["device_proof"] != made["device_proof"]
    # The network of an earlier sign-in does, without a proof.
    clock.advance(minutes=5)
    assert (await mall.post("login-with-sms", phone=PHONE)).status_code == 200
    known = await mall.post("verify-code", identity=PHONE, code=await mall.texted())
    assert known.status_code == 200, known.text


async def test_codes_that_a_stranger_asked_for_leave_a_known_device_its_own(
    mall: Mall, clock: ManualClock
) -> None:
    made = await mall.registered(phone=PHONE)
    # Registering was the first of five.
    for turn in range(4):
        clock.advance(minutes=5)
        asked = await post(at(mall, f"10.0.0.{turn}"), "login-with-sms", phone=PHONE)
        assert asked.status_code == 200, asked.text
    clock.advance(minutes=5)
    refused(await post(at(mall, STRANGER), "login-with-sms", phone=PHONE), 429, "too_many_requests")
    owner = at(mall, ELSEWHERE, made["device_proof"])
    assert (await post(owner, "login-with-sms", phone=PHONE)).status_code == 200


async def test_wrong_passwords_of_a_stranger_lock_nobody_out_of_a_known_device(mall: Mall) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    wrong, right = ({"identity": PHONE, "password": password} for password in ("a guess", PASSWORD))
    guessed = [await post(at(mall, f"10.0.0.{turn}"), "login", **wrong) for turn in range(11)]
    assert [answer.status_code for answer in guessed] == [401] * 10 + [429]
    refused(await post(at(mall, ELSEWHERE), "login", **right), 429, "too_many_requests")
    owner = at(mall, ELSEWHERE, made["device_proof"])
    assert (await post(owner, "login", **right)).status_code == 200
    assert (await mall.post("login", **right)).status_code == 200


async def test_one_address_guesses_so_many_codes_however_many_identities_it_names(
    mall: Mall,
) -> None:
    settings = {"codes": {"wrong_per_address": 10}}
    assert (await mall.firm.admin.patch("/int/v1/settings", json=settings)).status_code == 200
    made = await mall.registered(phone=PHONE)
    stranger = at(mall, STRANGER)
    judged = [
        await post(stranger, "verify-code", identity=f"+65910000{turn:02}", code="123456")
        for turn in range(13)
    ]
    assert [answer.status_code for answer in judged] == [422] * 10 + [429] * 3
    # Behind the same address, a device that is known goes its own way.
    owner = at(mall, STRANGER, made["device_proof"])
    await post(owner, "login-with-sms", phone=PHONE)
    done = await post(owner, "verify-code", identity=PHONE, code=await mall.texted())
    assert done.status_code == 200, done.text


async def test_a_reset_password_ends_the_proofs_of_every_other_device(mall: Mall) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    own = at(mall, ELSEWHERE, made["device_proof"])
    right = {"identity": PHONE, "password": PASSWORD}
    thief = (await post(at(mall, STRANGER), "login", **right)).json()
    assert (await post(own, "forgot-password", identity=PHONE)).status_code == 200
    reset = await post(
        own, "reset-password", identity=PHONE, code=await mall.texted(), password="another sentence"
    )
    assert reset.status_code == 200, reset.text
    guessed = [await post(at(mall, f"10.0.0.{turn}"), "login", **right) for turn in range(11)]
    assert [answer.status_code for answer in guessed] == [401] * 10 + [429]
    refused(
        await post(at(mall, STRANGER, thief["device_proof"]), "login", **right),
        429,
        "too_many_requests",
    )
    new = {**right, "password": "another sentence"}
    assert (await post(own, "login", **new)).status_code == 200


@pytest.mark.slow
async def test_one_person_is_sent_so_many_codes_however_often_they_sign_in(
    mall: Mall, house: House
) -> None:
    await mall.registered(phone=PHONE, password=PASSWORD)
    sent = await house.value("select count(*) from messages")
    asked = []
    for _ in range(20):
        login = await mall.post("login", identity=PHONE, password=PASSWORD)
        me = mall.signed(login.json()["token"])
        asked.append((await post(me, "request-confirmation")).status_code)
        await post(me, "confirm", code=await mall.texted())
    assert asked == [200] * 15 + [429] * 5
    assert await house.value("select count(*) from messages") == sent + 15
