"""Decisions §2: the tokens of operators, customers and drivers, alike whoever holds them."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count
from random import randrange
from typing import Any, Final, NamedTuple

import httpx
import pytest

from customers.mall import Mall
from fleet.depot import Depot
from fleet.test_signin import signed_in
from pannier.kit.clock import ManualClock
from probe import refused
from stage import PASSWORD, Firm, House


class Visit(NamedTuple):
    """Somebody who is signed in: their client, a door of theirs, and where operators see them."""

    client: httpx.AsyncClient
    token: str
    door: str
    desk: str


async def operator(firm: Firm) -> Visit:
    email = f"{randrange(10**9)}@example.com"
    body = {"email": email, "name": "Ada", "role": "viewer", "password": PASSWORD}
    made = (await firm.admin.post("/int/v1/operators", json=body)).json()
    login = {"email": email, "password": PASSWORD}
    token = (await firm.house.client().post("/int/v1/login", json=login)).json()["token"]
    desk = f"/int/v1/operators/{made['id']}/tokens"
    return Visit(firm.house.client(token), token, "/int/v1/me", desk)


async def customer(firm: Firm) -> Visit:
    mall = Mall(firm, count(randrange(10**6)))
    made = await mall.registered()
    desk = f"/int/v1/customers/{made['id']}/tokens"
    token = made["token"]
    return Visit(mall.signed(token), token, "/storefront/v1/customers/me", desk)


async def driver(firm: Firm) -> Visit:
    phone = f"+659{randrange(10**7):07}"
    made = await Depot(firm).driver(phone=phone)
    token = (await signed_in(firm, phone))["token"]
    desk = f"/int/v1/drivers/{made['id']}/tokens"
    return Visit(firm.house.client(token), token, "/v1/drivers/me", desk)


Enter = Callable[[Firm], Awaitable[Visit]]
WHO: Final = {"operator": operator, "customer": customer, "driver": driver}
CODES: Final = {"customer": "customer_token_invalid"}
OWN: Final = {
    "operator": "/int/v1/sessions",
    "customer": "/storefront/v1/customers/sessions",
    "driver": "/v1/drivers/sessions",
}


def out(answer: httpx.Response, who: str) -> None:
    refused(answer, 401, CODES.get(who, "unauthenticated"))


@pytest.mark.parametrize("who", WHO)
async def test_all_tokens_live_in_one_store(acme: Firm, house: House, who: str) -> None:
    visit = await WHO[who](acme)
    found = await house.value(
        "select kind from tokens where public_id = :id", id=f"session_{visit.token.split('_')[2]}"
    )
    assert found == who
    everything = await house.value("select json_agg(t)::text from tokens t")
    assert visit.token.rpartition("_")[2] not in everything


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("by", ["holder", "operator"])
async def test_listable_and_revocable_by_its_holder_and_by_an_operator(
    acme: Firm, who: str, by: str
) -> None:
    """`after revocation the very next request is 401`."""
    visit = await WHO[who](acme)
    asking, path = (visit.client, OWN[who]) if by == "holder" else (acme.admin, visit.desk)
    listed: Any = (await asking.get(path)).json()
    [row] = listed["data"] if isinstance(listed, dict) else listed
    assert row["id"] == f"session_{visit.token.split('_')[2]}"
    assert row["current"] is (by == "holder")
    assert (await visit.client.get(visit.door)).status_code == 200
    assert (await asking.delete(f"{path}/{row['id']}")).json() == {"status": "ok"}
    out(await visit.client.get(visit.door), who)


@pytest.mark.parametrize("who", WHO)
async def test_another_companys_operator_finds_nothing_to_revoke(
    acme: Firm, rival: Firm, who: str
) -> None:
    visit = await WHO[who](acme)
    name = f"session_{visit.token.split('_')[2]}"
    for method, path in (("GET", visit.desk), ("DELETE", visit.desk)):
        refused(await rival.admin.request(method, path), 404, "not_found")
    refused(await rival.admin.delete(f"{visit.desk}/{name}"), 404, "not_found")
    foreign = await WHO[who](rival)
    refused(await rival.admin.delete(f"{foreign.desk}/{name}"), 404, "not_found")
    assert (await visit.client.get(visit.door)).status_code == 200


LIVES: Final = {
    "operator": timedelta(days=7),
    "customer": timedelta(days=180),
    "driver": timedelta(days=180),
}


@pytest.mark.parametrize("who", WHO)
async def test_however_much_it_is_used_it_ends_by_its_age(
    acme: Firm, clock: ManualClock, who: str
) -> None:
    visit = await WHO[who](acme)
    for _ in range(3):
        clock.advance(seconds=LIVES[who].total_seconds() / 4)
        assert (await visit.client.get(visit.door)).status_code == 200
    clock.advance(seconds=LIVES[who].total_seconds() / 4 - 1)
    assert (await visit.client.get(visit.door)).status_code == 200
    clock.advance(seconds=1)
    out(await visit.client.get(visit.door), who)


@pytest.mark.parametrize("who", WHO)
async def test_a_token_opens_no_door_of_another_kind(acme: Firm, who: str) -> None:
    visit = await WHO[who](acme)
    for other, door in (
        ("operator", "/int/v1/me"),
        ("customer", "/storefront/v1/customers/me"),
        ("driver", "/v1/drivers/me"),
    ):
        if other != who:
            plain = acme.house.client(visit.token)
            assert (await plain.get(door)).status_code == 401
            shop = acme.house.client(acme.storefront_key, **{"Customer-Token": visit.token})
            assert (await shop.get("/storefront/v1/customers/me")).status_code == (
                200 if who == "customer" else 401
            )


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("wrong", ["secret", "mode", "kind", "short", "long"])
async def test_a_token_that_differs_in_anything_is_401(acme: Firm, who: str, wrong: str) -> None:
    visit = await WHO[who](acme)
    kind, mode, name, secret = visit.token.split("_")
    text = {
        "secret": f"{kind}_{mode}_{name}_{secret[:-1]}{'a' if secret[-1] != 'a' else 'b'}",
        "mode": f"{kind}_test_{name}_{secret}",
        "kind": f"dvc_{mode}_{name}_{secret}",
        "short": f"{kind}_{mode}_{name}",
        "long": f"{visit.token}_{secret}",
    }[wrong]
    header = "Customer-Token" if who == "customer" else "Authorization"
    value = text if who == "customer" else f"Bearer {text}"
    answer = await visit.client.get(visit.door, headers={header: value})
    out(answer, who)
    assert (await visit.client.get(visit.door)).status_code == 200
