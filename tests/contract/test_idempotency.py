"""Decisions §1, Idempotency: a flaky network may send twice, and the deed is done once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from litestar import Response

import probe
from pannier.db import Db
from pannier.errors import Conflict, Problem, TooManyRequests
from pannier.web import idempotency
from pannier.web.exchange import Exchange
from pannier.web.routes import post
from probe import keyed, mounted, refused
from stage import Firm, House

KEY = {"kind": "api", "name": "Shop"}


def same(first: httpx.Response, again: httpx.Response) -> None:
    """Check that an answer is the first one's replay, byte for byte."""
    assert again.status_code == first.status_code, again.text
    assert again.content == first.content
    # These are about each request, and not part of the first answer.
    own = {"x-request-id", "idempotent-replayed", "ratelimit"}
    was = [pair for pair in first.headers.multi_items() if pair[0] not in own]
    now = [pair for pair in again.headers.multi_items() if pair[0] not in own]
    assert sorted(was) == sorted(now)
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"


async def test_the_same_key_and_body_get_the_first_answer_again(acme: Firm, house: House) -> None:
    first = await acme.admin.post("/int/v1/keys", json=KEY, headers={"Idempotency-Key": "one"})
    assert first.status_code == 201
    house.clock.advance(hours=23)
    again = await acme.admin.post("/int/v1/keys", json=KEY, headers={"Idempotency-Key": "one"})
    same(first, again)
    assert await house.value("select count(*) from keys where name = 'Shop'") == 1


async def test_without_a_key_the_deed_is_done_each_time(acme: Firm, house: House) -> None:
    for _ in range(2):
        assert (await acme.admin.post("/int/v1/keys", json=KEY)).status_code == 201
    assert await house.value("select count(*) from keys where name = 'Shop'") == 2


async def test_an_answer_is_kept_24_hours(acme: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "one"}
    first = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    house.clock.advance(hours=24)
    later = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    assert later.status_code == 201
    assert later.json()["id"] != first.json()["id"]
    same(later, await acme.admin.post("/int/v1/keys", json=KEY, headers=headers))


async def test_the_sweep_forgets_an_answer_when_its_time_is_over_and_not_before(
    acme: Firm, house: House
) -> None:
    first = await acme.admin.post("/int/v1/keys", json=KEY, headers={"Idempotency-Key": "one"})
    house.clock.advance(hours=23)
    assert not await idempotency.sweep(house.database)
    again = await acme.admin.post("/int/v1/keys", json=KEY, headers={"Idempotency-Key": "one"})
    same(first, again)
    house.clock.advance(hours=1)
    assert await idempotency.sweep(house.database)
    assert not await idempotency.sweep(house.database)
    assert await house.value("select count(*) from idempotency_answers") == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/int/v1/keys", {"kind": "api", "name": "Other"}),
        ("/int/v1/keys?x=1", KEY),
        ("/int/v1/operators", KEY),
    ],
)
async def test_the_same_key_with_another_request_is_a_conflict(
    acme: Firm, path: str, body: dict[str, Any]
) -> None:
    headers = {"Idempotency-Key": "one"}
    first = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    refused(await acme.admin.post(path, json=body, headers=headers), 409, "idempotency_key_reused")
    same(first, await acme.admin.post("/int/v1/keys", json=KEY, headers=headers))


async def test_keys_are_scoped_by_credential(acme: Firm, rival: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "one"}
    colleague = await acme.operator("dispatcher")
    await colleague.patch("/int/v1/me", json={"name": "Dee"})
    ours = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    theirs = await rival.admin.post("/int/v1/keys", json=KEY, headers=headers)
    assert ours.status_code == theirs.status_code == 201
    assert "idempotent-replayed" not in theirs.headers
    assert ours.json()["id"] != theirs.json()["id"]
    file = {"data": "SGVsbG8="}
    one = await acme.api.post("/v1/files", json=file, headers=headers)
    made = await acme.admin.post("/int/v1/keys", json=KEY)
    two = await house.client(made.json()["key"]).post("/v1/files", json=file, headers=headers)
    assert (one.status_code, two.status_code) == (201, 201)
    assert "idempotent-replayed" not in two.headers


