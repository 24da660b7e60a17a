"""Decisions §1, Tenancy: everything belongs to a company, and a credential names its company."""

from typing import Any

import pytest

from probe import refused
from stage import Firm, House

OPERATOR = {
    "email": "ada@example.com", "name": "Ada", "role": "viewer", "password": "a long sentence",
}  # fmt: skip


async def belongings(firm: Firm) -> dict[str, dict[str, Any]]:
    """Make one of each thing a company can have."""
    email = f"ada@{firm.company.name.lower()}.example.com"
    made = {
        "/int/v1/keys": await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Own"}),
        "/int/v1/operators": await firm.admin.post(
            "/int/v1/operators", json={**OPERATOR, "email": email}
        ),
        "/v1/files": await firm.api.post("/v1/files", json={"data": "SGVsbG8=", "name": "own.txt"}),
    }
    assert {answer.status_code for answer in made.values()} == {201}
    return {path: answer.json() for path, answer in made.items()}


async def test_what_is_another_companys_is_not_there(acme: Firm, rival: Firm) -> None:
    for path, thing in (await belongings(acme)).items():
        client = rival.api if path.startswith("/v1") else rival.admin
        for name in (thing["id"], thing["uuid"]):
            for method in ("GET", "PATCH", "DELETE"):
                answer = await client.request(method, f"{path}/{name}", json={})
                assert answer.status_code in {404, 405}, answer.text
                assert thing["uuid"] not in answer.text
    for path, thing in (await belongings(rival)).items():
        client = rival.api if path.startswith("/v1") else rival.admin
        assert (await client.get(f"{path}/{thing['id']}")).status_code == 200


async def test_lists_show_only_the_companys_own(acme: Firm, rival: Firm) -> None:
    ours, theirs = await belongings(acme), await belongings(rival)
    for path, thing in ours.items():
        client = acme.api if path.startswith("/v1") else acme.admin
        text = (await client.get(f"{path}?limit=100")).text
        assert thing["id"] in text
        assert theirs[path]["id"] not in text
    audit = (await acme.admin.get("/int/v1/audit?limit=100")).text
    assert "Acme" in audit or ours["/int/v1/keys"]["id"] in audit
    assert theirs["/int/v1/keys"]["id"] not in audit


async def test_a_filter_cannot_reach_into_another_company(acme: Firm, rival: Firm) -> None:
    theirs = (await belongings(rival))["/int/v1/keys"]
    for query in (
        f"subject={theirs['id']}", f"subject={theirs['uuid']}", f"company={rival.uuid}",
        f"company[]={rival.uuid}", f'company={{"x":"{rival.uuid}"}}',
    ):  # fmt: skip
        answer = await acme.admin.get(f"/int/v1/audit?{query}")
        assert theirs["id"] not in answer.text


async def test_a_body_cannot_name_another_company(acme: Firm, rival: Firm, house: House) -> None:
    body = {"kind": "api", "name": "Sneaky", "company": str(rival.uuid), "uuid": str(rival.uuid)}
    refused(await acme.admin.post("/int/v1/keys", json=body), 422, "unknown_field")
    lenient = {"Prefer": "handling=lenient"}
    made = await acme.admin.post("/int/v1/keys", json=body, headers=lenient)
    assert made.status_code == 201
    company = await house.value("select company from keys where name = 'Sneaky'")
    assert company == acme.uuid
    store = await house.value("select public_id from stores where company = :c", c=rival.uuid)
    body = {"kind": "storefront", "name": "Sneaky", "store": store}
    refused(await acme.admin.post("/int/v1/keys", json=body), 404, "not_found")


@pytest.mark.parametrize("mode", ["live", "test"])
async def test_credentials_say_which_mode_their_company_is(house: House, mode: Any) -> None:
    firm = await house.found("Modal", mode)
    for text, kind in ((firm.api_key, "api"), (firm.storefront_key, "store"), (firm.token, "opr")):
        assert text.startswith(f"{kind}_{mode}_")
    company = (await firm.api.get("/v1/organizations/current")).json()
    assert company["mode"] == mode


@pytest.mark.parametrize(("mode", "other"), [("live", "test"), ("test", "live")])
async def test_a_credential_with_the_other_mode_is_refused(
    house: House, mode: Any, other: str
) -> None:
    firm = await house.found("Modal", mode)
    api = firm.api_key.replace(f"_{mode}_", f"_{other}_", 1)
    refused(await house.client(api).get("/v1/organizations/current"), 401, "unauthenticated")
    token = firm.token.replace(f"_{mode}_", f"_{other}_", 1)
    refused(await house.client(token).get("/int/v1/me"), 401, "unauthenticated")
