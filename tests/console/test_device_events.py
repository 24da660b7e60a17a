"""Device events are browsed by device, vehicle, type, severity and time, and taken away."""

import asyncio
from datetime import timedelta
from urllib.parse import quote

import pytest
from playwright.async_api import Route, expect

from console.browser import PATIENCE, Tabs
from console.seat import Seat
from devices.recorder import Known, Recorder, add_up, ids
from stage import NOON, Firm

HOME = "/console/device-events"


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def readings(acme: Firm, recorder: Recorder) -> tuple[Known, str]:
    """Have a device on a vehicle that said three things of late, and another that said one."""
    device, other, vehicle = (
        await recorder.device(), await recorder.device("Other"), await recorder.vehicle()
    )  # fmt: skip
    await recorder.attach(device, vehicle, NOON - timedelta(days=9))
    await recorder.store(
        recorder.event(device, 5, "position_update", speed=42.0, heading=90.0),
        recorder.event(device, 30, "fault_code", code="P0301", severity="critical"),
        recorder.event(device, 60 * 30, "temperature_reading", temperature=4.5),
        recorder.event(other, 10, "door_event", state="open", position="rear"),
    )
    await add_up(acme)
    return device, vehicle


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("", ["42 km/h · 90°", "Rear · open", "P0301 Critical", "4.5 °C"]),
        ("device={device}", ["42 km/h · 90°", "P0301 Critical", "4.5 °C"]),
        ("vehicle={vehicle}", ["42 km/h · 90°", "P0301 Critical", "4.5 °C"]),
        ("event_type=door_event&event_type=fault_code", ["Rear · open", "P0301 Critical"]),
        ("severity=critical", ["P0301 Critical"]),
        ("from=2026-01-15T11:00:00Z&to=2026-01-15T11:52:00Z", ["Rear · open", "P0301 Critical"]),
        ("from=2026-01-15T11:52", ["42 km/h · 90°"]),
        ("last=24h", ["42 km/h · 90°", "Rear · open", "P0301 Critical"]),
    ],
)
async def test_filters_are_those_of_the_interface(
    acme: Firm, seat: Seat, recorder: Recorder, asked: str, shown: list[str]
) -> None:
    device, vehicle = await readings(acme, recorder)
    page = await seat.open(f"{HOME}?{asked.format(device=device.id, vehicle=vehicle)}")
    assert page.heading == "Device events"
    assert [row[-1] for row in page.rows()] == shown


async def test_types_are_counted_whichever_is_chosen_and_each_is_chosen_or_left_by_a_link(
    acme: Firm, seat: Seat, recorder: Recorder
) -> None:
    await readings(acme, recorder)
    page = await seat.open(f"{HOME}?event_type=door_event&last=24h")
    chips = {chip.text: chip for chip in page.main.all("a", class_="chip")}
    assert {"Door 1", "Fault code 1", "Position update 1", "Temperature 0"} <= chips.keys()
    assert chips["Door 1"]["aria-current"] == "true"
    assert "event_type" not in chips["Door 1"]["href"]
    both = await seat.open(chips["Fault code 1"]["href"])
    assert len(both.rows()) == 2


async def test_the_histogram_leads_to_the_time_of_each_bar(
    acme: Firm, seat: Seat, recorder: Recorder
) -> None:
    await readings(acme, recorder)
    page = await seat.open(f"{HOME}?last=24h")
    bars = page.main.one("svg", role="group").all("a")
    assert bars[-2].text == "11:00: 3"
    assert len((await seat.open(bars[-2]["href"])).rows()) == 3


async def test_an_event_has_an_address_of_its_own_with_all_it_says(
    acme: Firm, seat: Seat, recorder: Recorder
) -> None:
    device, vehicle = await readings(acme, recorder)
    event = recorder.event(device, 1, "motion_event", g_force=4.5, severity="high")
    await recorder.store(event)
    (identifier,) = ids(event)
    page = await seat.open(f"{HOME}/{identifier}?device={device.id}")
    pane = page.main.one("section", id="chosen")
    assert '"g_force": 4.5' in pane.text
    assert f"/int/v1/fleet-module/device-events/{identifier}" in pane.text
    assert f"/console/vehicles/{vehicle}" in [link["href"] for link in pane.all("a")]
    (chosen,) = [row for row in page.main.all("tr") if row["aria-selected"] == "true"]
    assert chosen["id"] == identifier
    assert page.root.all("title")[0].text.startswith("Motion")


@pytest.mark.parametrize("format", ["csv", "ndjson", "geojson", "gpx"])
async def test_what_the_filters_mean_is_taken_away(
    acme: Firm, seat: Seat, recorder: Recorder, format: str
) -> None:
    device, _ = await readings(acme, recorder)
    page = await seat.open(f"{HOME}?device={device.id}&last=24h")
    (link,) = [one for one in page.links() if f"format={format}" in one]
    answer = await seat.client.get(link)
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    if format == "ndjson":
        assert len(answer.text.splitlines()) == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("from=yesterday", "Enter a date and time"),
        ("device=device_nothing", "No device matches"),
        ("severity=dreadful", "severity"),
        ("cursor=AAAA", "cursor"),
    ],
)
async def test_a_filter_that_cannot_be_is_refused_in_words(
    seat: Seat, asked: str, said: str
) -> None:
    page = await seat.open(f"{HOME}?{asked}")
    assert said.lower() in page.main.one("p", role="alert").text.lower()


