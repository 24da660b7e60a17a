"""Device events are listed with the contract's fields, by any filters together, at any depth."""

from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import httpx
import pytest

from devices.recorder import EVENTS, Known, Recorder, ids
from pannier.devices.events import queries
from pannier.devices.events.cursors import Mark, decode_id, event_id
from pannier.devices.models import DeviceEventRow
from probe import refused
from stage import NOON, Firm

SINGAPORE = (103.8198, 1.3521)


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def walked(client: httpx.AsyncClient, path: str, **asked: Any) -> list[dict[str, Any]]:
    """Read a list to its end, page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(200):
        answer = await client.get(path, params={**asked, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["data"]
        if not page["meta"]["has_more"]:
            assert page["meta"]["next_cursor"] is None
            return found
        cursor = {"cursor": page["meta"]["next_cursor"]}
    raise AssertionError("The list does not end.")


async def fleet(recorder: Recorder) -> tuple[list[Known], list[DeviceEventRow]]:
    """Three devices with events of all kinds in four weeks; some at the same moment."""
    devices = [await recorder.device(f"Tracker {number}") for number in range(3)]
    kinds = ("position_update", "obd_ii_reading", "fault_code", "device_heartbeat", "honk")
    rows = []
    for number in range(90):
        kind = kinds[number % 5]
        rows.append(
            recorder.event(
                devices[number % 3],
                float(number // 4 * 1800),
                kind,
                at=(SINGAPORE[0] + number / 1000, SINGAPORE[1]) if number % 2 else None,
                severity="critical" if kind == "fault_code" and number % 4 else None,
            )
        )
    await recorder.store(*rows[:50])
    await recorder.store(*rows[50:])
    return devices, sorted(rows, key=lambda row: (row.occurred_at, row.device_no, row.event_key))


@pytest.mark.slow
async def test_a_walk_by_any_filters_finds_what_they_mean_once_and_in_order(
    acme: Firm, recorder: Recorder
) -> None:
    devices, rows = await fleet(recorder)
    vehicle = await recorder.vehicle()
    change, end = NOON - timedelta(days=8), NOON - timedelta(days=2)
    await recorder.attach(devices[0], vehicle, NOON - timedelta(days=20), change)
    await recorder.attach(devices[1], vehicle, change, end)
    moment = f"{(NOON - timedelta(days=10)).isoformat()[:-6]}Z"

    def on_vehicle(row: DeviceEventRow) -> bool:
        first = row.device_no == devices[0].number and row.occurred_at < change
        second = row.device_no == devices[1].number and change <= row.occurred_at < end
        return row.occurred_at >= NOON - timedelta(days=20) and (first or second)

    def within(row: DeviceEventRow) -> bool:
        return row.longitude is not None and 103.83 <= row.longitude <= 103.86

    cases: list[tuple[dict[str, Any], Any]] = [
        ({}, lambda _: True),
        ({"device": devices[1].id}, lambda row: row.device_no == devices[1].number),
        (
            {"device": [devices[0].id, str(devices[2].uuid)]},
            lambda row: row.device_no != devices[1].number,
        ),
        ({"vehicle": vehicle}, on_vehicle),
        ({"vehicle": vehicle, "device": devices[2].id}, lambda _: False),
        ({"event_type": "position"}, lambda row: row.kind == 1),
        ({"event_type": ["dtc", "honk"]}, lambda row: row.kind == 8 or row.type == "honk"),
        ({"event_type": "honk", "vehicle": vehicle}, lambda row: row.type and on_vehicle(row)),
        ({"severity": "critical"}, lambda row: row.severity == 5),
        ({"severity": ["critical", "info"], "event_type": "obd"}, lambda _: False),
        ({"bbox": "103.83,1,103.86,2"}, within),
        (
            {"bbox": "103.83,1,103.86,2", "device": devices[1].id, "event_type": "obd"},
            lambda row: within(row) and row.device_no == devices[1].number and row.kind == 2,
        ),
        ({"from": moment}, lambda row: row.occurred_at >= NOON - timedelta(days=10)),
        (
            {"to": moment, "event_type": ["heartbeat", "obd"]},
            lambda row: row.occurred_at < NOON - timedelta(days=10) and row.kind in {2, 9},
        ),
    ]
    for asked, meant in cases:
        expected = ids(*filter(meant, rows))
        for sort, order in (("timestamp", expected), ("-timestamp", expected[::-1])):
            for limit in (7, 1000):
                got = await walked(acme.admin, EVENTS, sort=sort, limit=limit, **asked)
                assert [row["id"] for row in got] == order, (asked, sort, limit)


async def test_a_page_that_finds_little_ends_early_and_says_where_to_go_on(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MAX_EXAMINED", 5)
    monkeypatch.setattr(queries, "MIN_EXAMINED", 3)
    devices, rows = await fleet(recorder)
    asked = {"bbox": "103.89,1,103.9,2", "limit": "3"}
    first = (await acme.admin.get(EVENTS, params=asked)).json()
    assert (first["data"], first["meta"]["has_more"]) == ([], True)
    expected = [row for row in rows if row.longitude and 103.89 <= row.longitude <= 103.9]
    assert expected
    for wish in ({}, {"device": [one.id for one in devices]}, {"event_type": ["dtc", "honk"]}):
        got = await walked(acme.admin, EVENTS, **asked, **wish)
        meant = [row for row in expected if not wish.get("event_type") or row.kind in {8, 0}]
        assert [row["id"] for row in got] == ids(*meant)[::-1]


async def test_an_event_is_found_by_its_id_by_its_own_company_only(
    acme: Firm, rival: Firm, recorder: Recorder
) -> None:
    device = await recorder.device()
    (row,) = await recorder.store(recorder.event(device, at=SINGAPORE, speed=36.5))
    path = f"{EVENTS}/{ids(row)[0]}"
    assert (await acme.api.get(path)).json()["device_id"] == device.id
    refused(await rival.admin.get(path), 404, "not_found")
    beyond = f"{ids(row)[0][:37]}-{'f' * 20}"
    for wrong in ("devevt_", "devevt_zz", ids(row)[0].upper(), f"{ids(row)[0]}0", "x" * 90, beyond):
        refused(await acme.admin.get(f"{EVENTS}/{wrong}"), 404, "not_found")


async def test_what_a_filter_names_must_be_there(
    acme: Firm, rival: Firm, recorder: Recorder
) -> None:
    device = await recorder.device()
    theirs = await Recorder(rival).device()
    for wrong in ({"device": theirs.id}, {"vehicle": "vehicle_0000000000000000"}):
        refused(await acme.admin.get(EVENTS, params=wrong), 404, "not_found")
    refused(await acme.admin.get(EVENTS, params={"severity": "mild"}), 422, "unknown_value")
    for wrong in ({"bbox": "1,2,3"}, {"limit": "1001"}, {"bbox": "0,9,0,1"}):
        refused(await acme.admin.get(EVENTS, params=wrong), 422, "validation_failed")
    of_device = f"/int/v1/fleet-module/devices/{device.id}/events"
    refused(await rival.admin.get(of_device), 404, "not_found")
    refused(await acme.admin.get(EVENTS, params={"cursor": "AAAA"}), 400, "cursor_invalid")
    theirs_cursor = {"after": (await rival.admin.get(EVENTS, params={"after": "now"})).json()}
    asked = {"after": theirs_cursor["after"]["meta"]["next_cursor"]}
    refused(await acme.admin.get(EVENTS, params=asked), 400, "cursor_invalid")


async def test_a_key_needs_the_scope(acme: Firm) -> None:
    for scope, status in (("devices:read", 200), ("orders:read", 403)):
        made = await acme.admin.post(
            "/int/v1/keys", json={"kind": "api", "name": "Reader", "scopes": [scope]}
        )
        reader = acme.house.client(made.json()["key"])
        assert (await reader.get(EVENTS)).status_code == status


@pytest.mark.parametrize("key", [0, 1, -1, 2**63 - 1, -(2**63)])
def test_an_id_says_exactly_where_its_event_stands(key: int) -> None:
    mark = Mark(NOON + timedelta(microseconds=123_457), 2**40 + 5, key)
    assert decode_id(event_id(mark)) == mark


def test_stretches_follow_each_other_without_a_gap() -> None:
    choice = queries.EventChoice(company=UUID(int=1))
    for descending in (True, False):
        mark = Mark(NOON - timedelta(days=3), 1, 1)
        found = list(queries.list_search_periods(choice, mark, NOON, descending=descending))
        in_order = found[::-1] if descending else found
        assert all(one.until == two.since for one, two in pairwise(in_order))
        assert in_order[0].since <= mark.occurred_at < in_order[-1].until
