"""Payloads: put together, read back, changed, handed over, let go."""

from typing import Any

import pytest

from pannier.kit.clock import ManualClock
from payloads.warehouse import Warehouse, absent, streets
from probe import paths, refused
from stage import Firm, House

ENDS = {"pickup": "A Street", "dropoff": "B Street"}


async def test_a_pickup_and_a_dropoff_are_enough(depot: Warehouse) -> None:
    made = await depot.payload(type="parcel", meta={"a": 1})
    assert made["id"] == made["public_id"]
    assert made["id"].startswith("payload_")
    assert (made["order"], made["state"], made["type"]) == (None, "open", "parcel")
    assert made["pickup"]["street1"] == "A Street"
    assert made["dropoff"]["street1"] == "B Street"
    assert made["return"] is None
    assert (made["waypoints"], made["entities"], made["current_waypoint"]) == ([], [], None)
    assert (made["version"], made["meta"]) == (1, {"a": 1})
    assert made["created_at"] == made["updated_at"] == "2026-01-15T12:00:00.000Z"
    answer = await depot.firm.api.get(f"/v1/payloads/{made['uuid']}")
    assert answer.json() == made
    assert answer.headers["etag"] == '"1"'
    assert await depot.get("payloads") == [made]


async def test_stops_are_kept_in_the_order_in_which_they_were_sent(depot: Warehouse) -> None:
    made = await depot.route("A", "B", "C")
    assert streets(made) == ["A", "B", "C"]
    first = made["waypoints"][0]
    assert first["id"].startswith("waypoint_")
    assert [stop["order"] for stop in made["waypoints"]] == [0, 1, 2]
    assert (first["type"], first["payload"]) == ("dropoff", made["id"])
    assert (first["name"], first["address"], first["location"]) == (None, "A", None)
    assert (first["status_code"], first["complete"], first["completed_at"]) == (None, False, None)
    assert first["tracking_number"] is None
    assert made["current_waypoint"] == first["id"]
    assert made["pickup"] == first["place"]
    assert made["dropoff"] == made["waypoints"][2]["place"]


@pytest.mark.parametrize(
    ("given", "location"),
    [
        ("1.3521,103.8198", [103.8198, 1.3521]),
        ({"latitude": 1.3, "longitude": 103.8}, [103.8, 1.3]),
        ({"type": "Point", "coordinates": [103.8, 1.3]}, [103.8, 1.3]),
        ({"street1": "1 Raffles Place", "city": "Singapore"}, None),
        ("1 Raffles Place", None),
    ],
)
async def test_a_place_may_be_spelled_in_every_usual_way(
    depot: Warehouse, given: Any, location: Any
) -> None:
    made = await depot.payload(
        pickup=given, dropoff=given, **{"return": given}, waypoints=[{"place": given}]
    )
    for place in (made["pickup"], made["return"], *(one["place"] for one in made["waypoints"])):
        found = place["location"]
        assert (found["coordinates"] if found else None) == location


async def test_places_contacts_and_vendors_are_named_by_either_identifier(
    depot: Warehouse,
) -> None:
    place = await depot.post("places", street1="A")
    person = await depot.post("contacts", name="Ada")
    vendor = await depot.post("vendors", name="Swift")
    for form in ("id", "uuid"):
        made = await depot.payload(
            waypoints=[{"place": place[form], "contact": person[form]}],
            entities=[{"name": "X", "customer": person[form], "supplier": vendor[form]}],
        )
        assert made["pickup"]["id"] == made["waypoints"][0]["place"]["id"] == place["id"]
        assert made["waypoints"][0]["contact"] == person["id"]
        assert made["entities"][0]["customer"] == person["id"]
        assert made["entities"][0]["supplier"] == vendor["id"]


