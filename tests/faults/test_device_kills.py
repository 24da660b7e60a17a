"""What was acknowledged of device events is there, and once, whoever is killed while they come.

`PANNIER_FAULTS=whole` kills ten times as often as the suite.
"""

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest

import program
from program import PATIENCE, Serving

KILLS: Final = 20 if os.environ.get("PANNIER_FAULTS") == "whole" else 2
SENDERS: Final = 3
TOGETHER: Final = 200
MODULE: Final = "/int/v1/fleet-module"
WANTED: Final = {"limit": "1000", "event_type": "position_update"}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120 + 30 * KILLS)]


class Gateway:
    """Sends batches as fast as it can, each again and again until it is acknowledged."""

    def __init__(self, url: str, token: str, device: str) -> None:
        self.url, self._token, self._device = url, token, device
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
            "device": self._device,
            "event_type": "position_update",
            "timestamp": datetime.now(UTC),
            "location": {"latitude": 52.5, "longitude": 13.4},
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
    """Read every event there is, page by page."""
    found, cursor = Counter[int](), {}
    with httpx.Client(
        base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    ) as client:
        while True:
            asked = client.get(f"{MODULE}/device-events", params={**WANTED, **cursor})
            page = asked.raise_for_status().json()
            found.update(int(event["data"]["number"]) for event in page["data"])
            if not page["meta"]["has_more"]:
                return found
            cursor = {"cursor": page["meta"]["next_cursor"]}


def kill_server(serving: Serving, _: Path) -> None:
    """Kill the process that takes events in; it is started again by its supervisor."""
    found = [pid for pid in serving.tree()[1:] if " api " in program.command_of(pid)]
    os.kill(found[0], signal.SIGKILL)
    serving.await_line("again")


def kill_database(serving: Serving, data: Path) -> None:
    """Kill PostgreSQL and all that came of it; it is started again, and recovers."""
    os.kill(int((data / "postgres/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    serving.await_line("again")


@pytest.mark.parametrize("kill", [kill_server, kill_database])
def test_nothing_acknowledged_is_missing_and_nothing_is_stored_twice(
    house_folder: Path, kill: Callable[[Serving, Path], None], capsys: pytest.CaptureFixture[str]
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
            for _ in range(KILLS):
                before = len(gateway.acknowledged)
                while len(gateway.acknowledged) < before + TOGETHER * SENDERS:
                    threading.Event().wait(0.02)
                threading.Event().wait(chance.uniform(0.0, 0.3))
                kill(serving, house_folder)
        there = stored(serving.url, operator)
    missing = gateway.acknowledged.keys() - there.keys()
    twice = [number for number, times in there.items() if times > 1]
    with capsys.disabled():
        print(  # noqa: T201 - the counts are the result
            f"\n{kill.__name__}: {KILLS} kills, {len(gateway.acknowledged)} acknowledged, "
            f"{gateway.retries} retries, {len(there)} stored, {len(missing)} missing, "
            f"{len(twice)} twice"
        )
    assert missing == set()
    assert twice == []
