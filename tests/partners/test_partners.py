"""Contacts and vendors: taken in, found, changed, let go, and never another company's."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from pannier.kit.clock import ManualClock
from probe import paths, refused
from stage import Firm, House

KINDS = ("contacts", "vendors")


async def make(firm: Firm, kind: str = "contacts", **sent: Any) -> dict[str, Any]:
    answer = await firm.api.post(f"/v1/{kind}", json={"name": "Ada", **sent})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def names(firm: Firm, path: str, **query: Any) -> list[str]:
    answer = await firm.api.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return [row["name"] for row in answer.json()]


async def place(firm: Firm) -> str:
    """Put a place into the table; partners know no more of it than its name."""
    uuid, name = uuid4(), f"place_{uuid4().hex[:16]}"
    async with firm.house.database.transaction() as db:
        await db.execute(
            """insert into places
                   (uuid, public_id, company, locate_attempts, meta, created_at, updated_at)
               values (:uuid, :name, :company, 0, '{}', :at, :at)""",
            uuid=uuid, name=name, company=firm.uuid, at=db.now,
        )  # fmt: skip
    return name


async def test_a_contact_is_kept_in_one_form(acme: Firm) -> None:
    where = await place(acme)
    made = await make(
        acme, internal_id=" C-7 ", title="", email="Ada@EXAMPLE.com", phone="0065 9123 4567",
        type="customer", place=where, meta={"floor": 3}, company="nonsense", version=9,
    )  # fmt: skip
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("contact_")
    assert made["internal_id"] == "C-7"
    assert made["title"] is None
    assert made["email"] == "Ada@example.com"
    assert made["phone"] == "+6591234567"
    assert made["type"] == "customer"
    assert made["place"] == where
    assert made["meta"] == {"floor": 3}
    assert made["version"] == 1
    assert made["created_at"] == made["updated_at"] == "2026-01-15T12:00:00.000Z"


async def test_a_name_is_enough(acme: Firm) -> None:
    contact, vendor = await make(acme), await make(acme, "vendors")
    assert (contact["type"], contact["meta"], contact["place"]) == ("contact", {}, None)
    assert (vendor["type"], vendor["status"], vendor["country"]) == ("vendor", "active", None)
    assert vendor["id"].startswith("vendor_")


async def test_a_vendor_has_a_business_too(acme: Firm) -> None:
    made = await make(
        acme, "vendors", business_id="201912345K", website_url="https://swift.example.com/a?b=1",
        country="sg", status="inactive",
    )  # fmt: skip
    assert made["business_id"] == "201912345K"
    assert made["website_url"] == "https://swift.example.com/a?b=1"
    assert (made["country"], made["status"]) == ("SG", "inactive")


@pytest.mark.parametrize("kind", KINDS)
async def test_it_is_read_by_either_identifier(acme: Firm, kind: str) -> None:
    made = await make(acme, kind)
    for name in (made["id"], made["uuid"]):
        answer = await acme.api.get(f"/v1/{kind}/{name}")
        assert answer.json() == made
        assert answer.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": " \t "}, "name"),
        ({"name": None}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "A", "email": "nobody"}, "email"),
        ({"name": "A", "email": "a@" + "b" * 300 + ".com"}, "email"),
        ({"name": "A", "phone": "12"}, "phone"),
        ({"name": "A", "phone": "+65 9123 4567 ext. 3"}, "phone"),
        ({"name": "A", "type": ""}, "type"),
        ({"name": "A", "type": "t" * 51}, "type"),
        ({"name": "A", "title": "t" * 101}, "title"),
        ({"name": "A", "internal_id": "i" * 101}, "internal_id"),
        ({"name": "A", "meta": []}, "meta"),
        ({"name": "A", "meta": "{}"}, "meta"),
        ({"name": "A", "meta": {"a": "x" * 16384}}, "meta"),
        ({"name": "A", "place": {"id": "place_1"}}, "place"),
        ({"name": "A", "place": "p" * 65}, "place"),
    ],
)
async def test_a_wrong_field_is_refused_by_its_path(
    acme: Firm, house: House, sent: Any, path: str
) -> None:
    for kind in KINDS:
        assert paths(await acme.api.post(f"/v1/{kind}", json=sent)) == [path]
        assert await house.value(f"select count(*) from {kind}") == 0


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "ftp://example.com", "//example.com", "example.com", "https://",
        "https:///path", "http://user:pass@example.com", "https://exa mple.com", "http://[::1",
        "https://example.com:99999", 'https://example.com/"><script>', "data:text/html,hi",
        "https://example.com/\nX: 1", "https://" + "a" * 2048,
    ],
)  # fmt: skip
async def test_only_the_address_of_a_web_site_is_one(acme: Firm, address: str) -> None:
    answer = await acme.api.post("/v1/vendors", json={"name": "A", "website_url": address})
    assert paths(answer) == ["website_url"]


@pytest.mark.parametrize("code", ["ZZ", "SGP", "S", "65", "É!", "EU"])
async def test_only_a_countrys_code_is_one(acme: Firm, code: str) -> None:
    answer = await acme.api.post("/v1/vendors", json={"name": "A", "country": code})
    assert paths(answer) == ["country"]


async def test_every_wrong_field_is_named_at_once(acme: Firm) -> None:
    sent = {"name": " ", "email": "no", "phone": "1", "website_url": "x", "country": "ZZ"}
    answer = await acme.api.post("/v1/vendors", json=sent)
    assert set(paths(answer)) == set(sent)


@pytest.mark.parametrize("text", ["a\x00b", "\x00"])
async def test_what_cannot_be_kept_is_refused(acme: Firm, text: str) -> None:
    for sent in ({"name": text}, {"name": "A", "meta": {"a": text}}):
        refused(await acme.api.post("/v1/contacts", json=sent), 422, "validation_failed")


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_change_leaves_what_it_leaves_out_and_null_empties(
    acme: Firm, clock: ManualClock, kind: str, method: str
) -> None:
    made = await make(acme, kind, phone="+6591234567", email="ada@example.com", meta={"a": 1})
    clock.advance(seconds=5)
    sent = {"name": "Grace", "phone": None, "meta": {"b": 2}}
    answer = await acme.api.request(method, f"/v1/{kind}/{made['id']}", json=sent)
    assert answer.status_code == 200, answer.text
    # PATCH merges by key, PUT replaces.
    meta = {"a": 1, "b": 2} if method == "PATCH" else {"b": 2}
    changes = {**sent, "meta": meta, "updated_at": "2026-01-15T12:00:05.000Z", "version": 2}
    assert answer.json() == {**made, **changes}
    assert answer.headers["etag"] == '"2"'
    assert (await acme.api.get(f"/v1/{kind}/{made['uuid']}")).json() == answer.json()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_change_that_changes_nothing_writes_nothing(
    acme: Firm, clock: ManualClock, kind: str
) -> None:
    made = await make(acme, kind, phone="+6591234567", place=await place(acme), meta={"a": 1.5})
    clock.advance(seconds=5)
    for sent in ({}, {"phone": "0065 9123 4567"}, {"name": " Ada "}, made):
        answer = await acme.api.put(f"/v1/{kind}/{made['id']}", json=sent)
        assert answer.json() == made


@pytest.mark.parametrize("sent", [{"name": None}, {"name": ""}, {"type": None}, {"meta": None}])
async def test_what_must_be_there_cannot_be_emptied(acme: Firm, sent: Any) -> None:
    made = await make(acme)
    answer = await acme.api.patch(f"/v1/contacts/{made['id']}", json=sent)
    assert paths(answer) == list(sent)


@pytest.mark.parametrize("kind", KINDS)
async def test_if_match_refuses_a_change_of_what_was_changed_since(acme: Firm, kind: str) -> None:
    made = await make(acme, kind)
    path = f"/v1/{kind}/{made['id']}"
    tag = (await acme.api.get(path)).headers["etag"]

    async def change(name: str, expected: str) -> httpx.Response:
        return await acme.api.patch(path, json={"name": name}, headers={"If-Match": expected})

    assert (await change("First", tag)).status_code == 200
    refused(await change("Second", tag), 412, "precondition_failed")
    refused(await acme.api.delete(path, headers={"If-Match": tag}), 412, "precondition_failed")
    assert (await acme.api.get(path)).json()["name"] == "First"
    assert (await change("Third", "*")).json()["version"] == 3


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_deleted_is_listed_no_more_and_kept(
    acme: Firm, house: House, kind: str
) -> None:
    made = await make(acme, kind)
    path = f"/v1/{kind}/{made['id']}"
    answer = await acme.api.delete(path)
    assert answer.status_code == 200
    assert answer.json() == {
        "id": made["id"], "object": kind[:-1], "time": "2026-01-15T12:00:00.000Z", "deleted": True,
    }  # fmt: skip
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        refused(await acme.api.request(method, path, json={}), 404, "not_found")
    assert await names(acme, f"/v1/{kind}") == []
    assert await house.value(f"select name from {kind} where deleted_at is not null") == "Ada"


@pytest.mark.parametrize("kind", KINDS)
async def test_lists_are_paged_and_sorted(acme: Firm, clock: ManualClock, kind: str) -> None:
    for name in ("Chloe", "Ada", "Berta"):
        await make(acme, kind, name=name)
        clock.advance(seconds=1)
    assert await names(acme, f"/v1/{kind}") == ["Berta", "Ada", "Chloe"]
    assert await names(acme, f"/v1/{kind}", sort="-name") == ["Chloe", "Berta", "Ada"]
    first = await acme.api.get(f"/v1/{kind}", params={"sort": "name", "limit": 2})
    rest = await acme.api.get(first.links["next"]["url"])
    assert [row["name"] for row in first.json() + rest.json()] == ["Ada", "Berta", "Chloe"]
    assert "link" not in rest.headers
    assert paths(await acme.api.get(f"/v1/{kind}", params={"sort": "email"})) == ["sort"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("100%", {"100% sure"}), ("%", {"100% sure"}), ("_", {"a_b"}), ("a_b", {"a_b"}),
        ("\\", {"back\\slash"}), ("SURE", {"100% sure"}), ("ada@", {"100% sure"}),
        ("nothing", set()), ("' or 1=1 --", set()), ("C-9", {"a_b"}),
    ],
)  # fmt: skip
async def test_a_search_means_what_it_says(acme: Firm, query: str, found: set[str]) -> None:
    await make(acme, name="100% sure", email="ada@example.com")
    await make(acme, name="a_b", internal_id="C-9")
    await make(acme, name="back\\slash")
    await make(acme, name="axb")
    assert set(await names(acme, "/v1/contacts", query=query)) == found


async def test_filters_choose(acme: Firm) -> None:
    where = await place(acme)
    await make(acme, name="Ada", type="customer", email="Ada@example.com", phone="+6591234567")
    await make(acme, name="Berta", internal_id="C-2", place=where)
    for query, expected in (
        ({"type": "customer"}, ["Ada"]),
        ({"email": "ada@EXAMPLE.com"}, ["Ada"]),
        ({"phone": "0065 9123 4567"}, ["Ada"]),
        ({"internal_id": "C-2"}, ["Berta"]),
        ({"place": where}, ["Berta"]),
        ({"type": "customer", "internal_id": "C-2"}, []),
    ):
        assert await names(acme, "/v1/contacts", **query) == expected, query
    assert paths(await acme.api.get("/v1/contacts", params={"phone": "1"})) == ["phone"]
    await make(acme, "vendors", name="Swift", country="SG", status="inactive", business_id="B-1")
    await make(acme, "vendors", name="Slow", country="MY")
    for vendors, expected in (
        ({"country": "sg"}, ["Swift"]),
        ({"status": "active"}, ["Slow"]),
        ({"business_id": "B-1"}, ["Swift"]),
    ):
        assert await names(acme, "/v1/vendors", **vendors) == expected, vendors
    answer = await acme.api.get("/v1/vendors", params={"status": "asleep"})
    assert refused(answer, 422, "unknown_value")["fields"][0]["path"] == "status"


@pytest.mark.parametrize("kind", KINDS)
async def test_another_companys_is_not_there(acme: Firm, rival: Firm, kind: str) -> None:
    made = await make(acme, kind)
    for name in (made["id"], made["uuid"]):
        for method in ("GET", "PUT", "PATCH", "DELETE"):
            answer = await rival.api.request(method, f"/v1/{kind}/{name}", json={"name": "Mine"})
            refused(answer, 404, "not_found")
    assert await names(rival, f"/v1/{kind}", query="Ada") == []
    assert (await acme.api.get(f"/v1/{kind}/{made['id']}")).json() == made


@pytest.mark.parametrize("kind", KINDS)
async def test_another_companys_place_is_not_there(acme: Firm, rival: Firm, kind: str) -> None:
    theirs, made = await place(rival), await make(acme, kind)
    uuid = str(await acme.house.value("select uuid from places"))
    for name in (theirs, uuid, "place_nothing"):
        for answer in (
            await acme.api.post(f"/v1/{kind}", json={"name": "A", "place": name}),
            await acme.api.patch(f"/v1/{kind}/{made['id']}", json={"place": name}),
            await acme.api.get(f"/v1/{kind}", params={"place": name}),
        ):
            told = refused(answer, 404, "not_found")
            assert [field["path"] for field in told["fields"]] == ["place"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_place_that_has_left_is_kept_where_it_was_and_named_by_nobody_new(
    acme: Firm, kind: str
) -> None:
    gone = await place(acme)
    before, other = await make(acme, kind, place=gone), await make(acme, kind)
    assert (await acme.api.delete(f"/v1/places/{gone}")).status_code == 200
    for answer in (
        await acme.api.post(f"/v1/{kind}", json={"name": "A", "place": gone}),
        await acme.api.patch(f"/v1/{kind}/{other['id']}", json={"place": gone}),
    ):
        told = refused(answer, 404, "not_found")
        assert [field["path"] for field in told["fields"]] == ["place"]
    sent = {**before, "title": "Keeper"}
    same = await acme.api.put(f"/v1/{kind}/{before['id']}", json=sent)
    assert (same.status_code, same.json()["place"]) == (200, gone)
    found = (await acme.api.get(f"/v1/{kind}", params={"place": gone})).json()
    assert [each["id"] for each in found] == [before["id"]]


async def test_a_key_does_only_what_its_scopes_allow(acme: Firm, house: House) -> None:
    sent = {"kind": "api", "name": "Reader", "scopes": ["contacts:read"]}
    reader = house.client((await acme.admin.post("/int/v1/keys", json=sent)).json()["key"])
    assert (await reader.get("/v1/contacts")).status_code == 200
    assert (await reader.post("/v1/contacts", json={"name": "A"})).status_code == 403
    assert (await reader.get("/v1/vendors")).status_code == 403


async def test_a_creation_with_a_key_is_done_once(acme: Firm, house: House) -> None:
    for _ in range(2):
        await acme.api.post(
            "/v1/contacts", json={"name": "Ada"}, headers={"Idempotency-Key": "one"}
        )
    assert await house.value("select count(*) from contacts") == 1