async def test_a_stop_may_be_a_bare_place_or_have_its_fields_beside_its_own(
    depot: Warehouse,
) -> None:
    place = await depot.place("A")
    made = await depot.payload(
        waypoints=[
            place,
            "B",
            {"id": place, "notes": "Ring."},
            {"name": "Depot", "street1": "C", "type": "pickup", "location": "1.3,103.8"},
        ]
    )
    assert streets(made) == ["A", "B", "A", "C"]
    assert [stop["place"]["id"] == place for stop in made["waypoints"]] == [
        True,
        False,
        True,
        False,
    ]
    last = made["waypoints"][3]
    assert (last["name"], last["type"], last["place"]["type"]) == ("Depot", "pickup", None)
    assert last["location"]["coordinates"] == [103.8, 1.3]


async def test_a_contact_may_be_made_at_a_stop(depot: Warehouse) -> None:
    made = await depot.payload(
        waypoints=[{"place": "A", "contact": {"name": "Ada", "phone": "0065 9123 4567"}}]
    )
    contact = await depot.get(f"contacts/{made['waypoints'][0]['contact']}")
    assert (contact["name"], contact["phone"]) == ("Ada", "+6591234567")
    again = await depot.payload(waypoints=[{"place": "A", "contact": {"id": contact["id"]}}])
    assert again["waypoints"][0]["contact"] == contact["id"]


async def test_a_pickup_and_a_dropoff_beside_stops_become_the_first_and_the_last(
    depot: Warehouse,
) -> None:
    made = await depot.payload(pickup="P", waypoints=["A"], dropoff="D")
    assert streets(made) == ["P", "A", "D"]
    assert [stop["type"] for stop in made["waypoints"]] == ["pickup", "dropoff", "dropoff"]
    first, last = await depot.place("First"), await depot.place("Last")
    made = await depot.payload(pickup=first, waypoints=[first, "A", last], dropoff=last)
    assert streets(made) == ["First", "A", "Last"]
    assert streets(await depot.payload(pickup="P", waypoints=["A"])) == ["P", "A"]


