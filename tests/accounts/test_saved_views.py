"""An operator saves lists under names, opens with one, and shares some."""

from typing import Any

import httpx

from console.seat import Seat
from probe import refused
from stage import Firm, House

PATH = "/int/v1/saved-views"
LATE = {"name": "Late today", "query": "layout=table&forecast=late&sort=-created_at"}


async def save(client: httpx.AsyncClient, **more: Any) -> dict[str, Any]:
    answer = await client.post(PATH, json=LATE | more)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def names(client: httpx.AsyncClient) -> list[str]:
    rows = (await client.get(f"{PATH}?sort=name")).json()["data"]
    return [row["name"] for row in rows]


async def test_views_are_saved_changed_and_deleted(acme: Firm) -> None:
    view = await save(acme.admin, name="  Late   today ", query="?layout=table&forecast=late&x=")
    assert (view["name"], view["query"]) == ("Late today", "layout=table&forecast=late")
    refused(await acme.admin.post(PATH, json=LATE | {"name": "LATE today"}), 409,
            "saved_view_exists")  # fmt: skip
    other = await save(acme.admin, name="Mine", is_default=True)
    path = f"{PATH}/{view['id']}"
    changed = await acme.admin.patch(path, json={"is_default": True, "query": "status=created"})
    assert changed.json()["query"] == "status=created"
    assert (await acme.admin.get(f"{PATH}/{other['id']}")).json()["is_default"] is False
    refused(await acme.admin.patch(path, json={"name": "mine"}), 409, "saved_view_exists")
    refused(await acme.admin.patch(path, json={"name": " "}), 422, "validation_failed")
    stale = await acme.admin.patch(path, json={"name": "B"}, headers={"If-Match": '"1"'})
    refused(stale, 412, "precondition_failed")
    assert (await acme.admin.delete(path)).status_code == 200
    assert await names(acme.admin) == ["Mine"]


async def test_views_belong_to_one_operator_unless_they_are_shared(acme: Firm, rival: Firm) -> None:
    dispatcher, viewer = await acme.operator("dispatcher"), await acme.operator("viewer")
    own = await save(dispatcher, name="Own")
    shared = await save(dispatcher, name="Ours", shared=True, is_default=True)
    assert await names(viewer) == ["Ours"]
    seen = (await viewer.get(f"{PATH}/{shared['id']}")).json()
    assert (seen["own"], seen["is_default"]) == (False, False)
    refused(await viewer.get(f"{PATH}/{own['id']}"), 404, "not_found")
    refused(await viewer.delete(f"{PATH}/{own['id']}"), 404, "not_found")
    refused(await acme.admin.patch(f"{PATH}/{shared['id']}", json={"name": "B"}), 404, "not_found")
    refused(await viewer.delete(f"{PATH}/{shared['id']}"), 404, "not_found")
    refused(await acme.admin.delete(f"{PATH}/{own['id']}"), 404, "not_found")
    refused(await viewer.post(PATH, json=LATE | {"shared": True}), 403, "forbidden")
    mine = await save(viewer, is_default=True)
    refused(await viewer.patch(f"{PATH}/{mine['id']}", json={"shared": True}), 403, "forbidden")
    refused(await rival.admin.get(f"{PATH}/{shared['id']}"), 404, "not_found")
    assert await names(rival.admin) == []
    refused(await rival.admin.delete(f"{PATH}/{shared['id']}"), 404, "not_found")
    page = await (await Seat.of(acme)).open("/console/orders?layout=board")
    assert page.root.all("button", title="Delete “Ours”")
    assert (await acme.admin.delete(f"{PATH}/{shared['id']}")).status_code == 200
    assert await names(viewer) == ["Late today"]


async def test_an_operator_who_becomes_a_viewer_stops_changing_shared_views(acme: Firm) -> None:
    dispatcher = await acme.operator("dispatcher")
    view = await save(dispatcher, name="Ours", shared=True)
    me = (await dispatcher.get("/int/v1/me")).json()["operator"]["id"]
    demotion = await acme.admin.patch(f"/int/v1/operators/{me}", json={"role": "viewer"})
    assert demotion.status_code == 200, demotion.text
    path = f"{PATH}/{view['id']}"
    for change in ({"query": "status=created"}, {"name": "Mine", "shared": True}):
        refused(await dispatcher.patch(path, json=change), 403, "forbidden")
    for change in ({"is_default": True}, {"query": "status=created", "shared": False}):
        assert (await dispatcher.patch(path, json=change)).status_code == 200
    assert await names(acme.admin) == []


async def test_the_views_of_a_removed_operator_leave_no_trace(house: House, acme: Firm) -> None:
    dispatcher = await acme.operator("dispatcher")
    view = await save(dispatcher, query="query=Ada+Lovelace", shared=True)
    kept = await save(acme.admin, query="query=Kowalevskaja")
    me = (await dispatcher.get("/int/v1/me")).json()["operator"]["id"]
    assert (await acme.admin.delete(f"/int/v1/operators/{me}")).status_code == 204
    assert [row["id"] for row in (await acme.admin.get(PATH)).json()["data"]] == [kept["id"]]
    logged = "select string_agg(after::text, ' ') from audit_entries where subject = :view"
    assert "Lovelace" not in await house.value(logged, view=view["id"])
    assert "Kowalevskaja" in await house.value(logged, view=kept["id"])


async def test_the_number_of_views_is_limited(acme: Firm) -> None:
    for number in range(50):
        await save(acme.admin, name=f"View {number}")
    refused(await acme.admin.post(PATH, json=LATE), 409, "too_many_saved_views")
    query = "&".join(f"id=order_{number}" for number in range(101))
    viewer = await acme.operator("viewer")
    refused(await viewer.post(PATH, json=LATE | {"query": query}), 422, "validation_failed")
    # Encoding makes it longer.
    query = "query=" + "ü" * 1_000
    refused(await viewer.post(PATH, json=LATE | {"query": query}), 422, "validation_failed")


async def test_the_list_of_orders_opens_with_the_default_view(acme: Firm) -> None:
    seat = await Seat.of(acme)
    home = "/console/orders"
    page = await seat.open(f"{home}?layout=table&status=created&cursor=")
    assert "No saved views." in page.main.text or "No saved views." in page.text
    sent = {"name": "Fresh", "is_default": "on", "shared": "on"}
    page = await seat.sent(f"{home}/views", sent, on=f"{home}?layout=table&status=created&cursor=")
    assert "View “Fresh” saved." in page.root.one("div", id="toasts").text
    opened = await seat.client.get(home)
    assert opened.headers["Location"] == f"{home}?layout=table&status=created"
    page = await seat.open(home)
    [link] = [link for link in page.root.all("a") if link["href"].endswith("status=created")
              and link["aria-current"] == "page"]  # fmt: skip
    assert "Fresh Default Shared" in link.text
    await seat.sent(f"{home}/views", {"name": "fresh"}, on=f"{home}?layout=board&attention=true")
    [view] = (await acme.admin.get(PATH)).json()["data"]
    assert (view["query"], view["is_default"]) == ("layout=board&attention=true", False)
    await seat.sent(f"{home}/views/{view['id']}/default", on=home)
    assert (await acme.admin.get(PATH)).json()["data"][0]["is_default"]
    await seat.sent(f"{home}/views/{view['id']}/delete", on=f"{home}?layout=board")
    assert (await acme.admin.get(PATH)).json()["data"] == []
    page = await seat.sent(f"{home}/views", {"name": " "}, on=f"{home}?layout=board")
    assert "Enter a name for the view." in page.root.text
