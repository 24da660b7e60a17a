"""429 with Retry-After: per credential and per address, counted down by the clock."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from httpx import Response

import stage
from customers.mall import Mall
from pannier.db import Database
from pannier.kit.clock import ManualClock
from probe import Heard, knock, refused
from stage import Firm, House

WHO = "/v1/organizations/current"


async def build(database: Database, clock: ManualClock, folder: Path, **settings: str) -> House:
    return await stage.build(database, clock, str(folder), **settings)


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house that takes six requests a minute per credential, and twelve per address."""
    return await build(database, clock, tmp_path, credential_rate="6", address_rate="12")


async def test_a_credential_has_so_many_requests_a_minute(acme: Firm, house: House) -> None:
    codes = [(await acme.api.get(WHO)).status_code for _ in range(6)]
    assert codes == [200] * 6
    answer = await acme.api.get(WHO)
    refused(answer, 429, "too_many_requests")
    assert answer.headers["retry-after"] == "10"
    house.clock.advance(seconds=4)
    assert (await acme.api.get(WHO)).headers["retry-after"] == "6"
    house.clock.advance(seconds=6)
    assert (await acme.api.get(WHO)).status_code == 200
    assert (await acme.api.get(WHO)).status_code == 429
    house.clock.advance(minutes=1)
    codes = [(await acme.api.get(WHO)).status_code for _ in range(7)]
    assert codes == [200] * 6 + [429]


def left(answer: Response) -> tuple[str, str]:
    return answer.headers["ratelimit-policy"], answer.headers["ratelimit"]


async def test_a_keyed_answer_says_what_is_left(acme: Firm, house: House) -> None:
    policy = '"key";q=6;w=60'
    assert left(await acme.api.get(WHO)) == (policy, '"key";r=5;t=10')
    assert left(await acme.api.get("/v1/orders/order_none")) == (policy, '"key";r=4;t=20')
    house.clock.advance(seconds=15)
    assert left(await acme.api.get(WHO)) == (policy, '"key";r=4;t=15')
    for _ in range(4):
        await acme.api.get(WHO)
    refusal = await acme.api.get(WHO)
    assert refusal.status_code == 429
    assert left(refusal) == (policy, '"key";r=0;t=55')
    operator = await acme.admin.get("/int/v1/me")
    assert left(operator) == ('"operator";q=6;w=60', '"operator";r=5;t=10')
    stranger = await house.client().get("/healthz")
    assert "ratelimit" not in stranger.headers
    assert "ratelimit-policy" not in stranger.headers
    wrong = await house.client(acme.api_key[:-3] + "xyz").get(WHO)
    assert "ratelimit" not in wrong.headers


async def test_an_answer_to_a_customer_lists_both_limits(acme: Firm) -> None:
    _, customer = await Mall(acme, count()).visitor()
    answer = await customer.get("/storefront/v1/customers/me", headers={"Origin": "https://a.shop"})
    assert [part.split(";")[0] for part in left(answer)[1].split(", ")] == ['"key"', '"customer"']
    exposed = answer.headers["access-control-expose-headers"].split(", ")
    assert {"RateLimit", "RateLimit-Policy"} <= set(exposed)


async def test_one_credential_does_not_use_up_anothers(acme: Firm, rival: Firm) -> None:
    for number in range(7):
        await acme.house.client(acme.api_key, address=f"10.0.1.{number}").get(WHO)
    assert (await acme.api.get(WHO)).status_code == 429
    assert (await rival.api.get(WHO)).status_code == 200
    assert (await acme.admin.get("/int/v1/me")).status_code == 200


async def test_who_has_a_stores_public_key_uses_up_nothing_for_its_customers(
    acme: Firm, house: House
) -> None:
    path, body = "/storefront/v1/customers/login", {"identity": "a@example.com", "password": "x"}
    stranger, ada = (house.client(acme.storefront_key, address=f"10.0.1.{n}") for n in (1, 2))
    codes = [(await stranger.post(path, json=body)).status_code for _ in range(7)]
    assert codes == [401] * 6 + [429]
    refused(await ada.post(path, json=body), 401, "invalid_credentials")


async def test_operators_are_limited_too(acme: Firm) -> None:
    codes = [(await acme.admin.get("/int/v1/me")).status_code for _ in range(7)]
    assert codes == [200] * 6 + [429]


async def test_an_address_has_so_many_requests_a_minute_whoever_it_is(house: House) -> None:
    client = house.client(address="10.0.0.1")
    codes = [(await client.get("/nowhere")).status_code for _ in range(13)]
    assert codes == [404] * 12 + [429]
    assert (await house.client(address="10.0.0.2").get("/nowhere")).status_code == 404
    answer = await client.get(WHO)
    refused(answer, 429, "too_many_requests")
    assert answer.headers["retry-after"] == "5"
    house.clock.advance(seconds=5)
    assert (await client.get("/nowhere")).status_code == 404


