"""Issues: reported, changed, resolved once, opened again."""

import asyncio

import pytest

from fleet.depot import Depot
from probe import paths, refused
from stage import Firm


async def test_a_report_is_kept_and_told(depot: Depot) -> None:
    driver, van, order = await depot.driver(), await depot.vehicle(), await depot.order()
    made = await depot.issue(
        driver=driver["uuid"], vehicle=van["id"], order=order["uuid"], title="Tyre",
        priority="high", type="vehicle", category="tyres", tags=["tyre"], location="1.3,103.8",
    )  # fmt: skip
    assert made["id"].startswith("issue_")
    assert (made["driver"], made["vehicle"]) == (driver["id"], van["id"])
    assert (made["order"], made["status"], made["resolved_at"]) == (order["id"], "open", None)
    assert made["location"] == {"type": "Point", "coordinates": [103.8, 1.3]}
    [event] = await depot.told("issue.created")
    assert event["data"]["report"] == "A flat tyre."
    assert (event["data"]["driver"], event["data"]["order"]) == (driver["id"], order["id"])
    assert await depot.get(f"issues/{made['id']}") == made


async def test_a_report_says_what_happened(acme: Firm) -> None:
    assert paths(await acme.api.post("/v1/issues", json={})) == ["report"]
    body = {"report": "R", "priority": "extreme", "status": "gone"}
    assert paths(await acme.api.post("/v1/issues", json=body)) == ["priority", "status"]


async def test_a_change_is_told_once_with_what_changed(depot: Depot) -> None:
    made, order = await depot.issue(), await depot.order()
    body = {"status": "in_progress", "location": "1.3,103.8", "tags": ["a"]}
    for name in (order["uuid"], order["id"]):
        changed = await depot.patch(f"issues/{made['id']}", **body, order=name)
        assert changed["order"] == order["id"]
    await depot.patch(f"issues/{made['id']}")
    [event] = await depot.told("issue.updated")
    assert sorted(event["data"]["changed"]) == ["location", "order", "status", "tags"]


@pytest.mark.parametrize("way", ["post", "patch", "update"])
async def test_an_issue_is_resolved_once_by_whichever_way(
    depot: Depot, acme: Firm, way: str
) -> None:
    made = await depot.issue()
    address = f"issues/{made['id']}"
    if way == "update":
        done = await depot.patch(address, status="resolved")
    else:
        verb = depot.post if way == "post" else depot.patch
        done = await verb(f"{address}/resolve", resolution="Mended.")
    assert (done["status"], done["resolved_at"]) == ("resolved", "2026-01-15T12:00:00.000Z")
    refused(await acme.api.post(f"/v1/{address}/resolve"), 409, "issue_resolved")
    assert await depot.patch(address, status="resolved") == done
    assert await depot.names() == ["issue.created", "issue.resolved"]


async def test_resolving_with_other_changes_tells_both(depot: Depot) -> None:
    made = await depot.issue()
    await depot.patch(f"issues/{made['id']}", status="resolved", title="Tyre")
    assert await depot.names() == ["issue.created", "issue.updated", "issue.resolved"]
    assert (await depot.told("issue.updated"))[0]["data"]["changed"] == ["title"]


async def test_of_those_who_resolve_at_once_one_does(depot: Depot, acme: Firm) -> None:
    made = await depot.issue()
    answers = await asyncio.gather(
        *(acme.api.post(f"/v1/issues/{made['id']}/resolve") for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert len(await depot.told("issue.resolved")) == 1


async def test_a_resolved_issue_is_opened_again_and_can_be_resolved_again(
    depot: Depot, acme: Firm
) -> None:
    made = await depot.issue()
    address = f"issues/{made['id']}"
    refused(await acme.api.post(f"/v1/{address}/reopen"), 409, "issue_open")
    await depot.post(f"{address}/resolve", resolution="Mended.")
    again = await depot.post(f"{address}/reopen")
    assert (again["status"], again["resolved_at"], again["resolution"]) == ("re_opened", None, None)
    await depot.post(f"{address}/resolve")
    reopened = await depot.patch(address, status="in_progress")
    assert reopened["resolved_at"] is None
    assert await depot.names() == [
        "issue.created", "issue.resolved", "issue.updated", "issue.resolved", "issue.updated",
    ]  # fmt: skip


async def test_an_issue_names_its_driver_and_vehicle_after_they_have_left(
    depot: Depot, acme: Firm
) -> None:
    driver, van = await depot.driver(), await depot.vehicle()
    made = await depot.issue(driver=driver["id"], vehicle=van["id"])
    await acme.api.delete(f"/v1/drivers/{driver['id']}")
    await acme.api.delete(f"/v1/vehicles/{van['id']}")
    shown = await depot.get(f"issues/{made['id']}")
    assert (shown["driver"], shown["vehicle"]) == (driver["id"], van["id"])


@pytest.mark.parametrize("field", ["driver", "vehicle", "order"])
async def test_a_field_that_names_nothing_is_named_in_the_refusal(
    depot: Depot, acme: Firm, field: str
) -> None:
    made = await depot.issue()
    nothing = {field: f"{field}_0000000000000000"}
    for answer in (
        await acme.api.post("/v1/issues", json={"report": "R", **nothing}),
        await acme.api.patch(f"/v1/issues/{made['id']}", json=nothing),
        await acme.api.get("/v1/issues", params=nothing),
    ):
        [named] = refused(answer, 404, "not_found")["fields"]
        assert named["path"] == field
    assert await depot.get("issues") == [made]


async def test_issues_are_listed_by_what_they_are_about(depot: Depot, acme: Firm) -> None:
    driver, order = await depot.driver(), await depot.order()
    one = await depot.issue(driver=driver["id"], tags=["door"], priority="low", order=order["id"])
    two = await depot.issue(report="The lamp is broken.", status="triage")

    async def found(query: str) -> list[str]:
        return [row["id"] for row in await depot.get(f"issues?{query}")]

    assert await found(f"driver={driver['id']}") == [one["id"]]
    assert await found(f"order={order['id']}") == [one["id"]]
    assert await found(f"order={order['uuid']}") == [one["id"]]
    assert await found("tag=door") == [one["id"]]
    assert await found("status=triage") == [two["id"]]
    assert await found("status[]=triage&status[]=open&sort=created_at") == [one["id"], two["id"]]
    assert await found("query=lamp") == [two["id"]]
    assert (await acme.api.delete(f"/v1/issues/{one['id']}")).json()["object"] == "issue"
    assert await found("") == [two["id"]]
