"""Places: kept, found, changed, let go, and understood in any of their spellings."""

from typing import Any

import httpx
import pytest

from pannier.kit.clock import ManualClock
from probe import paths, refused
from stage import Firm, House

SPOT = {"type": "Point", "coordinates": [103.8198, 1.3521]}


async def make(firm: Firm, **sent: Any) -> dict[str, Any]:
    answer = await firm.api.post("/v1/places", json=sent)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def send(firm: Firm, given: Any) -> httpx.Response:
    return await firm.api.post("/v1/payloads", json={"pickup": given, "dropoff": "1.3,103.8"})


async def place_of(firm: Firm, given: Any) -> dict[str, Any]:
    answer = await send(firm, given)
    assert answer.status_code == 201, answer.text
    place: dict[str, Any] = answer.json()["pickup"]
    return place


async def test_a_place_is_kept_in_one_form(acme: Firm) -> None:
    made = await make(
        acme, name="Warehouse", street1="1 Raffles Place,", street2="", city="Singapore",
        postal_code="048616", country="sg", phone="0065 9123 4567", building="Tower 2",
        security_access_code="4711#", location=SPOT, meta={"dock": 3},
    )  # fmt: skip
    assert made["id"].startswith("place_")
    assert made["address"] == "Tower 2, 1 Raffles Place, Singapore 048616, SG"
    assert (made["street2"], made["country"], made["phone"]) == (None, "SG", "+6591234567")
    assert made["location"] == SPOT
    answer = await acme.api.get(f"/v1/places/{made['uuid']}")
    assert answer.json() == made
    assert answer.headers["etag"] == '"1"'


@pytest.mark.parametrize(
    "sent",
    [
        {"location": SPOT},
        {"location": {"type": "Feature", "properties": {}, "geometry": SPOT}},
        {"location": {"latitude": 1.3521, "longitude": 103.8198}},
        {"location": "1.3521,103.8198"},
        {"location": [103.8198, 1.3521]},
        {"latitude": 1.3521, "longitude": 103.8198},
        {"latitude": "1.3521", "longitude": "103.8198"},
        {"location": None, "latitude": 1.3521, "longitude": 103.8198},
    ],
)
async def test_a_point_may_be_spelled_in_any_way(acme: Firm, sent: Any) -> None:
    made = await make(acme, **sent)
    assert made["location"] == SPOT
    assert made["address"] == "1.3521, 103.8198"


async def test_a_place_without_a_point_has_none(acme: Firm) -> None:
    assert (await make(acme, street1="1 Main St"))["location"] is None


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "street1"),
        ({"street1": "  ", "meta": {"a": 1}}, "street1"),
        ({"name": "A", "location": {"type": "Point"}}, "location"),
        ({"name": "A", "location": {"type": "Polygon", "coordinates": [[[0, 0]]]}}, "location"),
        ({"name": "A", "location": {"type": "Point", "coordinates": [200, 0]}}, "location"),
        ({"name": "A", "location": {"type": "Point", "coordinates": [True, 0]}}, "location"),
        ({"name": "A", "location": "somewhere"}, "location"),
        ({"name": "A", "location": 5}, "location"),
        ({"name": "A", "latitude": 1}, "longitude"),
        ({"name": "A", "longitude": 1, "latitude": None}, "latitude"),
        ({"name": "A", "latitude": 91, "longitude": 0}, "latitude"),
        ({"name": "A", "country": "ZZ"}, "country"),
        ({"name": "A", "country": "SGP"}, "country"),
        ({"name": "A", "phone": "12"}, "phone"),
        ({"name": 5}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"street1": "x" * 256}, "street1"),
        ({"name": "A", "meta": None}, "meta"),
        ({"name": "A", "meta": {"a": "x" * 16384}}, "meta"),
    ],
)
async def test_a_wrong_field_is_refused_by_its_path(
    acme: Firm, house: House, sent: Any, path: str
) -> None:
    assert paths(await acme.api.post("/v1/places", json=sent)) == [path]
    assert await house.value("select count(*) from places") == 0


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_a_change_leaves_what_it_leaves_out_and_null_empties(
    acme: Firm, clock: ManualClock, method: str
) -> None:
    made = await make(acme, street1="1 Main St", city="Springfield", location=SPOT)
    clock.advance(seconds=5)
    sent = {"city": None, "name": "Depot"}
    answer = await acme.api.request(method, f"/v1/places/{made['id']}", json=sent)
    changes = {"address": "1 Main St", "updated_at": "2026-01-15T12:00:05.000Z", "version": 2}
    assert answer.json() == {**made, **sent, **changes}
    emptied = await acme.api.request(method, f"/v1/places/{made['id']}", json={"location": None})
    assert emptied.json()["location"] is None
    moved = {"latitude": 2, "longitude": 3}
    answer = await acme.api.request(method, f"/v1/places/{made['id']}", json=moved)
    assert answer.json()["location"]["coordinates"] == [3, 2]


