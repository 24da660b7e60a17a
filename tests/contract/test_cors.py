"""Pages of shops may call the storefront prefix, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.web.routes import get, post
from probe import keyed, mounted, shop
from stage import Firm, House

ORIGIN = {"Origin": "https://shop.example"}
ASKING = {**ORIGIN, "Access-Control-Request-Method": "POST"}


@get("/hello")
async def hello() -> list[str]:
    """Greet."""
    return ["hello"]


@post("/deed")
async def deed() -> list[str]:
    """Do something."""
    return ["done"]


def allowed(answer: Any) -> str | None:
    origin: str | None = answer.headers.get("access-control-allow-origin")
    return origin


async def test_a_page_may_read_what_the_storefront_answers(acme: Firm, house: House) -> None:
    client = mounted(house, shop(hello)).client(acme.storefront_key)
    answer = await client.get("/storefront/v1/hello", headers=ORIGIN)
    assert answer.status_code == 200
    assert allowed(answer) == "*"
    exposed = answer.headers["access-control-expose-headers"]
    for name in ("Link", "Retry-After", "X-Request-Id", "Idempotent-Replayed"):
        assert name in exposed


async def test_a_page_may_read_refusals_too(house: House) -> None:
    client = mounted(house, shop(hello)).client()
    for path, status in (("/storefront/v1/hello", 401), ("/storefront/v1/nowhere", 404)):
        answer = await client.get(path, headers=ORIGIN)
        assert answer.status_code == status
        assert allowed(answer) == "*"


async def test_a_preflight_is_answered_without_a_credential(house: House) -> None:
    client = mounted(house, shop(deed)).client()
    answer = await client.options("/storefront/v1/deed", headers=ASKING)
    assert answer.status_code == 204
    assert answer.content == b""
    assert allowed(answer) == "*"
    methods = answer.headers["access-control-allow-methods"]
    assert all(method in methods for method in ("GET", "POST", "PUT", "PATCH", "DELETE"))
    headers = answer.headers["access-control-allow-headers"].lower()
    for name in ("authorization", "content-type", "customer-token", "idempotency-key"):
        assert name in headers
    assert int(answer.headers["access-control-max-age"]) > 0


@pytest.mark.parametrize(
    "path", ["/v1/hello", "/int/v1/login", "/healthz", "/storefront", "/storefrontish/v1/x", "/"]
)
async def test_no_other_prefix_may_be_read_by_a_page(acme: Firm, house: House, path: str) -> None:
    doors = mounted(house, keyed(hello), shop(hello))
    for one in (doors, house):
        for answer in (
            await one.client(acme.api_key).get(path, headers=ORIGIN),
            await one.client().options(path, headers=ASKING),
        ):
            assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_credentials_of_the_browser_are_never_allowed(acme: Firm, house: House) -> None:
    client = mounted(house, shop(hello)).client(acme.storefront_key)
    for answer in (
        await client.get("/storefront/v1/hello", headers=ORIGIN),
        await client.options("/storefront/v1/hello", headers=ASKING),
    ):
        assert "access-control-allow-credentials" not in answer.headers


async def test_origins_can_be_named(database: Database, clock: ManualClock, tmp_path: Path) -> None:
    origins = "https://shop.example/, https://other.example"
    house = await stage.build(database, clock, str(tmp_path), storefront_origins=origins)
    firm = await house.found("Named")
    client = mounted(house, shop(hello)).client(firm.storefront_key)
    answer = await client.get("/storefront/v1/hello", headers=ORIGIN)
    assert allowed(answer) == "https://shop.example"
    assert "Origin" in answer.headers["vary"]
    for origin in (
        "https://evil.example",
        "https://shop.example.evil",
        "null",
        "http://shop.example",
    ):
        for answer in (
            await client.get("/storefront/v1/hello", headers={"Origin": origin}),
            await client.options("/storefront/v1/hello", headers={**ASKING, "Origin": origin}),
        ):
            assert allowed(answer) is None
            assert "Origin" in answer.headers["vary"]


async def test_without_an_origin_nothing_is_said(acme: Firm, house: House) -> None:
    client = mounted(house, shop(hello)).client(acme.storefront_key)
    answer = await client.get("/storefront/v1/hello")
    assert allowed(answer) is None
