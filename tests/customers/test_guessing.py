"""Whatever an attacker does, a code is hardly ever guessed: fewer than 1 in 10,000 a day."""

import asyncio
from collections import Counter
from itertools import count

import pytest

from customers.mall import PASSWORD, PHONE, Mall
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import changes, service, sessions
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerIn, ResetIn
from pannier.customers.service import StoreRef
from pannier.errors import TooManyRequests
from pannier.kit.clock import ManualClock
from pannier.verification.rules import MAX_VALID_CODES
from stage import NOON, Firm, House

CODES = 10**6
HERE = "/storefront/v1/customers"
LOGIN = f"{HERE}/login"


@pytest.mark.slow
async def test_a_whole_day_of_parallel_guesses_is_not_worth_it(
    mall: Mall, clock: ManualClock
) -> None:
    """Ask for codes and guess, eight at a time, whenever either is allowed; count what counts."""
    await mall.registered(phone=PHONE)
    guessed = 0
    while (clock.now() - NOON).total_seconds() < 24 * 3600:
        await mall.post("login-with-sms", phone=PHONE)
        answers = await asyncio.gather(
            *(mall.post("verify-code", identity=PHONE, code=f"x{turn}") for turn in range(8))
        )
        assert {answer.status_code for answer in answers} <= {422, 429}
        guessed += sum(answer.status_code == 422 for answer in answers)
        clock.advance(minutes=15)
    assert guessed > 0
    assert guessed * MAX_VALID_CODES / CODES < 1 / 10_000


@pytest.mark.slow
async def test_who_tries_passwords_at_one_company_locks_nobody_out_at_another(
    mall: Mall, rival: Firm
) -> None:
    await mall.registered(phone=PHONE, password=PASSWORD)
    elsewhere = Mall(rival, count())
    tried = [
        (await elsewhere.post("login", identity=f"+65911{turn:05}", password="a guess")).status_code
        for turn in range(101)
    ]
    assert tried == [401] * 100 + [429]
    right = await mall.post("login", identity=PHONE, password=PASSWORD)
    assert right.status_code == 200, right.text


@pytest.mark.slow
async def test_who_has_a_password_has_it_looked_at_a_hundred_times_an_hour(
    mall: Mall, clock: ManualClock
) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    other = await mall.registered(phone="+6598111111", password=PASSWORD)
    right = {"identity": PHONE, "password": PASSWORD}
    entered = [(await mall.post("login", **right)).status_code for _ in range(60)]
    assert entered == [200] * 60
    await mall.post("login-with-sms", phone=PHONE)
    client = mall.signed(
        (await mall.post("verify-code", identity=PHONE, code=await mall.texted())).json()["token"]
    )
    path, body = f"{HERE}/confirm-with-password", {"password": PASSWORD}
    confirmed = [(await client.post(path, json=body)).status_code for _ in range(41)]
    assert confirmed == [200] * 40 + [429]
    assert (await mall.post("login", **right)).status_code == 429
    assert (await client.put(f"{HERE}/me", json={"password": "another one"})).status_code == 429
    easy = await mall.post("login", identity=other["phone"], password=PASSWORD)
    assert easy.status_code == 200, "somebody else pays for it"
    assert (await client.get(f"{HERE}/me")).json()["id"] == made["id"]
    clock.advance(hours=1, minutes=1)
    assert (await mall.post("login", **right)).status_code == 200