async def test_an_ipv6_caller_is_limited_by_network(house: House) -> None:
    codes = [
        (await house.client(address=f"2001:db8:0:1::{number:x}").get("/nowhere")).status_code
        for number in range(1, 14)
    ]
    assert codes == [404] * 12 + [429]
    assert (await house.client(address="2001:db8:0:2::1").get("/nowhere")).status_code == 404


async def test_a_guesser_of_keys_is_limited_by_address(acme: Firm, house: House) -> None:
    wrong = acme.api_key[:-3] + "xyz"
    codes = [(await house.client(wrong).get(WHO)).status_code for _ in range(13)]
    assert codes == [401] * 12 + [429]


async def test_a_refused_request_is_not_worked_on(acme: Firm, house: House) -> None:
    for number in range(7):
        body = {"kind": "api", "name": f"Key {number}"}
        await acme.admin.post("/int/v1/keys", json=body)
    assert await house.value("select count(*) from keys where name like 'Key %'") == 6


async def test_a_429_is_not_kept_for_its_idempotency_key(acme: Firm, house: House) -> None:
    for _ in range(6):
        await acme.admin.get("/int/v1/me")
    body, headers = {"kind": "api", "name": "Late"}, {"Idempotency-Key": "one"}
    assert (await acme.admin.post("/int/v1/keys", json=body, headers=headers)).status_code == 429
    house.clock.advance(minutes=1)
    answer = await acme.admin.post("/int/v1/keys", json=body, headers=headers)
    assert answer.status_code == 201
    assert "idempotent-replayed" not in answer.headers


async def address_of(house: House, firm: Firm, client: str, *forwarded: str) -> str:
    """Ask which address the house took a caller for."""
    heard = Heard()
    headers = [
        (b"authorization", f"Bearer {firm.token}".encode()),
        *((b"x-forwarded-for", line.encode()) for line in forwarded),
    ]
    await knock(
        house.edge, heard, method="POST", path="/int/v1/logout", headers=headers,
        client=(client, 40000),
    )  # fmt: skip
    assert heard.status == 200, heard.body
    taken: str = await house.value(
        "select address from audit_entries where action = 'operator.signed_out'"
    )
    return taken


@pytest.mark.parametrize(
    ("client", "forwarded", "taken"),
    [
        ("9.9.9.9", ["1.2.3.4"], "9.9.9.9"),
        ("10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        ("10.0.0.1", ["6.6.6.6, 1.2.3.4, 10.0.0.2"], "1.2.3.4"),
        ("10.0.0.1", ["6.6.6.6", "1.2.3.4", "10.0.0.2"], "1.2.3.4"),
        ("10.0.0.1", ["10.0.0.7, 10.0.0.2"], "10.0.0.7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4, <script>, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["1.2.3.4:5678"], "1.2.3.4"),
        ("10.0.0.1", ["[2001:db8::1]:5678"], "2001:db8::1"),
        ("::ffff:10.0.0.1", ["1.2.3.4"], "1.2.3.4"),
    ],
)
async def test_a_forwarded_address_is_believed_from_trusted_proxies_only(
    database: Database, clock: ManualClock, tmp_path: Path,
    client: str, forwarded: list[str], taken: str,
) -> None:  # fmt: skip
    house = await build(database, clock, tmp_path, trusted_proxies="10.0.0.0/8, 2001:db8:f::/48")
    firm = await house.found("Behind")
    assert await address_of(house, firm, client, *forwarded) == taken


async def test_without_trusted_proxies_a_forwarded_address_is_never_believed(
    acme: Firm, house: House
) -> None:
    client = house.client(address="10.0.0.1")
    for number in range(12):
        await client.get("/nowhere", headers={"X-Forwarded-For": f"1.1.1.{number}"})
    answer = await client.get("/nowhere", headers={"X-Forwarded-For": "1.1.1.99"})
    assert answer.status_code == 429
    assert await address_of(house, acme, "10.0.0.3", "1.2.3.4") == "10.0.0.3"


async def test_the_limit_follows_the_address_behind_the_proxy(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await build(database, clock, tmp_path, trusted_proxies="10.0.0.1", address_rate="2")
    client = house.client(address="10.0.0.1")

    async def call(address: str) -> Any:
        return (await client.get("/nowhere", headers={"X-Forwarded-For": address})).status_code

    assert [await call("1.1.1.1") for _ in range(3)] == [404, 404, 429]
    assert await call("1.1.1.2") == 404
