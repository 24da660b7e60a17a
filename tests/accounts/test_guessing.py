"""Strangers guess operators' passwords; whoever is known does not pay for it."""

import asyncio
from typing import Any

import httpx
import pytest

from pannier.kit.passwords import Passwords
from probe import refused
from stage import PASSWORD, Firm, House

LOGIN = "/int/v1/login"
STRANGER, ELSEWHERE = "198.51.100.7", "203.0.113.9"


async def sign_in(
    house: House, email: str, password: str = PASSWORD, *, address: str = "127.0.0.1", **more: Any
) -> httpx.Response:
    headers = {"Device-Proof": proof} if (proof := more.pop("proof", "")) else {}
    client = house.client(address=address, **headers)
    return await client.post(LOGIN, json={"email": email, "password": password, **more})


async def guess(house: House, email: str, times: int, **more: Any) -> list[int]:
    """Guess from elsewhere each time, so that only the operator's own budget counts."""
    return [
        (await sign_in(house, email, "a guess", address=f"10.0.0.{turn}", **more)).status_code
        for turn in range(times)
    ]


@pytest.mark.slow
async def test_a_right_sign_in_at_one_company_gives_no_guesses_at_another(
    acme: Firm, rival: Firm, house: House
) -> None:
    victim = acme.email("admin")
    body = {"email": victim, "name": "Eve", "role": "viewer", "password": "a sentence of Eve's"}
    assert (await rival.admin.post("/int/v1/operators", json=body)).status_code == 201
    judged = 0
    for _ in range(12):
        guessed = await sign_in(house, victim, "a guess", company=acme.company.public_id)
        judged += guessed.status_code == 401
        right = await sign_in(house, victim, body["password"], company=rival.company.public_id)
        assert right.status_code == 200
    assert judged == 5


async def test_strangers_lock_nobody_out_of_a_device_that_signed_in_before(
    acme: Firm, house: House
) -> None:
    email = acme.email("admin")
    before = (await sign_in(house, email)).json()
    assert before["device_proof"].startswith("dpf_")
    assert await guess(house, email, 7) == [401] * 5 + [429] * 2
    refused(await sign_in(house, email, address=ELSEWHERE), 429, "too_many_requests")
    known = await sign_in(house, email, address=ELSEWHERE, proof=before["device_proof"])
    assert known.status_code == 200, known.text
    assert known.json()["device_proof"] != before["device_proof"]
    # Without the proof, the network that somebody signed in from speaks for them.
    assert (await sign_in(house, email)).status_code == 200


async def test_a_known_device_has_tries_of_its_own_and_no_more(acme: Firm, house: House) -> None:
    email = acme.email("admin")
    proof = (await sign_in(house, email)).json()["device_proof"]
    known = [
        (await sign_in(house, email, "wrong", address=f"10.0.0.{turn}", proof=proof)).status_code
        for turn in range(6)
    ]
    assert known == [401] * 5 + [429]
    assert (await sign_in(house, email, address=ELSEWHERE)).status_code == 200


async def test_a_proof_is_good_for_its_own_holder_and_lets_nobody_in(
    acme: Firm, rival: Firm, house: House
) -> None:
    theirs = (await sign_in(house, rival.email("admin"))).json()["device_proof"]
    await guess(house, acme.email("admin"), 5)
    for proof in (theirs, f"{theirs[:-1]}x", "dpf__", "dpf_ünïcode_x", "x" * 300):
        sent = proof.encode("latin-1")
        client = house.client(address=ELSEWHERE)
        body = {"email": acme.email("admin"), "password": PASSWORD}
        answer = await client.post(LOGIN, json=body, headers={b"device-proof": sent})
        refused(answer, 429, "too_many_requests")
    refused(await house.client(theirs).get("/int/v1/me"), 401, "unauthenticated")


async def test_a_browser_keeps_its_proof_as_a_cookie(acme: Firm, house: House) -> None:
    browser = house.client(address=ELSEWHERE)
    body = {"email": acme.email("admin"), "password": PASSWORD, "cookie": True}
    first = await browser.post(LOGIN, json=body)
    assert first.json()["device_proof"] is None
    [kept] = [text for text in first.headers.get_list("set-cookie") if "pannier_device" in text]
    assert "HttpOnly" in kept
    # As long as a session of a week and thirty days that its row is kept.
    assert f"Max-Age={37 * 24 * 3600}" in kept
    assert await guess(house, acme.email("admin"), 6) == [401] * 5 + [429]
    moved = house.client(address=STRANGER, Cookie=kept.partition(";")[0])
    assert (await moved.post(LOGIN, json=body)).status_code == 200


async def test_a_sign_in_beside_the_operators_removal_leaves_no_session(
    acme: Firm, house: House
) -> None:
    for turn in range(4):
        email = f"ada{turn}@example.com"
        body = {"email": email, "name": "Ada", "role": "viewer", "password": PASSWORD}
        made = (await acme.admin.post("/int/v1/operators", json=body)).json()
        entered, removed = await asyncio.gather(
            sign_in(house, email), acme.admin.delete(f"/int/v1/operators/{made['id']}")
        )
        assert (entered.status_code in {200, 401}, removed.status_code) == (True, 204)
        if entered.status_code == 200:
            me = await house.client(entered.json()["token"]).get("/int/v1/me")
            refused(me, 401, "unauthenticated")
    assert await house.value("select count(*) from tokens where method = 'password'") == 0