@pytest.mark.slow
async def test_what_strangers_guess_together_uses_up_nothing_of_who_has_the_password(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    key, wrong = mall.firm.storefront_key, {"identity": PHONE, "password": "a guess"}
    # One from far away, one at the same network, and one who has stolen a sign-in.
    stranger, thief = house.client(key, address="10.0.0.9"), mall.signed(made["token"])
    told: Counter[int] = Counter()
    for _ in range(4):
        clock.advance(minutes=16)
        for _ in range(10):
            told[(await stranger.post(LOGIN, json=wrong)).status_code] += 1
            told[(await mall.client.post(LOGIN, json=wrong)).status_code] += 1
            guess = {"password": "a guess"}
            told[(await thief.post(f"{HERE}/confirm-with-password", json=guess)).status_code] += 1
    assert told == {401: 80, 422: 40}
    proof = {"Device-Proof": made["device_proof"]}
    own = house.client(key, address="10.0.0.7", **proof)
    right = await own.post(LOGIN, json={"identity": PHONE, "password": PASSWORD})
    assert right.status_code == 200, right.text


@pytest.mark.slow
async def test_who_proves_their_device_sets_a_new_password_whatever_others_at_the_network_send(
    mall: Mall, house: House
) -> None:
    made = await mall.registered(phone=PHONE)
    sent = await mall.post("forgot-password", identity=PHONE)
    assert sent.status_code == 200, sent.text
    store = StoreRef(mall.firm.uuid, await house.value("select uuid from stores limit 1"))
    wish = ResetIn(identity=PHONE, code="000000", password=PASSWORD)

    async def hashed(proof: str = "") -> str | None:
        origin = SigninOrigin("127.0.0.1", "", proof)
        return await changes.hash_reset_password(house.database, house.hasher, store, wish, origin)

    done = await asyncio.gather(*(hashed() for _ in range(30)), return_exceptions=True)
    assert sum(isinstance(each, str) for each in done) == 20
    assert await hashed(made["device_proof"])


@pytest.mark.slow
async def test_who_sends_many_passwords_at_once_with_wrong_codes_has_few_of_them_hashed(
    mall: Mall, house: House
) -> None:
    sent = await mall.post("request-creation-code", phone=PHONE)
    assert sent.status_code == 200, sent.text
    store = StoreRef(mall.firm.uuid, await house.value("select uuid from stores limit 1"))
    wish = CustomerIn(name="Eve", code="000000", phone=PHONE, password=PASSWORD)
    here, elsewhere = SigninOrigin("10.0.0.1"), SigninOrigin("10.0.0.2")

    async def hashed(origin: SigninOrigin) -> str | None:
        return await service.hash_new_password(house.database, house.hasher, store, wish, origin)

    done = await asyncio.gather(*(hashed(here) for _ in range(30)), return_exceptions=True)
    assert sum(isinstance(each, str) for each in done) == 20
    assert sum(isinstance(each, TooManyRequests) for each in done) == 10
    assert await hashed(elsewhere), "who has the code does not pay for a stranger"


@pytest.mark.slow
async def test_nobody_signs_in_more_often_than_a_hundred_times_an_hour(
    mall: Mall, house: House
) -> None:
    made = await mall.registered(phone=PHONE)
    async with house.database.transaction() as db:
        row = await CUSTOMERS.get(db, mall.firm.uuid, made["id"])
        for _ in range(99):
            await sessions.open_session(db, row, "sms", SigninOrigin())
    await mall.post("login-with-sms", phone=PHONE)
    code = await mall.texted()
    assert (await mall.post("verify-code", identity=PHONE, code=code)).status_code == 429


async def test_who_signs_out_everywhere_is_known_nowhere(mall: Mall, house: House) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    lost = (await mall.post("login", identity=PHONE, password=PASSWORD)).json()["device_proof"]
    out = await mall.signed(made["token"]).post("/storefront/v1/customers/logout-all")
    assert out.status_code == 200, out.text
    for turn in range(10):
        stranger = house.client(mall.firm.storefront_key, address=f"10.0.0.{turn}")
        guess = {"identity": PHONE, "password": "a guess"}
        assert (await stranger.post(LOGIN, json=guess)).status_code == 401
    finder = house.client(mall.firm.storefront_key, **{"Device-Proof": lost})
    assert (await finder.post(LOGIN, json={**guess, "password": PASSWORD})).status_code == 429
