"""The streams of the real program: several processes that die, a restart, and nothing missed."""

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

import program
from devices.recorder import EVENTS
from program import PATIENCE, Serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
STREAM = "/int/v1/events/stream"
NUMBERS = itertools.count(1)
READERS = 6  # enough for each of two processes to have some


class Follower:
    """Somebody who reads the stream, and comes back with their last place when it breaks."""

    def __init__(self, serve: Serving, token: str, place: str = "") -> None:
        self.place, self.heard = place, list[str]()
        self.breaks = 0
        self._serve, self._token = serve, token
        self._news, self._left = threading.Condition(), False
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self._left:
            try:
                self._read()
            except (httpx.HTTPError, ConnectionError):
                self.breaks += 1

    def _read(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "identity"}
        if self.place:
            headers["Last-Event-ID"] = self.place
        with httpx.stream(
            "GET", self._serve.url + STREAM, headers=headers, timeout=PATIENCE
        ) as answer:
            place = ""
            for line in answer.iter_lines():
                name, _, said = line.partition(": ")
                if name == "id":
                    place = said
                elif name == "data" and place:
                    self._hear(place, said)

    def _hear(self, place: str, said: str) -> None:
        with self._news:
            self.place = place
            told = msgspec.json.decode(said)
            if told.get("event") == "driver.online":
                self.heard.append(told["subject"])
            self._news.notify_all()

    def until(self, settled: Callable[["Follower"], bool]) -> None:
        """Wait until what was heard is enough."""
        with self._news:
            assert self._news.wait_for(lambda: settled(self), PATIENCE), self.heard

    def leave(self) -> None:
        """Do not come back when the stream breaks."""
        self._left = True

    def gone(self) -> "Follower":
        """Wait until they have left."""
        self._thread.join(PATIENCE)
        return self


def goes_online(serve: Serving, key: str) -> str:
    """Let a driver be hired and go online, whichever process takes it."""
    number = next(NUMBERS)
    with httpx.Client(
        base_url=serve.url,
        headers={"Authorization": f"Bearer {key}"},
        transport=httpx.HTTPTransport(retries=20),
        timeout=PATIENCE,
    ) as client:
        given = {"name": f"Driver {number}", "phone": f"+659123{number:04}"}
        made = client.post("/v1/drivers", json=given).json()["id"]
        client.post(f"/v1/drivers/{made}/toggle-online", json={"online": True})
    return str(made)


def children(serve: Serving, words: str) -> list[int]:
    """Find processes of the program by how they were started."""
    return [pid for pid in serve.tree()[1:] if words in program.command_of(pid)]


@contextmanager
def following_a_device(serve: Serving, key: str) -> Iterator[None]:
    """Hear of a device at all processes; the streams come to their end with the program."""
    headers = {"Authorization": f"Bearer {key}"}
    with (
        httpx.Client(base_url=serve.url, headers=headers, timeout=PATIENCE) as client,
        ExitStack() as streams,
    ):
        device = client.post("/v1/devices", json={"name": "Tracker"}).json()["id"]
        lines = []
        for _ in range(READERS):
            answer = streams.enter_context(client.stream("GET", f"{EVENTS}/stream?after=beginning"))
            lines.append(answer.iter_lines())
            assert next(lines[-1]).startswith("retry")
        said = {"event_type": "device_heartbeat", "device": device}
        sent = client.post(f"{EVENTS}/batch", json=[said])
        assert sent.json()["accepted"] == 1, sent.text
        for each in lines:
            news = next(line for line in each if line.startswith("data: "))
            assert device in news
        yield
        # Reading on from one that was cut off would fail.
        assert not [line for each in lines for line in each if line.startswith("data: ")]


def test_whoever_follows_hears_everything_once_while_processes_die_and_after_a_restart(
    house_folder: Path,
) -> None:
    with program.serving(house_folder, "--workers", "2") as serve:
        serve.ready()
        key, token = serve.said("API key"), serve.said("Operator token")
        online: list[str] = []
        followers = [Follower(serve, token) for _ in range(4)]
        # They hear from where they came in.
        while not all(follower.heard for follower in followers):
            online.append(goes_online(serve, key))
        for victim in (*children(serve, "pannier api"), *children(serve, "pannier worker")):
            os.kill(victim, signal.SIGKILL)
            serve.await_line("was ended by SIGKILL")
            online += [goes_online(serve, key) for _ in range(3)]
        for each in followers:
            each.until(lambda one: one.heard[-1:] == online[-1:])
            assert each.heard == online[online.index(each.heard[0]) :]
            each.leave()
        assert all(each.breaks for each in followers)
        online.append(goes_online(serve, key))
        serve.kill()
    with program.serving(house_folder, "--workers", "2") as serve:
        serve.ready()
        again = [Follower(serve, token, each.gone().place) for each in followers]
        online.append(goes_online(serve, key))
        for before, each in zip(followers, again, strict=True):
            each.until(lambda one: one.heard[-1:] == online[-1:])
            assert each.heard == online[online.index(before.heard[-1]) + 1 :]
            each.leave()
        with following_a_device(serve, key):
            assert serve.interrupt() == 0
