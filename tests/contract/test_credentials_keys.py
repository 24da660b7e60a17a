"""Decisions §2: API keys and storefront keys."""

import hashlib
import re
from typing import Any

import pytest

from pannier.web.routes import get
from probe import keyed, mounted, paths, refused, shop
from stage import Firm, House

WHO = "/v1/organizations/current"


@get("/hello")
async def hello() -> list[str]:
    """Greet."""
    return ["hello"]


async def issue(firm: Firm, **wish: Any) -> dict[str, Any]:
    answer = await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop", **wish})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_an_api_key_has_its_form(acme: Firm) -> None:
    made = await issue(acme)
    assert re.fullmatch(r"api_live_[0-9A-Za-z]+_[0-9A-Za-z]{40,}", made["key"])


async def test_a_storefront_key_has_its_form_and_more_than_30_characters(acme: Firm) -> None:
    made = await issue(acme, kind="storefront")
    assert re.fullmatch(r"store_live_[0-9A-Za-z]+_[0-9A-Za-z]+", made["key"])
    assert len(made["key"]) > 30
    assert made["store"] is not None


async def test_the_secret_is_shown_once(acme: Firm) -> None:
    made = await issue(acme)
    secret = made["key"].rpartition("_")[2]
    for path in (f"/int/v1/keys/{made['id']}", "/int/v1/keys", "/int/v1/audit"):
        answer = await acme.admin.get(path)
        assert made["id"] in answer.text
        assert secret not in answer.text
    renamed = await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"name": "New"})
    assert "key" not in renamed.json()
    assert made["key"].startswith(made["hint"].rstrip("…"))
    assert secret[:4] not in made["hint"]


async def test_the_secret_rests_as_its_sha_256(acme: Firm, house: House) -> None:
    made = await issue(acme)
    secret = made["key"].rpartition("_")[2]
    kept = await house.value("select secret_hash from keys where public_id = :id", id=made["id"])
    assert kept == hashlib.sha256(secret.encode()).digest()
    everything = await house.value("select json_agg(k)::text from keys k")
    assert secret not in everything