async def test_an_item_goes_to_a_stop_by_index_by_place_or_by_name(depot: Warehouse) -> None:
    here = await depot.place("B")
    made = await depot.payload(
        pickup="P",
        waypoints=["A", here],
        entities=[
            {"name": "1", "destination": 1},
            {"name": "2", "destination": here},
            {"name": "3"},
        ],
    )
    stop = made["waypoints"][2]["id"]
    assert [item["destination"] for item in made["entities"]] == [stop, stop, None]
    made = await depot.patch(
        f"payloads/{made['id']}",
        entities=[{"id": made["entities"][2]["id"], "destination": stop}],
    )
    assert [(item["name"], item["destination"]) for item in made["entities"]] == [("3", stop)]
    plain = await depot.payload(
        pickup="A", dropoff=here, entities=[{"name": "X", "destination": here}]
    )
    assert plain["entities"][0]["destination"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, ["pickup"]),
        ({"waypoints": []}, ["pickup"]),
        ({"pickup": "A"}, ["dropoff"]),
        ({"dropoff": "A"}, ["pickup"]),
        ({"pickup": "A", "dropoff": None}, ["dropoff"]),
        ({"pickup": 5, "dropoff": "B"}, ["pickup"]),
        ({"pickup": {}, "dropoff": "B"}, ["pickup.street1"]),
        ({"pickup": {"country": "ZZ"}, "dropoff": "B"}, ["pickup.country"]),
        ({"pickup": [200, 95], "dropoff": "B"}, ["pickup"]),
        ({"pickup": "A", "dropoff": {"latitude": 1}}, ["dropoff.longitude"]),
        ({**ENDS, "return": {"phone": "1"}}, ["return.phone"]),
        ({**ENDS, "type": "t" * 51}, ["type"]),
        ({**ENDS, "meta": []}, ["meta"]),
        ({**ENDS, "meta": {"a": "x" * 16384}}, ["meta"]),
        ({**ENDS, "cod_amount": -1}, ["cod_amount"]),
        ({**ENDS, "cod_amount": 1.5, "cod_currency": "SGD"}, ["cod_amount"]),
        ({**ENDS, "cod_amount": 2**63, "cod_currency": "SGD"}, ["cod_amount"]),
        ({**ENDS, "cod_amount": 1}, ["cod_currency"]),
        ({**ENDS, "cod_amount": 1, "cod_currency": "XXX"}, ["cod_currency"]),
        ({**ENDS, "cod_payment_method": "shells"}, ["cod_payment_method"]),
        ({"waypoints": [{}]}, ["waypoints[0].place"]),
        ({"waypoints": [{"name": None}]}, ["waypoints[0].place"]),
        ({"waypoints": [{"place": None}]}, ["waypoints[0].place"]),
        ({"waypoints": ["A", {"street1": "B", "country": "ZZ"}]}, ["waypoints[1].country"]),
        ({"waypoints": [{"place": {"country": "ZZ"}}]}, ["waypoints[0].place.country"]),
        ({"waypoints": [{"place": "A", "type": "tea"}]}, ["waypoints[0].type"]),
        ({"waypoints": [{"place": "A", "contact": {}}]}, ["waypoints[0].contact.name"]),
        (
            {"waypoints": [{"place": "A", "contact": {"name": "A", "phone": "1", "email": "x"}}]},
            ["waypoints[0].contact.email", "waypoints[0].contact.phone"],
        ),
        ({"waypoints": [{"place": "A", "subflow": "s" * 61}]}, ["waypoints[0].subflow"]),
        ({"waypoints": [{"place": "A", "service_time": -1}]}, ["waypoints[0].service_time"]),
        ({"waypoints": [{"place": "A", "pod_required": True}]}, ["waypoints[0].pod_method"]),
        ({"waypoints": [{"place": "A", "pod_method": "oath"}]}, ["waypoints[0].pod_method"]),
        (
            {"waypoints": [{"place": "A", "time_window_start": "2026-01-15T12:00:00"}]},
            ["waypoints[0].time_window_start"],
        ),
        (
            {"waypoints": [{"place": "A", "time_window_end": "9999-12-31T23:59:59-12:00"}]},
            ["waypoints[0].time_window_end"],
        ),
        (
            {
                "waypoints": [
                    {
                        "place": "A",
                        "time_window_start": "2026-01-15T12:00:01Z",
                        "time_window_end": "2026-01-15T12:00:00Z",
                    }
                ]
            },
            ["waypoints[0].time_window_end"],
        ),
        ({"waypoints": ["A"] * 201}, ["waypoints"]),
        ({**ENDS, "entities": [{"name": "X"}] * 1001}, ["entities"]),
        ({**ENDS, "entities": [{}]}, ["entities[0].name"]),
        ({**ENDS, "entities": [{"name": " "}]}, ["entities[0].name"]),
        ({**ENDS, "entities": [{"name": "X", "weight": -1}]}, ["entities[0].weight"]),
        ({**ENDS, "entities": [{"name": "X", "price": 1}]}, ["entities[0].currency"]),
        ({**ENDS, "entities": [{"name": "X", "destination": 0}]}, ["entities[0].destination"]),
        (
            {"waypoints": ["A"], "entities": [{"name": "X", "destination": -1}]},
            ["entities[0].destination"],
        ),
        (
            {"waypoints": ["A"], "entities": [{"name": "X", "destination": 1}]},
            ["entities[0].destination"],
        ),
    ],
)
async def test_a_wrong_field_is_refused_by_its_path(
    acme: Firm, house: House, sent: Any, path: list[str]
) -> None:
    assert paths(await acme.api.post("/v1/payloads", json=sent)) == path
    for table in ("payloads", "waypoints", "entities", "places", "contacts"):
        assert await house.value(f"select count(*) from {table}") == 0


async def test_every_wrong_field_is_named_at_once(acme: Firm) -> None:
    sent = {
        "pickup": "A",
        "cod_currency": "XXX",
        "waypoints": [{"place": "A", "pod_required": True}, {"name": "B", "subflow": " "}, {}],
        "entities": [{"name": "X"}, {"sku": "no name", "currency": "YYY"}],
    }
    assert set(paths(await acme.api.post("/v1/payloads", json=sent))) == {
        "cod_currency", "waypoints[0].pod_method", "waypoints[2].place", "entities[1].currency",
    }  # fmt: skip


