"""Streams of a running program: news reach every process, and no stream holds up its end."""

from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from devices.recorder import EVENTS
from program import PATIENCE, serving

pytestmark = pytest.mark.slow

READERS = 6  # enough for each of two processes to have some


def test_news_reach_all_processes_and_an_end_ends_them(house_folder: Path) -> None:
    with serving(house_folder, "--workers", "2") as serve, ExitStack() as streams:
        serve.ready()
        client = streams.enter_context(
            httpx.Client(
                base_url=serve.url,
                headers={"Authorization": f"Bearer {serve.said('API key')}"},
                timeout=PATIENCE,
            )
        )
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
        assert serve.interrupt() == 0
        # They come to their end; reading on from one that was cut off would fail.
        assert not [line for each in lines for line in each if line.startswith("data: ")]