@pytest.mark.parametrize(
    "twist",
    [
        lambda key: key[:-1],
        lambda key: key + "x",
        lambda key: key[:-1] + ("a" if key[-1] != "a" else "b"),
        lambda key: key.rpartition("_")[0] + "_",
        lambda key: key.upper(),
        lambda key: key.replace("_", "-"),
        lambda key: f"{key}_{key}",
        lambda key: key.replace("api_", "store_", 1),
        lambda key: key.replace("api_", "opr_", 1),
        lambda key: key.replace("api_", "cst_", 1),
        lambda key: key.replace("_live_", "_test_", 1),
        lambda key: key.replace("_live_", "_prod_", 1),
        lambda key: f"api_live__{key.rpartition('_')[2]}",
        lambda key: "api_live_" + key,
        lambda _key: "",
        lambda _key: "x" * 10_000,
    ],
)
async def test_anything_but_the_key_itself_is_refused(acme: Firm, house: House, twist: Any) -> None:
    refused(await house.client(twist(acme.api_key)).get(WHO), 401, "unauthenticated")


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Bearer2", ""])
async def test_only_a_bearer_is_let_in(acme: Firm, house: House, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {acme.api_key}"}
    refused(await house.client().get(WHO, headers=headers), 401, "unauthenticated")


async def test_the_scheme_may_be_written_in_any_case(acme: Firm, house: House) -> None:
    for scheme in ("bearer", "BEARER", "Bearer"):
        headers = {"Authorization": f"{scheme} {acme.api_key}"}
        assert (await house.client().get(WHO, headers=headers)).status_code == 200


async def test_a_key_elsewhere_than_in_its_header_is_no_credential(
    acme: Firm, house: House
) -> None:
    client = house.client()
    for query in (f"?api_key={acme.api_key}", f"?access_token={acme.api_key}"):
        refused(await client.get(WHO + query), 401, "unauthenticated")
    for header in ("X-Api-Key", "Cookie", "Proxy-Authorization"):
        answer = await client.get(WHO, headers={header: acme.api_key})
        refused(answer, 401, "unauthenticated")


async def test_each_key_opens_only_its_own_prefix(acme: Firm, house: House) -> None:
    doors = mounted(house, keyed(hello), shop(hello))
    for key, prefix in ((acme.api_key, "/v1"), (acme.storefront_key, "/storefront/v1")):
        client = doors.client(key)
        assert (await client.get(f"{prefix}/hello")).status_code == 200
        other = "/storefront/v1" if prefix == "/v1" else "/v1"
        refused(await client.get(f"{other}/hello"), 401, "unauthenticated")
    for key in (acme.api_key, acme.storefront_key):
        refused(await house.client(key).get("/int/v1/me"), 401, "unauthenticated")
        refused(await house.client(key).get("/int/v1/keys"), 401, "unauthenticated")
    refused(await house.client(acme.storefront_key).get(WHO), 401, "unauthenticated")
    refused(await acme.admin.get(WHO), 401, "unauthenticated")


async def test_scopes_bound_what_a_key_may_do(acme: Firm, house: House) -> None:
    reader = house.client((await issue(acme, scopes=["files:read"]))["key"])
    writer = house.client((await issue(acme, scopes=["files:write"]))["key"])
    file = {"data": "SGVsbG8="}
    assert (await reader.get("/v1/files")).status_code == 200
    refused(await reader.post("/v1/files", json=file), 403, "forbidden")
    assert (await writer.post("/v1/files", json=file)).status_code == 201
    refused(await writer.get("/v1/files"), 403, "forbidden")
    assert (await reader.get(WHO)).status_code == 200


@pytest.mark.parametrize("scopes", [[], ["everything"], ["*", "files:admin"], [""], ["x"] * 51])
async def test_scopes_that_do_not_exist_are_refused(acme: Firm, scopes: list[str]) -> None:
    body = {"kind": "api", "name": "Shop", "scopes": scopes}
    assert paths(await acme.admin.post("/int/v1/keys", json=body)) == ["scopes"]


async def test_narrowed_scopes_hold_from_the_next_request(acme: Firm, house: House) -> None:
    made = await issue(acme)
    client = house.client(made["key"])
    assert (await client.post("/v1/files", json={"data": "QQ=="})).status_code == 201
    await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"scopes": ["files:read"]})
    refused(await client.post("/v1/files", json={"data": "QQ=="}), 403, "forbidden")


async def test_last_used_is_kept_to_the_minute(acme: Firm, house: House) -> None:
    made = await issue(acme)

    async def last_used() -> Any:
        return (await acme.admin.get(f"/int/v1/keys/{made['id']}")).json()["last_used_at"]

    assert await last_used() is None
    await house.client(made["key"]).get(WHO)
    assert await last_used() == "2026-01-15T12:00:00.000Z"
    house.clock.advance(seconds=59)
    await house.client(made["key"]).get(WHO)
    assert await last_used() == "2026-01-15T12:00:00.000Z"
    house.clock.advance(seconds=1)
    await house.client(made["key"]).get(WHO)
    assert await last_used() == "2026-01-15T12:01:00.000Z"


async def test_a_wrong_secret_is_not_a_use(acme: Firm, house: House) -> None:
    made = await issue(acme)
    await house.client(made["key"][:-1] + "!").get(WHO)
    read = await acme.admin.get(f"/int/v1/keys/{made['id']}")
    assert read.json()["last_used_at"] is None


async def test_a_key_ends_at_the_moment_of_its_expiry(acme: Firm, house: House) -> None:
    made = await issue(acme, expires_at="2026-01-15T13:00:00Z")
    client = house.client(made["key"])
    house.clock.advance(minutes=59, seconds=59)
    assert (await client.get(WHO)).status_code == 200
    house.clock.advance(seconds=1)
    refused(await client.get(WHO), 401, "unauthenticated")


async def test_a_key_is_not_born_expired(acme: Firm) -> None:
    for moment in ("2026-01-15T12:00:00Z", "2020-01-01T00:00:00Z", "2026-01-15T12:30:00+01:00"):
        body = {"kind": "api", "name": "Shop", "expires_at": moment}
        assert paths(await acme.admin.post("/int/v1/keys", json=body)) == ["expires_at"]