async def test_a_change_that_changes_nothing_writes_nothing(acme: Firm, clock: ManualClock) -> None:
    made = await make(acme, street1="1 Main St", location=SPOT, meta={"a": [1, 2.5]})
    clock.advance(seconds=5)
    for sent in ({}, {"street1": " 1 Main St "}, {"location": "1.3521,103.8198"}, made):
        assert (await acme.api.put(f"/v1/places/{made['id']}", json=sent)).json() == made


async def test_if_match_refuses_a_change_of_what_was_changed_since(acme: Firm) -> None:
    path = f"/v1/places/{(await make(acme, name='A'))['id']}"
    old = {"If-Match": '"1"'}
    assert (await acme.api.patch(path, json={"name": "B"}, headers=old)).status_code == 200
    for method in ("PUT", "PATCH", "DELETE"):
        answer = await acme.api.request(method, path, json={"name": "C"}, headers=old)
        refused(answer, 412, "precondition_failed")


async def test_lists_search_filter_and_page(acme: Firm, clock: ManualClock) -> None:
    for number, city in enumerate(("100% Town", "a_b", "Springfield")):
        await make(acme, name=f"P{number}", city=city, country="US" if number else "SG")
        clock.advance(seconds=1)

    async def names(**query: Any) -> list[str]:
        answer = await acme.api.get("/v1/places", params=query)
        assert answer.status_code == 200, answer.text
        return [row["name"] for row in answer.json()]

    assert await names() == ["P2", "P1", "P0"]
    assert await names(query="%") == ["P0"]
    assert await names(query="_") == ["P1"]
    assert await names(query="spring") == ["P2"]
    assert await names(country="us") == ["P2", "P1"]
    assert await names(city="a_b") == ["P1"]
    assert paths(await acme.api.get("/v1/places", params={"country": "zz"})) == ["country"]
    first = await acme.api.get("/v1/places", params={"limit": 2, "sort": "created_at"})
    rest = await acme.api.get(first.links["next"]["url"])
    assert [row["name"] for row in first.json() + rest.json()] == ["P0", "P1", "P2"]


async def test_what_is_deleted_is_listed_no_more_and_kept(acme: Firm, house: House) -> None:
    made = await make(acme, name="A")
    contact = await acme.api.post("/v1/contacts", json={"name": "Ada", "place": made["id"]})
    answer = await acme.api.delete(f"/v1/places/{made['id']}")
    assert (answer.json()["object"], answer.json()["deleted"]) == ("place", True)
    refused(await acme.api.get(f"/v1/places/{made['id']}"), 404, "not_found")
    assert (await acme.api.get("/v1/places")).json() == []
    assert await house.value("select count(*) from places where deleted_at is not null") == 1
    kept = await acme.api.get(f"/v1/contacts/{contact.json()['id']}")
    assert kept.json()["place"] == made["id"]
    refused(await send(acme, made["id"]), 404, "not_found")


async def test_another_companys_place_is_not_there(acme: Firm, rival: Firm) -> None:
    made = await make(acme, name="A")
    for name in (made["id"], made["uuid"]):
        for method in ("GET", "PUT", "PATCH", "DELETE"):
            answer = await rival.api.request(method, f"/v1/places/{name}", json={"name": "B"})
            refused(answer, 404, "not_found")
        for given in (name, {"id": name, "street1": "1 Main St"}):
            problem = refused(await send(rival, given), 404, "not_found")
            assert [field["path"] for field in problem["fields"]] == ["pickup"]
    assert (await rival.api.get("/v1/places")).json() == []