class Watching(Passwords):
    """Looks, whenever it has work, whether anybody holds a transaction meanwhile."""

    def __init__(self, house: House) -> None:
        super().__init__(memory_kib=8, passes=1)
        self.house, self.held = house, [0]

    async def hash(self, password: str) -> str:
        await self._look()
        return await super().hash(password)

    async def verify(self, hash: str | None, password: str) -> bool:
        await self._look()
        return await super().verify(hash, password)

    async def _look(self) -> None:
        async with self.house.database.side_transaction() as db:
            held = await db.fetch_value(
                """select count(*) from pg_stat_activity where datname = current_database()
                     and pid <> pg_backend_pid() and xact_start is not null"""
            )
        self.held.append(held)


@pytest.fixture
def watching(house: House) -> Watching:
    hasher = Watching(house)
    house.edge.services = {**house.edge.services, "hasher": hasher}
    return hasher


async def test_no_transaction_waits_for_an_operators_password(
    acme: Firm, house: House, watching: Watching
) -> None:
    body = {"email": "ada@example.com", "name": "Ada", "role": "viewer", "password": PASSWORD}
    made = (await acme.admin.post("/int/v1/operators", json=body)).json()
    path = f"/int/v1/operators/{made['id']}"
    new = {"password": "another long sentence"}
    assert (await acme.admin.patch(path, json=new)).status_code == 200
    entered = await sign_in(house, body["email"], new["password"])
    me = house.client(entered.json()["token"])
    changed = {"password": PASSWORD, "current_password": new["password"]}
    assert (await me.patch("/int/v1/me", json=changed)).status_code == 200
    assert len(watching.held) > 5
    assert set(watching.held) == {0}


async def test_no_transaction_waits_for_a_customers_password(
    acme: Firm, house: House, watching: Watching
) -> None:
    here, phone = "/storefront/v1/customers", "+6591234567"

    async def texted() -> str:
        newest = "select body from messages order by created_at desc, uuid desc limit 1"
        text: str = await house.value(newest)
        return text[:6]

    shop = acme.storefront
    await shop.post(f"{here}/request-creation-code", json={"phone": phone})
    body = {"name": "Ada", "phone": phone, "code": await texted(), "password": PASSWORD}
    made = (await shop.post(here, json=body)).json()
    me = house.client(acme.storefront_key, **{"Customer-Token": made["token"]})
    new = {"password": "another long sentence", "current_password": PASSWORD}
    assert (await me.patch(f"{here}/me", json=new)).status_code == 200
    await shop.post(f"{here}/forgot-password", json={"identity": phone})
    reset = {"identity": phone, "code": await texted(), "password": PASSWORD}
    assert (await shop.post(f"{here}/reset-password", json=reset)).status_code == 200
    login = {"identity": phone, "password": PASSWORD}
    assert (await shop.post(f"{here}/login", json=login)).status_code == 200
    assert len(watching.held) > 5
    assert set(watching.held) == {0}


async def test_nobody_has_passwords_hashed_without_a_code_under_way(
    acme: Firm, watching: Watching
) -> None:
    body = {"name": "Eve", "phone": "+6591234567", "code": "123456", "password": PASSWORD}
    refused(await acme.storefront.post("/storefront/v1/customers", json=body), 422, "invalid_code")
    reset = {"identity": "+6591234567", "code": "123456", "password": PASSWORD}
    path = "/storefront/v1/customers/reset-password"
    refused(await acme.storefront.post(path, json=reset), 422, "invalid_code")
    assert watching.held == [0]


async def test_a_session_in_the_wrong_hands_uses_up_no_tries_of_the_owners(
    acme: Firm, house: House
) -> None:
    email = acme.email("admin")
    thief, own = [house.client((await sign_in(house, email)).json()["token"]) for _ in range(2)]
    wrong = {"password": "another long sentence", "current_password": "a guess"}
    tried = [(await thief.patch("/int/v1/me", json=wrong)).status_code for _ in range(7)]
    assert tried == [422] * 5 + [429] * 2
    changed = await own.patch("/int/v1/me", json={**wrong, "current_password": PASSWORD})
    assert changed.status_code == 200, changed.text


async def test_a_new_password_ends_the_proofs_of_every_other_device(
    acme: Firm, house: House
) -> None:
    body = {"email": "ada@example.com", "name": "Ada", "role": "viewer", "password": PASSWORD}
    made = (await acme.admin.post("/int/v1/operators", json=body)).json()
    email, new = body["email"], {"password": "another long sentence"}
    thief = (await sign_in(house, email, address=STRANGER)).json()
    await house.client(thief["token"]).post("/int/v1/logout")
    own = (await sign_in(house, email)).json()
    changed = await house.client(own["token"]).patch(
        "/int/v1/me", json={**new, "current_password": PASSWORD}
    )
    assert changed.status_code == 200, changed.text
    assert await guess(house, email, 6) == [401] * 5 + [429]
    # Neither the proof of before nor its network has tries of its own any more.
    for known in ({"proof": thief["device_proof"]}, {"address": STRANGER}):
        refused(
            await sign_in(house, email, **{"address": ELSEWHERE, **known}), 429, "too_many_requests"
        )
    kept = {"address": ELSEWHERE, "proof": own["device_proof"]}
    right = await sign_in(house, email, new["password"], **kept)
    assert right.status_code == 200, right.text
    # What an admin changes ends them all.
    path = f"/int/v1/operators/{made['id']}"
    assert (await acme.admin.patch(path, json={"password": PASSWORD})).status_code == 200
    kept["proof"] = right.json()["device_proof"]
    refused(await sign_in(house, email, **kept), 429, "too_many_requests")