async def test_a_revoked_credential_gets_no_replay(acme: Firm, house: House) -> None:
    made = (await acme.admin.post("/int/v1/keys", json=KEY)).json()
    client, headers = house.client(made["key"]), {"Idempotency-Key": "one"}
    assert (await client.post("/v1/files", json={"data": "QQ=="}, headers=headers)).is_success
    await acme.admin.delete(f"/int/v1/keys/{made['id']}")
    again = await client.post("/v1/files", json={"data": "QQ=="}, headers=headers)
    refused(again, 401, "unauthenticated")


async def test_who_may_not_ask_any_more_gets_no_replay(acme: Firm, house: House) -> None:
    key = {**KEY, "scopes": ["webhooks:write"]}
    made = (await acme.admin.post("/int/v1/keys", json=key)).json()
    client, headers = house.client(made["key"]), {"Idempotency-Key": "one"}
    body = {"url": "https://93.184.216.34/hook"}
    first = await client.post("/v1/webhooks", json=body, headers=headers)
    assert first.json()["secret"].startswith("whsec_")
    same(first, await client.post("/v1/webhooks", json=body, headers=headers))
    path = f"/int/v1/keys/{made['id']}"
    assert (await acme.admin.patch(path, json={"scopes": ["orders:read"]})).is_success
    again = await client.post("/v1/webhooks", json=body, headers=headers)
    refused(again, 403, "forbidden")
    assert "whsec_" not in again.text


async def test_strangers_with_one_public_key_do_not_share_their_answers(
    acme: Firm, house: House
) -> None:
    headers = {"Idempotency-Key": "1"}

    async def ask(address: str, phone: str) -> httpx.Response:
        client = house.client(acme.storefront_key, address=address)
        return await client.post(
            "/storefront/v1/customers/login-with-sms", json={"phone": phone}, headers=headers
        )

    ada, bob = await ask("203.0.113.1", "+6591234567"), await ask("203.0.113.2", "+6597654321")
    assert (ada.status_code, bob.status_code) == (200, 200), bob.text
    same(ada, await ask("203.0.113.1", "+6591234567"))
    # The same house, by whatever address of it.
    six = await ask("2001:db8::1", "+6591111111")
    same(six, await ask("2001:db8::ffff", "+6591111111"))


async def test_ten_at_once_do_one_deed_and_all_get_its_answer(acme: Firm, house: House) -> None:
    async def send() -> httpx.Response:
        headers = {"Idempotency-Key": "storm"}
        return await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)

    answers = await asyncio.gather(*(send() for _ in range(10)))
    assert await house.value("select count(*) from keys where name = 'Shop'") == 1
    done = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in done}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in done) == 1
    for answer in answers:
        if answer.status_code != 201:
            refused(answer, 409, "idempotency_in_progress")


async def test_ten_at_once_that_are_refused_get_one_refusal(acme: Firm, house: House) -> None:
    body = {"email": "ada@example.com", "name": "Ada", "role": "viewer", "password": "a long line"}
    assert (await acme.admin.post("/int/v1/operators", json=body)).status_code == 201

    async def send() -> httpx.Response:
        headers = {"Idempotency-Key": "storm"}
        return await acme.admin.post("/int/v1/operators", json=body, headers=headers)

    answers = await asyncio.gather(*(send() for _ in range(10)))
    assert {answer.status_code for answer in answers} == {409}
    assert len({answer.content for answer in answers}) == 1
    assert await house.value("select count(*) from idempotency_answers") == 1


async def test_a_refused_request_replays_its_refusal(acme: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "one"}
    body = {
        "email": "ada@example.com", "name": "Ada", "role": "viewer", "password": "a long sentence",
    }  # fmt: skip
    made = await acme.admin.post("/int/v1/operators", json=body)
    first = await acme.admin.post("/int/v1/operators", json=body, headers=headers)
    refused(first, 409, "email_taken")
    await acme.admin.delete(f"/int/v1/operators/{made.json()['id']}")
    same(first, await acme.admin.post("/int/v1/operators", json=body, headers=headers))
    assert await house.value("select count(*) from operators where name = 'Ada'") == 0


