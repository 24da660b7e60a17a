"""Service areas and zones: drawn, kept, asked which of them hold a point."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.places import queries
from probe import paths, refused
from stage import Firm, House

SQUARE = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]]
HOLE = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0]]
POLYGON = {"type": "Polygon", "coordinates": [SQUARE]}
HOLED = {"type": "Polygon", "coordinates": [SQUARE, HOLE]}


async def make(firm: Firm, path: str, **sent: Any) -> dict[str, Any]:
    answer = await firm.api.post(f"/v1/{path}", json={"name": "Centre", "border": POLYGON, **sent})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def draw(firm: Firm, **sent: Any) -> dict[str, Any]:
    """Draw a zone in a new service area."""
    area = await make(firm, "service-areas")
    return await make(firm, "zones", **{"service_area": area["id"], **sent})


async def test_an_area_answers_with_its_parts_and_its_middle(acme: Firm) -> None:
    made = await make(
        acme, "service-areas", type="city", country="sg", color="#2f6fed", stroke_color="navy",
    )  # fmt: skip
    assert made["id"].startswith("sa_")
    assert made["border"] == {"type": "MultiPolygon", "coordinates": [[SQUARE]]}
    assert made["center"] == {"type": "Point", "coordinates": [2.0, 2.0]}
    assert (made["status"], made["country"], made["meta"]) == ("active", "SG", {})
    assert (await acme.api.get(f"/v1/service-areas/{made['uuid']}")).json() == made


async def test_a_point_and_a_radius_make_a_circle(acme: Firm) -> None:
    sent = {"name": "Round", "location": {"latitude": 1.35, "longitude": 103.8}, "radius": 5000}
    area = (await acme.api.post("/v1/service-areas", json=sent)).json()
    assert len(area["border"]["coordinates"][0][0]) == 65
    assert area["center"]["coordinates"] == pytest.approx([103.8, 1.35], abs=1e-4)
    zone = await acme.api.post("/v1/zones", json={**sent, "service_area": area["uuid"]})
    assert zone.json()["border"]["type"] == "Polygon"
    smaller = await acme.api.patch(
        f"/v1/zones/{zone.json()['id']}", json={"location": "1.35,103.8", "radius": 10}
    )
    assert smaller.json()["version"] == 2
    assert smaller.json()["border"] != zone.json()["border"]


async def test_a_zone_belongs_to_an_area_and_has_rules(acme: Firm) -> None:
    area = await make(acme, "service-areas")
    made = await make(
        acme, "zones", service_area=area["uuid"], description="Slow down", speed_limit_kmh=30,
        trigger_on_exit=False, dwell_threshold_minutes=15,
    )  # fmt: skip
    assert made["id"].startswith("zone_")
    assert made["service_area"] == area["id"]
    assert (made["speed_limit_kmh"], made["dwell_threshold_minutes"]) == (30, 15)
    assert (made["trigger_on_entry"], made["trigger_on_exit"]) == (True, False)
    assert made["border"] == POLYGON


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "border"),
        ({"name": " ", "border": POLYGON}, "name"),
        ({"border": {"type": "Polygon", "coordinates": []}}, "border"),
        ({"border": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1]]]}},
         "border"),
        ({"border": {"type": "Polygon", "coordinates": [[[179, 0], [-179, 0], [-179, 1]]]}},
         "border"),
        ({"border": []}, "border"),
        ({"border": None}, "border"),
        ({"border": POLYGON, "location": "1,2", "radius": 5}, "border"),
        ({"location": "1,2"}, "radius"),
        ({"radius": 5}, "location"),
        ({"location": "91,2", "radius": 5}, "location"),
        ({"location": "1,2", "radius": 0}, "radius"),
        ({"location": "1,2", "radius": 1_000_001}, "radius"),
        ({"location": "89.99,2", "radius": 50000}, "radius"),
        ({"location": "0,180", "radius": 50000}, "radius"),
        ({"border": POLYGON, "color": "red; background: url(x)"}, "color"),
        ({"border": POLYGON, "status": "asleep"}, "status"),
        ({"border": POLYGON, "country": "ZZ"}, "country"),
        ({"border": POLYGON, "meta": {"a": "x" * 16384}}, "meta"),
    ],
)  # fmt: skip
async def test_a_wrong_field_is_refused_by_its_path(
    acme: Firm, house: House, sent: Any, path: str
) -> None:
    answer = await acme.api.post("/v1/service-areas", json={"name": "A", **sent})
    assert paths(answer) == [path]
    assert await house.value("select count(*) from service_areas") == 0


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"service_area": None}, "service_area"),
        ({"speed_limit_kmh": 0}, "speed_limit_kmh"),
        ({"speed_limit_kmh": 30.5}, "speed_limit_kmh"),
        ({"dwell_threshold_minutes": 10081}, "dwell_threshold_minutes"),
        ({"trigger_on_entry": "yes"}, "trigger_on_entry"),
        ({"description": "x" * 2001}, "description"),
    ],
)
async def test_a_zones_wrong_field_is_refused_by_its_path(acme: Firm, sent: Any, path: str) -> None:
    made = await draw(acme)
    assert paths(await acme.api.patch(f"/v1/zones/{made['id']}", json=sent)) == [path]
    body = {"name": "A", "border": POLYGON, "service_area": made["service_area"], **sent}
    assert paths(await acme.api.post("/v1/zones", json=body)) == [path]


@pytest.mark.parametrize("kind", ["service-areas", "zones"])
async def test_a_change_leaves_what_it_leaves_out_and_nothing_writes_nothing(
    acme: Firm, clock: ManualClock, kind: str
) -> None:
    zone = await draw(acme, color="red", meta={"a": 1})
    name = zone["id"] if kind == "zones" else zone["service_area"]
    path = f"/v1/{kind}/{name}"
    made = (await acme.api.get(path)).json()
    clock.advance(seconds=5)
    for sent in ({}, made, {"border": {**POLYGON, "coordinates": [SQUARE[:-1]]}}):
        assert (await acme.api.put(path, json=sent)).json() == made
    answer = await acme.api.patch(path, json={"color": None, "status": "inactive"})
    changes = {"color": None, "status": "inactive", "version": 2}
    assert answer.json() == {**made, **changes, "updated_at": "2026-01-15T12:00:05.000Z"}
    stale = await acme.api.patch(path, json={"name": "B"}, headers={"If-Match": '"1"'})
    refused(stale, 412, "precondition_failed")


async def test_lists_search_filter_and_sort(acme: Firm) -> None:
    first = await draw(acme, name="b%")
    other = await make(acme, "service-areas", name="Away", country="MY", status="inactive")
    await make(acme, "zones", name="a_c", service_area=other["id"])

    async def names(path: str, **query: Any) -> list[str]:
        answer = await acme.api.get(f"/v1/{path}", params=query)
        assert answer.status_code == 200, answer.text
        return [row["name"] for row in answer.json()]

    assert await names("zones", sort="name") == ["a_c", "b%"]
    assert await names("zones", query="%") == ["b%"]
    assert await names("zones", query="_") == ["a_c"]
    assert await names("zones", service_area=first["service_area"]) == ["b%"]
    assert await names("service-areas", status="inactive") == ["Away"]
    assert await names("service-areas", country="my") == ["Away"]
    assert await names("service-areas", location="2,2") == ["Centre"]
    assert sorted(await names("zones", location="2,2")) == ["a_c", "b%"]
    assert await names("zones", location="50,50") == []
    assert paths(await acme.api.get("/v1/zones?location=here")) == ["location"]


async def test_which_zones_hold_a_point(acme: Firm, rival: Firm, house: House) -> None:
    whole = await draw(acme, name="Whole")
    holed = await draw(acme, name="Holed", border=HOLED)
    await draw(acme, name="Asleep", status="inactive")
    gone = await draw(acme, name="Gone")
    await acme.api.delete(f"/v1/zones/{gone['id']}")
    await draw(rival, name="Theirs")

    async def held(longitude: float, latitude: float) -> list[str]:
        async with house.database.reading() as db:
            point = Point(longitude, latitude)
            return [zone.public_id for zone in await queries.find_zones(db, acme.uuid, point)]

    assert await held(3, 3) == [whole["id"], holed["id"]]
    assert await held(1.5, 1.5) == [whole["id"]]
    for edge in ((0, 0), (4, 2), (1, 1.5), (2, 2)):
        assert await held(*edge) == [whole["id"], holed["id"]], edge
    assert await held(4.000001, 2) == []
    async with house.database.reading() as db:
        assert len(await queries.find_areas(db, acme.uuid, Point(4.0, 4.0))) == 4


async def test_an_area_is_deleted_after_its_zones(acme: Firm, house: House) -> None:
    zone = await draw(acme)
    path = f"/v1/service-areas/{zone['service_area']}"
    refused(await acme.api.delete(path), 409, "service_area_has_zones")
    assert (await acme.api.delete(f"/v1/zones/{zone['id']}")).json()["object"] == "zone"
    assert (await acme.api.delete(path)).json()["object"] == "service_area"
    for kind in ("zones", "service-areas"):
        assert (await acme.api.get(f"/v1/{kind}")).json() == []
    assert await house.value("select count(*) from zones where deleted_at is not null") == 1
    again = {"name": "A", "border": POLYGON, "service_area": zone["service_area"]}
    refused(await acme.api.post("/v1/zones", json=again), 404, "not_found")


async def test_another_companys_is_not_there(acme: Firm, rival: Firm) -> None:
    theirs = await draw(rival)
    ours = await draw(acme)
    for path in (f"zones/{theirs['id']}", f"service-areas/{theirs['service_area']}"):
        for method in ("GET", "PUT", "PATCH", "DELETE"):
            answer = await acme.api.request(method, f"/v1/{path}", json={"name": "B"})
            refused(answer, 404, "not_found")
    area = theirs["service_area"]
    body = {"name": "A", "border": POLYGON, "service_area": area}
    for answer in (
        await acme.api.post("/v1/zones", json=body),
        await acme.api.patch(f"/v1/zones/{ours['id']}", json={"service_area": area}),
        await acme.api.get("/v1/zones", params={"service_area": area}),
    ):
        told = refused(answer, 404, "not_found")
        assert [field["path"] for field in told["fields"]] == ["service_area"]


async def test_a_key_does_only_what_its_scopes_allow(acme: Firm, house: House) -> None:
    sent = {"kind": "api", "name": "Reader", "scopes": ["zones:read", "places:write"]}
    reader = house.client((await acme.admin.post("/int/v1/keys", json=sent)).json()["key"])
    assert (await reader.get("/v1/zones")).status_code == 200
    assert (await reader.get("/v1/service-areas")).status_code == 403
    assert (await reader.post("/v1/places", json={"name": "A"})).status_code == 201
