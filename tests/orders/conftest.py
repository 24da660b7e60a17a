"""Two companies that have things delivered."""

from typing import Any

import httpx
import pytest

from orders.shop import Phone, Shop
from stage import Firm, House


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


@pytest.fixture
def market(rival: Firm) -> Shop:
    return Shop(rival)


@pytest.fixture
def phone(house: House, acme: Firm) -> Phone:
    """Sign a driver in, as the driver's application does."""

    async def sign_in(driver: dict[str, Any]) -> httpx.AsyncClient:
        body = {"phone": driver["phone"]}
        sent = await acme.api.post("/v1/drivers/login-with-sms", json=body)
        assert sent.status_code == 200, sent.text
        text = await house.value(
            "select body from messages order by created_at desc, uuid desc limit 1"
        )
        code = "".join(letter for letter in text if letter.isdigit())[:6]
        answer = await acme.api.post("/v1/drivers/verify-code", json={**body, "code": code})
        assert answer.status_code == 200, answer.text
        return house.client(answer.json()["token"])

    return sign_in