class Counted(Conflict):
    """A refusal that is remembered, of this test."""

    code, title, keeps_changes = "counted", "Counted.", True


class Patience(TooManyRequests):
    """A remembered refusal that says `not now`."""

    keeps_changes = True


class Away(Problem):
    """Something of ours is down."""

    status, code, title = 503, "away", "Away."


@pytest.fixture
async def notes(database_url: str) -> AsyncIterator[None]:
    async with probe.table(database_url, "notes", "word text"):
        yield


REFUSALS: dict[str, Exception] = {
    "counted": Counted(),
    "patience": Patience(7),
    "plain": Conflict("No."),
    "away": Away(),
    "defect": ValueError("oops"),
}


@post("/notes/{word:str}")
async def note(word: str, db: Db, exchange: Exchange) -> Response[dict[str, str]]:
    """Write a word down, and perhaps refuse."""
    await db.execute("insert into notes values (:word)", word=word)
    count = await db.fetch_value("select count(*) from notes")
    if word in REFUSALS and b"x-grace" not in exchange.headers:
        raise REFUSALS[word]
    return Response({"word": word, "count": str(count)}, headers={"X-Count": str(count)})


@pytest.mark.usefixtures("notes")
async def test_a_remembered_refusal_is_committed_and_replayed(acme: Firm, house: House) -> None:
    client = mounted(house, keyed(note)).client(acme.api_key, **{"Idempotency-Key": "one"})
    first = await client.post("/v1/notes/counted")
    refused(first, 409, "counted")
    assert await house.value("select count(*) from notes") == 1
    same(first, await client.post("/v1/notes/counted"))
    assert await house.value("select count(*) from notes") == 1


@pytest.mark.usefixtures("notes")
async def test_an_undone_refusal_leaves_only_its_answer(acme: Firm, house: House) -> None:
    client = mounted(house, keyed(note)).client(acme.api_key, **{"Idempotency-Key": "one"})
    first = await client.post("/v1/notes/plain")
    refused(first, 409, "conflict")
    same(first, await client.post("/v1/notes/plain", headers={"X-Grace": "yes"}))
    assert await house.value("select count(*) from notes") == 0


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(("word", "status"), [("patience", 429), ("away", 503), ("defect", 500)])
async def test_not_now_and_our_own_failures_are_not_kept(
    acme: Firm, house: House, word: str, status: int
) -> None:
    client = mounted(house, keyed(note)).client(acme.api_key, **{"Idempotency-Key": "one"})
    assert (await client.post(f"/v1/notes/{word}")).status_code == status
    remembered = await house.value("select count(*) from notes")
    assert remembered == (1 if word == "patience" else 0)
    assert await house.value("select count(*) from idempotency_answers") == 0
    later = await client.post(f"/v1/notes/{word}", headers={"X-Grace": "yes"})
    assert later.status_code == 201
    assert "idempotent-replayed" not in later.headers


async def test_401_and_403_are_not_kept(acme: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "one"}
    wrong = {"email": acme.email("admin"), "password": "not the password"}
    client = house.client()
    for _ in range(2):
        answer = await client.post("/int/v1/login", json=wrong, headers=headers)
        refused(answer, 401, "login_failed")
        assert "idempotent-replayed" not in answer.headers
    viewer = await acme.operator("viewer")
    for _ in range(2):
        answer = await viewer.post("/int/v1/keys", json=KEY, headers=headers)
        refused(answer, 403, "forbidden")
        assert "idempotent-replayed" not in answer.headers
    assert await house.value("select count(*) from idempotency_answers") == 0


