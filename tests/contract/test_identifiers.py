"""Decisions §1, Identifiers."""

import re
from typing import Any
from uuid import UUID

import pytest

from pannier.accounts import service
from probe import refused
from stage import Firm


async def resources(firm: Firm) -> dict[str, dict[str, Any]]:
    """One of each resource that has a door."""
    key = await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    file = await firm.api.post("/v1/files", json={"data": "SGVsbG8=", "name": "note.txt"})
    me = await firm.admin.get("/int/v1/me")
    audit = await firm.admin.get("/int/v1/audit")
    return {
        "company": me.json()["company"],
        "operator": me.json()["operator"],
        "key": key.json(),
        "file": file.json(),
        "audit": audit.json()["data"][0],
    }


async def test_every_resource_has_a_uuid_of_version_7_a_public_id_and_an_id_that_equals_it(
    acme: Firm,
) -> None:
    for prefix, resource in (await resources(acme)).items():
        assert UUID(resource["uuid"]).version == 7
        assert resource["id"] == resource["public_id"]
        assert resource["id"].startswith(f"{prefix}_")


async def test_a_public_id_has_at_least_60_bits_of_randomness(acme: Firm) -> None:
    for prefix, resource in (await resources(acme)).items():
        # 62 letters and digits carry almost 6 bits each.
        assert re.fullmatch(rf"{prefix}_[0-9A-Za-z]{{11,}}", resource["id"])


async def test_every_path_takes_either_form(acme: Firm) -> None:
    found = await resources(acme)
    doors = [
        (acme.admin, "/int/v1/keys/{}", found["key"]),
        (acme.admin, "/int/v1/operators/{}", found["operator"]),
        (acme.api, "/v1/files/{}", found["file"]),
    ]
    for client, path, resource in doors:
        for name in (resource["id"], resource["uuid"], resource["uuid"].upper()):
            answer = await client.get(path.format(name))
            assert answer.status_code == 200, answer.text
            assert answer.json()["uuid"] == resource["uuid"]


async def test_a_body_parameter_that_names_a_resource_takes_either_form(acme: Firm) -> None:
    async with acme.house.database.transaction() as db:
        store = await service.create_store(db, acme.uuid, "Second")
    for name in (store.public_id, str(store.uuid)):
        body = {"kind": "storefront", "name": "App", "store": name}
        answer = await acme.admin.post("/int/v1/keys", json=body)
        assert answer.status_code == 201, answer.text
        assert answer.json()["store"] == str(store.uuid)


async def test_a_query_parameter_that_names_a_resource_takes_either_form(acme: Firm) -> None:
    found = await resources(acme)
    for name, resource in (("subject", found["key"]), ("actor", found["operator"])):
        by_id = await acme.admin.get("/int/v1/audit", params={name: resource["id"]})
        by_uuid = await acme.admin.get("/int/v1/audit", params={name: resource["uuid"]})
        assert by_id.json()["data"], by_id.text
        assert by_uuid.json()["data"] == by_id.json()["data"]


@pytest.mark.parametrize(
    "name",
    [
        "key_0000000000000000", "00000000-0000-7000-8000-000000000000", "nothing", "%00", "key_%00",
        "%FF%FE", "%ED%A0%80", "..", "%2e%2e", "' or 1=1 --", "x" * 5000, "💥", "null", "-1",
        "99999999999999999999999999", "%0d%0aSet-Cookie:%20a=b",
    ],
)  # fmt: skip
async def test_a_name_that_nothing_has_is_not_found_whatever_it_looks_like(
    acme: Firm, name: str
) -> None:
    for path in ("/int/v1/keys/", "/int/v1/operators/"):
        refused(await acme.admin.get(path + name), 404, "not_found")
    refused(await acme.api.get("/v1/files/" + name), 404, "not_found")
