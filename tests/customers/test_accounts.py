"""Customers: nobody takes, guesses or squats on somebody else's account."""

import asyncio
from typing import Any

import asyncpg
import pytest

from customers.mall import EMAIL, PASSWORD, PHONE, Mall
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import password_signin
from pannier.customers.password_signin import CredentialsInvalid
from pannier.customers.service import StoreRef
from pannier.db.database import should_retry
from pannier.kit.clock import ManualClock
from pannier.kit.passwords import Passwords
from probe import paths, refused
from stage import House

ME = "/storefront/v1/customers/me"
HERE = "/storefront/v1/customers"


async def customers(house: House) -> int:
    count: int = await house.value("select count(*) from customers")
    return count


async def test_an_account_is_only_named_to_who_has_the_code(mall: Mall, house: House) -> None:
    await mall.registered(phone=PHONE)
    known = await mall.post("request-creation-code", phone=PHONE)
    unknown = await mall.post("request-creation-code", phone="+6598000000")
    assert known.json() == unknown.json()
    again = await mall.post("request-creation-code", phone=PHONE)
    refused(again, 429, "too_many_requests")
    newest = "order by created_at desc, uuid desc limit 1"
    text = await house.value(f"select body from messages where recipient = :to {newest}", to=PHONE)
    code = text[:6]
    body = {"name": "Eve", "phone": PHONE}
    wrong = f"{(int(code) + 1) % 10**6:06}"
    refused(await mall.post("", **body, code=wrong), 422, "invalid_code")
    refused(await mall.post("", **body, code=code), 409, "customer_exists")
    assert await customers(house) == 1


async def test_an_unknown_phone_gets_the_same_answer_and_no_message(
    mall: Mall, house: House
) -> None:
    await mall.registered(phone=PHONE)
    before = await house.value("select count(*) from messages")
    unknown = await mall.post("login-with-sms", phone="+6598000000")
    assert await house.value("select count(*) from messages") == before
    known = await mall.post("login-with-sms", phone=PHONE)
    assert known.json() == unknown.json()
    refused(
        await mall.post("verify-code", identity="+6598000000", code="123456"), 422, "invalid_code"
    )


async def test_codes_serve_one_purpose_one_store_one_identity(
    mall: Mall, outlet: Mall, clock: ManualClock
) -> None:
    await mall.registered(phone=PHONE)
    await outlet.registered(phone=PHONE)
    clock.advance(minutes=10)
    await mall.post("login-with-sms", phone=PHONE)
    code = await mall.texted()
    refused(await outlet.post("verify-code", identity=PHONE, code=code), 422, "invalid_code")
    refused(await mall.post("", name="Eve", phone=PHONE, code=code), 422, "invalid_code")
    refused(await mall.post("verify-code", identity=EMAIL, code=code), 422, "invalid_code")
    reset = await mall.post("reset-password", identity=PHONE, code=code, password=PASSWORD)
    refused(reset, 422, "invalid_code")
    assert (await mall.post("verify-code", identity=PHONE, code=code)).status_code == 200
    refused(await mall.post("verify-code", identity=PHONE, code=code), 422, "invalid_code")


async def test_nobody_squats_on_an_address_they_only_say_is_theirs(mall: Mall) -> None:
    eve = await mall.registered(name="Eve", phone="+6598111111", email=EMAIL, password=PASSWORD)
    refused(await mall.post("login", identity=EMAIL, password=PASSWORD), 401, "invalid_credentials")
    ada = await mall.registered(name="Ada", email=EMAIL)
    assert ada["customer"]["email_verified"] is True
    shown = (await mall.signed(eve["token"]).get(ME)).json()
    assert (shown["email"], shown["phone"]) == (None, "+6598111111")
    noted = (await mall.firm.api.get(f"/v1/contacts/{shown['contact']}")).json()
    assert (noted["email"], noted["phone"], noted["version"]) == (None, "+6598111111", 2)


@pytest.mark.parametrize("action", ["login-with-email", "forgot-password"])
async def test_a_code_goes_to_the_mailbox_that_was_proved_and_to_no_other_that_looks_like_it(
    mall: Mall, house: House, action: str
) -> None:
    await mall.registered(name="Ada", email="Strasse@example.com")
    field = "email" if action == "login-with-email" else "identity"
    sent = await house.value("select count(*) from messages")
    for other in ("stra\N{LATIN SMALL LETTER SHARP S}e", "\N{LATIN SMALL LETTER LONG S}trasse"):
        answer = await mall.post(action, **{field: f"{other}@example.com"})
        assert answer.status_code == 200, answer.text
    assert await house.value("select count(*) from messages") == sent
    await mall.post(action, **{field: "STRASSE@example.com"})
    assert (await mall.message())["to"] == "Strasse@example.com"