@pytest.mark.usefixtures("notes")
async def test_in_progress_is_never_kept_as_the_answer(acme: Firm, house: House) -> None:
    began, finish = asyncio.Event(), asyncio.Event()

    @post("/slow")
    async def slow(db: Db) -> list[str]:
        """Take one's time, then fail."""
        await db.execute("insert into notes values ('slow')")
        began.set()
        await finish.wait()
        raise ValueError("oops")

    slow_house = mounted(house, keyed(slow))
    client = slow_house.client(acme.api_key, **{"Idempotency-Key": "one"})
    first = asyncio.create_task(client.post("/v1/slow"))
    await began.wait()
    twin = asyncio.create_task(client.post("/v1/slow"))
    while not await house.value(  # noqa: ASYNC110 - PostgreSQL tells only when asked
        """select count(*) from pg_stat_activity
           where wait_event_type = 'Lock' and datname = current_database()"""
    ):
        await asyncio.sleep(0)
    finish.set()
    assert (await first).status_code == 500
    assert (await twin).status_code == 500
    assert await house.value("select count(*) from idempotency_answers") == 0


@pytest.mark.usefixtures("notes")
async def test_who_waits_too_long_for_a_twin_is_told_so_and_nothing_is_kept(
    acme: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "LOCK_TIMEOUT", "50ms")
    began, finish = asyncio.Event(), asyncio.Event()

    @post("/slow")
    async def slow(db: Db) -> list[str]:
        """Take one's time."""
        await db.execute("insert into notes values ('slow')")
        began.set()
        await finish.wait()
        return ["done"]

    doors = mounted(house, keyed(slow))
    client = doors.client(acme.api_key, **{"Idempotency-Key": "one"})
    first = asyncio.create_task(client.post("/v1/slow"))
    await began.wait()
    refused(await client.post("/v1/slow"), 409, "idempotency_in_progress")
    finish.set()
    same(await first, await client.post("/v1/slow"))
    assert await house.value("select count(*) from notes") == 1


@post("/cookies")
async def cookies() -> Response[dict[str, str]]:
    """Answer with headers that come twice."""
    answer = Response({"a": "b"}, status_code=202, headers={"X-Thing": "1"})
    answer.set_cookie("one", "1")
    answer.set_cookie("two", "2")
    return answer


@post("/nothing", status_code=204)
async def nothing() -> None:
    """Answer nothing."""


async def test_headers_that_come_twice_are_replayed_twice(acme: Firm, house: House) -> None:
    client = mounted(house, keyed(cookies, nothing)).client(
        acme.api_key, **{"Idempotency-Key": "one"}
    )
    first = await client.post("/v1/cookies")
    assert len(first.headers.get_list("set-cookie")) == 2
    client.cookies.clear()
    same(first, await client.post("/v1/cookies"))
    client.headers["Idempotency-Key"] = "two"
    same(await client.post("/v1/nothing"), await client.post("/v1/nothing"))


async def test_a_secret_shown_once_is_replayed_but_not_kept_in_clear(
    acme: Firm, house: House
) -> None:
    headers = {"Idempotency-Key": "one"}
    made = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    secret = made.json()["key"].rpartition("_")[2].encode()
    kept = await house.value("select answer from idempotency_answers")
    assert len(kept) > 100
    assert secret not in kept
    assert b"Shop" not in kept
    assert await house.value("select id from idempotency_answers") != b"one"


@pytest.mark.parametrize(
    "key", ["x", "x" * 255, "0", "' or 1=1", "ünïcödé".encode().decode("latin-1"), "a b", "\t"]
)
async def test_a_key_may_be_any_text_of_1_to_255_characters(acme: Firm, key: str) -> None:
    headers = {"Idempotency-Key": key.encode("latin-1")}
    first = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    assert first.status_code == 201, first.text
    same(first, await acme.admin.post("/int/v1/keys", json=KEY, headers=headers))


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_a_key_of_another_length_is_refused_by_its_name(acme: Firm, key: str) -> None:
    headers = {"Idempotency-Key": key}
    answer = await acme.admin.post("/int/v1/keys", json=KEY, headers=headers)
    assert probe.paths(answer) == ["Idempotency-Key"]


