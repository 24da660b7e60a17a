"""Which account a provider's word leads to, and that nobody waits in it for its owner."""

import asyncio
from typing import Any

import httpx
import pytest

from customers.mall import EMAIL, PASSWORD, PHONE
from customers.providers.issuer import AUDIENCES, ec_key
from customers.providers.lobby import Lobby
from pannier.customers import identities, service
from pannier.customers.service import StoreRef
from pannier.kit.clock import ManualClock
from probe import paths, refused
from program import PATIENCE

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

ME = "/storefront/v1/customers/me"
HERE = "/storefront/v1/customers"
VERIFIED = {"email": EMAIL, "email_verified": True}


async def alive(lobby: Lobby, token: str) -> bool:
    return (await lobby.mall.signed(token).get(ME)).status_code == 200


async def links(lobby: Lobby) -> list[Any]:
    """Read who is linked to whom, and whether that was proved."""
    found: list[Any] = await lobby.house.value(
        """select coalesce(json_agg(json_build_array(i.provider, i.subject, c.public_id, i.verified)
               order by i.provider, i.subject)::jsonb, '[]')
           from customer_identities i join customers c on c.uuid = i.customer"""
    )
    return found


async def messages(lobby: Lobby, words: str) -> list[Any]:
    found: list[Any] = await lobby.house.value(
        """select coalesce(json_agg(json_build_array(channel, recipient) order by channel)::jsonb,
               '[]') from messages where body like :words""",
        words=f"%{words}%",
    )
    return found


async def test_an_address_verified_on_both_sides_links_and_both_channels_are_told(
    lobby: Lobby, clock: ManualClock
) -> None:
    ada, client = await lobby.mall.visitor(email=EMAIL)
    await client.post(f"{HERE}/request-phone-verification", json={"phone": PHONE})
    await client.post(f"{HERE}/verify-phone-number", json={"code": await lobby.mall.texted()})
    done = await lobby.enter("a", lobby.body_a(**VERIFIED))
    assert (done["id"], done["name"]) == (ada["id"], "Ada")
    assert await links(lobby) == [["a", "sub-a", ada["id"], True]]
    assert await messages(lobby, "You can now sign in to % with Apple") == [
        ["email", EMAIL], ["sms", PHONE],
    ]  # fmt: skip
    clock.advance(minutes=1)
    await lobby.enter("a", lobby.body_a())
    assert len(await messages(lobby, "You can now sign in")) == 2


async def test_two_providers_with_one_verified_address_are_one_customer(lobby: Lobby) -> None:
    first = await lobby.enter("a", lobby.body_a(email="ada@gmail.com", email_verified=True))
    second = await lobby.enter("b", lobby.body_b(email="Ada@Gmail.com", email_verified=True))
    assert first["id"] == second["id"]
    assert await lobby.count("customers") == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"email": EMAIL},
        {"email": EMAIL, "email_verified": False},
        {"email": EMAIL, "email_verified": "false"},
        {"email": EMAIL, "email_verified": "yes"},
        {**VERIFIED, "is_private_email": "true"},
    ],
    ids=["silent", "unverified", "unverified in words", "odd", "private"],
)
async def test_an_address_that_provider_a_does_not_vouch_for_never_links(
    lobby: Lobby, claims: dict[str, Any]
) -> None:
    ada = await lobby.mall.registered(email=EMAIL)
    eve = await lobby.enter("a", lobby.body_a(**claims))
    assert eve["id"] != ada["id"]
    assert (eve["email"], eve["email_verified"]) == (EMAIL, False)
    assert await alive(lobby, ada["token"])
    code = await lobby.mall.post("forgot-password", identity=EMAIL)
    assert code.status_code == 200


@pytest.mark.parametrize(
    ("claims", "linked"),
    [
        ({"email": "ada@gmail.com", "email_verified": True}, True),
        ({"email": "ada@gmail.com", "email_verified": False}, False),
        ({"email": "ada@gmail.com"}, False),
        ({"email": "ada@acme.test", "email_verified": True, "hd": "acme.test"}, True),
        ({"email": "ada@acme.test", "email_verified": True}, False),
        ({"email": "ada@acme.test", "email_verified": False, "hd": "acme.test"}, False),
        ({"email": "ada@gmail.com.evil.test", "email_verified": True}, False),
        ({"email": "ada@notgmail.com", "email_verified": True}, False),
    ],
)
async def test_provider_b_vouches_only_for_mailboxes_that_it_keeps(
    lobby: Lobby,
    claims: dict[str, Any],
    linked: bool,  # noqa: FBT001 - a column of the table
) -> None:
    ada = await lobby.mall.registered(email=claims["email"])
    done = await lobby.enter("b", lobby.body_b(**claims))
    assert (done["id"] == ada["id"]) is linked
    assert done["email_verified"] is linked


