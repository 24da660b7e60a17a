"""`POST /v1/imports` and what follows: a file, a mapping, a dry run, the import, its undoing."""

import pytest
from httpx import AsyncClient

from imports.clerk import PLACES, Clerk, counts
from stage import Firm


@pytest.fixture
def clerk(acme: Firm) -> Clerk:
    return Clerk(acme)


async def test_a_file_is_read_and_its_columns_are_mapped_by_their_names(clerk: Clerk) -> None:
    made = await clerk.create("places", PLACES, "orte.csv")
    assert (made["state"], made["file_name"]) == ("new", "orte.csv")
    assert (made["format"], made["encoding"], made["separator"]) == ("csv", "utf-8", ";")
    assert made["mapping"] == {
        "Name": "name", "Straße": "street1", "PLZ": "postal_code", "Ort": "city",
        "Breitengrad": "latitude", "Längengrad": "longitude",
    }  # fmt: skip
    assert made["sample"] == [["Depot", "Hauptstr. 1", "10115", "Berlin", "52,52", "13,4"]]
    assert await clerk.get("places") == []


async def test_an_imported_file_has_become_records_and_once_more_changes_nothing(
    clerk: Clerk,
) -> None:
    done = await clerk.imported("places", PLACES)
    assert (done["state"], counts(done), done["row_count"]) == ("done", {"created": 1}, 2)
    [place] = await clerk.get("places")
    assert (place["name"], place["city"]) == ("Depot", "Berlin")
    assert place["location"]["coordinates"] == [13.4, 52.52]
    again = await clerk.imported("places", PLACES)
    assert counts(again) == {"unchanged": 1}
    assert len(await clerk.get("places")) == 1


async def test_a_dry_run_names_the_errors_of_each_row_and_creates_nothing(clerk: Clerk) -> None:
    file = "name,country,latitude,longitude\nA,SG,1.3,103.8\nB,Atlantis,1.3,103.8\nC,SG,north,1\n"
    checked = await clerk.run(await clerk.create("places", file), "dry-run")
    assert (checked["state"], counts(checked)) == ("checked", {"ready": 1, "failed": 2})
    errors = await clerk.errors(checked)
    assert list(errors) == [3, 4]
    assert errors[3][0].startswith("country: ")
    assert errors[4] == ["latitude: “north” is not a number. Enter it as 4.5 or 4,5."]
    assert await clerk.get("places") == []
    done = await clerk.run(checked, "start")
    assert counts(done) == {"created": 1, "failed": 2}


async def test_a_key_without_the_scope_of_imports_reads_no_imported_file(
    acme: Firm, clerk: Clerk
) -> None:
    await clerk.create("places", PLACES)
    body = {"kind": "api", "name": "Files", "scopes": ["files:read", "proofs:read"]}
    key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
    assert (await acme.house.client(key).get("/v1/files")).json() == []


async def limited(acme: Firm, *scopes: str) -> AsyncClient:
    """A client whose key has only these scopes."""
    body = {"kind": "api", "name": "Limited", "scopes": list(scopes)}
    key = (await acme.admin.post("/int/v1/keys", json=body)).json()["key"]
    return acme.house.client(key)


async def test_a_key_sees_the_rows_of_a_file_only_if_it_may_read_such_records(
    acme: Firm, clerk: Clerk
) -> None:
    faulty = "Name;Land\nAda's house;Atlantis\n"
    made = await clerk.run(await clerk.create("places", faulty), "dry-run")
    path = f"/v1/imports/{made['id']}"
    reader = await limited(acme, "imports:read", "contacts:read")
    for answer in (await reader.get(path), await reader.get("/v1/imports")):
        assert answer.status_code == 200
        assert "Ada" not in answer.text
        assert "faulty" not in answer.text
    for part in ("rows", "faulty-rows"):
        answer = await reader.get(f"{path}/{part}")
        assert answer.status_code == 403, part
        assert answer.json()["detail"] == "This API key lacks the scope `places:read`."
    both = await limited(acme, "imports:read", "places:read")
    assert "Ada" in (await both.get(path)).text
    assert "Ada" in (await both.get("/v1/imports")).text
    assert (await both.get(f"{path}/rows")).json()[0]["number"] == 2
    assert "Ada" in (await both.get(f"{path}/faulty-rows")).text
    # Whoever only writes such records may start the import, and sees no row of it either.
    writer = await limited(acme, "imports:write", "places:write")
    for answer in (
        await writer.patch(path, json={"mapping": {"Name": "name"}}),
        await writer.post(f"{path}/dry-run", json={}),
    ):
        assert answer.status_code == 200, answer.text
        assert "Ada" not in answer.text


async def test_importing_an_uploaded_file_needs_the_scope_to_read_files(
    acme: Firm, clerk: Clerk
) -> None:
    body = {"resource": "places", "file": await clerk.upload(PLACES)}
    blind = await limited(acme, "imports:write", "places:write", "files:write")
    refused = await blind.post("/v1/imports", json=body)
    assert refused.status_code == 403
    assert refused.json()["detail"] == "This API key lacks the scope `files:read`."
    seeing = await limited(acme, "imports:write", "places:write", "files:read")
    assert (await seeing.post("/v1/imports", json=body)).status_code == 201


@pytest.mark.parametrize(
    "resource", ["places", "contacts", "orders", "drivers", "vehicles", "service-rates"]
)
async def test_importing_needs_the_scope_to_create_such_records(
    acme: Firm, clerk: Clerk, resource: str
) -> None:
    body = {"resource": resource, "file": await clerk.upload("Name\nAda\n")}
    others = {"places:write", "contacts:write", "orders:write"} - {f"{resource}:write"}
    client = await limited(acme, "imports:write", "files:read", *others)
    refused = await client.post("/v1/imports", json=body)
    assert refused.status_code == 403
    assert refused.json()["detail"] == f"This API key lacks the scope `{resource}:write`."