async def test_other_methods_ignore_the_key(acme: Firm) -> None:
    headers = {"Idempotency-Key": "one"}
    made = (await acme.admin.post("/int/v1/keys", json=KEY)).json()
    path = f"/int/v1/keys/{made['id']}"
    for name in ("Two", "Three"):
        answer = await acme.admin.patch(path, json={"name": name}, headers=headers)
        assert answer.json()["name"] == name
        assert (await acme.admin.get(path, headers=headers)).json()["name"] == name


async def test_a_change_that_was_made_is_answered_again_whatever_its_version(acme: Firm) -> None:
    made = (await acme.admin.post("/int/v1/keys", json=KEY)).json()
    path, body = f"/int/v1/keys/{made['id']}", {"name": "Two"}
    stale = {"Idempotency-Key": "change", "If-Match": f'"{made["version"]}"'}
    refused(
        await acme.admin.patch(path, json=body, headers=stale | {"If-Match": '"7"'}),
        412, "precondition_failed",
    )  # fmt: skip
    first = await acme.admin.patch(path, json=body, headers=stale)
    assert first.status_code == 200, first.text
    same(first, await acme.admin.patch(path, json=body, headers=stale))
    other = await acme.admin.patch(path, json={"name": "Three"}, headers=stale)
    refused(other, 409, "idempotency_key_reused")
    later = await acme.admin.patch(path, json=body, headers=stale | {"Idempotency-Key": "later"})
    refused(later, 412, "precondition_failed")


async def test_a_deletion_that_was_made_is_answered_again(acme: Firm) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    path, key = f"/v1/contacts/{made['id']}", {"Idempotency-Key": "gone"}
    first = await acme.api.delete(path, headers=key)
    assert first.status_code == 200, first.text
    same(first, await acme.api.delete(path, headers=key))
    assert (await acme.api.delete(path)).status_code == 404
    other = await acme.api.patch(path, json={}, headers=key | {"If-Match": "*"})
    refused(other, 409, "idempotency_key_reused")


async def test_a_keyed_sign_in_can_be_sent_again(acme: Firm, house: House) -> None:
    headers = {"Idempotency-Key": "device-17"}
    body = {"email": acme.email("admin"), "password": "correct horse battery"}
    first = await house.client().post("/int/v1/login", json=body, headers=headers)
    assert first.status_code == 200
    same(first, await house.client().post("/int/v1/login", json=body, headers=headers))
    wrong = {**body, "password": "another guess"}
    other = await house.client().post("/int/v1/login", json=wrong, headers=headers)
    refused(other, 409, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"kind": "api"', "application/json", 400),
        (b"kind=api", "application/x-www-form-urlencoded", 415),
        (b'{"kind": "api"}', "application/json", 422),
        (b'{"kind": "api", "name": "Shop", "scope": []}', "application/json", 422),
    ],
)
async def test_a_request_that_was_wrong_in_itself_leaves_its_key_free(
    acme: Firm, content: bytes, kind: str, status: int
) -> None:
    key = {"Idempotency-Key": "order-2041"}
    headers = key | {"Content-Type": kind}
    wrong = await acme.admin.post("/int/v1/keys", content=content, headers=headers)
    assert wrong.status_code == status, wrong.text
    right = await acme.admin.post("/int/v1/keys", json=KEY, headers=key)
    assert right.status_code == 201, right.text
    same(right, await acme.admin.post("/int/v1/keys", json=KEY, headers=key))


async def test_a_body_is_the_same_however_its_json_is_spelled(acme: Firm) -> None:
    headers = {"Idempotency-Key": "spelled", "Content-Type": "application/json"}
    path = "/v1/places"
    first = await acme.api.post(
        path,
        content=b'{"street1":"1 M\\u00fcller","latitude":1.0,"longitude":103}',
        headers=headers,
    )
    assert first.status_code == 201, first.text
    spelled = '{ "longitude": 1.03e2, "latitude": 1, "street1": "1 Müller" }'.encode()
    same(first, await acme.api.post(path, content=spelled, headers=headers))
    other = b'{"street1":"1 M\\u00fcller","latitude":1.1,"longitude":103}'
    answer = await acme.api.post(path, content=other, headers=headers)
    refused(answer, 409, "idempotency_key_reused")
