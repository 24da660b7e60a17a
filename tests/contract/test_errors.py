"""Decisions §1, Errors: one shape for every refusal, and nothing of our insides in it."""

from typing import Any

import msgspec
import pytest

from pannier.db import Db
from pannier.errors import Conflict, list_problems
from pannier.web.routes import get, post
from probe import knock, mounted, paths, refused
from stage import Firm, House

HOSTILE = [
    "\0", "a\0b", "\x01\x1b[31m", "\ufffe", "\u202e", "💥" * 50, "'; drop table keys; --",
    "{{7*7}}", "<script>alert(1)</script>", "%s%n", "\r\nSet-Cookie: a=b", "../../etc/passwd",
]  # fmt: skip


class Nested(Conflict):
    """A refusal of this test."""

    code = "nested"
    title = "Nested."


class Row(msgspec.Struct):
    number: int


@get("/defect")
async def defect() -> None:
    """Fail as a defect does."""
    raise KeyError("internal thoughts: select * from keys")


@get("/wrong-sql")
async def wrong_sql(db: Db) -> None:
    """Send PostgreSQL something it does not understand."""
    await db.fetch_value("select nonsense from nowhere")


@get("/wrong-row")
async def wrong_row(db: Db) -> None:
    """Read a row that is not what the code believes."""
    await db.get(Row, "select 'text' as number")


@get("/detailed")
async def detailed() -> None:
    """Refuse with a further member."""
    raise Nested("The box is taken.", until="noon")


@post("/number/{number:str}")
async def number(number: str, db: Db) -> None:
    """Give a number to PostgreSQL."""
    await db.fetch_value("select :number::int", number=int(number))


async def test_a_problem_has_every_member_of_the_contract(acme: Firm) -> None:
    answer = await acme.admin.get("/int/v1/keys/key_nothing")
    body = refused(answer, 404, "not_found")
    assert set(body) == {
        "type", "title", "status", "detail", "code", "errors", "error", "fields", "request_id",
    }  # fmt: skip
    assert body["errors"] == [body["detail"]]
    assert body["fields"] == []
    assert body["request_id"] == answer.headers["x-request-id"]


async def test_a_validation_problem_says_in_sentences_what_its_fields_say(acme: Firm) -> None:
    answer = await acme.admin.post("/int/v1/keys", json={"kind": "car", "name": ""})
    body = refused(answer, 422, "validation_failed")
    assert len(body["errors"]) == len(body["fields"]) == 2
    for sentence, field in zip(body["errors"], body["fields"], strict=True):
        assert field["path"] in sentence
        assert field["message"] in sentence
        assert field["message"].endswith(".")


async def test_a_problem_may_have_further_members(house: House) -> None:
    async with mounted(house, detailed).client() as client:
        body = refused(await client.get("/detailed"), 409, "nested")
    assert body["until"] == "noon"
    assert body["detail"] == "The box is taken."


@pytest.mark.parametrize("path", ["/defect", "/wrong-sql", "/wrong-row"])
async def test_a_defect_of_ours_tells_nothing_but_its_request_id(house: House, path: str) -> None:
    async with mounted(house, defect, wrong_sql, wrong_row).client() as client:
        answer = await client.get(path)
    refused(answer, 500, "internal")
    for word in ("Traceback", "KeyError", "select", "nowhere", "number", "asyncpg", ".py"):
        assert word not in answer.text


async def test_every_code_is_snake_case_and_names_one_refusal() -> None:
    kinds = [kind for kind in list_problems() if kind.__module__.startswith("pannier.")]
    codes: dict[str, set[tuple[int, str]]] = {}
    for kind in kinds:
        assert kind.code.replace("_", "").isalnum(), kind
        assert kind.code == kind.code.lower()
        assert 400 <= kind.status <= 599
        codes.setdefault(kind.code, set()).add((kind.status, kind.title))
    assert {code: found for code, found in codes.items() if len(found) > 1} == {}


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_in_a_body_is_kept_or_refused_but_breaks_nothing(
    acme: Firm, text: str
) -> None:
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": text})
    if made.status_code == 201:
        read = await acme.admin.get(f"/int/v1/keys/{made.json()['id']}")
        assert read.json()["name"] == text
    else:
        refused(made, 422, "validation_failed")
    for body in (
        {"email": text, "password": text},
        {"email": f"{text}@example.com", "password": "x" * 20},
    ):
        login = await acme.house.client().post("/int/v1/login", json=body)
        assert login.status_code in {401, 422, 429}, login.text


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_in_a_query_breaks_nothing(acme: Firm, text: str) -> None:
    for name in ("action", "actor", "subject", "sort", "cursor", "limit", text):
        answer = await acme.admin.get("/int/v1/audit", params={name: text})
        assert answer.status_code in {200, 400, 422}, answer.text
    files = await acme.api.get("/v1/files", params={"name": text})
    assert files.status_code in {200, 422}, files.text


