"""What a broker stands before is stored once too, whoever is killed while it comes.

`PANNIER_FAULTS=whole` kills each twenty times; the suite once.
"""

import asyncio
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import paho.mqtt.client as paho
import pytest

import brokers
import program
from brokers import Nats
from devices.streams.ear import introduce
from faults.test_device_kills import KILLS, SENDERS, TOGETHER, Gateway, kill_server, stored
from pannier.settings import load
from program import PATIENCE, Serving

A_FEW = 5  # events of an MQTT message
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180 + 120 * KILLS)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Nats]:
    with brokers.running(Nats(tmp_path)) as broker:
        yield broker


def kill_api(serving: Serving, _: Nats) -> None:
    """Kill the process that hands events to JetStream."""
    kill_server(serving, Path())


def kill_writer(serving: Serving, _: Nats) -> None:
    """Kill the process that stores them, as soon as there is one."""
    ends = time.monotonic() + PATIENCE
    while not (found := list(writers(serving))):
        assert time.monotonic() < ends, "no worker is started any more"
        threading.Event().wait(0.02)
    os.kill(found[0], signal.SIGKILL)
    serving.await_line("again")


def writers(serving: Serving) -> Iterator[int]:
    """Find the worker."""
    for pid in serving.tree()[1:]:
        if " worker --supervised" in program.command_of(pid):
            yield pid


def kill_broker(_: Serving, broker: Nats) -> None:
    """Kill the broker, which comes back with what it had."""
    broker.kill()
    broker.start()


class Device(Gateway):
    """Publishes by MQTT, one message after the other, each until the broker has it."""

    broker: Nats

    def work(self) -> None:
        """Publish until stopped; what was begun is brought to its end."""
        client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        client.username_pw_set("pannier", "secret")
        client.reconnect_delay_set(1, 1)
        client.connect("127.0.0.1", self.broker.mqtt_port)
        client.loop_start()
        while not self._stopped.is_set():
            with self._lock:
                numbers = [next(self._numbers) for _ in range(A_FEW)]
            events = [self._event(number) for number in numbers]
            letter = msgspec.json.encode({"token": self._token, "events": events})
            client.publish(f"devices/{self._device}/events", letter, 1).wait_for_publish(PATIENCE)
            with self._lock:
                self.acknowledged.update(numbers)
            # A broker takes whatever comes: what waits there must be stored before the end.
            self._stopped.wait(0.05)
        client.disconnect()
        client.loop_stop()


@contextmanager
def house(folder: Path, **settings: str) -> Iterator[tuple[Serving, str, dict[str, Any]]]:
    """Serve, with a gateway; tell the operator's token too."""
    chosen = {"credential_rate": "1000000", "nats_bytes": str(64 << 20), **settings}
    with program.serving(folder, "--workers", "1", **chosen) as serving:
        operator = serving.ready().said("Operator token")
        headers = {"Authorization": f"Bearer {operator}"}
        given = {"name": "Gateway", "kind": "gateway"}
        made = httpx.post(
            f"{serving.url}/int/v1/devices", json=given, headers=headers, timeout=PATIENCE
        ).json()
        yield serving, operator, made


def killing(sender: Gateway, kills: Sequence[Callable[[], None]], enough: int) -> None:
    """Kill at any moment, while events come, one after the other."""
    chance = random.Random()
    for kill in [*kills] * KILLS:
        before, ends = len(sender.acknowledged), time.monotonic() + PATIENCE
        while len(sender.acknowledged) < before + enough:
            assert time.monotonic() < ends, "nothing is acknowledged any more"
            threading.Event().wait(0.02)
        threading.Event().wait(chance.uniform(0.0, 0.3))
        kill()


def settled(sender: Gateway, look: Callable[[], Counter[int]]) -> Counter[int]:
    """Read what is stored, once all that was acknowledged is, or nothing more comes."""
    there, ends = look(), time.monotonic() + PATIENCE
    while sender.acknowledged.keys() - there.keys() and time.monotonic() < ends:
        threading.Event().wait(0.5)
        before, there = len(there), look()
        if len(there) > before:
            ends = time.monotonic() + PATIENCE
    return there


def judge(name: str, sender: Gateway, there: Counter[int]) -> str:
    """Count what is missing and what is there twice."""
    missing = sender.acknowledged.keys() - there.keys()
    twice = [number for number, times in there.items() if times > 1]
    assert missing == set()
    assert twice == []
    return (
        f"\n{name}: {KILLS} kills of each, {len(sender.acknowledged)} acknowledged, "
        f"{sender.retries} retries, {len(there)} stored, 0 missing, 0 twice"
    )


def test_what_jetstream_took_is_stored_once(
    house_folder: Path,
    broker: Nats,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with house(house_folder, nats_url=broker.url) as (serving, operator, made):
        gateway = Gateway(serving.url, made["token"], made["id"])
        kills = [partial(kill, serving, broker) for kill in (kill_api, kill_writer, kill_broker)]
        with gateway.sending():
            killing(gateway, kills, TOGETHER * SENDERS)
        there = settled(gateway, lambda: stored(serving.url, operator))
    said = judge("API, worker and JetStream", gateway, there)
    with capsys.disabled():
        print(said)  # noqa: T201 - the counts are the result


def test_what_an_mqtt_broker_took_is_stored_once(
    house_folder: Path,
    broker: Nats,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = {"mqtt_url": broker.mqtt_url, "mqtt_version": "3.1.1"}
    # What comes before anybody has subscribed is nobody's.
    asyncio.run(introduce(load({}, **settings)))
    with house(house_folder, **settings) as (serving, operator, made):
        device = Device(serving.url, made["token"], made["id"])
        device.broker = broker
        with device.sending():
            killing(device, [partial(kill_writer, serving, broker)], A_FEW * 10)
        there = settled(device, lambda: stored(serving.url, operator))
    said = judge("Worker behind MQTT", device, there)
    with capsys.disabled():
        print(said)  # noqa: T201 - the counts are the result
