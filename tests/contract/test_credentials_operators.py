"""Decisions §2: operators sign in, and their roles, sessions and changes hold."""

import re
from typing import Any

import httpx
import pytest

import stage
from pannier.kit.passwords import Passwords
from probe import paths, refused
from stage import Firm, House

LOGIN = "/int/v1/login"
OPERATOR = {
    "email": "ada@example.com", "name": "Ada", "role": "viewer", "password": "a long sentence",
}  # fmt: skip


async def sign_in(
    house: House, email: str, password: str = stage.PASSWORD, **more: Any
) -> httpx.Response:
    body = {"email": email, "password": password, **more}
    return await house.client(address=more.pop("address", "127.0.0.1")).post(LOGIN, json=body)


async def with_cookie(firm: Firm) -> tuple[httpx.AsyncClient, str]:
    """Sign in as the console does; the client then has the cookie."""
    client = firm.house.client()
    body = {"email": firm.email("admin"), "password": stage.PASSWORD, "cookie": True}
    answer = await client.post(LOGIN, json=body)
    assert answer.status_code == 200, answer.text
    return client, answer.json()["csrf_token"]


async def test_e_mail_and_password_give_a_bearer_token(acme: Firm, house: House) -> None:
    answer = await sign_in(house, acme.email("admin"))
    assert answer.status_code == 200, answer.text
    token = answer.json()["token"]
    assert re.fullmatch(r"opr_live_[0-9A-Za-z]+_[0-9A-Za-z]{40,}", token)
    assert answer.json()["csrf_token"] is None
    assert "set-cookie" not in answer.headers
    me = (await house.client(token).get("/int/v1/me")).json()
    assert me["operator"]["email"] == acme.email("admin")
    assert me["company"]["id"] == acme.company.public_id


async def test_the_address_is_known_in_any_case(acme: Firm, house: House) -> None:
    for email in (acme.email("admin").upper(), f"  {acme.email('admin')} "):
        assert (await sign_in(house, email)).status_code == 200


async def test_a_password_rests_as_argon2id(acme: Firm, house: House) -> None:
    kept = await house.value("select password_hash from operators where role = 'admin'")
    assert kept.startswith("$argon2id$")
    assert acme.company


async def disabled(firm: Firm) -> str:
    made = await firm.admin.post("/int/v1/operators", json=OPERATOR)
    path = f"/int/v1/operators/{made.json()['id']}"
    assert (await firm.admin.patch(path, json={"disabled": True})).status_code == 200
    return str(OPERATOR["email"])


async def test_a_failed_sign_in_tells_nothing_about_which_part_was_wrong(
    acme: Firm, house: House
) -> None:
    gone = await disabled(acme)
    answers = [
        await sign_in(house, acme.email("admin"), "a wrong password"),
        await sign_in(house, "nobody@example.com", stage.PASSWORD),
        await sign_in(house, gone, str(OPERATOR["password"])),
        await sign_in(house, gone, "a wrong password"),
        await sign_in(house, "not an address", stage.PASSWORD),
    ]
    for answer in answers:
        refused(answer, 401, "login_failed")
        assert {**answer.json(), "request_id": ""} == {**answers[0].json(), "request_id": ""}
        names = set(answer.headers)
        assert names == set(answers[0].headers)


class Watched(Passwords):
    """Remembers against what it was asked to check."""

    def __init__(self) -> None:
        super().__init__(memory_kib=8, passes=1)
        self.asked: list[str | None] = []

    async def verify(self, hash: str | None, password: str) -> bool:
        self.asked.append(hash)
        return await super().verify(hash, password)


async def test_an_unknown_address_costs_a_hash_too(acme: Firm, house: House) -> None:
    watched = Watched()
    house.edge.services = {**house.edge.services, "hasher": watched}
    refused(await sign_in(house, acme.email("admin"), "a wrong password"), 401, "login_failed")
    refused(await sign_in(house, "nobody@example.com"), 401, "login_failed")
    assert [known is not None for known in watched.asked] == [True, False]