@pytest.mark.parametrize("proof", ["accessToken", "authenticationToken"])
async def test_the_address_of_provider_c_never_links(lobby: Lobby, proof: str) -> None:
    ada = await lobby.mall.registered(email="cleo@example.com")
    token = lobby.issuer.grant("EAAB-1")
    if proof == "authenticationToken":
        token = lobby.issuer.token("c", email="cleo@example.com", email_verified=True)
    done = await lobby.enter("c", lobby.body_c(**{proof: token}))
    assert done["id"] != ada["id"]
    assert done["email_verified"] is False


async def test_a_private_address_belongs_to_the_new_customer(lobby: Lobby) -> None:
    relay = "x7@privaterelay.example.com"
    claims = {"email": relay, "email_verified": "true", "is_private_email": "true"}
    made = await lobby.enter("a", lobby.body_a(**claims))
    assert (made["email"], made["email_verified"]) == (relay, True)


async def test_an_odd_address_of_a_provider_is_as_good_as_none(lobby: Lobby) -> None:
    made = await lobby.enter("a", lobby.body_a(email="no address", email_verified=True))
    assert (made["email"], made["name"]) == (None, "Ada Lovelace")


# The five ways of being in an account before its owner comes.


async def test_who_registered_with_anothers_address_shares_nothing_with_its_owner(
    lobby: Lobby,
) -> None:
    """Classic-federated merge: a password account with the victim's address waits for them."""
    eve = await lobby.mall.registered(phone=PHONE, email=EMAIL, password=PASSWORD)
    ada = await lobby.enter("a", lobby.body_a(**VERIFIED))
    assert ada["id"] != eve["id"]
    assert (ada["email"], ada["email_verified"]) == (EMAIL, True)
    wrong = await lobby.mall.post("login", identity=EMAIL, password=PASSWORD)
    refused(wrong, 401, "invalid_credentials")
    # The phone was proved, so it and its password still open the account it belongs to.
    own = await lobby.mall.post("login", identity=PHONE, password=PASSWORD)
    assert (own.json()["id"], own.json()["email"]) == (eve["id"], None)


async def test_a_session_from_before_does_not_see_the_owners_account(lobby: Lobby) -> None:
    """Unexpired session: whoever only said the address is signed out when it is proved."""
    eve = await lobby.mall.registered(phone=PHONE, email=EMAIL)
    ada = await lobby.enter("a", lobby.body_a(**VERIFIED))
    assert not await alive(lobby, eve["token"])
    assert await alive(lobby, ada["token"])


async def test_a_providers_subject_from_before_does_not_open_the_owners_account(
    lobby: Lobby, clock: ManualClock
) -> None:
    """Trojan identifier: the attacker's own subject, with the victim's address unverified."""
    trojan = await lobby.enter("a", lobby.body_a(sub="evil", email=EMAIL, email_verified=False))
    password = await lobby.mall.signed(trojan["token"]).patch(ME, json={"password": PASSWORD})
    assert password.status_code == 200, password.text
    ada = await lobby.enter("b", lobby.body_b(**VERIFIED, hd="example.com"))
    assert ada["id"] != trojan["id"]
    assert not await alive(lobby, trojan["token"])
    unproved = await lobby.house.value(
        "select password_hash from customers where public_id = :id", id=trojan["id"]
    )
    assert unproved is None
    clock.advance(minutes=1)
    again = await lobby.enter("a", lobby.body_a(sub="evil", email=EMAIL, email_verified=False))
    assert again["id"] == trojan["id"]


async def test_codes_that_are_under_way_die_when_the_address_is_proved(lobby: Lobby) -> None:
    """Unexpired change: what was begun with the address before ends with the proof."""
    await lobby.mall.post("request-creation-code", email=EMAIL)
    code = await lobby.mall.texted()
    ada = await lobby.enter("a", lobby.body_a(**VERIFIED))
    late = await lobby.mall.post("", name="Eve", email=EMAIL, code=code)
    refused(late, 422, "invalid_code")
    assert await alive(lobby, ada["token"])