async def test_a_revoked_key_is_refused_at_once_and_stays_listed(acme: Firm, house: House) -> None:
    made = await issue(acme)
    client = house.client(made["key"])
    assert (await client.get(WHO)).status_code == 200
    for _ in range(2):
        revoked = await acme.admin.delete(f"/int/v1/keys/{made['id']}")
        assert revoked.json()["revoked_at"] == "2026-01-15T12:00:00.000Z"
    refused(await client.get(WHO), 401, "unauthenticated")
    listed = (await acme.admin.get("/int/v1/keys?revoked=true")).json()["data"]
    assert [row["id"] for row in listed] == [made["id"]]
    refused(await acme.admin.post(f"/int/v1/keys/{made['id']}/rotate"), 409, "key_revoked")


async def test_a_rotated_key_works_on_for_the_overlap(acme: Firm, house: House) -> None:
    old = await issue(acme, name="Till", scopes=["files:read"])
    path = f"/int/v1/keys/{old['id']}/rotate"
    new = (await acme.admin.post(path, json={"overlap_seconds": 600})).json()
    assert (new["name"], new["scopes"], new["kind"]) == ("Till", ["files:read"], "api")
    for key in (old["key"], new["key"]):
        assert (await house.client(key).get(WHO)).status_code == 200
    house.clock.advance(seconds=600)
    refused(await house.client(old["key"]).get(WHO), 401, "unauthenticated")
    assert (await house.client(new["key"]).get(WHO)).status_code == 200
    read = (await acme.admin.get(f"/int/v1/keys/{old['id']}")).json()
    assert read["replaced_by"] == new["uuid"]


async def test_without_an_overlap_the_old_key_ends_at_once(acme: Firm, house: House) -> None:
    old = await issue(acme)
    path = f"/int/v1/keys/{old['id']}/rotate"
    assert (await acme.admin.post(path, json={"overlap_seconds": 0})).status_code == 201
    refused(await house.client(old["key"]).get(WHO), 401, "unauthenticated")
    refused(await acme.admin.post(path, json={}), 409, "key_revoked")


async def test_an_overlap_does_not_outlive_the_key(acme: Firm, house: House) -> None:
    old = await issue(acme, expires_at="2026-01-15T12:05:00Z")
    path = f"/int/v1/keys/{old['id']}/rotate"
    await acme.admin.post(path, json={"overlap_seconds": 86400})
    house.clock.advance(minutes=5)
    refused(await house.client(old["key"]).get(WHO), 401, "unauthenticated")


async def test_an_expired_key_is_not_rotated_into_a_dead_one(acme: Firm, house: House) -> None:
    old = await issue(acme, expires_at="2026-01-15T12:05:00Z")
    house.clock.advance(minutes=5)
    refused(await acme.admin.post(f"/int/v1/keys/{old['id']}/rotate"), 409, "key_revoked")


async def test_both_keys_of_a_rotation_can_be_revoked(acme: Firm, house: House) -> None:
    old = await issue(acme)
    new = (await acme.admin.post(f"/int/v1/keys/{old['id']}/rotate")).json()
    for key in (old, new):
        assert (await acme.admin.delete(f"/int/v1/keys/{key['id']}")).status_code == 200
        refused(await house.client(key["key"]).get(WHO), 401, "unauthenticated")


async def test_every_change_of_a_key_is_in_the_audit_log(acme: Firm) -> None:
    made = await issue(acme)
    path = f"/int/v1/keys/{made['id']}"
    await acme.admin.patch(path, json={"name": "New"})
    await acme.admin.post(f"{path}/rotate")
    await acme.admin.delete(path)
    entries = (await acme.admin.get(f"/int/v1/audit?subject={made['id']}")).json()["data"]
    assert [entry["action"] for entry in entries] == [
        "key.revoked", "key.rotated", "key.changed", "key.created",
    ]  # fmt: skip
    assert {entry["actor_type"] for entry in entries} == {"operator"}
    assert entries[2]["details"] == {"name": "New"}
