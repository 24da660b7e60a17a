"""Order flows at the console: drawn, edited row by row, and saved only as the interface allows."""

from typing import Any
from urllib.parse import unquote

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from console.reading import Element, Page, sent_by
from console.seat import Seat
from pannier.console import flow_chart
from pannier.console.flow_errors import list_warnings
from pannier.console.flow_form import ActivityRow, FlowDraft, FlowSection
from pannier.console.flow_templates import TEMPLATES
from stage import Firm

HOME = "/console/order-configs"
METHODS = ("scan", "signature", "photo", "sms")


def sheet(page: Page) -> dict[str, Any]:
    """What the editor would send; what may follow comes several times."""
    form = page.main.one("form", id="draft")
    made = sent_by(form)
    for box in form.all("input", type="checkbox"):
        if box["name"].endswith(".next"):
            others = form.all("input", type="checkbox", name=box["name"])
            made[box["name"]] = [one["value"] for one in others if "checked" in one.attributes]
    return {**made, "do": "save"}


def activity(page: Page, words: str) -> Element:
    (found,) = [
        row
        for row in page.main.all("li", class_="activity")
        if row.all("input")[2]["value"] == words
    ]
    return found


def key(page: Page, words: str) -> str:
    return activity(page, words)["id"].removeprefix("row-")


async def press(seat: Seat, path: str, page: Page, wish: str, **typed: str) -> Page:
    answer = await seat.send(path, {**sheet(page), **typed, "do": wish})
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


async def named(firm: Firm, name: str) -> Any:
    (found,) = (await firm.api.get(f"/v1/order-configs?query={name}")).json()
    return found


@pytest.mark.parametrize("template", TEMPLATES)
async def test_a_flow_is_made_from_each_template_as_it_stands(
    acme: Firm, seat: Seat, template: str
) -> None:
    page = await seat.open(f"{HOME}/new?template={template}")
    made = await seat.send(f"{HOME}/new", sheet(page))
    assert made.status_code == 303, Page(made.text).main.text
    shown = await seat.open(made.headers["Location"])
    wanted = TEMPLATES[template].config
    assert shown.heading.endswith(wanted["name"])
    saved = await named(acme, wanted["name"].split()[0])
    assert [one["code"] for one in saved["flow"]] == [one["code"] for one in wanted["flow"]]
    assert saved["subflows"].keys() == wanted.get("subflows", {}).keys()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
async def test_a_proof_of_each_method_is_required_of_an_activity_and_asked_of_the_driver(
    acme: Firm, seat: Seat, method: str
) -> None:
    config = await named(acme, "transport")
    home = f"{HOME}/{config['id']}"
    page = await seat.open(f"{home}/edit")
    row = key(page, "Completed")
    typed = {f"{row}.require_pod": "on", f"{row}.pod_method": method, f"{row}.pod_scope": "entity"}
    seen = await press(seat, f"{home}/edit", page, "look", **typed)
    assert seen.main.one("div", class_=method).name == "div"
    shown = await seat.sent(f"{home}/edit", {**sheet(page), **typed})
    assert "Saved as version 2" in shown.root.one("div", id="toasts").text
    saved = (await named(acme, "transport"))["flow"][-1]
    assert (saved["require_pod"], saved["pod_method"], saved["pod_scope"]) == (
        True,
        method,
        "entity",
    )
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    changed = [one for one in log if one["subject"] == config["id"]]
    assert changed[0]["actor_type"] == "operator"


@pytest.mark.slow
async def test_activities_are_added_moved_and_removed_and_their_arrows_follow(
    acme: Firm, seat: Seat
) -> None:
    path = f"{HOME}/new"
    page = await seat.open(f"{path}?template=plain")
    page = await press(seat, path, page, f"below.{key(page, 'En route')}")
    row = key(page, "")
    page = await press(seat, path, page, f"up.{row}", **{f"{row}.status": "At the depot"})
    page = await press(seat, path, page, "add.0")
    page = await press(seat, path, page, f"remove.{key(page, '')}", name="Depot run")
    made = await seat.send(path, sheet(page))
    assert made.status_code == 303, Page(made.text).main.text
    flow = (await named(acme, "Depot"))["flow"]
    assert [(one["code"], one["next"]) for one in flow[2:]] == [
        ("started", ["at_the_depot", "arrived_at_pickup"]),
        ("arrived_at_pickup", ["collected"]),
        ("collected", ["at_the_depot"]),
        ("at_the_depot", ["enroute"]),
        ("enroute", ["completed"]),
        ("completed", []),
    ]


