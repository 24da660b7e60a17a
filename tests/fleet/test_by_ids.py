"""Lists that find some records by their ids."""

from fleet.depot import Depot


async def test_drivers_vehicles_and_fleets_are_found_by_their_ids(depot: Depot) -> None:
    for path, make in (
        ("drivers", depot.driver),
        ("vehicles", depot.vehicle),
        ("fleets", depot.fleet),
    ):
        first, _, third = [await make() for _ in range(3)]
        found = await depot.get(f"{path}?id={first['id']}&id={third['id']}")
        assert {row["id"] for row in found} == {first["id"], third["id"]}


async def test_the_ids_of_others_find_nothing(depot: Depot, yard: Depot) -> None:
    mine = await depot.vehicle()
    assert await yard.get(f"vehicles?id={mine['id']}") == []