async def test_a_provider_that_verifies_nothing_leads_nowhere(
    lobby: Lobby, clock: ManualClock
) -> None:
    """Non-verifying provider: the victim's address on an account of provider C."""
    token = lobby.issuer.grant("EAAB-evil", user="evil")
    lobby.issuer.people[token]["email"] = EMAIL
    eve = await lobby.enter("c", lobby.body_c(providerCUserId="evil", accessToken=token))
    ada = await lobby.enter("a", lobby.body_a(**VERIFIED))
    assert ada["id"] != eve["id"]
    clock.advance(minutes=1)
    again = await lobby.enter("c", lobby.body_c(providerCUserId="evil", accessToken=token))
    assert (again["id"], again["email"]) == (eve["id"], None)


# Provider C without a proof.


async def stepped_up(lobby: Lobby, **body: Any) -> httpx.Response:
    asked = await lobby.send("c", lobby.body_c(**body))
    refused(asked, 401, "verification_required")
    sent = await lobby.mall.message()
    code = await lobby.mall.texted()
    return await lobby.mall.post("verify-code", identity=sent["to"], code=code)


async def test_a_word_without_a_proof_is_completed_by_a_code(lobby: Lobby) -> None:
    answer = await lobby.send("c", lobby.body_c())
    told = refused(answer, 401, "verification_required")
    assert (told["method"], told["expires_in"], told["resend_after"]) == ("email", 600, 30)
    assert await lobby.count("customers") == 0
    sent = await lobby.mall.message()
    assert (sent["channel"], sent["to"]) == ("email", "cleo@example.com")
    body = {"identity": "cleo@example.com", "code": await lobby.mall.texted()}
    done = await lobby.mall.post("verify-code", **body)
    assert done.status_code == 200, done.text
    made = done.json()["customer"]
    assert (made["name"], made["email_verified"]) == ("Cleo", True)
    refused(await lobby.mall.post("verify-code", **body), 422, "invalid_code")


async def test_the_answer_is_the_same_whether_or_not_there_is_an_account(lobby: Lobby) -> None:
    await lobby.mall.registered(email="cleo@example.com")
    known = refused(await lobby.send("c", lobby.body_c()), 401, "verification_required")
    other = lobby.body_c(email="nobody@example.com", providerCUserId="other")
    unknown = refused(await lobby.send("c", other), 401, "verification_required")
    assert known | {"request_id": ""} == unknown | {"request_id": ""}


async def test_a_code_leads_to_the_account_that_has_the_mailbox(lobby: Lobby) -> None:
    cleo = await lobby.mall.registered(email="cleo@example.com")
    done = await stepped_up(lobby)
    assert done.json()["id"] == cleo["id"]


async def test_asking_again_at_once_is_too_soon(lobby: Lobby) -> None:
    await lobby.send("c", lobby.body_c())
    refused(await lobby.send("c", lobby.body_c()), 429, "too_many_requests")


async def test_an_announcement_is_over_after_ten_minutes(lobby: Lobby, clock: ManualClock) -> None:
    await lobby.send("c", lobby.body_c())
    code = await lobby.mall.texted()
    clock.advance(minutes=10)
    late = await lobby.mall.post("verify-code", identity="cleo@example.com", code=code)
    refused(late, 410, "code_expired")
    assert await lobby.count("customers") == 0


async def test_an_announced_subject_opens_nothing_to_its_real_owner_or_to_anybody(
    lobby: Lobby, clock: ManualClock
) -> None:
    """Anybody can announce a subject with a mailbox of their own, and wait there for its owner."""
    eve = await stepped_up(lobby, email="eve@example.com")
    assert await links(lobby) == [["c", "sub-c", eve.json()["id"], False]]
    token = lobby.issuer.grant("EAAB-1")
    cleo = await lobby.enter("c", lobby.body_c(accessToken=token))
    assert cleo["id"] != eve.json()["id"]
    assert await links(lobby) == [["c", "sub-c", cleo["id"], True]]
    clock.advance(minutes=1)
    again = await stepped_up(lobby, email="eve@example.com")
    assert again.json()["id"] == eve.json()["id"]
    assert await links(lobby) == [["c", "sub-c", cleo["id"], True]]