@pytest.mark.parametrize("who", ["known", "unknown"])
async def test_sign_in_is_throttled_alike_for_known_and_unknown_addresses(
    acme: Firm, house: House, who: str
) -> None:
    email = acme.email("admin") if who == "known" else "nobody@example.com"
    codes = [(await sign_in(house, email, "a wrong password")).status_code for _ in range(7)]
    assert codes == [401] * 5 + [429] * 2
    throttled = await sign_in(house, email, stage.PASSWORD)
    refused(throttled, 429, "too_many_requests")
    assert throttled.headers["retry-after"] == "300"
    house.clock.advance(seconds=100)
    assert (await sign_in(house, email)).headers["retry-after"] == "200"
    house.clock.advance(seconds=200)
    assert (await sign_in(house, email)).status_code == (200 if who == "known" else 401)


async def test_the_throttle_follows_the_address_not_the_caller(acme: Firm, house: House) -> None:
    body = {"email": acme.email("admin"), "password": "a wrong password"}
    codes = [
        (await house.client(address=f"10.0.0.{number}").post(LOGIN, json=body)).status_code
        for number in range(6)
    ]
    assert codes == [401] * 5 + [429]
    shouted = {**body, "email": body["email"].upper()}
    assert (await house.client().post(LOGIN, json=shouted)).status_code == 429


@pytest.mark.slow
async def test_one_caller_cannot_try_many_addresses(house: House) -> None:
    codes = [
        (await sign_in(house, f"nobody{number}@example.com")).status_code for number in range(52)
    ]
    assert codes == [401] * 50 + [429] * 2
    assert (await house.client(address="10.0.0.9").post(
        LOGIN, json={"email": "x@example.com", "password": "y"}
    )).status_code == 401  # fmt: skip


async def test_a_right_password_clears_the_count(acme: Firm, house: House) -> None:
    for _ in range(3):
        for _ in range(4):
            assert (await sign_in(house, acme.email("admin"), "wrong")).status_code == 401
        assert (await sign_in(house, acme.email("admin"))).status_code == 200


async def test_changing_ones_password_is_throttled_too(acme: Firm) -> None:
    body = {"password": "another long sentence", "current_password": "a guess"}
    codes = [(await acme.admin.patch("/int/v1/me", json=body)).status_code for _ in range(6)]
    assert codes == [422] * 5 + [429]


async def test_a_session_ends_when_its_time_is_over(acme: Firm, house: House) -> None:
    token = (await sign_in(house, acme.email("admin"))).json()["token"]
    house.clock.advance(hours=house.settings.session_hours, seconds=-1)
    assert (await house.client(token).get("/int/v1/me")).status_code == 200
    house.clock.advance(seconds=1)
    refused(await house.client(token).get("/int/v1/me"), 401, "unauthenticated")


async def test_signing_out_ends_this_session_and_no_other(acme: Firm, house: House) -> None:
    one = house.client((await sign_in(house, acme.email("admin"))).json()["token"])
    two = house.client((await sign_in(house, acme.email("admin"))).json()["token"])
    assert (await one.post("/int/v1/logout")).status_code == 200
    refused(await one.get("/int/v1/me"), 401, "unauthenticated")
    assert (await two.get("/int/v1/me")).status_code == 200


async def test_a_new_password_ends_every_session(acme: Firm, house: House) -> None:
    token = (await sign_in(house, acme.email("admin"))).json()["token"]
    body = {"password": "another long sentence", "current_password": stage.PASSWORD}
    assert (await acme.admin.patch("/int/v1/me", json=body)).status_code == 200
    refused(await house.client(token).get("/int/v1/me"), 401, "unauthenticated")
    assert (await sign_in(house, acme.email("admin"))).status_code == 401
    assert (await sign_in(house, acme.email("admin"), "another long sentence")).status_code == 200


async def test_a_disabled_or_removed_operator_is_out_at_once(acme: Firm, house: House) -> None:
    for end in ("disable", "remove"):
        made = await acme.admin.post("/int/v1/operators", json=OPERATOR)
        path = f"/int/v1/operators/{made.json()['id']}"
        token = (await sign_in(house, str(OPERATOR["email"]), str(OPERATOR["password"]))).json()[
            "token"
        ]
        client = house.client(token)
        assert (await client.get("/int/v1/me")).status_code == 200
        if end == "disable":
            await acme.admin.patch(path, json={"disabled": True})
            refused(await client.get("/int/v1/me"), 401, "unauthenticated")
            await acme.admin.patch(path, json={"disabled": False})
        assert (await acme.admin.delete(path)).status_code == 204
        refused(await client.get("/int/v1/me"), 401, "unauthenticated")