async def test_every_wrong_place_is_named_with_the_other_wrong_fields(acme: Firm) -> None:
    wrong = {
        "pickup": {"street1": 5},
        "dropoff": {"place": {"street1": 5}},
        "return": "91,0",
        "waypoints": ["1.3,103.8", {"place": {"type": "Point", "coordinates": []}}],
        "cod_amount": 100,
    }
    assert paths(await acme.api.post("/v1/payloads", json=wrong)) == [
        "cod_currency",
        "pickup.street1",
        "dropoff.place.street1",
        "return",
        "waypoints[1].place",
    ]


async def test_what_is_not_there_or_anothers_is_named_by_its_path(
    depot: Warehouse, theirs: Warehouse
) -> None:
    place = await theirs.place()
    contact = (await theirs.post("contacts", name="Ada"))["id"]
    vendor = (await theirs.post("vendors", name="Swift"))["id"]
    stop = (await theirs.route("A"))["waypoints"][0]
    for sent, path in (
        ({"pickup": place, "dropoff": "B"}, "pickup"),
        ({"pickup": {"id": place}, "dropoff": "B"}, "pickup"),
        ({"pickup": "A", "dropoff": "place_0000000000000000"}, "dropoff"),
        ({"pickup": {"id": "nothing", "street1": "A"}, "dropoff": "B"}, "pickup"),
        ({**ENDS, "return": place}, "return"),
        ({"waypoints": ["A", {"place": place}]}, "waypoints[1].place"),
        ({"waypoints": [place]}, "waypoints[0].place"),
        ({"waypoints": [{"id": place}]}, "waypoints[0].id"),
        ({"waypoints": [{"place": "A", "contact": contact}]}, "waypoints[0].contact"),
        ({"waypoints": [{"place": "A", "contact": {"id": contact}}]}, "waypoints[0].contact"),
        ({**ENDS, "entities": [{"name": "X", "customer": contact}]}, "entities[0].customer"),
        ({**ENDS, "entities": [{"name": "X", "supplier": vendor}]}, "entities[0].supplier"),
        ({**ENDS, "entities": [{"name": "X", "destination": place}]}, "entities[0].destination"),
        (
            {"waypoints": ["A"], "entities": [{"name": "X", "destination": stop["id"]}]},
            "entities[0].destination",
        ),
        (
            {"waypoints": ["A"], "entities": [{"name": "X", "destination": stop["uuid"]}]},
            "entities[0].destination",
        ),
    ):
        answer = await depot.firm.api.post("/v1/payloads", json=sent)
        assert absent(answer) == [path], sent


async def test_an_item_cannot_go_where_the_payload_does_not(depot: Warehouse) -> None:
    elsewhere = await depot.place("C")
    sent = {"waypoints": ["A"], "entities": [{"name": "X", "destination": elsewhere}]}
    answer = await depot.firm.api.post("/v1/payloads", json=sent)
    assert paths(answer) == ["entities[0].destination"]


@pytest.mark.slow
async def test_sending_back_what_was_read_changes_nothing(
    depot: Warehouse, clock: ManualClock
) -> None:
    contact = (await depot.post("contacts", name="Ada"))["id"]
    vendor = (await depot.post("vendors", name="Swift"))["id"]
    route = await depot.payload(
        pickup="P Street", waypoints=[
            {"place": "A Street", "contact": {"name": "Bob", "phone": "+6591234567"},
             "time_window_start": "2026-01-15T13:00:00.123456+08:00",
             "time_window_end": "2026-01-15T14:00:00Z", "service_time": 60, "notes": "Ring.",
             "pod_required": True, "pod_method": "photo", "meta": {"x": [1.5]}},
            {"latitude": 1.3, "longitude": 103.8, "name": "A point"},
        ],
        dropoff={"type": "Point", "coordinates": [103.9, 1.4]}, cod_amount=1250, cod_currency="sgd",
        cod_payment_method="cash", payment_method="invoice", **{"return": "R Street"},
        entities=[{
            "name": "Coffee", "destination": 1, "sku": "C-1", "expected_codes": ["1", "2"],
            "length": 30, "weight": 1.5, "price": 100, "currency": "EUR", "customer": contact,
            "supplier": vendor, "meta": {"y": 0},
        }],
    )  # fmt: skip
    assert [stop["type"] for stop in route["waypoints"]] == ["pickup", *["dropoff"] * 3]
    assert route["cod_currency"] == "SGD"
    assert route["waypoints"][1]["time_window_start"] == "2026-01-15T05:00:00.123Z"
    clock.advance(seconds=5)
    for made in (route, await depot.payload()):
        for state in ("open", "begun", "closed"):
            if state != "open":
                await depot.stand(made, state)
            shown = {**made, "state": state}
            assert await depot.patch(f"payloads/{made['id']}", **made) == shown
            for stop in made["waypoints"]:
                assert await depot.patch(f"waypoints/{stop['id']}", **stop) == stop
            for item in made["entities"]:
                assert await depot.patch(f"entities/{item['id']}", **item) == item
            assert await depot.get(f"payloads/{made['id']}") == shown


