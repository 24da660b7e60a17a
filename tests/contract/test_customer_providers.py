"""The interface's lines on the three providers, one by one."""

from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import stage
from customers.mall import Mall
from customers.providers.issuer import AUDIENCES, Issuer
from customers.providers.lobby import Lobby
from pannier.db import Database
from pannier.kit.clock import ManualClock
from probe import refused
from stage import House

FIELDS = {"id", "name", "email", "phone"}
HERE = "/storefront/v1/customers"


@pytest.fixture
async def issuer(
    clock: ManualClock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Issuer]:
    providers = Issuer(clock, tmp_path_factory.getbasetemp())
    await providers.open()
    yield providers
    await providers.close()


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path, issuer: Issuer) -> House:
    return await stage.build(database, clock, str(tmp_path), **issuer.settings)


@pytest.fixture
async def lobby(house: House, issuer: Issuer) -> Lobby:
    lobby = Lobby(Mall(await house.found("Acme"), count(1)), issuer)
    await lobby.trust_all()
    return lobby


def login_result(body: dict[str, Any]) -> None:
    """`All login endpoints return the same login result on success.`"""
    assert body["token"].startswith("cst_live_")
    assert body["customer"].keys() >= FIELDS
    assert {name: body[name] for name in FIELDS} == {
        name: body["customer"][name] for name in FIELDS
    }


async def test_login_with_provider_a(lobby: Lobby) -> None:
    """`identityToken`, `authorizationCode`, `providerAUserId`, `name`: login result."""
    body = {
        "identityToken": lobby.issuer.token("a", email="ada@example.com", email_verified=True),
        "authorizationCode": "c0de",
        "providerAUserId": "sub-a",
        "name": "Ada",
    }
    answer = await lobby.mall.post("login-with-provider-a", **body)
    assert answer.status_code == 200, answer.text
    login_result(answer.json())
    assert answer.json()["customer"]["name"] == "Ada"


async def test_the_client_passes_name_on_the_first_sign_in(
    lobby: Lobby, clock: ManualClock
) -> None:
    """`Provider A sign-in: name and email are returned by the provider only the first time.`"""
    first = lobby.body_a(email="ada@example.com", email_verified=True)
    made = await lobby.enter("a", first)
    clock.advance(days=30)
    later = {"identityToken": lobby.issuer.token("a"), "providerAUserId": "sub-a", "name": ""}
    again = await lobby.mall.post("login-with-provider-a", **later)
    assert again.json()["customer"] == made["customer"]


async def test_login_with_provider_b(lobby: Lobby) -> None:
    """`idToken`, `clientId`: login result."""
    body = {"idToken": lobby.issuer.token("b", name="Bob"), "clientId": AUDIENCES["b"]}
    answer = await lobby.mall.post("login-with-provider-b", **body)
    assert answer.status_code == 200, answer.text
    login_result(answer.json())


async def test_login_with_provider_c(lobby: Lobby) -> None:
    """`providerCUserId`, `email`, `name`: in a live store a code completes the sign-in."""
    body = {"providerCUserId": "sub-c", "email": "cleo@example.com", "name": "Cleo"}
    refused(await lobby.mall.post("login-with-provider-c", **body), 401, "verification_required")
    code = await lobby.mall.texted()
    answer = await lobby.mall.post("verify-code", identity="cleo@example.com", code=code)
    assert answer.status_code == 200, answer.text
    login_result(answer.json())


async def test_login_with_provider_c_in_a_test_store(lobby: Lobby) -> None:
    """`providerCUserId`, `email`, `name`: login result."""
    trial = await lobby.house.found("Trial", "test")
    body = {"providerCUserId": "sub-c", "email": "cleo@example.com", "name": "Cleo"}
    answer = await trial.storefront.post(f"{HERE}/login-with-provider-c", json=body)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert shown["token"].startswith("cst_test_")
    assert {name: shown[name] for name in ("name", "email")} == {
        "name": "Cleo", "email": "cleo@example.com",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("proof", ["accessToken", "authenticationToken"])
async def test_login_with_provider_c_with_a_proof(lobby: Lobby, proof: str) -> None:
    tokens = {
        "accessToken": lobby.issuer.grant("EAAB-1"),
        "authenticationToken": lobby.issuer.token("c"),
    }
    body = {"providerCUserId": "sub-c", "email": "cleo@example.com", "name": "Cleo"}
    answer = await lobby.mall.post("login-with-provider-c", **body, **{proof: tokens[proof]})
    assert answer.status_code == 200, answer.text
    login_result(answer.json())


async def test_existing_apps_sign_in_under_the_names_they_know(
    lobby: Lobby, clock: ManualClock
) -> None:
    """The bodies that the open-source SDK of this interface sends."""
    apple = {
        "appleUserId": "sub-a",
        "identityToken": lobby.issuer.token("a"),
        "authorizationCode": "c0de",
        "email": "victim@example.com",
        "name": "Ada",
    }
    google = {"idToken": lobby.issuer.token("b"), "clientId": AUDIENCES["b"]}
    facebook = {
        "facebookUserId": "sub-c",
        "email": "cleo@example.com",
        "name": "Cleo",
        "avatarUrl": "https://example.com/c.png",
        "accessToken": lobby.issuer.grant("EAAB-1"),
    }
    known = {}
    for name, body in (("apple", apple), ("google", google), ("facebook", facebook)):
        answer = await lobby.mall.post(f"login-with-{name}", **body)
        assert answer.status_code == 200, answer.text
        login_result(answer.json())
        known[name] = answer.json()["id"]
    assert await lobby.house.value("select count(*) from customers where email like 'victim%'") == 0
    clock.advance(minutes=1)
    assert (await lobby.enter("a", lobby.body_a()))["id"] == known["apple"]
    assert (await lobby.enter("b", lobby.body_b()))["id"] == known["google"]


async def test_the_token_of_a_provider_login_opens_me(lobby: Lobby) -> None:
    done = await lobby.enter("b", lobby.body_b())
    answer = await lobby.mall.signed(done["token"]).get(f"{HERE}/me")
    assert (answer.status_code, answer.json()) == (200, done["customer"])


async def test_a_provider_that_the_store_does_not_trust_is_404(house: House, lobby: Lobby) -> None:
    rival = await house.found("Rival")
    bodies = {"a": lobby.body_a(), "b": lobby.body_b(), "c": lobby.body_c()}
    for name, body in bodies.items():
        answer = await rival.storefront.post(f"{HERE}/login-with-provider-{name}", json=body)
        refused(answer, 404, "provider_not_enabled")
