"""What was acknowledged of device events is there, and once, whoever is killed while they come.

So is what they say of the present, where so much comes in that it is noted later.

`PANNIER_FAULTS=whole` kills each twenty times; the suite once.
"""

import asyncio
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import asyncpg
import httpx
import msgspec
import pytest

import program
from pannier.db.embedded import location
from program import PATIENCE, Serving

KILLS: Final = 20 if os.environ.get("PANNIER_FAULTS") == "whole" else 1  # of each
SENDERS: Final = 3
TOGETHER: Final = 200
DEVICES: Final = 300  # of which so many events a second come that their present is put off
MODULE: Final = "/int/v1/fleet-module"
WANTED: Final = {"limit": "1000", "event_type": "position_update"}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180 + 90 * KILLS)]


class Gateway:
    """Sends batches as fast as it can, each again and again until it is acknowledged."""

    def __init__(self, url: str, token: str, *devices: str) -> None:
        self.url, self._token, self._device = url, token, devices[0]
        self._devices = devices
        self.acknowledged = Counter[int]()
        self.retries = 0
        self._numbers = count(1)
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def work(self) -> None:
        """Send until stopped; what was begun is brought to its end."""
        with httpx.Client(
            headers={"Authorization": f"Bearer {self._token}"}, timeout=PATIENCE
        ) as client:
            while not self._stopped.is_set():
                with self._lock:
                    numbers = [next(self._numbers) for _ in range(TOGETHER)]
                body = msgspec.json.encode([self._event(number) for number in numbers])
                while not self._sent(client, body):
                    self.retries += 1
                    threading.Event().wait(0.05)
                with self._lock:
                    self.acknowledged.update(numbers)

    def _sent(self, client: httpx.Client, body: bytes) -> bool:
        try:
            answer = client.post(
                f"{self.url}{MODULE}/device-events/batch",
                content=body,
                headers={"Content-Type": "application/json"},
                timeout=20,
            )
        except httpx.TransportError:
            return False
        if answer.status_code in {httpx.codes.OK, httpx.codes.ACCEPTED}:
            told = answer.json()
            taken = told["accepted"] + told["duplicates"] + told.get("pending", 0)
            assert taken == TOGETHER, told
            return True
        assert answer.status_code in {429, 502, 503}, answer.text
        return False

    def _event(self, number: int) -> dict[str, Any]:
        return {
            "device": self._devices[number % len(self._devices)],
            "event_type": "position_update",
            "timestamp": datetime.now(UTC),
            "location": {"latitude": number % 10**7 / 10**6, "longitude": 13.4},
            "data": {"number": number},
            "event_id": str(number),
        }

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Send meanwhile."""
        threads = [threading.Thread(target=self.work) for _ in range(SENDERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()


def stored(url: str, token: str) -> Counter[int]:
    """Read every event there is."""
    with signed_in(url, token) as client:
        found = listed(client, f"{MODULE}/device-events", **WANTED)
        return Counter(int(event["data"]["number"]) for event in found)


def signed_in(url: str, token: str) -> httpx.Client:
    """Come in with what somebody was given."""
    return httpx.Client(
        base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    )


def listed(client: httpx.Client, path: str, **wanted: str) -> Iterator[dict[str, Any]]:
    """List all there is, page by page."""
    cursor: dict[str, str] = {}
    while True:
        page = client.get(path, params={**wanted, **cursor}).raise_for_status().json()
        yield from page["data"]
        if not page["meta"]["has_more"]:
            return
        cursor = {"cursor": page["meta"]["next_cursor"]}


def kill_server(serving: Serving, _: Path) -> None:
    """Kill the process that takes events in; it is started again by its supervisor."""
    found = [pid for pid in serving.tree()[1:] if " api " in program.command_of(pid)]
    os.kill(found[0], signal.SIGKILL)
    serving.await_line("it starts again")


def kill_database(serving: Serving, data: Path) -> None:
    """Kill PostgreSQL and all that came of it; it is started again, and recovers."""
    os.kill(int((data / "postgres/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    serving.await_line("The database has stopped. Restarting it.")


VICTIMS: Final = kill_server, kill_database


def test_nothing_acknowledged_is_missing_and_nothing_is_stored_twice(
    house_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random()
    with program.serving(house_folder, "--workers", "1", credential_rate="1000000") as serving:
        serving.ready()
        operator = serving.said("Operator token")
        headers = {"Authorization": f"Bearer {operator}"}
        made = httpx.post(
            f"{serving.url}/int/v1/devices",
            json={"name": "Gateway", "kind": "gateway"},
            headers=headers,
            timeout=PATIENCE,
        ).json()
        gateway = Gateway(serving.url, made["token"], made["id"])
        with gateway.sending():
            for kill in VICTIMS * KILLS:
                enough = len(gateway.acknowledged) + TOGETHER * SENDERS
                await_true(lambda: len(gateway.acknowledged) >= enough, "nothing is stored")  # noqa: B023 - it is asked at once
                threading.Event().wait(chance.uniform(0.0, 0.3))
                kill(serving, house_folder)
        there = stored(serving.url, operator)
    missing = gateway.acknowledged.keys() - there.keys()
    twice = [number for number, times in there.items() if times > 1]
    with capsys.disabled():
        print(  # noqa: T201 - the counts are the result
            f"\n{KILLS} kills of each, {len(gateway.acknowledged)} acknowledged, "
            f"{gateway.retries} retries, {len(there)} stored, {len(missing)} missing, "
            f"{len(twice)} twice"
        )
    assert missing == set()
    assert twice == []


def put_off(data: Path) -> int:
    """Count what is stored and not noted yet."""

    async def look() -> int:
        connection = await asyncpg.connect(url)
        try:
            count: int = await connection.fetchval("select count(*) from device_put_off")
            return count
        finally:
            await connection.close()

    url = location.choose_location(data, None, location.SHARED_FOLDER).url
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            return asyncio.run(look())
        except (OSError, asyncpg.CannotConnectNowError):
            assert time.monotonic() < ends, "the database does not come back"
            threading.Event().wait(0.1)


def await_true(true: Callable[[], bool], what: str) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < ends, what
        threading.Event().wait(0.02)


def said_last(client: httpx.Client) -> dict[str, tuple[str, str]]:
    """Tell by the events which one of each device is the last, and when it was."""
    last: dict[str, tuple[str, str]] = {}
    for event in listed(client, f"{MODULE}/device-events", **WANTED):
        last.setdefault(event["device_id"], (event["id"], event["timestamp"]))
    return last


def noted_last(client: httpx.Client) -> dict[str, tuple[str, str]]:
    """Tell what is known as the last of each device, and when it was where it is."""
    return {
        device["id"]: (device["readings"][0]["event_id"], device["located_at"])
        for device in listed(client, f"{MODULE}/devices/latest", limit="1000")
        if device["readings"]
    }


def test_what_devices_said_last_is_known_even_if_whoever_was_to_note_it_is_killed(
    house_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = []
    with program.serving(house_folder, "--workers", "1", credential_rate="1000000") as serving:
        serving.ready()
        operator, key = serving.said("Operator token"), serving.said("API key")
        with signed_in(serving.url, operator) as client, signed_in(serving.url, key) as api:
            vehicle = api.post("/v1/vehicles", json={"plate_number": "SGX 1"}).json()
            driver = {"name": "Ada", "phone": "+6591230001", "vehicle": vehicle["id"]}
            driver = api.post("/v1/drivers", json=driver).raise_for_status().json()
            given = {"name": "Gateway", "kind": "gateway", "adopts": True}
            made = client.post("/int/v1/devices", json=given).raise_for_status().json()
            given = {"name": "Van", "identifier": "tracker 0", "vehicle": vehicle["id"]}
            van = client.post("/int/v1/devices", json=given).raise_for_status().json()
            names = [f"tracker {number}" for number in range(DEVICES)]
            gateway = Gateway(serving.url, made["token"], *names)
            with gateway.sending():
                for kill in VICTIMS * KILLS:
                    enough = len(gateway.acknowledged) + TOGETHER * SENDERS
                    await_true(lambda: len(gateway.acknowledged) >= enough, "nothing is stored")  # noqa: B023 - it is asked at once
                    await_true(lambda: put_off(house_folder) > 0, "nothing is put off")
                    kill(serving, house_folder)
                    left.append(put_off(house_folder))
            await_true(lambda: put_off(house_folder) == 0, "what was put off is never noted")
            last, known = said_last(client), noted_last(client)
            places = [
                api.get(f"/v1/{path}").raise_for_status().json()["located_at"]
                for path in (f"vehicles/{vehicle['id']}", f"drivers/{driver['id']}")
            ]
    with capsys.disabled():
        print(f"\n{KILLS} kills of each, {left} put off after them, {len(last)} devices")  # noqa: T201 - the counts are the result
    assert len(last) == DEVICES
    assert known == last
    assert places == [last[van["id"]][1]] * 2