async def test_the_code_may_belong_to_either_identity(mall: Mall) -> None:
    await mall.post("request-creation-code", email=EMAIL)
    body = {"name": "Ada", "phone": PHONE, "email": EMAIL, "code": await mall.texted()}
    made = await mall.post("", **body)
    assert made.status_code == 201, made.text
    shown = made.json()
    assert (shown["email_verified"], shown["phone_verified"]) == (True, False)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"phone": PHONE, "code": "123456"}, "name"),
        ({"name": "Ada", "phone": PHONE}, "code"),
        ({"name": "Ada", "code": "123456"}, "phone"),
        ({"name": "Ada", "phone": "12", "code": "123456"}, "phone"),
        ({"name": "Ada", "email": "no address", "code": "123456"}, "email"),
        ({"name": "Ada", "phone": PHONE, "code": "1", "password": "short"}, "password"),
        ({"name": "Ada", "phone": PHONE, "code": "1", "password": "password1"}, "password"),
        ({"name": "Ada", "phone": PHONE, "code": None}, "code"),
    ],
)
async def test_what_is_missing_or_wrong_is_named(
    mall: Mall, house: House, body: dict[str, Any], path: str
) -> None:
    assert paths(await mall.post("", **body)) == [path]
    assert await customers(house) == 0


