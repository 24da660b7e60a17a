"""What remains of a template when a person is erased from it."""

from typing import Any

from pannier.orders.templates import people

ADA, GRACE, ALAN = "contact_ada", "contact_grace", "contact_alan"


def tour(**more: Any) -> dict[str, Any]:
    stops = [{"place": "p1"}, {"place": "p2", "contact": ADA}, {"place": "p3", "contact": GRACE}]
    items = [
        {"name": "Box", "destination": 1},
        {"name": "Bag", "destination": 2, "supplier": ADA},
        {"name": "Can", "customer": ADA},
        {"name": "Jar"},
    ]
    return {"payload": {"waypoints": stops, "entities": items}, **more}


def test_everybody_in_a_body_is_listed_once() -> None:
    assert people.list_partners(tour(customer=ALAN, facilitator="vendor_x")) == [
        ADA, ALAN, GRACE, "vendor_x",
    ]  # fmt: skip


def test_the_stops_and_items_of_the_erased_go_and_the_others_stay_where_they_are() -> None:
    body = people.remove_person(tour(customer=ALAN), [ADA])
    assert body == {
        "customer": ALAN,
        "payload": {
            "waypoints": [{"place": "p1"}, {"place": "p3", "contact": GRACE}],
            "entities": [{"name": "Bag", "destination": 1}, {"name": "Jar"}],
        },
    }


def test_a_stop_with_items_for_somebody_else_stays() -> None:
    stops = [{"place": "p1"}, {"place": "p2"}, {"place": "p3"}]
    items = [{"customer": ADA, "destination": 2}, {"customer": ALAN, "destination": 2}]
    body = {"payload": {"waypoints": stops, "entities": items}}
    assert people.select_parts(body, [ADA]) == {
        "payload": {"waypoints": [stops[2]], "entities": [items[0]]}
    }
    left = people.remove_person(body, [ADA])
    assert left == {"payload": {"waypoints": stops, "entities": [items[1]]}}
    # Now the stop is for one person only.
    assert people.remove_person(left, [ALAN]) == {
        "payload": {"waypoints": stops[:2], "entities": []}
    }


def test_nothing_remains_of_an_order_for_the_erased_or_without_a_route() -> None:
    assert people.remove_person(tour(customer=ADA), [ADA]) is None
    assert people.remove_person(tour(), [ADA, GRACE]) is None


def test_an_export_has_the_whole_order_or_only_the_persons_part() -> None:
    assert people.select_parts(tour(customer=ADA), [ADA]) == tour(customer=ADA)
    part = people.select_parts(tour(customer=ALAN, notes="Gate 7"), [ADA])
    assert part == {
        "payload": {
            "waypoints": [{"place": "p2", "contact": ADA}],
            "entities": [{"name": "Box", "destination": 1}, {"name": "Can", "customer": ADA}],
        }
    }
