"""Lists that find some partners by their ids."""

from stage import Firm


async def test_contacts_and_vendors_are_found_by_their_ids(acme: Firm, rival: Firm) -> None:
    for path in ("contacts", "vendors"):
        made = [
            (await acme.api.post(f"/v1/{path}", json={"name": name})).json()
            for name in ("One", "Two", "Three")
        ]
        asked = f"/v1/{path}?id={made[0]['id']}&id={made[2]['id']}"
        assert {row["name"] for row in (await acme.api.get(asked)).json()} == {"One", "Three"}
        assert (await rival.api.get(asked)).json() == []
