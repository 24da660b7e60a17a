"""Keys are issued, used, rotated and revoked."""

from stage import Firm, House


async def test_a_key_tells_which_company_it_belongs_to(acme: Firm) -> None:
    answer = await acme.api.get("/v1/organizations/current")
    assert answer.status_code == 200, answer.text
    assert answer.json()["name"] == "Acme"
    assert answer.json()["id"] == acme.company.public_id
    assert (await acme.api.get("/v1/companies/current")).json() == answer.json()


async def test_a_revoked_key_is_refused_on_the_very_next_request(acme: Firm, house: House) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    client = house.client(made["key"])
    assert (await client.get("/v1/organizations/current")).status_code == 200
    revoked = await acme.admin.delete(f"/int/v1/keys/{made['id']}")
    assert revoked.status_code == 200, revoked.text
    assert (await client.get("/v1/organizations/current")).status_code == 401
