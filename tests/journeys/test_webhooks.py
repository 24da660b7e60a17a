"""An integrator's first hour: register, order, hear of it, read the log, rotate, replay."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from pannier import webhooks
from program import COMMAND, PATIENCE, run, serving
from webhooks import receiver as receivers
from webhooks.receiver import Received

PLACES = {"pickup": "1 Raffles Place, Singapore", "dropoff": "80 Mandai Lake Road, Singapore"}


def genuine(request: Received, secret: str) -> dict[str, Any]:
    """Check a request with the independent library and with our own, and read it."""
    read: dict[str, Any] = Webhook(secret).verify(request.body.decode(), request.headers)
    assert webhooks.verify(request.body, request.headers, secret) == read
    return read


@pytest.mark.slow
async def test_an_integrator_hears_of_an_order_from_the_real_program(
    house_folder: Path, tmp_path: Path
) -> None:
    async with receivers.opened(tmp_path) as receiver:
        settings = {
            "webhook_allow_networks": receivers.NETWORKS,
            "webhook_ca_bundle": str(receiver.ca_bundle),
        }
        with serving(house_folder, command=COMMAND, **settings) as program:
            program.ready()
            headers = {"Authorization": f"Bearer {program.said('API key')}"}
            async with httpx.AsyncClient(
                base_url=f"{program.url}/v1", headers=headers, timeout=PATIENCE
            ) as api:
                token = run(house_folder, "metrics", "token", **settings).stdout.strip()
                await integrate(api, receiver, token)
            assert program.interrupt() == 0


async def integrate(api: httpx.AsyncClient, receiver: receivers.Receiver, token: str) -> None:
    body = {"url": receiver.url(), "events": ["order.*", "tracking_status.created"]}
    made = (await api.post("/webhooks", json=body)).raise_for_status().json()
    ping = (await api.post(f"/webhooks/{made['id']}/ping")).raise_for_status().json()
    assert ping["ok"], ping
    receiver.forget()

    order = (await api.post("/orders", json=PLACES)).raise_for_status().json()
    first, second = await receiver.heard(2)
    told = [genuine(request, made["secret"]) for request in (first, second)]
    assert [one["event"] for one in told] == ["order.created", "tracking_status.created"]
    assert told[0]["data"]["id"] == order["id"]
    assert [one.headers["x-service-sequence"] for one in (first, second)] == ["1", "2"]

    rotated = await api.post(f"/webhooks/{made['id']}/rotate-secret", json={"grace_seconds": 60})
    await api.post(f"/orders/{order['id']}/cancel", json={})
    heard = (await receiver.heard(4))[2:]
    for request in heard:
        for secret in (made["secret"], rotated.json()["secret"]):
            genuine(request, secret)

    (row,) = await listed(api, event="order.cancelled")
    (await api.post(f"/webhook-deliveries/{row['id']}/replay")).raise_for_status()
    again = (await receiver.heard(5))[-1]
    assert again.id == row["id"]
    assert again.body == next(one.body for one in heard if one.id == row["id"])
    shown = (await api.get(f"/webhook-deliveries/{row['id']}")).json()
    assert shown["attempts"] == 2

    root = str(api.base_url).removesuffix("/v1/")
    assert (await api.get(f"{root}/readyz")).json()["status"] == "ready"
    scraping = {"Authorization": f"Bearer {token}"}
    metrics = (await api.get(f"{root}/metrics", headers=scraping)).text
    assert 'pannier_webhook_attempts_total{outcome="succeeded"}' in metrics
    assert "pannier_webhook_attempt_seconds_count" in metrics
    assert "pannier_webhook_oldest_due_seconds" in metrics


async def listed(api: httpx.AsyncClient, **filters: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (await api.get("/webhook-deliveries", params=filters)).json()
    return rows