@pytest.mark.parametrize(
    ("role", "status"), [("admin", 200), ("dispatcher", 403), ("billing", 403), ("viewer", 403)]
)
async def test_only_an_admin_sees_keys_operators_and_the_audit_log(
    acme: Firm, role: Any, status: int
) -> None:
    client = acme.admin if role == "admin" else await acme.operator(role)
    for path in ("/int/v1/keys", "/int/v1/operators", "/int/v1/audit"):
        assert (await client.get(path)).status_code == status
    assert (await client.get("/int/v1/me")).status_code == 200
    made = await client.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    assert made.status_code == (201 if role == "admin" else 403)


async def test_nobody_can_raise_their_own_role(acme: Firm) -> None:
    viewer = await acme.operator("viewer")
    me = (await viewer.get("/int/v1/me")).json()["operator"]
    for path in ("/int/v1/me", f"/int/v1/operators/{me['id']}"):
        await viewer.patch(path, json={"role": "admin", "name": "Boss"})
    assert (await viewer.get("/int/v1/me")).json()["operator"]["role"] == "viewer"


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"disabled": True}, None])
async def test_the_last_admin_stays(acme: Firm, change: dict[str, Any] | None) -> None:
    me = (await acme.admin.get("/int/v1/me")).json()["operator"]["id"]
    path = f"/int/v1/operators/{me}"
    answer = (
        await acme.admin.delete(path)
        if change is None
        else await acme.admin.patch(path, json=change)
    )
    refused(answer, 409, "last_admin")
    second = {**OPERATOR, "role": "admin"}
    assert (await acme.admin.post("/int/v1/operators", json=second)).status_code == 201
    answer = (
        await acme.admin.delete(path)
        if change is None
        else await acme.admin.patch(path, json=change)
    )
    assert answer.is_success, answer.text


async def test_another_companys_admin_does_not_count(acme: Firm, rival: Firm) -> None:
    me = (await acme.admin.get("/int/v1/me")).json()["operator"]["id"]
    refused(await acme.admin.delete(f"/int/v1/operators/{me}"), 409, "last_admin")
    assert rival.company


@pytest.mark.parametrize(
    "password", ["", "short", "password", "ada@example.com", "x" * 257, "1234567890"]
)
async def test_a_weak_password_is_refused_by_its_path(acme: Firm, password: str) -> None:
    body = {**OPERATOR, "password": password}
    assert paths(await acme.admin.post("/int/v1/operators", json=body)) == ["password"]


async def test_a_new_password_of_ones_own_needs_the_present_one(acme: Firm) -> None:
    for extra in ({}, {"current_password": "a guess"}):
        body = {"password": "another long sentence", **extra}
        assert paths(await acme.admin.patch("/int/v1/me", json=body)) == ["current_password"]
    assert (await acme.admin.patch("/int/v1/me", json={"name": "New"})).json()["name"] == "New"


async def test_the_console_gets_a_cookie_that_scripts_and_other_sites_cannot_use(
    acme: Firm, house: House
) -> None:
    body = {"email": acme.email("admin"), "password": stage.PASSWORD, "cookie": True}
    answer = await house.client().post(LOGIN, json=body)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie or "samesite=strict" in cookie
    assert "path=/" in cookie
    assert answer.json()["token"] is None
    assert answer.json()["csrf_token"]
    assert "secure" not in cookie
    https = httpx.AsyncClient(
        transport=httpx.ASGITransport(house.edge), base_url="https://pannier.test"
    )
    assert "secure" in (await https.post(LOGIN, json=body)).headers["set-cookie"].lower()


async def test_a_change_by_cookie_needs_the_sessions_csrf_token(acme: Firm) -> None:
    client, token = await with_cookie(acme)
    body = {"kind": "api", "name": "Shop"}
    assert (await client.get("/int/v1/keys")).status_code == 200
    for wrong in (None, "", "x", token[:-1], token.upper() + "x", "é"):
        headers = {} if wrong is None else {"X-CSRF-Token": wrong.encode()}
        refused(await client.post("/int/v1/keys", json=body, headers=headers), 403, "csrf_failed")
    headers = {"X-CSRF-Token": token}
    assert (await client.post("/int/v1/keys", json=body, headers=headers)).status_code == 201