async def test_announcing_ones_own_subject_with_anothers_mailbox_gives_no_way_in(
    lobby: Lobby, clock: ManualClock
) -> None:
    """The attacker announces right before the victim types the code that the victim asked for."""
    ada = await lobby.mall.registered(email=EMAIL)
    clock.advance(minutes=1)
    await lobby.send("c", lobby.body_c(providerCUserId="ada-c", email=EMAIL))
    clock.advance(seconds=31)
    await lobby.send("c", lobby.body_c(providerCUserId="evil", email=EMAIL))
    done = await lobby.mall.post("verify-code", identity=EMAIL, code=await lobby.mall.texted())
    assert done.json()["id"] == ada["id"]
    token = lobby.issuer.grant("EAAB-evil", user="evil")
    eve = await lobby.enter("c", lobby.body_c(providerCUserId="evil", accessToken=token))
    assert eve["id"] != ada["id"]


async def test_on_trust_somebody_gets_an_account_of_their_own_and_nothing_else(
    lobby: Lobby, clock: ManualClock
) -> None:
    ada = await lobby.mall.registered(email="cleo@example.com")
    await lobby.trust_all(mode="trust_client")
    first = await lobby.enter("c", lobby.body_c())
    assert first["id"] != ada["id"]
    assert (first["email"], first["email_verified"]) == ("cleo@example.com", False)
    clock.advance(minutes=1)
    assert (await lobby.enter("c", lobby.body_c()))["id"] == first["id"]
    client = lobby.mall.signed(first["token"])
    asked = await client.post(f"{HERE}/request-phone-verification", json={"phone": PHONE})
    refused(asked, 403, "sign_in_unproved")
    refused(
        await client.post(f"{HERE}/verify-phone-number", json={"code": "123456"}),
        403, "sign_in_unproved",
    )  # fmt: skip
    for action in ("payment-ephemeral-key", "payment-setup-intent"):
        refused(await client.post(f"{HERE}/{action}", json={}), 403, "sign_in_unproved")


async def test_on_trust_nobody_sets_a_password_that_would_shut_the_account(
    lobby: Lobby, clock: ManualClock
) -> None:
    await lobby.trust_all(mode="trust_client")
    first = await lobby.enter("c", lobby.body_c())
    changed = await lobby.mall.signed(first["token"]).patch(ME, json={"password": PASSWORD})
    refused(changed, 403, "sign_in_unproved")
    clock.advance(minutes=1)
    assert (await lobby.enter("c", lobby.body_c()))["id"] == first["id"]
    token = lobby.issuer.grant("EAAB-1")
    owner = await lobby.enter("c", lobby.body_c(accessToken=token))
    assert owner["id"] != first["id"]


async def test_a_link_to_an_account_that_was_closed_leads_to_a_new_one(
    lobby: Lobby, clock: ManualClock
) -> None:
    first = await lobby.enter("a", lobby.body_a(**VERIFIED))
    close = f"/int/v1/customers/{first['id']}/close"
    assert (await lobby.firm.admin.post(close, json={"reason": "Asked."})).status_code == 200
    clock.advance(minutes=1)
    second = await lobby.enter("a", lobby.body_a(**VERIFIED))
    assert second["id"] != first["id"]
    assert not await alive(lobby, first["token"])


async def test_a_subject_is_somebody_else_in_another_store(lobby: Lobby, elsewhere: Lobby) -> None:
    await elsewhere.trust_all()
    here = await lobby.enter("a", lobby.body_a(**VERIFIED))
    there = await elsewhere.enter("a", elsewhere.body_a(**VERIFIED, jti="2"))
    assert here["id"] != there["id"]
    answer = await elsewhere.mall.signed(here["token"]).get(ME)
    refused(answer, 401, "customer_token_invalid")


# Races.


async def test_many_first_sign_ins_of_one_subject_make_one_customer(lobby: Lobby) -> None:
    bodies = [lobby.body_a(**VERIFIED, jti=str(number)) for number in range(8)]
    done = await asyncio.gather(*(lobby.enter("a", body) for body in bodies))
    assert len({one["id"] for one in done}) == 1
    assert await lobby.count("customers") == 1
    assert await lobby.count("tokens where kind = 'customer'") == 8


async def test_first_sign_ins_by_two_providers_with_one_address_make_one_customer(
    lobby: Lobby,
) -> None:
    claims = {"email": "ada@gmail.com", "email_verified": True}
    bodies = [("a", lobby.body_a(**claims, jti=str(number))) for number in range(4)]
    bodies += [("b", lobby.body_b(**claims, jti=str(number))) for number in range(4)]
    done = await asyncio.gather(*(lobby.enter(name, body) for name, body in bodies))
    assert len({one["id"] for one in done}) == 1
    assert await lobby.count("customer_identities") == 2


