"""A company that proves its deliveries."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from proofs.evidence import Courier
from stage import Firm, House


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


@pytest.fixture
def stranger(rival: Firm) -> Courier:
    return Courier(rival)


Phone = Callable[[dict[str, Any]], Awaitable[httpx.AsyncClient]]


@pytest.fixture
def phone(house: House, acme: Firm) -> Phone:
    """Sign a driver in, as the driver's application does."""

    async def sign_in(driver: dict[str, Any]) -> httpx.AsyncClient:
        body = {"phone": driver["phone"]}
        await acme.api.post("/v1/drivers/login-with-sms", json=body)
        text = await house.value(
            "select body from messages order by created_at desc, uuid desc limit 1"
        )
        answer = await acme.api.post("/v1/drivers/verify-code", json={**body, "code": text[:6]})
        assert answer.status_code == 200, answer.text
        return house.client(answer.json()["token"])

    return sign_in
