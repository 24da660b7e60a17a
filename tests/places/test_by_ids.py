"""Lists that find some places and areas by their ids."""

from stage import Firm


async def test_places_and_service_areas_are_found_by_their_ids(acme: Firm) -> None:
    area = {"location": {"latitude": 1.35, "longitude": 103.8}, "radius": 2000}
    for path, body in (("places", {"street1": "1 Raffles Place"}), ("service-areas", area)):
        made = [
            (await acme.api.post(f"/v1/{path}", json={"name": name, **body})).json()
            for name in ("One", "Two", "Three")
        ]
        found = await acme.api.get(f"/v1/{path}?id={made[0]['id']}&id={made[2]['id']}")
        assert {row["name"] for row in found.json()} == {"One", "Three"}