async def test_what_has_been_deleted_since_can_still_be_sent_back(depot: Warehouse) -> None:
    place, contact = await depot.place("A"), (await depot.post("contacts", name="Ada"))["id"]
    made = await depot.payload(
        waypoints=[{"place": place, "contact": contact}],
        entities=[{"name": "X", "customer": contact}],
    )
    await depot.delete(f"places/{place}")
    await depot.delete(f"contacts/{contact}")
    made = await depot.get(f"payloads/{made['id']}")
    assert await depot.patch(f"payloads/{made['id']}", **made) == made
    stop, item = made["waypoints"][0], made["entities"][0]
    assert await depot.patch(f"waypoints/{stop['id']}", **stop) == stop
    assert await depot.patch(f"entities/{item['id']}", **item) == item
    answer = await depot.firm.api.post("/v1/payloads", json={"waypoints": [place]})
    assert absent(answer) == ["waypoints[0].place"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_a_change_leaves_what_it_leaves_out_and_null_empties(
    depot: Warehouse, clock: ManualClock, method: str
) -> None:
    made = await depot.payload(
        type="parcel", cod_amount=5, cod_currency="SGD", **{"return": "R Street"}
    )
    clock.advance(seconds=5)
    sent = {"type": None, "return": None, "cod_amount": None, "dropoff": "C Street"}
    path = f"/v1/payloads/{made['id']}"
    answer = await depot.firm.api.request(method, path, json=sent)
    now = answer.json()
    assert now["dropoff"]["street1"] == "C Street"
    changed = {
        "type": None, "return": None, "cod_amount": None, "cash_to_collect": None,
        "dropoff": now["dropoff"], "version": 2,
        "updated_at": "2026-01-15T12:00:05.000Z",
    }  # fmt: skip
    assert now == made | changed
    assert answer.headers["etag"] == '"2"'
    assert paths(await depot.tried(f"payloads/{made['id']}", dropoff=None)) == ["dropoff"]
    assert paths(await depot.tried(f"payloads/{made['id']}", meta=None)) == ["meta"]
    assert paths(await depot.tried(f"payloads/{made['id']}", cod_amount=1, cod_currency=None)) == [
        "cod_currency"
    ]


async def test_stops_that_are_sent_back_are_kept_and_the_others_go(
    depot: Warehouse, house: House, clock: ManualClock
) -> None:
    made = await depot.route("A", "B", "C", entities=[{"name": "X", "destination": 1}])
    a, b, c = made["waypoints"]
    clock.advance(seconds=5)
    sent = [{"id": c["uuid"], "notes": "First now."}, "N", {"id": a["id"]}]
    now = await depot.patch(f"payloads/{made['id']}", waypoints=sent)
    assert streets(now) == ["C", "N", "A"]
    assert [stop["order"] for stop in now["waypoints"]] == [0, 1, 2]
    assert now["waypoints"][0] == c | {
        "order": 0, "notes": "First now.", "version": 2, "updated_at": "2026-01-15T12:00:05.000Z",
    }  # fmt: skip
    assert now["waypoints"][2]["id"] == a["id"]
    assert now["entities"][0]["destination"] is None
    assert now["entities"][0]["version"] == 2
    assert (now["pickup"], now["dropoff"]) == (c["place"], a["place"])
    assert (now["current_waypoint"], now["version"]) == (c["id"], 2)
    refused(await depot.firm.api.get(f"/v1/waypoints/{b['id']}"), 404, "not_found")
    gone = "select public_id from waypoints where deleted_at is not null"
    assert await house.value(gone) == b["id"]


async def test_stops_sent_in_another_order_do_not_bring_the_old_ends_back(
    depot: Warehouse,
) -> None:
    made = await depot.route("A", "B", "C")
    turned = made | {"waypoints": made["waypoints"][::-1]}
    now = await depot.patch(f"payloads/{made['id']}", **turned)
    assert streets(now) == ["C", "B", "A"]
    assert now["pickup"]["street1"] == "C"


async def test_the_ends_of_a_route_move_alone(depot: Warehouse) -> None:
    made = await depot.payload(pickup="P", waypoints=["A"], dropoff="D")
    now = await depot.patch(f"payloads/{made['id']}", pickup="Q", dropoff="E")
    assert streets(now) == ["Q", "A", "E"]
    assert [one["id"] for one in now["waypoints"]] == [one["id"] for one in made["waypoints"]]
    assert now["pickup"]["street1"] == "Q"
    started = await depot.route("A", "B")
    now = await depot.patch(f"payloads/{started['id']}", pickup="P")
    assert streets(now) == ["P", "A", "B"]
    assert await depot.patch(f"payloads/{started['id']}", pickup=None) == now


async def test_a_route_can_become_a_way_from_a_to_b_and_back(depot: Warehouse) -> None:
    made = await depot.route("A", "B", entities=[{"name": "X", "destination": 0}])
    path = f"payloads/{made['id']}"
    assert paths(await depot.tried(path, waypoints=[])) == ["pickup"]
    assert paths(await depot.tried(path, waypoints=[], pickup="P")) == ["dropoff"]
    now = await depot.patch(path, waypoints=[], pickup="P", dropoff="D")
    assert (now["waypoints"], now["current_waypoint"]) == ([], None)
    assert (now["pickup"]["street1"], now["dropoff"]["street1"]) == ("P", "D")
    assert now["entities"][0]["destination"] is None
    assert await depot.patch(path, waypoints=[]) == now
    again = await depot.patch(path, **(now | {"waypoints": ["N"]}))
    assert streets(again) == ["P", "N", "D"]


async def test_a_stop_or_item_of_another_payload_cannot_be_sent_back(
    depot: Warehouse, theirs: Warehouse
) -> None:
    made = await depot.route("A", entities=[{"name": "X"}])
    path = f"payloads/{made['id']}"
    for other in (await depot.route("B", entities=[{"name": "Y"}]), await theirs.route("C")):
        sent = [{"id": made["waypoints"][0]["id"]}, {"id": other["waypoints"][0]["id"]}]
        assert absent(await depot.tried(path, waypoints=sent)) == ["waypoints[1].id"]
        for item in other["entities"]:
            answer = await depot.tried(path, entities=[{"id": item["id"], "name": "X"}])
            assert absent(answer) == ["entities[0].id"]
    twice = [{"id": made["waypoints"][0]["id"]}] * 2
    assert paths(await depot.tried(path, waypoints=twice)) == ["waypoints[1].id"]


async def test_a_payload_can_be_copied(depot: Warehouse) -> None:
    made = await depot.payload(pickup="P", waypoints=["A"], entities=[{"name": "X"}])
    copy = await depot.post("payloads", **made)
    assert streets(copy) == streets(made)
    assert copy["pickup"] == made["pickup"]
    assert {copy["id"], copy["waypoints"][0]["id"], copy["entities"][0]["id"]}.isdisjoint(
        {made["id"], made["waypoints"][0]["id"], made["entities"][0]["id"]}
    )


async def test_items_that_are_sent_back_are_kept_and_the_others_go(depot: Warehouse) -> None:
    made = await depot.payload(entities=[{"name": "1", "sku": "S-1"}, {"name": "2"}])
    kept, gone = made["entities"]
    sent = [{"name": "3"}, {"id": kept["id"], "name": "One"}]
    now = await depot.patch(f"payloads/{made['id']}", entities=sent)
    assert [item["name"] for item in now["entities"]] == ["One", "3"]
    assert now["entities"][0] == kept | {"name": "One", "version": 2}
    assert now["version"] == 2
    refused(await depot.firm.api.get(f"/v1/entities/{gone['id']}"), 404, "not_found")
    assert (await depot.patch(f"payloads/{made['id']}", entities=[]))["entities"] == []


async def test_if_match_refuses_a_change_of_what_was_changed_since(depot: Warehouse) -> None:
    made = await depot.route("A", "B")
    path = f"/v1/payloads/{made['id']}"
    await depot.patch(f"waypoints/{made['waypoints'][0]['id']}", notes="Ring.")
    headers = {"If-Match": '"1"'}
    answer = await depot.firm.api.patch(path, json={"type": "x"}, headers=headers)
    refused(answer, 412, "precondition_failed")
    refused(await depot.firm.api.delete(path, headers=headers), 412, "precondition_failed")


async def test_a_payload_goes_with_its_stops_and_items(depot: Warehouse, house: House) -> None:
    made = await depot.route("A", "B", entities=[{"name": "X"}])
    answer = await depot.delete(f"payloads/{made['id']}")
    assert answer.json() == {
        "id": made["id"], "object": "payload", "time": "2026-01-15T12:00:00.000Z", "deleted": True,
    }  # fmt: skip
    for kind in ("payloads", "waypoints", "entities"):
        assert await depot.get(kind) == []
        assert await house.value(f"select count(*) from {kind} where deleted_at is not null")
    refused(await depot.delete(f"payloads/{made['id']}"), 404, "not_found")


async def test_payloads_are_listed_page_by_page(depot: Warehouse, clock: ManualClock) -> None:
    for kind in ("a", "b", "b"):
        await depot.payload(type=kind)
        clock.advance(seconds=1)
    await depot.stand(await depot.payload(type="c"), "begun")
    kinds = [row["type"] for row in await depot.get("payloads")]
    assert kinds == ["c", "b", "b", "a"]
    assert len(await depot.get("payloads", type="b")) == 2
    assert [row["type"] for row in await depot.get("payloads", state="begun")] == ["c"]
    first = await depot.firm.api.get("/v1/payloads", params={"limit": 3, "sort": "created_at"})
    rest = await depot.firm.api.get(first.links["next"]["url"])
    assert [row["type"] for row in first.json() + rest.json()] == ["a", "b", "b", "c"]
    asleep = await depot.firm.api.get("/v1/payloads", params={"state": "asleep"})
    assert asleep.json()["code"] == "unknown_value"


async def test_a_key_does_only_what_its_scopes_allow(acme: Firm, house: House) -> None:
    sent = {"kind": "api", "name": "Reader", "scopes": ["payloads:read"]}
    reader = house.client((await acme.admin.post("/int/v1/keys", json=sent)).json()["key"])
    assert (await reader.get("/v1/payloads")).status_code == 200
    assert (await reader.post("/v1/payloads", json=ENDS)).status_code == 403
    assert (await reader.get("/v1/waypoints")).status_code == 403
    assert (await reader.get("/v1/entities")).status_code == 403


@pytest.mark.parametrize("text", ["a\x00b", "\x00"])
async def test_what_cannot_be_kept_is_refused(acme: Firm, text: str) -> None:
    for sent in (
        {"waypoints": [{"place": "A", "notes": text}]},
        {**ENDS, "entities": [{"name": text}]},
        {**ENDS, "entities": [{"name": "X", "meta": {"a": text}}]},
    ):
        refused(await acme.api.post("/v1/payloads", json=sent), 422, "validation_failed")
