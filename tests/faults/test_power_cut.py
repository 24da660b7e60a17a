"""A power cut at any moment costs nothing that was committed.

`make faults` cuts it twenty times; the suite four times.
"""

import os
import random
import threading
from pathlib import Path

import httpx
import pytest

from program import PATIENCE, Serving

ROUNDS = 20 if os.environ.get("PANNIER_FAULTS") == "whole" else 4


class Writer:
    """Issues keys as fast as it can, and remembers those that were acknowledged."""

    def __init__(self) -> None:
        self.acknowledged: set[str] = set()
        self.heard = threading.Event()
        self._stopped = threading.Event()

    def work(self, url: str, token: str) -> None:
        with httpx.Client(
            base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        ) as client:
            while not self._stopped.is_set():
                try:
                    made = client.post("/int/v1/keys", json={"kind": "api", "name": "Round"})
                except httpx.TransportError:
                    return
                if made.status_code == 201:
                    self.acknowledged.add(made.json()["id"])
                    self.heard.set()

    def start(self, url: str, token: str) -> threading.Thread:
        self._stopped.clear()
        self.heard.clear()
        thread = threading.Thread(target=self.work, args=(url, token))
        thread.start()
        return thread

    def stop(self) -> None:
        self._stopped.set()


def present(url: str, token: str) -> set[str]:
    found: set[str] = set()
    cursor = ""
    with httpx.Client(
        base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
    ) as client:
        while True:
            page = client.get(f"/int/v1/keys?limit=100{cursor}").raise_for_status().json()
            found |= {row["id"] for row in page["data"]}
            if not page["meta"]["has_more"]:
                return found
            cursor = f"&cursor={page['meta']['next_cursor']}"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_of_the_whole_tree_lose_no_acknowledged_key(house_folder: Path) -> None:
    """Kill -9 everything at random moments; each start comes up by itself and has it all."""
    writer, token = Writer(), ""
    chance = random.Random()
    for number in range(ROUNDS):
        program = Serving(house_folder, credential_rate="1000000", address_rate="1000000").ready()
        try:
            token = token or program.said("Operator token")
            assert writer.acknowledged <= present(program.url, token)
            threads = [writer.start(program.url, token) for _ in range(3)]
            if number % 2:  # Every other time, only once something was acknowledged.
                assert writer.heard.wait(PATIENCE)
            threading.Event().wait(chance.uniform(0.05, 1.0))
        finally:
            program.kill()
            writer.stop()
        for thread in threads:
            thread.join()
    program = Serving(house_folder).ready()
    assert len(writer.acknowledged) >= ROUNDS // 2
    assert writer.acknowledged <= present(program.url, token)
    assert program.interrupt() == 0