async def test_a_csrf_token_serves_one_session_only(acme: Firm) -> None:
    (one, _), (_, other) = await with_cookie(acme), await with_cookie(acme)
    for method, path in (
        ("POST", "/int/v1/keys"),
        ("PATCH", "/int/v1/me"),
        ("POST", "/int/v1/logout"),
    ):
        answer = await one.request(method, path, json={}, headers={"X-CSRF-Token": other})
        refused(answer, 403, "csrf_failed")


async def test_a_page_of_another_site_cannot_sign_anybody_in(acme: Firm, house: House) -> None:
    # A form can send text/plain without asking first, and JSON fits into it.
    body = f'{{"email":"{acme.email("admin")}","password":"{stage.PASSWORD}","cookie":true}}'
    headers = {"Content-Type": "text/plain", "Origin": "https://evil.example"}
    answer = await house.client().post(LOGIN, content=body, headers=headers)
    refused(answer, 415, "unsupported_media_type")
    assert "set-cookie" not in answer.headers


async def test_the_cookies_of_other_programs_do_not_matter(acme: Firm, house: House) -> None:
    cookie = f"pannier_session={acme.token}"
    for line in (
        cookie,
        f'a="x; {cookie}',
        f"a{{b}}=c; {cookie}; d",
        f"=; ;;{cookie}",
        f"é=ü; {cookie}",
    ):
        headers = {"Cookie": line.encode()}
        assert (await house.client().get("/int/v1/me", headers=headers)).status_code == 200, line
    for line in (
        "pannier_session=",
        f"PANNIER_SESSION={acme.token}",
        f"x{cookie}",
        "pannier_session",
    ):
        answer = await house.client().get("/int/v1/me", headers={"Cookie": line})
        refused(answer, 401, "unauthenticated")


async def test_an_api_key_in_the_cookie_opens_nothing(acme: Firm, house: House) -> None:
    headers = {"Cookie": f"pannier_session={acme.api_key}"}
    refused(await house.client().get("/int/v1/me", headers=headers), 401, "unauthenticated")
    headers = {"Cookie": f"pannier_session={acme.token}"}
    refused(
        await house.client().get("/v1/organizations/current", headers=headers),
        401, "unauthenticated",
    )  # fmt: skip


async def test_signing_out_clears_the_cookie(acme: Firm) -> None:
    client, token = await with_cookie(acme)
    answer = await client.post("/int/v1/logout", headers={"X-CSRF-Token": token})
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    refused(await client.get("/int/v1/me"), 401, "unauthenticated")


async def test_every_change_an_operator_makes_is_in_the_audit_log(acme: Firm) -> None:
    made = await acme.admin.post("/int/v1/operators", json=OPERATOR)
    path = f"/int/v1/operators/{made.json()['id']}"
    await acme.admin.patch(path, json={"role": "dispatcher", "password": "another long sentence"})
    await acme.admin.delete(path)
    await acme.admin.patch("/int/v1/me", json={"name": "Renamed"})
    listed = await acme.admin.get("/int/v1/audit")
    actions = [entry["action"] for entry in listed.json()["data"]]
    assert actions[:4] == [
        "operator.changed", "operator.removed", "operator.changed", "operator.created",
    ]  # fmt: skip
    for secret in ("another long sentence", OPERATOR["password"], "argon2"):
        assert secret not in listed.text
    entry = listed.json()["data"][2]
    assert entry["details"] == {"role": "dispatcher", "password_changed": True}
    assert entry["actor_name"] == "Admin"


async def test_entries_of_a_time_are_found_and_one_is_read(acme: Firm, rival: Firm) -> None:
    await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Early"})
    acme.house.clock.advance(minutes=1)
    await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Late"})
    half = "2026-01-15T12:00:30Z"
    made = {"action": "key.created"}
    late = await acme.admin.get("/int/v1/audit", params={**made, "since": half})
    assert [entry["after"]["name"] for entry in late.json()["data"]] == ["Late"]
    early = await acme.admin.get("/int/v1/audit", params={**made, "until": half})
    (entry,) = [one for one in early.json()["data"] if one["after"]["name"] == "Early"]
    path = f"/int/v1/audit/{entry['id']}"
    assert (await acme.admin.get(path)).json() == entry
    assert (await rival.admin.get(path)).status_code == 404
    assert (await (await acme.operator("dispatcher")).get(path)).status_code == 403