@pytest.mark.slow
async def test_a_right_code_works_once_even_when_sent_ten_times_at_once(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    await mall.post("request-creation-code", phone=PHONE)
    body = {"name": "Ada", "phone": PHONE, "code": await mall.texted()}
    answers = await asyncio.gather(*(mall.post("", **body) for _ in range(10)))
    assert [answer.status_code for answer in answers].count(201) == 1
    assert await customers(house) == 1
    clock.advance(minutes=10)
    await mall.post("login-with-sms", phone=PHONE)
    login = {"identity": PHONE, "code": await mall.texted()}
    answers = await asyncio.gather(*(mall.post("verify-code", **login) for _ in range(10)))
    assert [answer.status_code for answer in answers].count(200) == 1


async def test_a_token_is_good_for_its_own_store_only(mall: Mall, outlet: Mall) -> None:
    made = await mall.registered()
    refused(await outlet.signed(made["token"]).get(ME), 401, "customer_token_invalid")
    second = await mall.firm.admin.post(
        "/int/v1/keys", json={"kind": "storefront", "name": "Another app"}
    )
    client = mall.firm.house.client(second.json()["key"], **{"Customer-Token": made["token"]})
    assert (await client.get(ME)).status_code == 200


async def test_a_token_ends_by_age_and_by_idleness(mall: Mall, clock: ManualClock) -> None:
    _, client = await mall.visitor()
    clock.advance(days=59)
    assert (await client.get(ME)).status_code == 200
    clock.advance(days=59)
    assert (await client.get(ME)).status_code == 200
    clock.advance(days=59)
    assert (await client.get(ME)).status_code == 200
    clock.advance(days=4)
    refused(await client.get(ME), 401, "customer_token_invalid")
    _, idle = await mall.visitor()
    clock.advance(days=61)
    refused(await idle.get(ME), 401, "customer_token_invalid")


async def test_sign_ins_are_listed_and_ended(mall: Mall, clock: ManualClock) -> None:
    made = await mall.registered(phone=PHONE)
    here = mall.signed(made["token"])
    clock.advance(minutes=10)
    await mall.post("login-with-sms", phone=PHONE)
    other = await mall.post("verify-code", identity=PHONE, code=await mall.texted())
    there = mall.signed(other.json()["token"])
    rows = (await here.get(f"{HERE}/sessions")).json()
    assert [row["current"] for row in rows] == [False, True]
    assert (await here.delete(f"{HERE}/sessions/{rows[0]['id']}")).status_code == 200
    refused(await there.get(ME), 401, "customer_token_invalid")
    refused(await here.delete(f"{HERE}/sessions/{rows[0]['id']}"), 404, "not_found")
    assert (await here.post(f"{HERE}/logout-all")).status_code == 200
    refused(await here.get(ME), 401, "customer_token_invalid")


async def test_somebody_elses_sign_in_is_not_there(mall: Mall) -> None:
    _, ada = await mall.visitor()
    _, eve = await mall.visitor(name="Eve")
    [row] = (await ada.get(f"{HERE}/sessions")).json()
    refused(await eve.delete(f"{HERE}/sessions/{row['id']}"), 404, "not_found")
    assert (await ada.get(ME)).status_code == 200


@pytest.mark.slow
async def test_of_very_many_sign_ins_the_oldest_end(mall: Mall, clock: ManualClock) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    first = mall.signed(made["token"])
    for _ in range(20):
        clock.advance(minutes=1)
        done = await mall.post("login", identity=PHONE, password=PASSWORD)
        assert done.status_code == 200
    client = mall.signed(done.json()["token"])
    refused(await first.get(ME), 401, "customer_token_invalid")
    assert len((await client.get(f"{HERE}/sessions")).json()) == 20


async def test_the_same_idempotency_key_of_two_customers_are_two_requests(mall: Mall) -> None:
    _, ada = await mall.visitor()
    _, eve = await mall.visitor(name="Eve")
    answers = [
        await client.post(
            f"{HERE}/register-device",
            json={"platform": "ios", "token": "t"},
            headers={"Idempotency-Key": "one"},
        )
        for client in (ada, eve, eve)
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    replays = ["idempotent-replayed" in answer.headers for answer in answers]
    assert replays == [False, False, True]


async def test_a_device_token_belongs_to_who_registered_it_last(mall: Mall, house: House) -> None:
    ada, hers = await mall.visitor()
    eve, theirs = await mall.visitor(name="Eve")
    body = {"platform": "android", "token": "fcm-1"}
    first = (await hers.post(f"{HERE}/register-device", json=body)).json()
    second = (await theirs.post(f"{HERE}/register-device", json=body)).json()
    assert first["device"] == second["device"]
    owner = await house.value(
        "select c.public_id from customer_devices d join customers c on c.uuid = d.customer"
    )
    assert (owner, ada["id"] != eve["id"]) == (eve["id"], True)
    assert paths(await hers.post(f"{HERE}/register-device", json={"token": "x"})) == ["platform"]
    bad = {"token": "x", "platform": "symbian"}
    assert paths(await hers.post(f"{HERE}/register-device", json=bad)) == ["platform"]


async def test_a_password_is_changed_with_the_present_one_and_ends_other_sign_ins(
    mall: Mall, clock: ManualClock
) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    here = mall.signed(made["token"])
    other = await mall.post("login", identity=PHONE, password=PASSWORD)
    there = mall.signed(other.json()["token"])
    new = {"password": "an even longer sentence"}
    assert paths(await here.put(ME, json=new)) == ["current_password"]
    wrong = {**new, "current_password": "a guess of somebody"}
    assert paths(await here.put(ME, json=wrong)) == ["current_password"]
    assert (await here.put(ME, json={**new, "current_password": PASSWORD})).status_code == 200
    assert (await here.get(ME)).status_code == 200
    refused(await there.get(ME), 401, "customer_token_invalid")
    clock.advance(hours=1)
    refused(await mall.post("login", identity=PHONE, password=PASSWORD), 401, "invalid_credentials")
    assert (await mall.post("login", identity=PHONE, **new)).status_code == 200


async def test_a_first_password_needs_a_fresh_sign_in(mall: Mall, clock: ManualClock) -> None:
    _, client = await mall.visitor()
    clock.advance(minutes=11)
    refused(await client.put(ME, json={"password": PASSWORD}), 403, "fresh_sign_in_required")
    _, fresh = await mall.visitor(name="Grace")
    assert (await fresh.put(ME, json={"password": PASSWORD})).status_code == 200


async def test_a_forgotten_password_is_reset_with_a_code_and_ends_every_sign_in(
    mall: Mall, house: House
) -> None:
    made = await mall.registered(email=EMAIL, password=PASSWORD)
    before = await house.value("select count(*) from messages")
    unknown = await mall.post("forgot-password", identity="nobody@example.com")
    assert await house.value("select count(*) from messages") == before
    known = await mall.post("forgot-password", identity=EMAIL)
    assert known.json() == unknown.json()
    body = {"identity": EMAIL, "code": await mall.texted(), "password": "an even longer sentence"}
    assert (await mall.post("reset-password", **body)).json() == {"status": "ok"}
    refused(await mall.signed(made["token"]).get(ME), 401, "customer_token_invalid")
    login = await mall.post("login", identity=EMAIL, password=body["password"])
    assert login.status_code == 200


@pytest.mark.slow
async def test_guessing_passwords_is_slowed_for_known_and_unknown_alike(mall: Mall) -> None:
    await mall.registered(phone=PHONE, password=PASSWORD)
    for identity in (PHONE, "+6598000000", "nonsense"):
        answers = [
            await mall.post("login", identity=identity, password=f"a guess number {turn}")
            for turn in range(11)
        ]
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
    refused(await mall.post("login", identity=PHONE, password=PASSWORD), 429, "too_many_requests")


async def test_a_closed_account_is_out_at_once_and_its_identity_is_free(
    mall: Mall, house: House
) -> None:
    old = await mall.registered(phone=PHONE, password=PASSWORD)
    client = mall.signed(old["token"])
    await client.post(f"{HERE}/register-device", json={"platform": "ios", "token": "t"})
    await client.post(f"{HERE}/account-closure")
    code = await mall.texted()
    done = await client.post(
        f"{HERE}/confirm-account-closure", json={"code": code, "reason": "Moved."}
    )
    assert done.json() == {
        "status": "closed",
        "closed_at": "2026-01-15T12:00:00.000Z",
        "erase_at": "2026-02-14T12:00:00.000Z",
        "erasure_at": "2026-02-14T12:00:00.000Z",
    }
    refused(await client.get(ME), 401, "customer_token_invalid")
    refused(await mall.post("login", identity=PHONE, password=PASSWORD), 401, "invalid_credentials")
    assert await house.value("select count(*) from customer_devices") == 0
    again = await mall.registered(phone="+6598222222")
    assert again["id"] != old["id"]


async def test_a_wrong_code_closes_nothing(mall: Mall) -> None:
    _, client = await mall.visitor(phone=PHONE)
    await client.post(f"{HERE}/account-closure")
    wrong = f"{(int(await mall.texted()) + 1) % 10**6:06}"
    answer = await client.post(f"{HERE}/confirm-account-closure", json={"code": wrong})
    refused(answer, 422, "invalid_code")
    assert (await client.get(ME)).status_code == 200


async def test_a_new_number_is_anothers_only_after_the_code(mall: Mall, house: House) -> None:
    await mall.registered(phone=PHONE)
    _, eve = await mall.visitor(name="Eve")
    sent = await eve.post(f"{HERE}/request-phone-verification", json={"phone": PHONE})
    assert sent.status_code == 200
    body = {"code": await mall.texted()}
    refused(await eve.post(f"{HERE}/verify-phone-number", json=body), 409, "customer_exists")
    nothing = await eve.post(f"{HERE}/verify-phone-number", json={"code": "000000"})
    refused(nothing, 422, "invalid_code")
    assert await house.value("select count(*) from customers where phone = :p", p=PHONE) == 1


async def test_a_store_key_alone_reads_and_changes_nobody(mall: Mall) -> None:
    customer, _ = await mall.visitor()
    for method, path in (
        ("GET", f"{HERE}/{customer['id']}"), ("PUT", f"{HERE}/{customer['id']}"), ("GET", HERE),
        ("GET", ME), ("PUT", ME), ("GET", f"{HERE}/sessions"),
    ):  # fmt: skip
        answer = await mall.client.request(method, path, json={})
        assert answer.status_code in {401, 404, 405}, answer.text
        assert customer["name"] not in answer.text


@pytest.mark.parametrize("meanwhile", ["reset", "closed"])
async def test_a_sign_in_that_is_under_way_does_not_outlive_its_password(
    mall: Mall, house: House, meanwhile: str
) -> None:
    made = await mall.registered(phone=PHONE, password=PASSWORD)
    store = StoreRef(mall.firm.uuid, await house.value("select store from customers"))
    known = await password_signin.check_credentials(
        house.database, house.hasher, store, PHONE, PASSWORD, SigninOrigin("127.0.0.1")
    )
    if meanwhile == "reset":
        await mall.post("forgot-password", identity=PHONE)
        body = {"identity": PHONE, "code": await mall.texted(), "password": "another sentence"}
        assert (await mall.post("reset-password", **body)).status_code == 200
    else:
        path = f"/int/v1/customers/{made['id']}/close"
        await mall.firm.admin.post(path, json={"reason": "Asked by phone."})
    with pytest.raises(CredentialsInvalid):
        async with house.database.transaction() as db:
            await password_signin.sign_in(db, store, known, SigninOrigin())
    alive = "select count(*) from tokens where kind = 'customer' and revoked_at is null"
    assert await house.value(alive) == 0


async def test_of_two_sign_ins_at_once_neither_is_refused_when_the_hash_is_out_of_date(
    mall: Mall, house: House
) -> None:
    await mall.registered(phone=PHONE, password=PASSWORD)
    async with house.database.transaction() as db:
        cheap = await Passwords(memory_kib=16, passes=1).hash(PASSWORD)
        await db.execute("update customers set password_hash = :cheap", cheap=cheap)
    store = StoreRef(mall.firm.uuid, await house.value("select store from customers"))
    known = await password_signin.check_credentials(
        house.database, house.hasher, store, PHONE, PASSWORD, SigninOrigin("127.0.0.1")
    )
    assert known.new_hash is not None
    assert (await mall.post("login", identity=PHONE, password=PASSWORD)).status_code == 200
    with pytest.raises(asyncpg.SerializationError) as told:
        async with house.database.transaction() as db:
            await password_signin.sign_in(db, store, known, SigninOrigin())
    assert should_retry(told.value), "the door looks at the password once more"