async def waiting(lobby: Lobby) -> None:
    """Let the other tasks run until somebody waits for a row."""
    async with asyncio.timeout(PATIENCE):
        while not await lobby.house.value(  # noqa: ASYNC110 - PostgreSQL tells only when asked
            """select exists(select from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock')"""
        ):
            await asyncio.sleep(0.01)


async def test_somebody_who_registers_meanwhile_is_found_in_a_second_run(lobby: Lobby) -> None:
    """Registering does not line up with us; and the code was exchanged in the first run."""
    pem = ec_key("team-key").as_pem(private=True).decode()
    exchange = {"team_id": "TEAM", "key_id": "team-key", "private_key": pem}
    await lobby.trust(a={"audiences": [AUDIENCES["a"]], **exchange})
    lobby.issuer.codes["c0de"] = "sub-a"
    store = StoreRef(lobby.firm.uuid, await lobby.house.value("select uuid from stores limit 1"))
    async with lobby.house.database.transaction() as db:
        ada = await service.create_customer(db, store, "Ada", identities.from_email(EMAIL))
        entering = asyncio.create_task(lobby.enter("a", lobby.body_a(**VERIFIED)))
        await waiting(lobby)
    entered = await entering
    assert entered["id"] == ada.public_id
    assert len(lobby.issuer.exchanges) == 1
    assert await lobby.count("customers") == 1


async def test_one_token_sent_many_times_at_once_by_one_client_is_one_customer(
    lobby: Lobby,
) -> None:
    body = lobby.body_a()
    done = await asyncio.gather(*(lobby.enter("a", body) for _ in range(5)))
    assert len({one["id"] for one in done}) == 1


async def test_one_token_in_many_hands_at_once_lets_one_in(lobby: Lobby) -> None:
    body = lobby.body_a()
    agents = [f"program/{number}" for number in range(5)]
    answers = await asyncio.gather(
        *(lobby.send("a", body, **{"User-Agent": agent}) for agent in agents)
    )
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401]


async def test_a_test_store_takes_the_bare_body_at_once(lobby: Lobby) -> None:
    firm = await lobby.house.found("Trial", "test")
    client = firm.storefront
    path = f"{HERE}/login-with-provider-c"
    first = await client.post(path, json=lobby.body_c())
    assert first.status_code == 200, first.text
    assert first.json()["token"].startswith("cst_test_")
    assert (await client.post(path, json=lobby.body_c())).json()["id"] == first.json()["id"]
    assert paths(await client.post(path, json={"email": EMAIL})) == ["providerCUserId"]


async def test_one_network_has_a_thousand_new_customers_an_hour(lobby: Lobby) -> None:
    await lobby.trust_all(mode="trust_client")
    key, path = lobby.firm.storefront_key, f"{HERE}/login-with-provider-c"
    stranger, ada = (lobby.house.client(key, address=f"203.0.113.{n}") for n in (1, 2))

    async def enter(client: httpx.AsyncClient, user: str) -> int:
        body = {"providerCUserId": user, "name": "Cleo"}
        return (await client.post(path, json=body)).status_code

    assert await enter(stranger, "first") == 200
    async with lobby.house.database.transaction() as db:
        many = "update budget_parts set hits = hits + 998 where key like 'customers-from:%'"
        assert await db.execute(many) == 1
    assert [await enter(stranger, user) for user in ("second", "third")] == [200, 429]
    assert await enter(stranger, "first") == 200, "who is known is not new"
    assert await enter(ada, "third") == 200


async def test_who_only_says_whom_they_are_locks_nobody_else_out_of_a_trusting_store(
    lobby: Lobby,
) -> None:
    await lobby.trust_all(mode="trust_client")
    key, path = lobby.firm.storefront_key, f"{HERE}/login-with-provider-c"
    stranger, ada = (lobby.house.client(key, address=f"203.0.113.{n}") for n in (1, 2))
    body = {"providerCUserId": "cleo", "name": "Cleo"}
    assert (await stranger.post(path, json=body)).status_code == 200
    async with lobby.house.database.transaction() as db:
        many = "update budget_parts set hits = hits + 99 where key like 'customer-sign-ins:%'"
        assert await db.execute(many) == 1
    assert (await stranger.post(path, json=body)).status_code == 429
    assert (await ada.post(path, json=body)).status_code == 200