@pytest.mark.slow
async def test_a_flow_for_stops_is_added_named_and_taken_away(acme: Firm, seat: Seat) -> None:
    path = f"{HOME}/new"
    page = await seat.open(f"{path}?template=plain")
    page = await press(seat, path, page, "stops")
    row = key(page, "Done")
    typed = {"1.name": "dock", f"{row}.require_pod": "on", f"{row}.pod_method": "photo"}
    page = await press(seat, path, page, "stops", **typed)
    page = await press(seat, path, page, "unstop.2")
    await seat.send(path, sheet(page))
    made = await named(acme, "Simple")
    assert list(made["subflows"]) == ["dock"]
    assert made["subflows"]["dock"][0]["pod_method"] == "photo"


async def test_what_is_wrong_stands_beside_its_activity_and_nothing_is_saved(
    acme: Firm, seat: Seat
) -> None:
    path = f"{HOME}/new"
    page = await seat.open(f"{path}?template=plain")
    row = key(page, "En route")
    answer = await seat.send(path, {**sheet(page), f"{row}.require_pod": "on", "name": "Wrong"})
    assert answer.status_code == 422
    page = Page(answer.text)
    fault = activity(page, "En route").one("p", class_="fault").text
    assert fault == "enroute requires a proof but has no pod_method."
    assert page.root.one("input", id="name")["value"] == "Wrong"
    assert (await acme.api.get("/v1/order-configs?query=wrong")).json() == []
    seen = await press(seat, path, page, "look")
    assert fault in seen.main.one("div", id="seen").text


async def test_a_key_that_is_taken_is_refused_in_words(seat: Seat) -> None:
    page = await seat.open(f"{HOME}/new?template=plain")
    answer = await seat.send(f"{HOME}/new", {**sheet(page), "key": "transport"})
    assert answer.status_code == 409
    assert "Another order configuration has this key" in Page(answer.text).main.text


@pytest.mark.slow
async def test_looking_saves_nothing(acme: Firm, seat: Seat) -> None:
    before = (await acme.api.get("/v1/order-configs")).json()
    page = await seat.open(f"{HOME}/new?template=sms")
    await press(seat, f"{HOME}/new", page, "look")
    home = f"{HOME}/{before[0]['id']}/edit"
    await press(seat, home, await seat.open(home), "look", name="Changed")
    assert (await acme.api.get("/v1/order-configs")).json() == before


@pytest.mark.slow
async def test_an_earlier_version_is_shown_as_orders_have_it(acme: Firm, seat: Seat) -> None:
    config = await named(acme, "transport")
    home = f"{HOME}/{config['id']}"
    page = await seat.open(f"{home}/edit")
    await seat.send(f"{home}/edit", {**sheet(page), f"{key(page, 'En route')}.status": "Rolling"})
    assert "Rolling" in [row[0] for row in (await seat.open(home)).rows()]
    earlier = await seat.open(f"{home}?version=1")
    assert "En route" in [row[0] for row in earlier.rows()]
    assert "Existing orders keep their version" in earlier.main.one("p", role="status").text
    await seat.open(f"{home}?version=7", status=404)


async def test_a_copy_begins_with_all_that_the_other_one_has(acme: Firm, seat: Seat) -> None:
    config = await named(acme, "transport")
    page = await seat.open(f"{HOME}/new?from={config['id']}")
    await seat.send(f"{HOME}/new", sheet(page))
    assert (await named(acme, "copy"))["flow"] == config["flow"]