async def test_others_see_none_of_it(acme: Firm, rival: Firm, recorder: Recorder) -> None:
    device, _ = await readings(acme, recorder)
    event = recorder.event(device, 1)
    await recorder.store(event)
    stranger = await Seat.of(rival, "viewer")
    assert (await stranger.open(HOME)).rows() == []
    (identifier,) = ids(event)
    await stranger.open(f"{HOME}/{identifier}", status=404)


async def test_what_was_refused_is_shown_with_its_reason(acme: Firm, seat: Seat) -> None:
    sent = [{"event_type": "door_event", "device": "device_nobody", "data": {"state": "open"}}]
    await acme.api.post("/int/v1/fleet-module/device-events/batch", json=sent)
    page = await seat.open("/console/device-rejects?device=device_nobody")
    ((_, device, code, *_),) = page.rows()
    assert (device, code) == ("device_nobody", "unknown_device")


async def test_a_page_goes_on_behind_its_end_and_what_lies_there_is_not_live(
    seat: Seat, recorder: Recorder
) -> None:
    device = await recorder.device()
    await recorder.store(*(recorder.event(device, number) for number in range(1, 54)))
    first = await seat.open(HOME)
    assert len(first.rows()) == 50
    assert first.main.one("div", id="tail")["data-live-every"]
    (onward,) = [link["href"] for link in first.root.all("a", rel="next")]
    second = await seat.open(onward)
    assert len(second.rows()) == 3
    assert not second.main.one("div", id="tail")["data-live-every"]


@pytest.mark.slow
async def test_events_come_in_are_paused_chosen_and_left_with_the_back_button(
    acme: Firm, browse: Tabs, recorder: Recorder
) -> None:
    device, _ = await readings(acme, recorder)
    page = await browse(maps=False)
    await page.goto(f"{HOME}?device={device.id}")
    await expect(page.locator(".live")).to_have_text("Live", timeout=PATIENCE)
    rows = page.locator("tbody tr")
    await expect(rows).to_have_count(3)
    late = recorder.event(device, 2, "motion_event", g_force=4.5, severity="high")
    await recorder.store(late)
    await expect(rows).to_have_count(4, timeout=PATIENCE)
    await page.get_by_role("button", name="Pause").click()
    await expect(page.locator(".live")).to_have_text("Paused")
    await rows.first.click()
    await expect(page.locator("#chosen")).to_contain_text('"g_force": 4.5')
    assert f"{HOME}/devevt_" in page.url
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await expect(page.locator("#chosen")).to_contain_text('"speed": 42')
    await page.go_back()
    await expect(page.locator("#chosen")).to_contain_text('"g_force": 4.5')
    await page.go_back()
    await expect(page.locator("#chosen")).to_contain_text("Select an event")
    await expect(page.locator("[data-live-pause]")).to_have_attribute("aria-pressed", "true")
    await page.get_by_role("link", name="Fault code").click()
    await expect(rows).to_have_count(1)
    assert page.url.endswith(f"?device={quote(device.id)}&event_type=fault_code")


@pytest.mark.slow
async def test_the_row_that_is_marked_by_key_stays_the_only_one_when_events_come_in(
    acme: Firm, browse: Tabs, recorder: Recorder
) -> None:
    device, _ = await readings(acme, recorder)
    page = await browse(maps=False)
    await page.goto(f"{HOME}?device={device.id}")
    rows, marked = page.locator("tbody tr"), page.locator("tbody tr[aria-selected=true]")
    await rows.first.click()
    await expect(page.locator("#chosen")).not_to_contain_text("Select an event")
    await page.keyboard.press("j")
    await expect(marked).to_have_count(1)
    told = await marked.inner_text()
    await recorder.store(recorder.event(device, 2, "motion_event", g_force=4.5, severity="high"))
    await expect(rows).to_have_count(4, timeout=PATIENCE)
    await expect(marked).to_have_count(1)
    await expect(marked).to_contain_text(told.split()[0])


@pytest.mark.slow
async def test_what_was_asked_for_before_somebody_paused_is_not_shown_until_they_go_on(
    acme: Firm, browse: Tabs, recorder: Recorder
) -> None:
    device, _ = await readings(acme, recorder)
    page = await browse(maps=False)
    asked, paused = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        if page.url != "about:blank":
            asked.set()
            await paused.wait()
        await route.continue_()

    await page.route(f"**{HOME}?device={device.id}", late)
    await page.goto(f"{HOME}?device={device.id}")
    await asked.wait()
    await recorder.store(recorder.event(device, 2, "motion_event", g_force=4.5, severity="high"))
    await page.get_by_role("button", name="Pause").click()
    await page.evaluate(
        """document.addEventListener("htmx:finally:request", () => document.body.id = "come")"""
    )
    paused.set()
    await expect(page.locator("#come")).to_be_visible()
    assert await page.locator("tbody tr").count() == 3
    await page.get_by_role("button", name="Pause").click()
    await expect(page.locator("tbody tr")).to_have_count(4)


async def test_pages_survive_data_that_nests_too_deeply_to_be_shown(
    acme: Firm, seat: Seat, recorder: Recorder
) -> None:
    device = await recorder.device()
    await recorder.store(recorder.event(device, 5, "fault_code", code="P0301"))
    async with acme.house.database.transaction() as db:
        await db.execute(
            """update device_events
               set data = (repeat('{"a":', 968) || '1' || repeat('}', 968))::jsonb"""
        )
    events = f"/int/v1/fleet-module/devices/{device.id}/events"
    answer = await acme.admin.get(events)
    assert answer.status_code == 200, answer.text
    event = answer.json()["data"][0]["id"]
    for page in (f"/console/devices/{device.id}", HOME, f"{HOME}/{event}"):
        shown = await seat.client.get(page)
        assert shown.status_code == 200, (page, shown.text[-500:])
