"""A power cut at any moment costs nothing that was committed.

Nor does it leave a proof without its picture, or a blocked order. `make faults` cuts it twenty
times; the suite once while nothing, and once while something was acknowledged.
"""

import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from program import PATIENCE, Serving
from proofs import drawn
from proofs.evidence import HANDOVER

ROUNDS = 20 if os.environ.get("PANNIER_FAULTS") == "whole" else 2
PHOTO = drawn.text(drawn.photo())
UNLIMITED = dict.fromkeys(("credential_rate", "address_rate", "picture_rate"), "1000000")


class Writer:
    """Writes the same thing as fast as it can, and remembers what was acknowledged."""

    def __init__(self, body: dict[str, str]) -> None:
        self.acknowledged: set[str] = set()
        self.heard = threading.Event()
        self._body, self._stopped = body, threading.Event()

    def work(self, client: httpx.Client, path: str) -> None:
        while not self._stopped.is_set():
            try:
                made = client.post(path, json=self._body)
            except httpx.TransportError:
                return
            if made.status_code == 201:
                self.acknowledged.add(made.json()["id"])
                self.heard.set()

    def start(self, client: httpx.Client, path: str) -> threading.Thread:
        self._stopped.clear()
        self.heard.clear()
        thread = threading.Thread(target=self.work, args=(client, path))
        thread.start()
        return thread

    def stop(self) -> None:
        self._stopped.set()


@contextmanager
def signed_in(program: Serving, token: str) -> Iterator[httpx.Client]:
    """Come in with a key or an operator's token."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=program.url, headers=headers, timeout=PATIENCE) as client:
        yield client


def present(operator: httpx.Client) -> set[str]:
    """List every key there is."""
    found: set[str] = set()
    cursor = ""
    while True:
        page = operator.get(f"/int/v1/keys?limit=100{cursor}").raise_for_status().json()
        found |= {row["id"] for row in page["data"]}
        if not page["meta"]["has_more"]:
            return found
        cursor = f"&cursor={page['meta']['next_cursor']}"


def careful(api: httpx.Client, number: int) -> dict[str, Any]:
    """Start an order whose hand-over needs a photo."""
    demand = {"require_pod": True, "pod_method": "photo"}
    api.post(
        "/v1/order-configs", json={"name": "Careful", "key": "careful", "flow": [HANDOVER | demand]}
    )
    phone = f"+659123{number:04}"
    driver = api.post("/v1/drivers", json={"name": "Ada", "phone": phone}).json()
    body = {"pickup": "1 Road", "dropoff": "2 Road", "type": "careful", "driver": driver["id"]}
    order = api.post("/v1/orders", json=body).raise_for_status().json()
    api.post(f"/v1/orders/{order['id']}/start", json={"skip_dispatch": True}).raise_for_status()
    started: dict[str, Any] = order
    return started


def complete(api: httpx.Client, order: dict[str, Any]) -> set[str]:
    """Check that an order's proofs are whole and that it can be completed; list the proofs."""
    kept = set()
    for proof in api.get(f"/v1/orders/{order['id']}/proofs").json():
        kept.add(proof["id"])
        verdict = api.get(f"/v1/proofs/{proof['id']}/verify").json()
        assert verdict["valid"], verdict
    api.post(f"/v1/orders/{order['id']}/capture-photo", json={"photo": PHOTO})
    done = api.post(f"/v1/orders/{order['id']}/complete")
    assert done.json()["status"] == "completed", done.text
    return kept


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kills_of_the_whole_tree_lose_nothing_acknowledged_and_block_no_order(
    house_folder: Path,
) -> None:
    """Kill -9 everything at random moments; each start comes up by itself and has it all."""
    issuing, photographing = Writer({"kind": "api", "name": "Round"}), Writer({"photo": PHOTO})
    token, key, orders = "", "", list[dict[str, Any]]()
    chance = random.Random()
    for number in range(ROUNDS):
        program = Serving(house_folder, **UNLIMITED).ready()
        token, key = token or program.said("Operator token"), key or program.said("API key")
        with signed_in(program, token) as operator, signed_in(program, key) as api:
            try:
                assert issuing.acknowledged <= present(operator)
                orders.append(careful(api, number))
                capture = f"/v1/orders/{orders[-1]['id']}/capture-photo"
                threads = [
                    *(issuing.start(operator, "/int/v1/keys") for _ in range(3)),
                    *(photographing.start(api, capture) for _ in range(2)),
                ]
                if number % 2:  # Every other time, only once something was acknowledged.
                    assert issuing.heard.wait(PATIENCE)
                    assert photographing.heard.wait(PATIENCE)
                threading.Event().wait(chance.uniform(0.05, 1.0))
            finally:
                program.kill()
                issuing.stop()
                photographing.stop()
            for thread in threads:
                thread.join()
    program = Serving(house_folder).ready()
    with signed_in(program, token) as operator, signed_in(program, key) as api:
        assert len(issuing.acknowledged) >= ROUNDS // 2
        assert issuing.acknowledged <= present(operator)
        kept = set().union(*(complete(api, order) for order in orders))
        assert photographing.acknowledged
        assert photographing.acknowledged <= kept
    assert program.interrupt() == 0