async def test_a_place_is_found_by_its_identifier(acme: Firm, house: House) -> None:
    made = await make(acme, name="A")
    for given in (made["id"], made["uuid"], made, {"uuid": made["uuid"]}, {"id": made["id"]}):
        assert (await place_of(acme, given))["id"] == made["id"]
    assert await house.value("select count(*) from places where name = 'A'") == 1


@pytest.mark.parametrize(
    "given",
    [SPOT, {"type": "Feature", "geometry": SPOT}, {"latitude": 1.3521, "longitude": 103.8198},
     "1.3521,103.8198", " 1.3521 , 103.8198 ", [103.8198, 1.3521], {"location": SPOT}],
)  # fmt: skip
async def test_a_point_becomes_a_new_place(acme: Firm, given: Any) -> None:
    place = await place_of(acme, given)
    assert place["location"] == SPOT
    assert place["id"] in (await acme.api.get("/v1/places")).text


async def test_an_address_becomes_a_new_place(acme: Firm) -> None:
    given = {"street1": "1 Main St", "city": "Springfield", "country": "us"}
    assert (await place_of(acme, given))["address"] == "1 Main St, Springfield, US"
    text = await place_of(acme, "10, Downing Street, London")
    assert (text["street1"], text["location"]) == ("10, Downing Street, London", None)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (None, "pickup"), (5, "pickup"), ([], "pickup"), (["a", "b"], "pickup"),
        ("91,0", "pickup"), ({"type": "Point", "coordinates": []}, "pickup"),
        ({}, "pickup.street1"), ("", "pickup.street1"), ({"street1": 5}, "pickup.street1"),
        ("x" * 256, "pickup.street1"), ({"latitude": 1}, "pickup.longitude"),
        ({"street1": "A", "country": "ZZ"}, "pickup.country"),
    ],
)  # fmt: skip
async def test_what_is_no_place_is_refused_by_its_path(acme: Firm, given: Any, path: str) -> None:
    assert paths(await send(acme, given)) == [path]


@pytest.mark.parametrize(
    ("owner", "path"),
    [
        ({"owner_type": "order"}, "owner_type"),
        ({"owner_type": "customer"}, "owner"),
        ({"owner_type": "customer", "owner": "contact_nobody"}, "owner"),
        ({"owner_type": "company", "owner": "contact_nobody"}, "owner"),
        ({"owner": "contact_nobody"}, "owner"),
    ],
)
async def test_an_owner_that_a_place_cannot_have_is_refused(
    acme: Firm, owner: dict[str, str], path: str
) -> None:
    answer = await acme.api.post("/v1/places", json={"street1": "1 Road", **owner})
    assert answer.status_code in {404, 422}, answer.text
    assert [field["path"] for field in answer.json()["fields"]] == [path]


async def test_a_place_is_the_companys_unless_said_otherwise_and_lists_by_owner(
    acme: Firm,
) -> None:
    ada = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    depot = (await acme.api.post("/v1/places", json={"street1": "1 Depot Road"})).json()
    assert (depot["owner_type"], depot["owner"]) == ("company", None)
    wish = {"street1": "2 Home Road", "owner_type": "customer", "owner": ada["uuid"]}
    home = (await acme.api.post("/v1/places", json=wish)).json()
    assert (home["owner_type"], home["owner"]) == ("customer", ada["id"])
    sent = {name: home[name] for name in ("street1", "owner_type", "owner")}
    again = await acme.api.put(f"/v1/places/{home['id']}", json=sent)
    assert again.json() == home, again.text
    alone = await make(acme, street1="3 Home Road", owner=ada["id"])
    assert (alone["owner_type"], alone["owner"]) == ("customer", ada["id"])
    assert (await acme.api.delete(f"/v1/places/{alone['id']}")).status_code == 200
    listed = (await acme.api.get("/v1/places?owner_type=customer")).json()
    assert [place["id"] for place in listed] == [home["id"]]


async def test_the_present_owner_sent_back_with_another_owner_type_is_dropped(acme: Firm) -> None:
    ada = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    home = await make(acme, street1="2 Home Road", owner_type="customer", owner=ada["id"])
    body = {"owner_type": "company", "owner": home["owner"]}
    saved = (await acme.api.put(f"/v1/places/{home['id']}", json=body)).json()
    assert (saved["owner_type"], saved["owner"]) == ("company", None)
