"""Exports hold what the list does, and are read by programs that know nothing of us."""

import asyncio
import csv
import io
import json
from typing import Any

import gpxpy
import httpx
import pytest

from devices.recorder import EVENTS, Known, Recorder, ids
from pannier.devices import export
from pannier.devices.models import DeviceEventRow
from pannier.kit.clock import ManualClock
from pannier.web.streams import Streams
from program import PATIENCE
from stage import Firm
from web.listener import listening

SINGAPORE = (103.8198, 1.3521)


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def stored(recorder: Recorder) -> tuple[list[Known], list[DeviceEventRow]]:
    """Two devices, of whose events two out of three have a place."""
    devices = [await recorder.device(), await recorder.device()]
    rows = [
        recorder.event(
            devices[number % 2],
            float(number),
            "=cmd|' /C calc'!A0" if number % 7 == 0 else "position_update",
            at=SINGAPORE if number % 3 else None,
            speed=36.0,
            heading=90.0,
            altitude=15.5,
            note='a "quoted",\nline',
        )
        for number in range(60)
    ]
    await recorder.store(*rows)
    return devices, rows


async def exported(firm: Firm, kind: str, **asked: Any) -> httpx.Response:
    answer = await firm.admin.get(f"{EVENTS}/export", params={"format": kind, **asked})
    assert answer.status_code == 200, answer.text
    name = answer.headers["content-disposition"]
    assert name == f'attachment; filename="device-events-20260115T120000Z.{kind}"'
    return answer


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS_PER_PAGE", 7)


async def test_csv_json_and_gpx_are_read_by_others_and_have_every_event_once(
    acme: Firm, recorder: Recorder
) -> None:
    devices, rows = await stored(recorder)
    everything = ids(*rows)[::-1]
    written = await exported(acme, "csv")
    assert written.headers["content-type"].startswith("text/csv")
    lines = list(csv.DictReader(io.StringIO(written.text)))
    assert [line["id"] for line in lines] == everything
    assert {line["event_type"][:2] for line in lines} == {"po", "'="}
    assert json.loads(lines[0]["data"]) == {"note": 'a "quoted",\nline'}
    assert (float(lines[0]["speed"]), float(lines[0]["latitude"])) == (36.0, SINGAPORE[1])

    written = await exported(acme, "ndjson", sort="-timestamp")
    listed = (await acme.admin.get(EVENTS, params={"limit": 1000})).json()["data"]
    assert [json.loads(line) for line in written.text.splitlines()] == listed

    written = await exported(acme, "geojson")
    assert written.headers["content-type"] == "application/geo+json"
    collection = json.loads(written.text)
    assert collection["type"] == "FeatureCollection"
    assert [feature["id"] for feature in collection["features"]] == everything
    assert collection["features"][0]["geometry"] == {
        "type": "Point",
        "coordinates": list(SINGAPORE),
    }

    written = await exported(acme, "gpx", device=[device.id for device in devices])
    assert written.headers["content-type"] == "application/gpx+xml"
    tracks = gpxpy.parse(written.text).tracks
    assert [track.name for track in tracks] == [device.id for device in devices]
    points = [point for track in tracks for point in track.segments[0].points]
    placed = [row for row in rows if row.latitude is not None]
    assert len(points) == len(placed)
    assert [point.time for point in tracks[0].segments[0].points] == sorted(
        row.occurred_at for row in placed if row.device_no == devices[0].number
    )
    assert (points[0].longitude, points[0].latitude, points[0].elevation) == (*SINGAPORE, 15.5)
    whole = gpxpy.parse((await exported(acme, "gpx")).text)
    assert whole.get_track_points_no() == len(placed)


async def test_an_export_has_the_lists_filters_and_may_be_empty(
    acme: Firm, recorder: Recorder
) -> None:
    devices, rows = await stored(recorder)
    asked = {"device": devices[1].id, "event_type": "position", "bbox": "103,1,104,2"}
    meant = [
        row for row in rows if row.device_no == devices[1].number and row.kind and row.latitude
    ]
    assert len((await exported(acme, "ndjson", **asked)).text.splitlines()) == len(meant)
    vehicle = {"vehicle": await recorder.vehicle()}
    assert json.loads((await exported(acme, "geojson", **vehicle)).text)["features"] == []
    assert gpxpy.parse((await exported(acme, "gpx", **vehicle)).text).tracks == []
    assert len((await exported(acme, "csv", **vehicle)).text.splitlines()) == 1


async def test_the_work_ends_when_the_reader_leaves(acme: Firm, recorder: Recorder) -> None:
    await stored(recorder)
    async with listening(acme.house, acme.token, f"{EVENTS}/export?format=geojson") as listener:
        await listener.until(b"Feature")
    while not listener.parts.empty():
        listener.heard += listener.parts.get_nowait()
    assert b"]}\n" not in listener.heard


async def test_what_happens_while_it_is_read_makes_it_no_longer(
    acme: Firm, recorder: Recorder, clock: ManualClock
) -> None:
    devices, rows = await stored(recorder)
    ahead = recorder.event(devices[0], -5)  # by a clock that is a little fast
    await recorder.store(ahead)
    async with listening(acme.house, acme.token, f"{EVENTS}/export?format=ndjson") as listener:
        await listener.until(b"devevt_")
        clock.advance(hours=2)
        await recorder.store(recorder.event(devices[0], -60))
        await listener.until(ids(ahead)[0].encode())
        listener.leaves = False
    while not listener.parts.empty():
        listener.heard += listener.parts.get_nowait()
    assert listener.heard.count(b"\n") == len(rows) + 1


async def test_a_company_exports_one_part_at_a_time_and_others_do_not_wait(
    acme: Firm, rival: Firm
) -> None:
    streams: Streams = acme.house.edge.services["streams"]
    async with streams.exports.wait_turn(acme.uuid):
        waiting = [asyncio.create_task(exported(acme, kind)) for kind in ("csv", "geojson")]
        async with asyncio.timeout(PATIENCE):
            while streams.exports.count_waiting(acme.uuid) < 2:  # noqa: ASYNC110 - it notifies nobody
                await asyncio.sleep(0.001)
        assert len((await exported(rival, "csv")).text.splitlines()) == 1
        assert not any(task.done() for task in waiting)
    await asyncio.gather(*waiting)


@pytest.mark.parametrize(
    "odd", ["=1+1", True, 10**400, {"a": 1}, None], ids=["formula", "truth", "huge", "more", "none"]
)
async def test_what_a_device_calls_its_speed_breaks_no_file(
    acme: Firm, recorder: Recorder, odd: Any
) -> None:
    device = await recorder.device()
    row = recorder.event(device, 1, "honk", at=SINGAPORE)
    row.data = dict.fromkeys(("speed", "heading", "altitude", "accuracy"), odd)
    await recorder.store(row, recorder.event(device, 2, at=SINGAPORE, speed=36.0, altitude=15.5))
    lines = list(csv.DictReader(io.StringIO((await exported(acme, "csv")).text)))
    assert [line["speed"] for line in lines] == ["36.0", ""]
    assert json.loads(lines[1]["data"]) == row.data
    (track,) = gpxpy.parse((await exported(acme, "gpx")).text).tracks
    assert [point.elevation for point in track.segments[0].points] == [15.5, None]
    assert len(json.loads((await exported(acme, "geojson")).text)["features"]) == 2
