"""Storefronts: which providers they trust, and that no secret of theirs comes out again."""

from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from pannier.accounts.stores import service
from probe import paths, refused
from stage import Firm, House

STORES = "/int/v1/storefronts"
EVERYTHING: dict[str, Any] = {
    "a": {"audiences": ["com.acme.shop"]},
    "b": {"client_ids": ["acme.apps.example.com"]},
    "c": {"app_id": "1234", "app_secret": "very-secret", "mode": "require_proof"},
}


def pem(key: PrivateKeyTypes) -> str:
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
    return key.private_bytes(*form, serialization.NoEncryption()).decode()


PRIVATE_KEY = pem(ec.generate_private_key(ec.SECP256R1()))


async def first(firm: Firm) -> dict[str, Any]:
    row: dict[str, Any] = (await firm.admin.get(STORES)).json()["data"][0]
    return row


async def change(firm: Firm, **body: Any) -> dict[str, Any]:
    answer = await firm.admin.patch(f"{STORES}/{(await first(firm))['id']}", json=body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_a_store_trusts_nobody_until_it_is_told(acme: Firm) -> None:
    store = await first(acme)
    assert (store["name"], store["version"]) == ("Acme store", 1)
    assert store["providers"] == {"a": None, "b": None, "c": None}
    by_uuid = await acme.admin.get(f"{STORES}/{store['uuid']}")
    assert (by_uuid.json(), by_uuid.headers["etag"]) == (store, '"1"')


async def test_what_a_store_trusts_is_kept_and_shown_without_secrets(
    acme: Firm, house: House
) -> None:
    shown = await change(acme, name="Acme Fashion", providers=EVERYTHING)
    assert (shown["name"], shown["version"]) == ("Acme Fashion", 2)
    assert shown["providers"] == {
        "a": {
            "audiences": ["com.acme.shop"],
            "team_id": None,
            "key_id": None,
            "has_private_key": False,
        },
        "b": {"client_ids": ["acme.apps.example.com"]},
        "c": {"app_id": "1234", "has_app_secret": True, "mode": "require_proof"},
    }
    assert await first(acme) == shown
    kept = await house.value("select providers::text from stores where name = 'Acme Fashion'")
    assert "very-secret" not in kept


async def test_what_is_left_out_stays_and_null_switches_off(acme: Firm) -> None:
    await change(acme, providers=EVERYTHING)
    shown = await change(acme, providers={"b": None, "c": {"app_id": "5678"}})
    assert shown["providers"]["a"]["audiences"] == ["com.acme.shop"]
    assert shown["providers"]["b"] is None
    assert shown["providers"]["c"] == {"app_id": "5678", "has_app_secret": True, "mode": "step_up"}
    shown = await change(acme, providers={"c": {"app_id": "5678", "app_secret": None}})
    assert shown["providers"]["c"]["has_app_secret"] is False


async def test_codes_are_exchanged_with_all_three_parts_or_not_at_all(acme: Firm) -> None:
    path = f"{STORES}/{(await first(acme))['id']}"
    a: dict[str, Any] = {"audiences": ["com.acme.shop"], "team_id": "TEAM"}
    answer = await acme.admin.patch(path, json={"providers": {"a": a}})
    assert paths(answer) == ["providers.a.key_id", "providers.a.private_key"]
    a |= {"key_id": "KEY", "private_key": PRIVATE_KEY}
    shown = await change(acme, providers={"a": a})
    assert shown["providers"]["a"]["has_private_key"] is True
    del a["private_key"]
    shown = await change(acme, providers={"a": {**a, "audiences": ["com.acme.other"]}})
    assert shown["providers"]["a"]["has_private_key"] is True


@pytest.mark.parametrize(
    ("providers", "path"),
    [
        ({"a": {"audiences": []}}, "providers.a.audiences"),
        ({"a": {}}, "providers.a.audiences"),
        ({"a": {"audiences": ["a b"]}}, "providers.a.audiences[0]"),
        ({"a": {"audiences": ["x"], "private_key": "nonsense"}}, "providers.a.private_key"),
        (
            {"a": {"audiences": ["x"], "private_key": pem(rsa.generate_private_key(65537, 2048))}},
            "providers.a.private_key",
        ),
        (
            {
                "a": {
                    "audiences": ["x"],
                    "private_key": pem(ec.generate_private_key(ec.SECP384R1())),
                }
            },
            "providers.a.private_key",
        ),
        ({"b": {"client_ids": "x"}}, "providers.b.client_ids"),
        ({"b": {"client_ids": ["x"] * 21}}, "providers.b.client_ids"),
        ({"c": {"app_id": ""}}, "providers.c.app_id"),
        ({"c": {"app_id": "1", "mode": "trust_everybody"}}, "providers.c.mode"),
        ({"c": {"app_secret": "x"}}, "providers.c.app_id"),
        ({"a": []}, "providers.a"),
    ],
)
async def test_settings_that_cannot_be_meant_are_refused(
    acme: Firm, providers: Any, path: str
) -> None:
    before = await first(acme)
    answer = await acme.admin.patch(f"{STORES}/{before['id']}", json={"providers": providers})
    assert paths(answer) == [path]
    assert await first(acme) == before


async def test_a_change_that_changes_nothing_is_none(acme: Firm, house: House) -> None:
    shown = await change(acme, providers=EVERYTHING)
    assert await change(acme, name="Acme store", providers=EVERYTHING) == shown
    told = "select count(*) from audit_entries where action = 'storefront.changed'"
    assert await house.value(told) == 1


async def test_a_change_is_in_the_audit_log_without_its_secrets(acme: Firm) -> None:
    shown = await change(acme, providers=EVERYTHING)
    for name in (shown["id"], shown["uuid"]):
        entry, founding = (await acme.admin.get(f"/int/v1/audit?subject={name}")).json()["data"]
        assert founding["action"] == "storefront.created"
        assert (entry["action"], entry["actor_name"]) == ("storefront.changed", "Admin")
        assert entry["details"]["providers"] == shown["providers"]
        assert "very-secret" not in str(entry)


async def test_who_changes_what_somebody_else_has_changed_is_told(acme: Firm) -> None:
    store = await first(acme)
    path = f"{STORES}/{store['id']}"
    await change(acme, name="Renamed")
    stale = await acme.admin.patch(path, json={"name": "Late"}, headers={"If-Match": '"1"'})
    refused(stale, 412, "precondition_failed")
    fresh = await acme.admin.patch(path, json={"name": "New"}, headers={"If-Match": '"2"'})
    assert (fresh.json()["name"], fresh.headers["etag"]) == ("New", '"3"')


async def test_everybody_at_the_console_looks_and_an_admin_changes(acme: Firm) -> None:
    path = f"{STORES}/{(await first(acme))['id']}"
    for role in ("viewer", "dispatcher"):
        client = await acme.operator(role)  # type: ignore[arg-type]  # one of the roles
        assert (await client.get(path)).status_code == 200
        assert (await client.get(STORES)).status_code == 200
        refused(await client.patch(path, json={"name": "Mine"}), 403, "forbidden")


async def test_a_store_is_nobody_elses(acme: Firm, rival: Firm) -> None:
    path = f"{STORES}/{(await first(acme))['id']}"
    refused(await rival.admin.get(path), 404, "not_found")
    refused(await rival.admin.patch(path, json={"name": "Mine"}), 404, "not_found")


async def test_a_secret_opens_only_for_its_own_store(acme: Firm, rival: Firm, house: House) -> None:
    keys = house.database.keys
    ours, theirs = [UUID((await first(firm))["uuid"]) for firm in (acme, rival)]
    sealed = service.seal(keys, ours, "very-secret")
    assert service.unseal(keys, ours, sealed) == "very-secret"
    assert service.unseal(keys, theirs, sealed) is None
