"""A customer who is signed in lists, adds and removes the providers that lead to them."""

from typing import Any

import httpx
import pytest

from customers.mall import EMAIL, PHONE
from customers.providers.lobby import Lobby
from pannier.kit.clock import ManualClock
from probe import refused

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

HERE = "/storefront/v1/customers"


async def link(client: httpx.AsyncClient, provider: str, body: dict[str, Any]) -> httpx.Response:
    return await client.post(f"{HERE}/link-provider-{provider}", json=body)


async def listed(client: httpx.AsyncClient) -> list[Any]:
    shown: list[Any] = (await client.get(f"{HERE}/providers")).json()
    return shown


async def test_providers_are_added_listed_and_removed(lobby: Lobby, clock: ManualClock) -> None:
    ada, client = await lobby.mall.visitor(phone=PHONE)
    assert await listed(client) == []
    added = await link(client, "b", lobby.body_b(sub="sub-b", email=EMAIL))
    assert added.status_code == 200, added.text
    assert await listed(client) == [added.json()]
    assert (added.json()["provider"], added.json()["email"]) == ("b", EMAIL)
    told = await lobby.mall.message()
    assert (told["to"], "with Google" in told["text"]) == (PHONE, True)
    entered = await lobby.enter("b", lobby.body_b(sub="sub-b", email=EMAIL))
    assert entered["id"] == ada["id"]
    clock.advance(minutes=11)
    path = f"{HERE}/providers/{added.json()['id']}"
    refused(await client.delete(path), 403, "fresh_sign_in_required")
    await client.post(f"{HERE}/request-confirmation")
    await client.post(f"{HERE}/confirm", json={"code": await lobby.mall.texted()})
    assert (await client.delete(path)).status_code == 200
    assert await listed(client) == []
    there = lobby.mall.signed(entered["token"])
    refused(await there.get(f"{HERE}/me"), 401, "customer_token_invalid")
    refused(await client.delete(path), 404, "not_found")
    again = await lobby.enter("b", lobby.body_b(sub="sub-b", email="bob@example.net"))
    assert again["id"] != ada["id"]


async def test_a_stolen_token_adds_no_provider(lobby: Lobby, clock: ManualClock) -> None:
    _, client = await lobby.mall.visitor(phone=PHONE)
    clock.advance(minutes=11)
    answer = await link(client, "b", lobby.body_b(sub="sub-b"))
    refused(answer, 403, "fresh_sign_in_required")
    assert await listed(client) == []


async def test_the_last_way_in_stays(lobby: Lobby) -> None:
    made = await lobby.enter("a", lobby.body_a(sub="sub-a"))
    client = lobby.mall.signed(made["token"])
    [only] = await listed(client)
    refused(await client.delete(f"{HERE}/providers/{only['id']}"), 409, "last_way_in")
    assert (await link(client, "b", lobby.body_b(sub="sub-b"))).status_code == 200
    assert (await client.delete(f"{HERE}/providers/{only['id']}")).status_code == 200
    [left] = await listed(client)
    refused(await client.delete(f"{HERE}/providers/{left['id']}"), 409, "last_way_in")


async def test_who_is_anothers_already_is_not_taken_from_them(lobby: Lobby) -> None:
    bob = await lobby.enter("b", lobby.body_b(sub="sub-b"))
    _, eve = await lobby.mall.visitor(name="Eve")
    refused(await link(eve, "b", lobby.body_b(sub="sub-b")), 409, "provider_taken")
    [his] = await listed(lobby.mall.signed(bob["token"]))
    refused(await eve.delete(f"{HERE}/providers/{his['id']}"), 404, "not_found")
    assert (await lobby.enter("b", lobby.body_b(sub="sub-b")))["id"] == bob["id"]


async def test_provider_c_is_added_with_a_proof_only(lobby: Lobby) -> None:
    _, client = await lobby.mall.visitor(phone=PHONE)
    refused(await link(client, "c", lobby.body_c()), 401, "provider_proof_required")
    assert await listed(client) == []


async def test_nobody_has_a_store_tell_them_of_providers_without_end(lobby: Lobby) -> None:
    _, client = await lobby.mall.visitor(phone=PHONE)
    for turn in range(5):
        added = await link(client, "b", lobby.body_b(sub="sub-b", jti=f"{turn}"))
        assert added.status_code == 200, added.text
        path = f"{HERE}/providers/{added.json()['id']}"
        assert (await client.delete(path)).status_code == 200
    refused(await link(client, "b", lobby.body_b(sub="sub-b", jti="5")), 429, "too_many_requests")
    assert await listed(client) == []
