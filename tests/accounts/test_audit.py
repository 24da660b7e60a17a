"""The audit log: who changed what, from what to what, and never a secret."""

from base64 import b64encode
from typing import Any

from fleet.depot import Depot
from pannier.db import Actor
from pannier.fleet.fleets import service as fleets
from pannier.fleet.queries import DRIVERS, FLEETS
from pannier.partners import service as partners
from pannier.partners.queries import contacts
from pannier.partners.schemas import ContactChange, ContactIn
from stage import PASSWORD, Firm, House

ADA = Actor("operator", "operator_ada", "Ada", "request-1", "192.0.2.7")


async def entries(firm: Firm, subject: str) -> list[dict[str, Any]]:
    """Read what the log says of something, the latest first."""
    answer = await firm.admin.get("/int/v1/audit", params={"subject": subject})
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


async def test_a_change_of_configuration_by_a_program_is_told_with_before_and_after(
    acme: Firm,
) -> None:
    area = {"name": "North", "location": [103.8, 1.35], "radius": 500}
    made = (await acme.api.post("/v1/service-areas", json=area)).json()
    await acme.api.patch(f"/v1/service-areas/{made['id']}", json={"name": "South"})
    await acme.api.delete(f"/v1/service-areas/{made['id']}")
    gone, changed, created = await entries(acme, made["id"])
    assert [created["action"], changed["action"], gone["action"]] == [
        "service_area.created", "service_area.changed", "service_area.deleted",
    ]  # fmt: skip
    assert changed["actor_type"] == "key"
    assert (changed["before"], changed["after"]) == ({"name": "North"}, {"name": "South"})
    assert (created["before"], created["after"]["name"]) == ({}, "North")


async def test_what_a_program_does_to_ordinary_rows_is_not_in_the_log(acme: Firm) -> None:
    made = (await acme.api.post("/v1/contacts", json={"name": "Grace"})).json()
    assert await entries(acme, made["id"]) == []


async def test_what_an_operator_does_to_any_row_is_in_the_log(acme: Firm, house: House) -> None:
    async with house.database.transaction() as db:
        db.actor = ADA
        contact = await partners.create_contact(db, acme.uuid, ContactIn(name="Grace"))
        contact = await partners.change_contact(db, contact, ContactChange(title="Boss"))
        await contacts.remove(db, contact)
    told = await entries(acme, contact.public_id)
    assert [one["action"] for one in told] == [
        "contact.deleted", "contact.changed", "contact.created",
    ]  # fmt: skip
    assert (told[1]["before"], told[1]["after"]) == ({"title": None}, {"title": "Boss"})
    seen = {(one["actor"], one["actor_name"], one["request_id"], one["address"]) for one in told}
    assert seen == {("operator_ada", "Ada", "request-1", "192.0.2.7")}


async def test_who_joins_a_fleet_by_an_operator_is_in_the_log(
    acme: Firm, depot: Depot, house: House
) -> None:
    driver = await depot.driver()
    fleet = (await acme.api.post("/v1/fleets", json={"name": "Night"})).json()
    async with house.database.transaction() as db:
        db.actor = ADA
        night = await FLEETS.lock(db, acme.uuid, fleet["id"])
        ada = await DRIVERS.lock(db, acme.uuid, driver["id"])
        await fleets.add_driver(db, night, ada)
        await fleets.remove_driver(db, night, ada)
    left, joined = await entries(acme, fleet["id"])
    assert (joined["action"], left["action"]) == ("fleet.driver_added", "fleet.driver_removed")
    assert joined["details"] == {"driver": driver["id"]}


async def test_a_refused_change_is_not_in_the_log(acme: Firm) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    stale = {"If-Match": '"7"'}
    refused = await acme.admin.delete(f"/int/v1/keys/{made['id']}", headers=stale)
    assert refused.status_code == 412
    assert [one["action"] for one in await entries(acme, made["id"])] == ["key.created"]


async def test_no_secret_is_in_the_log(acme: Firm, house: House) -> None:
    body = {"email": "eve@example.com", "name": "Eve", "role": "viewer", "password": PASSWORD}
    eve = (await acme.admin.post("/int/v1/operators", json=body)).json()
    new = {"password": "another long sentence of hers"}
    await acme.admin.patch(f"/int/v1/operators/{eve['id']}", json=new)
    changed, created = await entries(acme, eve["id"])
    assert (changed["before"], changed["after"]) == (
        {"password_hash": "***"}, {"password_hash": "***"},
    )  # fmt: skip
    assert created["after"]["password_hash"] == "***"
    key = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    assert (await entries(acme, key["id"]))[0]["after"]["secret_hash"] == "***"
    written = await house.value("select string_agg(e::text, '\n') from audit_entries e")
    assert "argon2" not in written
    assert key["key"].rpartition("_")[2] not in written


async def test_no_secret_of_a_webhook_or_a_storefront_is_in_the_log(
    acme: Firm, house: House
) -> None:
    hook = {
        "url": "https://93.184.216.34/in/secret-of-the-path?key=secret-of-the-query",
        "headers": {"X-Door": "secret-of-the-header"},
    }
    made = (await acme.admin.post("/int/v1/webhooks", json=hook)).json()
    path = f"/int/v1/webhooks/{made['id']}"
    await acme.admin.patch(path, json={"headers": {"X-Door": "secret-of-another-header"}})
    await acme.admin.patch(path, json={"url": "https://93.184.216.34/secret-of-another-path"})
    rotated = (await acme.admin.post(f"{path}/rotate-secret", json={})).json()
    assert (await acme.admin.delete(path)).is_success
    store = (await acme.admin.get("/int/v1/storefronts")).json()["data"][0]
    for provider in ({"app_id": "7", "app_secret": "secret-of-the-provider"}, None):
        body = {"providers": {"c": provider}}
        changed = await acme.admin.patch(f"/int/v1/storefronts/{store['id']}", json=body)
        assert changed.status_code == 200, changed.text
    told = [*await entries(acme, made["id"]), *await entries(acme, store["id"])]
    assert [one["action"] for one in told] == [
        "webhook.deleted", "webhook.secret_rotated", "webhook.changed", "webhook.changed",
        "webhook.created", "storefront.changed", "storefront.changed", "storefront.created",
    ]  # fmt: skip
    written = await house.value("select string_agg(e::text, '\n') from audit_entries e")
    for secret in ("secret-of", made["secret"], rotated["secret"]):
        assert secret not in written
        assert b64encode(secret.encode()).decode()[:8] not in written


async def test_keys_and_operators_honour_if_match(acme: Firm) -> None:
    key = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})
    path = f"/int/v1/keys/{key.json()['id']}"
    assert key.headers["etag"] == '"1"'
    renamed = await acme.admin.patch(path, json={"name": "Till"}, headers={"If-Match": '"1"'})
    assert renamed.headers["etag"] == '"2"'
    for send in (acme.admin.patch(path, json={"name": "Late"}, headers={"If-Match": '"1"'}),
                 acme.admin.delete(path, headers={"If-Match": '"1"'})):  # fmt: skip
        refused = await send
        assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert (await acme.admin.delete(path, headers={"If-Match": '"2"'})).status_code == 200
