"""Decisions §1, Status codes: 413, and bodies that are meant to break the reader."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.settings import Settings
from pannier.web import bodies
from probe import Heard, knock, refused
from stage import Firm, House

JSON = {"Content-Type": "application/json"}
SHOP_LOGIN = "/storefront/v1/customers/login-with-email"


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house that takes 2 kB, and 4 kB on uploads."""
    return await stage.build(database, clock, str(tmp_path), body_limit="2048", upload_limit="4096")


async def chunks(size: int, piece: int = 500) -> AsyncIterator[bytes]:
    for start in range(0, size, piece):
        yield b"x" * min(piece, size - start)


async def test_a_stranger_sends_less_than_somebody_with_a_credential(
    acme: Firm, database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path))
    named = b'{"kind": "api", "name": "Shop"}'.ljust(100_000)
    credentials = b'{"email": "a@example.com", "password": "secret"}'
    own = await house.client(acme.token).post("/int/v1/keys", content=named, headers=JSON)
    assert own.status_code == 201
    for path in ("/int/v1/login", "/t/PN1234567890"):
        answer = await house.client().post(path, content=credentials.ljust(100_000), headers=JSON)
        assert answer.status_code == 413, path


async def test_a_key_that_ships_in_an_app_sends_less_than_a_secret_key(
    acme: Firm, database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    shop = (await stage.build(database, clock, str(tmp_path))).client(acme.storefront_key)
    content = b'{"email": "ada@example.com"}'
    size = bodies.MAX_PUBLIC_BYTES
    told = await shop.post(SHOP_LOGIN, content=content.ljust(size + 1), headers=JSON)
    refused(told, 413, "body_too_large")
    told = await shop.post(SHOP_LOGIN, content=content.ljust(size), headers=JSON)
    assert told.status_code == 200, told.text


async def test_a_body_that_announces_too_much_is_refused_unread(acme: Firm) -> None:
    answer = await acme.admin.post("/int/v1/keys", content=b" " * 2049, headers=JSON)
    body = refused(answer, 413, "body_too_large")
    assert "2,048" in body["detail"]


async def test_a_body_without_a_length_is_refused_when_it_grows_too_large(acme: Firm) -> None:
    answer = await acme.admin.post("/int/v1/keys", content=chunks(3000), headers=JSON)
    refused(answer, 413, "body_too_large")


async def test_a_body_longer_than_it_announced_is_refused(acme: Firm) -> None:
    heard = Heard()
    parts = iter([b"x" * 1500, b"x" * 1500])

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": next(parts), "more_body": True}

    headers = [(b"content-length", b"10"), (b"content-type", b"application/json")]
    await knock(
        acme.house.edge,
        heard,
        method="POST",
        path="/int/v1/login",
        headers=headers,
        receive=receive,
    )
    assert heard.status == 413


@pytest.mark.parametrize("length", [b"9" * 5000, b"99999999999999999999", b"-1", b"x", b""])
async def test_a_length_that_is_no_length_breaks_nothing(acme: Firm, length: bytes) -> None:
    heard = Heard()
    headers = [(b"content-length", length), (b"content-type", b"application/json")]
    await knock(acme.house.edge, heard, method="POST", path="/int/v1/login", headers=headers)
    assert heard.status in {400, 413, 422}


async def test_a_body_of_exactly_the_limit_is_read(acme: Firm) -> None:
    body = b'{"kind": "api", "name": "Shop"}'
    answer = await acme.admin.post("/int/v1/keys", content=body.ljust(2048), headers=JSON)
    assert answer.status_code == 201, answer.text


async def test_uploads_have_a_limit_of_their_own(acme: Firm) -> None:
    def upload(size: int) -> bytes:
        return b'{"name": "a.txt", "data": "%s"}' % (b"QUFB" * (size // 4))

    assert (await acme.api.post("/v1/files", content=upload(3000), headers=JSON)).status_code == 201
    refused(
        await acme.api.post("/v1/files", content=upload(5000), headers=JSON), 413, "body_too_large"
    )


@pytest.mark.parametrize(
    "body", [b"[" * 2000, b'{"a":' * 400, b"[" * 1000 + b"]" * 1000, b'{"name":' + b"[[" * 200]
)
@pytest.mark.parametrize("kind", ["application/json", "Application/Json", "text/json", None])
async def test_a_body_that_nests_too_deeply_is_refused_before_it_is_parsed(
    acme: Firm, body: bytes, kind: str | None
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    refused(
        await acme.admin.post("/int/v1/keys", content=body, headers=headers), 400, "body_unreadable"
    )


async def test_whatever_depth_the_settings_allow_is_read_back(
    acme: Firm, database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    [bounds] = get_type_hints(Settings, include_extras=True)["depth_limit"].__metadata__
    house = await stage.build(database, clock, str(tmp_path), depth_limit=str(bounds.le))
    client = house.client(acme.api_key)
    meta: dict[str, Any] = {}
    for _ in range(bounds.le - 2):
        meta = {"a": meta}
    made = (await client.post("/v1/contacts", json={"name": "Ada", "meta": meta})).json()
    answer = await client.patch(f"/v1/contacts/{made['id']}", json={"name": "Ada L."})
    assert answer.json()["meta"] == meta
    assert (await client.get(f"/v1/contacts/{made['id']}")).json()["meta"] == meta
    for path in ("/int/v1/audit", "/int/v1/events"):
        answer = await house.client(acme.token).get(path)
        assert answer.status_code == 200
        assert "not_shown" not in answer.text


@pytest.mark.parametrize("unit", [b"[]", b"{}", b"[[[]]]"])
async def test_a_body_with_too_many_lists_and_objects_is_refused_before_it_is_parsed(
    acme: Firm, database: Database, clock: ManualClock, tmp_path: Path, unit: bytes
) -> None:
    house = await stage.build(database, clock, str(tmp_path))
    for client, path, limit in (
        (house.client(acme.api_key), "/v1/orders", bodies.MAX_CONTAINERS),
        (house.client(acme.storefront_key), SHOP_LOGIN, bodies.MAX_PUBLIC_CONTAINERS),
    ):
        units = b",".join([unit] * (limit + 1))
        answer = await client.post(path, content=b'{"meta": [%b]}' % units, headers=JSON)
        body = refused(answer, 413, "body_too_large")
        assert f"{limit:,} objects and arrays" in body["detail"]


async def test_a_stranger_sends_few_values(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    stranger = (await stage.build(database, clock, str(tmp_path))).client()
    content = b'{"email": [%b]}' % b",".join([b"0"] * (bodies.MAX_ANONYMOUS_VALUES + 1))
    answer = await stranger.post("/int/v1/login", content=content, headers=JSON)
    assert "2,000 values" in refused(answer, 413, "body_too_large")["detail"]


async def test_brackets_inside_text_do_not_nest(acme: Firm) -> None:
    body = {"kind": "api", "name": '[{"' * 60}
    assert (await acme.admin.post("/int/v1/keys", json=body)).status_code == 201


async def test_a_body_cut_short_is_no_body(acme: Firm, house: House) -> None:
    heard = Heard()
    whole = b'{"kind": "api", "name": "Half"}'
    messages = iter(
        [
            {"type": "http.request", "body": whole, "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def receive() -> dict[str, Any]:
        return next(messages)

    headers = [
        (b"authorization", f"Bearer {acme.token}".encode()),
        (b"content-type", b"application/json"),
        (b"content-length", b"1000"),
    ]
    await knock(
        house.edge, heard, method="POST", path="/int/v1/keys", headers=headers, receive=receive
    )
    assert heard.messages == []
    assert await house.value("select count(*) from keys where name = 'Half'") == 0


async def test_the_body_of_a_get_is_ignored(acme: Firm) -> None:
    answer = await acme.api.request("GET", "/v1/organizations/current", content=b"x" * 5000)
    assert answer.status_code == 200


async def test_a_stranger_is_refused_before_the_body_is_received(house: House) -> None:
    received: list[int] = []

    async def endless() -> AsyncIterator[bytes]:
        for number in range(100):
            received.append(number)
            yield b"x" * 1024

    answer = await house.client("api_live_nobody_nothing").post("/v1/files", content=endless())
    assert answer.status_code == 401
    assert received == []


async def test_a_slow_sender_holds_no_connection_while_the_body_arrives(
    acme: Firm, house: House
) -> None:
    lent: list[int] = []

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"kind": "api", '
        busy = await house.value(
            """select count(*) from pg_stat_activity where datname = current_database()
               and state like 'idle in transaction%'"""
        )
        lent.append(busy)
        yield b'"name": "Slow"}'

    headers = {**JSON, "Idempotency-Key": "slow"}
    answer = await acme.admin.post("/int/v1/keys", content=slow(), headers=headers)
    assert answer.status_code == 201
    assert lent == [0]