@pytest.mark.parametrize(
    "body",
    [rb'{"kind":"api","name":"\ud800"}', rb'{"kind":"api","name":"\udfff\ud800"}',
     b'{"kind":"api","name":"\xed\xa0\x80"}', b'{"kind":"api","name":"\xff"}', b"\xff\xfe{\0}\0",
     b'{"kind":"api","name":"a', b"{", b"{}{}", b"nul", b"'", b"\x00", b"{'a':1}", b'{"a":1,}',
     b'{"kind":"api","name":1e400}', b'{"a":NaN}', b"[" * 40, b'{"a":' * 31 + b"1"],
)  # fmt: skip
async def test_a_body_that_is_not_json_is_refused_as_unreadable(acme: Firm, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await acme.admin.post("/int/v1/keys", content=body, headers=headers)
    refused(answer, 400, "body_unreadable")


@pytest.mark.parametrize("digits", ["2147483648", "9" * 30, "-" + "9" * 400])
async def test_a_number_too_large_for_the_database_is_refused(house: House, digits: str) -> None:
    async with mounted(house, number).client() as client:
        refused(await client.post(f"/number/{digits}"), 422, "validation_failed")


async def test_a_value_that_cannot_be_sent_leaves_no_connection_locked(
    acme: Firm, house: House
) -> None:
    late = {"since": "9999-12-31T23:59:59-12:00"}
    for _ in range(3):
        assert (await acme.admin.get("/int/v1/events", params=late)).status_code == 422
    locks = await house.value(
        """select count(*) from pg_locks l join pg_class c on c.oid = l.relation
           where c.relname = 'events' and l.pid <> pg_backend_pid()"""
    )
    assert locks == 0


async def test_a_nul_in_a_credential_or_host_is_refused_as_any_other_wrong_one(
    house: House,
) -> None:
    for name, value, statuses in (
        (b"authorization", b"Bearer api_live_a\0b_secret", {401, 422}),
        (b"authorization", b"Bearer api_live_\xff_\xfe", {401}),
        (b"authorization", b"Basic " + b"A" * 5000, {401}),
        (b"host", b"a b\0", {400}),
    ):
        heard: list[Any] = []

        async def hear(message: dict[str, Any], heard: list[Any] = heard) -> None:
            heard.append(message)

        await knock(house.edge, hear, path="/v1/organizations/current", headers=[(name, value)])
        assert heard[0]["status"] in statuses


async def test_a_path_nobody_serves_and_one_of_another_company_look_alike(
    acme: Firm, rival: Firm
) -> None:
    theirs = await rival.admin.post("/int/v1/keys", json={"kind": "api", "name": "Theirs"})
    other = await acme.admin.get(f"/int/v1/keys/{theirs.json()['id']}")
    absent = await acme.admin.get("/int/v1/keys/key_0000000000000000")
    same = {**other.json(), "request_id": ""}
    assert {**absent.json(), "request_id": ""} == same


async def test_constraints_are_told_as_refusals_not_as_sql(acme: Firm) -> None:
    body = {
        "email": "new@example.com", "name": "New", "role": "viewer", "password": "a long sentence",
    }  # fmt: skip
    assert (await acme.admin.post("/int/v1/operators", json=body)).status_code == 201
    again = await acme.admin.post("/int/v1/operators", json={**body, "email": "NEW@EXAMPLE.COM"})
    refused(again, 409, "email_taken")
    assert "constraint" not in again.text
    assert paths(await acme.admin.post("/int/v1/operators", json={**body, "email": "no"})) == [
        "email"
    ]


async def test_a_browser_at_a_wrong_address_gets_a_page_and_a_program_a_problem(
    house: House,
) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    page = await house.client().get("/nowhere", headers=browser)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<a href="/docs">' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    refused(await house.client().get("/nowhere"), 404, "not_found")
    refused(await house.client().post("/nowhere", headers=browser), 404, "not_found")
    # Some programs say that they take HTML.
    refused(await house.client().get("/v1/nowhere", headers=browser), 404, "not_found")