async def test_a_dispatcher_reads_flows_and_is_neither_offered_nor_allowed_a_change(
    acme: Firm,
) -> None:
    config = await named(acme, "transport")
    home = f"{HOME}/{config['id']}"
    dispatcher = await Seat.of(acme, "dispatcher")
    page = await dispatcher.open(home)
    assert f"{home}/edit" not in page.links()
    form = sheet(await (await Seat.of(acme)).open(f"{home}/edit"))
    del form["csrf"]
    answer = await dispatcher.send(f"{home}/edit", {**form, "name": "Mine"})
    assert "This requires the admin role" in Page(answer.text).main.text
    assert (await named(acme, "transport"))["name"] == "Transport"


async def test_the_default_flow_is_not_deleted_and_it_is_said_why(acme: Firm, seat: Seat) -> None:
    config = await named(acme, "transport")
    answer = await seat.send(f"{HOME}/{config['id']}/delete", {"version": config["version"]})
    assert "cannot be deleted" in unquote(answer.headers["set-cookie"])
    assert (await named(acme, "transport"))["id"] == config["id"]


def test_arrows_that_lead_back_do_not_turn_the_drawing_round() -> None:
    flow = FlowDraft.from_config(
        {
            "name": "Loop",
            "flow": [
                {"code": "loaded", "next": ["enroute"]},
                {"code": "enroute", "next": ["delayed", "done"]},
                {"code": "delayed", "next": ["enroute"]},
                {"code": "done", "next": [], "complete": True},
            ],
        }
    ).sections[0]
    drawn = flow_chart.lay_out_chart(flow.activities)
    places = {one.code: one.x for one in drawn.nodes}
    assert places["loaded"] < places["enroute"] < places["delayed"] == places["done"]
    assert len(drawn.arrows) == 4


def test_what_may_surprise_is_said() -> None:
    part = FlowSection(
        name="",
        rows=[
            ActivityRow(key=1, code="a", status="A", next=[3]),
            ActivityRow(key=2, code="b", status="B", next=[3], require_pod=True, pod_method="sms"),
            ActivityRow(key=3, code="c", status="C", complete=True, pod_method="photo"),
        ],
    )
    said = [sentence for _, sentence in list_warnings(part)]
    assert any("No activity leads here" in one for one in said)
    assert any("need a phone number" in one for one in said)
    assert any("photo is optional" in one for one in said)
    assert any("No final activity requires" in one for one in said)


@pytest.mark.slow
async def test_an_admin_has_a_delivery_signed_for_with_the_keyboard_alone(
    acme: Firm, page: Tab
) -> None:
    config = await named(acme, "transport")
    await page.goto(f"{HOME}/{config['id']}/edit")
    end = page.locator("li.activity:not(.reason)").last
    await end.get_by_label("Method").focus()
    await page.keyboard.press("s")
    await end.get_by_label("Proof required").focus()
    await page.keyboard.press("Space")
    await expect(page.locator(".phone .prompt.signature")).to_be_visible()
    await end.get_by_role("button", name="Add activity below").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("li.activity:not(.reason)")).to_have_count(5)
    last = page.locator("li.activity:not(.reason)").last
    await last.get_by_role("button", name="Remove").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("li.activity:not(.reason)")).to_have_count(4)
    await page.locator("#name").press("Enter")
    await page.wait_for_url(f"**{HOME}/{config['id']}")
    saved = (await named(acme, "transport"))["flow"][-1]
    assert (saved["pod_method"], saved["require_pod"]) == ("signature", True)


@pytest.mark.slow
async def test_a_row_that_moves_keeps_the_focus_and_what_was_typed(page: Tab) -> None:
    await page.goto(f"{HOME}/new?template=sms")
    row = page.locator("li.activity:not(.reason)").nth(1)
    await row.get_by_label("Tracking history text").fill("Rolling.")
    up = row.get_by_role("button", name="up")
    identity = await up.get_attribute("id")
    await up.focus()
    await page.keyboard.press("Enter")
    first = page.locator("li.activity:not(.reason)").first
    await expect(first.get_by_label("Tracking history text")).to_have_value("Rolling.")
    assert await page.evaluate("document.activeElement.id") == identity
