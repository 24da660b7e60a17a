"""Operators sign in; one address may work for several companies, and none learns of the other."""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from pannier.accounts import signin
from pannier.accounts.tokens.device_proofs import SigninOrigin
from stage import PASSWORD, Firm, House

BODY = {"email": "ada@example.com", "name": "Ada", "role": "viewer"}


async def hire(firm: Firm, password: str) -> None:
    answer = await firm.admin.post("/int/v1/operators", json={**BODY, "password": password})
    assert answer.status_code == 201, answer.text


async def sign_in(house: House, password: str, **more: str) -> tuple[int, str]:
    client = house.client()
    answer = await client.post(
        "/int/v1/login", json={"email": "ADA@example.com", "password": password, **more}
    )
    if answer.status_code != 200:
        return answer.status_code, answer.json()["code"]
    me = await house.client(answer.json()["token"]).get("/int/v1/me")
    return 200, me.json()["company"]["name"]


async def test_one_address_works_for_two_companies_and_the_password_tells_which(
    acme: Firm, rival: Firm, house: House
) -> None:
    await hire(acme, "the first long sentence")
    await hire(rival, "the second long sentence")
    assert await sign_in(house, "the first long sentence") == (200, "Acme")
    assert await sign_in(house, "the second long sentence") == (200, "Rival")
    assert await sign_in(house, "neither of the two") == (401, "login_failed")


async def test_with_the_same_password_the_company_may_be_named(
    acme: Firm, rival: Firm, house: House
) -> None:
    await hire(acme, PASSWORD)
    await hire(rival, PASSWORD)
    assert await sign_in(house, PASSWORD) == (200, "Acme")
    assert await sign_in(house, PASSWORD, company=rival.company.public_id) == (200, "Rival")
    assert await sign_in(house, PASSWORD, company=str(rival.uuid)) == (200, "Rival")
    assert await sign_in(house, PASSWORD, company="company_nobody") == (401, "login_failed")


async def test_what_is_kept_of_a_keyed_sign_in_tells_no_password(acme: Firm, house: House) -> None:
    await hire(acme, PASSWORD)
    body = b'{"email": "ada@example.com", "password": "%b"}' % PASSWORD.encode()
    key = {"Idempotency-Key": "sign-in 1", "Content-Type": "application/json"}
    first = await house.client().post("/int/v1/login", content=body, headers=key)
    again = await house.client().post("/int/v1/login", content=body, headers=key)
    assert (first.status_code, again.content) == (200, first.content)
    kept: bytes = await house.value("select fingerprint from idempotency_answers")
    guessed = hashlib.sha256(b"/int/v1/login?\n" + body).digest()
    assert guessed not in kept


async def test_an_address_is_taken_within_the_company_only(acme: Firm, rival: Firm) -> None:
    await hire(rival, PASSWORD)
    await hire(acme, PASSWORD)
    again = await acme.admin.post("/int/v1/operators", json={**BODY, "password": PASSWORD})
    assert (again.status_code, again.json()["code"]) == (409, "email_taken")


async def _change(firm: Firm, path: str) -> httpx.Response:
    return await firm.admin.patch(path, json={"password": "another long sentence"})


async def _disable(firm: Firm, path: str) -> httpx.Response:
    return await firm.admin.patch(path, json={"disabled": True})


async def _remove(firm: Firm, path: str) -> httpx.Response:
    return await firm.admin.delete(path)


@pytest.mark.parametrize("meanwhile", [_change, _disable, _remove])
async def test_a_sign_in_that_is_under_way_does_not_outlive_its_password(
    acme: Firm, house: House, meanwhile: Callable[[Firm, str], Awaitable[httpx.Response]]
) -> None:
    await hire(acme, PASSWORD)
    known = await signin.verify_credentials(
        house.database, house.hasher, email_text="ada@example.com", password=PASSWORD,
        company=None, origin=SigninOrigin("127.0.0.1"),
    )  # fmt: skip
    ada = known.operator
    assert (await meanwhile(acme, f"/int/v1/operators/{ada.public_id}")).is_success
    with pytest.raises(signin.LoginFailed):
        async with house.database.transaction() as db:
            await signin.sign_in(db, known, origin=SigninOrigin(), lifetime=timedelta(hours=1))
    alive = "select count(*) from tokens where holder = :ada and revoked_at is null"
    assert await house.value(alive, ada=ada.uuid) == 0


async def test_a_keyed_sign_in_is_repeated_with_the_same_session(acme: Firm, house: House) -> None:
    await hire(acme, PASSWORD)
    body = {"email": "ada@example.com", "password": PASSWORD}
    headers = {"Idempotency-Key": "one-sign-in"}
    first = await house.client().post("/int/v1/login", json=body, headers=headers)
    again = await house.client().post("/int/v1/login", json=body, headers=headers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["token"] == again.json()["token"]
