"""The server is killed while a phone sends to it: every capture arrives, and once.

`make faults` kills it ten times; the suite twice.
"""

import asyncio
import os
import random
import re
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from PIL import Image
from playwright.async_api import Browser

import program
from console.browser import PATIENCE
from driver.handset import PROOF, STEPS, BrowserHandset
from program import Serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROUNDS: Final = 10 if os.environ.get("PANNIER_FAULTS") == "whole" else 2
PHONE: Final = "+6591234567"
# A line on which a picture takes about half a second.
SLOW: Final = {
    "offline": False,
    "latency": 20,
    "downloadThroughput": -1,
    "uploadThroughput": 800_000,
}


def noisy() -> bytes:
    """Photograph something with so many details that the picture stays large."""
    made = BytesIO()
    Image.effect_noise((900, 700), 80).save(made, "JPEG", quality=90)
    return made.getvalue()


def code_of(folder: Path) -> str:
    """Read the code that the driver got."""
    drawer: Any = program.answer(folder, "messages", "--json", "--to", PHONE)
    return next(one["text"][:6] for one in drawer if re.match(r"\d{6}\b", one["text"]))


async def hired(folder: Path, client: httpx.AsyncClient) -> tuple[dict[str, Any], str]:
    """Hire a driver, and sign them in."""
    flow = [STEPS[0], {**STEPS[1], **PROOF}]
    config = {"name": "Photographed", "key": "photographed", "flow": flow}
    (await client.post("/v1/order-configs", json=config)).raise_for_status()
    driver = (await client.post("/v1/drivers", json={"name": "Ada", "phone": PHONE})).json()
    await client.post("/v1/drivers/login-with-sms", json={"phone": PHONE})
    body = {"phone": PHONE, "code": await asyncio.to_thread(code_of, folder)}
    answer = (await client.post("/v1/drivers/verify-code", json=body)).raise_for_status()
    return driver, answer.json()["token"]


async def told(
    client: httpx.AsyncClient, operator: dict[str, str], name: str, subject: str | None = None
) -> int:
    """Count how often something was told."""
    wanted = {"event": name, "limit": "100", **({"subject": subject} if subject else {})}
    answer = await client.get("/int/v1/events", params=wanted, headers=operator)
    return len(answer.raise_for_status().json()["data"])


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_a_server_that_is_killed_while_pictures_come_in_gets_each_of_them_once(
    house_folder: Path, browser: Browser
) -> None:
    port, chance, orders = program.free_port(), random.Random(), []
    url = f"http://127.0.0.1:{port}"
    serve = await asyncio.to_thread(lambda: Serving(house_folder, "--port", str(port)).ready())
    key, operator = _bearer(serve.said("API key")), _bearer(serve.said("Operator token"))
    context = await browser.new_context(base_url=url)
    context.set_default_timeout(PATIENCE)
    async with httpx.AsyncClient(base_url=url, headers=key, timeout=program.PATIENCE) as client:
        try:
            driver, token = await hired(house_folder, client)
            handset = await BrowserHandset.at(context, driver, token)
            cdp = await context.new_cdp_session(handset.page)
            await cdp.send("Network.emulateNetworkConditions", SLOW)
            for number in range(ROUNDS):
                body = {"pickup": "1 Road", "dropoff": "2 Road", "type": "photographed"}
                more = {"driver": driver["id"], "dispatch": True}
                answer = await client.post("/v1/orders", json={**body, **more})
                order = answer.raise_for_status().json()
                orders.append(order)
                await handset.press(order, "started")
                await handset.press(order, "arrived")
                for _ in range(2):
                    await handset.photo(order, picture=noisy())
                await handset.press(order, "handed_over")
                await asyncio.sleep(chance.uniform(0, (1 + number) / 2))
                await asyncio.to_thread(serve.kill)
                serve = await asyncio.to_thread(
                    lambda: Serving(house_folder, "--port", str(port)).ready()
                )
            while await handset.send():
                assert (await handset.standing())["refused"] == 0
            assert await handset.entries() == []
            for order in orders:
                kept = (await client.get(f"/v1/orders/{order['id']}")).json()
                assert kept["status"] == "completed"
                proofs = (await client.get(f"/v1/orders/{order['id']}/proofs")).json()
                assert len(proofs) == 2
                verdict = (await client.get(f"/v1/orders/{order['id']}/verify-proofs")).json()
                assert verdict["valid"], verdict
                assert await told(client, operator, "order.completed", order["id"]) == 1
            assert await told(client, operator, "proof_of_delivery.created") == 2 * ROUNDS
        finally:
            await context.close()
            await asyncio.to_thread(serve.kill)
