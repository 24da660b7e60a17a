"""Signing in with a provider: what is right comes in, and keys are fetched as often as is fair."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import trustme
from aiohttp import web
from joserfc import jws

import stage
from customers.mall import Mall
from customers.providers.issuer import AUDIENCES, SECRET, Issuer, ec_key, rsa_key
from customers.providers.lobby import Lobby
from pannier.customers.providers import replays
from pannier.db import Database
from pannier.kit.clock import ManualClock
from probe import paths, refused

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

ME = "/storefront/v1/customers/me"


async def test_provider_a_lets_somebody_in_and_knows_them_again(
    lobby: Lobby, clock: ManualClock
) -> None:
    body = lobby.body_a(email="ada@example.com", email_verified="true")
    first = await lobby.enter("a", body)
    made = first["customer"]
    assert (made["name"], made["email"], made["email_verified"]) == (
        "Ada Lovelace", "ada@example.com", True,
    )  # fmt: skip
    assert (await lobby.mall.signed(first["token"]).get(ME)).json() == made
    clock.advance(days=1)
    again = await lobby.enter("a", lobby.body_a(body={"name": "Somebody Else"}))
    assert (again["id"], again["name"]) == (first["id"], "Ada Lovelace")


async def test_the_name_of_provider_a_may_be_missing(lobby: Lobby) -> None:
    made = await lobby.enter("a", lobby.body_a(email="ada@example.com", body={"name": None}))
    assert made["name"] == "ada"
    body = {"name": " \u0000\n", "providerAUserId": "other"}
    made = await lobby.enter("a", lobby.body_a(sub="other", body=body))
    assert made["name"] == "Customer"


async def test_provider_b_lets_somebody_in_and_knows_them_again(
    lobby: Lobby, clock: ManualClock
) -> None:
    claims = {"email": "bob@gmail.com", "email_verified": True, "azp": "acme-ios.apps.example.com"}
    first = await lobby.enter("b", lobby.body_b(**claims))
    assert (first["name"], first["email"], first["email_verified"]) == (
        "Bob", "bob@gmail.com", True,
    )  # fmt: skip
    clock.advance(minutes=1)
    again = await lobby.enter("b", lobby.body_b(name="Robert"))
    assert (again["id"], again["name"]) == (first["id"], "Bob")


async def test_provider_c_lets_an_access_token_in_as_often_as_it_is_valid(lobby: Lobby) -> None:
    token = lobby.issuer.grant("EAAB-1")
    first = await lobby.enter("c", lobby.body_c(accessToken=token))
    assert (first["name"], first["email"], first["email_verified"]) == (
        "Cleo", "cleo@example.com", False,
    )  # fmt: skip
    again = await lobby.enter("c", lobby.body_c(accessToken=token))
    assert again["id"] == first["id"]
    assert lobby.issuer.asked["debug_token"] == 2


async def test_provider_c_is_asked_about_one_access_token_thirty_times_an_hour(
    lobby: Lobby, clock: ManualClock
) -> None:
    body = lobby.body_c(accessToken=lobby.issuer.grant("EAAB-1"))
    for _ in range(30):
        await lobby.enter("c", body)
    refused(await lobby.send("c", body), 429, "too_many_requests")
    assert lobby.issuer.asked["debug_token"] == 30
    await lobby.enter("c", lobby.body_c(accessToken=lobby.issuer.grant("EAAB-2")))
    clock.advance(hours=1, minutes=1)
    await lobby.enter("c", body)


async def test_provider_c_lets_an_authentication_token_in(lobby: Lobby) -> None:
    token = lobby.issuer.token("c", nonce="n-1", name="Cleopatra")
    body = lobby.body_c(authenticationToken=token, nonce="n-1", accessToken="")
    made = await lobby.enter("c", body)
    assert (made["name"], made["email_verified"]) == ("Cleopatra", False)


async def test_an_access_token_without_an_app_secret_cannot_be_checked(lobby: Lobby) -> None:
    await lobby.trust(c={"app_id": AUDIENCES["c"], "app_secret": None})
    token = lobby.issuer.grant("EAAB-1")
    answer = await lobby.send("c", lobby.body_c(accessToken=token))
    refused(answer, 404, "provider_not_enabled")


async def test_the_nonce_is_compared_as_each_provider_writes_it(lobby: Lobby) -> None:
    hashed = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    await lobby.enter("a", lobby.body_a(nonce=hashed, body={"nonce": "x"}))
    await lobby.enter("b", lobby.body_b(nonce="x", body={"nonce": "x"}))


@pytest.mark.parametrize("provider", ["a", "b"])
async def test_clocks_may_differ_by_a_minute(
    lobby: Lobby, provider: str, clock: ManualClock
) -> None:
    body = lobby.body_a if provider == "a" else lobby.body_b
    now = int(clock.now().timestamp())
    await lobby.enter(provider, body(sub="one", iat=now + 60, nbf=now + 60))
    await lobby.enter(provider, body(sub="two", exp=now - 59))
    old = body(sub="three", iat=now - 660)
    assert (await lobby.send(provider, old)).status_code == 200


async def test_keys_are_fetched_once_and_kept_for_an_hour(lobby: Lobby, clock: ManualClock) -> None:
    for minutes in (0, 30, 29):
        clock.advance(minutes=minutes)
        await lobby.enter("a", lobby.body_a())
    assert lobby.issuer.asked["a"] == 1
    clock.advance(minutes=1)
    await lobby.enter("a", lobby.body_a())
    assert lobby.issuer.asked["a"] == 2


@pytest.mark.parametrize(
    ("header", "minutes"), [("public, max-age=600", 10), ("max-age=0", 5), ("max-age=86400", 60)]
)
async def test_a_provider_may_want_its_keys_fetched_sooner_but_not_later(
    lobby: Lobby, clock: ManualClock, header: str, minutes: int
) -> None:
    lobby.issuer.headers["Cache-Control"] = header
    await lobby.enter("a", lobby.body_a())
    clock.advance(minutes=minutes, seconds=-1)
    await lobby.enter("a", lobby.body_a())
    assert lobby.issuer.asked["a"] == 1
    clock.advance(seconds=1)
    await lobby.enter("a", lobby.body_a())
    assert lobby.issuer.asked["a"] == 2


async def test_a_new_key_of_the_provider_works_at_once(lobby: Lobby) -> None:
    old = lobby.body_a(sub="old")
    await lobby.enter("a", lobby.body_a())
    lobby.issuer.rotate("a")
    await lobby.enter("a", lobby.body_a(sub="new"))
    refused(await lobby.send("a", old), 401, "provider_proof_invalid")
    assert lobby.issuer.asked["a"] == 2


async def test_an_unknown_key_makes_us_look_once_in_five_minutes(
    lobby: Lobby, clock: ManualClock
) -> None:
    await lobby.enter("a", lobby.body_a())
    for number in range(3):
        body = lobby.body_a(key=rsa_key("stranger"), header={"kid": f"unknown-{number}"})
        refused(await lobby.send("a", body), 401, "provider_proof_invalid")
    assert lobby.issuer.asked["a"] == 2
    clock.advance(minutes=5)
    body = lobby.body_a(key=rsa_key("stranger"), header={"kid": "unknown"})
    refused(await lobby.send("a", body), 401, "provider_proof_invalid")
    assert lobby.issuer.asked["a"] == 3


async def test_many_at_once_fetch_the_keys_once(lobby: Lobby) -> None:
    bodies = [lobby.body_a(sub=f"sub-{number}") for number in range(12)]
    answers = await asyncio.gather(*(lobby.send("a", body) for body in bodies))
    assert {answer.status_code for answer in answers} == {200}
    assert lobby.issuer.asked["a"] == 1


async def test_a_provider_that_is_away_is_503_and_touches_nobody(
    lobby: Lobby, clock: ManualClock
) -> None:
    body = lobby.body_a()
    await lobby.issuer.close()
    before = await lobby.contents()
    answer = await lobby.send("a", body)
    refused(answer, 503, "provider_unavailable")
    assert answer.headers["retry-after"]
    assert await lobby.contents() == before
    await lobby.issuer.open()
    # It is left alone for a moment, so that nobody waits for it at every request.
    refused(await lobby.send("a", body), 503, "provider_unavailable")
    assert lobby.issuer.asked["a"] == 0
    clock.advance(seconds=10)
    await lobby.enter("a", body)


async def test_keys_serve_for_a_day_while_their_provider_is_away(
    lobby: Lobby, clock: ManualClock
) -> None:
    await lobby.enter("a", lobby.body_a())
    await lobby.issuer.close()
    clock.advance(hours=23, minutes=59)
    await lobby.enter("a", lobby.body_a())
    unknown = lobby.body_a(key=rsa_key("stranger"))
    refused(await lobby.send("a", unknown), 503, "provider_unavailable")
    clock.advance(minutes=1)
    refused(await lobby.send("a", lobby.body_a()), 503, "provider_unavailable")


@pytest.mark.parametrize(
    "trouble",
    [
        web.Response(status=500, text="oops"),
        web.Response(status=302, headers={"Location": "https://127.0.0.1:1/keys"}),
        web.Response(text="<html>"),
        web.Response(text='{"keys": []}'),
        web.Response(text='{"keys": [{"kid": "a-1", "kty": "oct", "k": "AAAA"}]}'),
        web.Response(text='{"keys": 1}'),
        web.Response(body=b"[" + b" " * 300_000),
    ],
    ids=["error", "redirection", "page", "nothing", "symmetric", "number", "huge"],
)
async def test_what_is_no_set_of_keys_is_none(lobby: Lobby, trouble: web.Response) -> None:
    lobby.issuer.trouble = trouble
    refused(await lobby.send("a", lobby.body_a()), 503, "provider_unavailable")


async def test_keys_of_other_kinds_in_the_set_do_no_harm(lobby: Lobby) -> None:
    lobby.issuer.published["a"] = [ec_key("odd"), lobby.issuer.published["a"][0]]
    await lobby.enter("a", lobby.body_a(key=lobby.issuer.published["a"][1]))
    body = lobby.body_a(key=ec_key("odd"), header={"alg": "ES256"})
    refused(await lobby.send("a", body), 401, "provider_proof_invalid")


async def test_a_provider_whose_certificate_nobody_vouches_for_is_not_asked(lobby: Lobby) -> None:
    await lobby.issuer.close()
    await lobby.issuer.open(trustme.CA())
    refused(await lobby.send("a", lobby.body_a()), 503, "provider_unavailable")
    assert lobby.issuer.asked["a"] == 0


async def test_where_it_is_set_so_elliptic_keys_serve(
    database: Database, clock: ManualClock, issuer: Issuer, tmp_path: Path
) -> None:
    settings = issuer.settings | {"provider_a_algorithm": "ES256"}
    house = await stage.build(database, clock, str(tmp_path), **settings)
    firm = await house.found("Curve")
    lobby = Lobby(Mall(firm, iter(())), issuer)  # type: ignore[arg-type]  # nobody needs a number
    await lobby.trust_all()
    issuer.published["a"] = [ec_key("curve")]
    await lobby.enter("a", lobby.body_a(header={"alg": "ES256"}))
    body = lobby.body_a(key=rsa_key("a-1"))
    refused(await lobby.send("a", body), 401, "provider_proof_invalid")


async def test_a_lost_answer_can_be_asked_for_again(lobby: Lobby, clock: ManualClock) -> None:
    body = lobby.body_a()
    first = await lobby.enter("a", body)
    clock.advance(seconds=119)
    again = await lobby.enter("a", body)
    assert again["id"] == first["id"]
    assert again["token"] != first["token"]
    clock.advance(seconds=1)
    refused(await lobby.send("a", body), 401, "provider_proof_replayed")


async def test_with_an_idempotency_key_the_first_answer_comes_again_whatever_became_of_the_token(
    lobby: Lobby, clock: ManualClock
) -> None:
    body = lobby.body_a()
    key = {"Idempotency-Key": "sign-in-1"}
    first = await lobby.send("a", body, **key)
    await lobby.issuer.close()
    clock.advance(hours=5)
    again = await lobby.send("a", body, **key)
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    other = await lobby.send("a", {**body, "name": "Eve"}, **key)
    refused(other, 409, "idempotency_key_reused")


async def test_no_transaction_is_open_while_a_provider_is_asked(
    lobby: Lobby,
) -> None:
    """Slow providers must not hold up the database: the key is claimed after they answered."""
    seen: list[int] = []

    @web.middleware
    async def look(request: web.Request, handler: Any) -> web.StreamResponse:
        seen.append(
            await lobby.house.value(
                """select count(*) from pg_stat_activity where datname = current_database()
                   and state like 'idle in transaction%' and application_name = 'pannier'"""
            )
        )
        return await handler(request)

    await lobby.issuer.close()
    lobby.issuer.middlewares.append(look)
    await lobby.issuer.open()
    token = lobby.issuer.grant("EAAB-1")
    await lobby.enter("a", lobby.body_a(), **{"Idempotency-Key": "1"})
    await lobby.enter("c", lobby.body_c(accessToken=token), **{"Idempotency-Key": "2"})
    assert seen == [0, 0, 0]


async def test_five_failures_a_minute_are_enough_for_one_address(
    lobby: Lobby, clock: ManualClock
) -> None:
    for _ in range(5):
        body = lobby.body_a(aud="another")
        refused(await lobby.send("a", body), 401, "provider_proof_invalid")
    refused(await lobby.send("a", lobby.body_a()), 429, "too_many_requests")
    other = lobby.house.client(lobby.firm.storefront_key, address="192.0.2.9")
    path = "/storefront/v1/customers/login-with-provider-a"
    assert (await other.post(path, json=lobby.body_a())).status_code == 200
    clock.advance(minutes=1)
    await lobby.enter("a", lobby.body_a(sub="another"))


async def test_an_authorization_code_is_exchanged_where_the_store_can(
    lobby: Lobby, clock: ManualClock
) -> None:
    key = ec_key("team-key")
    pem = key.as_pem(private=True).decode()
    trust = {"audiences": [AUDIENCES["a"]], "team_id": "TEAM", "key_id": "team-key"}
    await lobby.trust(a={**trust, "private_key": pem})
    lobby.issuer.codes["c0de"] = "sub-a"
    body = lobby.body_a()
    await lobby.enter("a", body)
    (form,) = lobby.issuer.exchanges
    assert (form["grant_type"], form["client_id"]) == ("authorization_code", AUDIENCES["a"])
    secret = jws.deserialize_compact(form["client_secret"], key, algorithms=["ES256"])
    said = secret.payload
    assert secret.headers()["kid"] == "team-key"
    for part in (b'"iss":"TEAM"', b'"aud":"https://a.provider.test"', b'"sub":"com.acme.shop"'):
        assert part in said.replace(b": ", b":")
    # A retry after a lost answer brings a code that is used up.
    await lobby.enter("a", body)
    assert len(lobby.issuer.exchanges) == 1
    clock.advance(minutes=3)
    refused(await lobby.send("a", body), 401, "provider_proof_replayed")


async def test_a_code_that_is_wrong_somebody_elses_or_missing_lets_nobody_in(lobby: Lobby) -> None:
    pem = ec_key("team-key").as_pem(private=True).decode()
    trust = {"audiences": [AUDIENCES["a"]], "team_id": "TEAM", "key_id": "team-key"}
    await lobby.trust(a={**trust, "private_key": pem})
    before = await lobby.contents()
    lobby.issuer.codes["other"] = "somebody"
    for code in ("wrong", "other"):
        body = lobby.body_a(body={"authorizationCode": code})
        refused(await lobby.send("a", body), 401, "provider_proof_invalid")
    missing = lobby.body_a(body={"authorizationCode": ""})
    assert paths(await lobby.send("a", missing)) == ["authorizationCode"]
    await lobby.issuer.close()
    refused(await lobby.send("a", lobby.body_a()), 503, "provider_unavailable")
    assert await lobby.contents() == before


async def test_provider_c_being_away_is_503(lobby: Lobby) -> None:
    token = lobby.issuer.grant("EAAB-1")
    body = lobby.body_c(accessToken=token)
    for trouble in (web.Response(status=500), web.Response(status=429), web.Response(text="[]")):
        lobby.issuer.trouble = trouble
        refused(await lobby.send("c", body), 503, "provider_unavailable")
    await lobby.issuer.close()
    refused(await lobby.send("c", body), 503, "provider_unavailable")


async def test_what_is_used_up_is_forgotten_when_it_works_no_more(
    lobby: Lobby, clock: ManualClock
) -> None:
    await lobby.enter("a", lobby.body_a())
    await lobby.send("c", lobby.body_c())
    assert await lobby.count("provider_replays") == 2
    clock.advance(minutes=10, seconds=59)
    await replays.sweep(lobby.house.database)
    assert await lobby.count("provider_replays") == 1
    assert await lobby.count("customer_pending_links") == 0
    clock.advance(seconds=1)
    assert await replays.sweep(lobby.house.database)
    assert await lobby.count("provider_replays") == 0
    assert not await replays.sweep(lobby.house.database)


async def test_neither_token_nor_secret_is_in_the_database(lobby: Lobby) -> None:
    body = lobby.body_a()
    await lobby.enter("a", body)
    access = lobby.issuer.grant("EAAB-very-secret")
    await lobby.enter("c", lobby.body_c(accessToken=access))
    tables = await lobby.house.value(
        "select array_agg(tablename::text) from pg_tables where schemaname = 'public'"
    )
    for table in tables:
        text = await lobby.house.value(f"select coalesce(json_agg(t)::text, '') from {table} t")
        for secret in (SECRET, access, body["identityToken"]):
            assert secret not in text, table
