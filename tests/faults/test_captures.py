"""A crash during a capture leaves neither a proof without its picture nor a blocked order.

`make faults` crashes it twelve times; the suite once while nothing, and once while something was
acknowledged.
"""

import os
import random
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from program import PATIENCE, Serving
from proofs import drawn
from proofs.evidence import HANDOVER

ROUNDS = 12 if os.environ.get("PANNIER_FAULTS") == "whole" else 2
PHOTO = drawn.text(drawn.photo())


class Driver:
    """Photographs deliveries as fast as it can."""

    def __init__(self) -> None:
        self.acknowledged: set[str] = set()
        self.heard = threading.Event()

    def work(self, client: httpx.Client, order: dict[str, Any]) -> None:
        while True:
            try:
                made = client.post(f"/v1/orders/{order['id']}/capture-photo", json={"photo": PHOTO})
            except httpx.TransportError:
                return
            if made.status_code != 201:
                return
            self.acknowledged.add(made.json()["id"])
            self.heard.set()


def careful(client: httpx.Client, number: int) -> dict[str, Any]:
    """Start an order whose hand-over needs a photo."""
    demand = {"require_pod": True, "pod_method": "photo"}
    client.post(
        "/v1/order-configs", json={"name": "Careful", "key": "careful", "flow": [HANDOVER | demand]}
    )
    phone = f"+659123{number:04}"
    driver = client.post("/v1/drivers", json={"name": "Ada", "phone": phone}).json()
    body = {"pickup": "1 Road", "dropoff": "2 Road", "type": "careful", "driver": driver["id"]}
    order = client.post("/v1/orders", json=body).raise_for_status().json()
    client.post(f"/v1/orders/{order['id']}/start", json={"skip_dispatch": True}).raise_for_status()
    started: dict[str, Any] = order
    return started


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_crash_leaves_no_proof_without_its_picture_and_no_blocked_order(
    house_folder: Path,
) -> None:
    driver, key, orders = Driver(), "", []
    chance = random.Random()
    for number in range(ROUNDS):
        program = Serving(house_folder).ready()
        key = key or program.said("API key")
        client = httpx.Client(
            base_url=program.url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE
        )
        orders.append(careful(client, number))
        threads = [threading.Thread(target=driver.work, args=(client, orders[-1])) for _ in "ab"]
        driver.heard.clear()
        for thread in threads:
            thread.start()
        if number % 2:
            # Every other time, only once something was acknowledged.
            assert driver.heard.wait(PATIENCE)
        threading.Event().wait(chance.uniform(0.05, 0.6))
        program.kill()
        for thread in threads:
            thread.join()
        client.close()
    program = Serving(house_folder).ready()
    with httpx.Client(
        base_url=program.url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE
    ) as client:
        kept = set()
        for order in orders:
            for proof in client.get(f"/v1/orders/{order['id']}/proofs").json():
                kept.add(proof["id"])
                verdict = client.get(f"/v1/proofs/{proof['id']}/verify").json()
                assert verdict["valid"], verdict
            client.post(f"/v1/orders/{order['id']}/capture-photo", json={"photo": PHOTO})
            done = client.post(f"/v1/orders/{order['id']}/complete")
            assert done.json()["status"] == "completed", done.text
        assert driver.acknowledged <= kept
        assert driver.acknowledged
    assert program.interrupt() == 0
