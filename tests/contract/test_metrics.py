"""The metrics: for whoever has their token, rendered seldom, and bounded."""

import asyncio
from pathlib import Path

import pytest
from prometheus_client import generate_latest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.web import metrics
from probe import Heard, knock, refused
from stage import Firm, House

# All of these are the same door.
SPELLINGS = ("/metrics", "//metrics", "///metrics", "/metrics/", "/metrics//")


@pytest.mark.parametrize("path", SPELLINGS)
async def test_metrics_are_refused_without_their_token(acme: Firm, house: House, path: str) -> None:
    for bearer in ("", "mtr_" + "0" * 64, "nonsense", acme.api_key, acme.token):
        for method in ("GET", "HEAD"):
            heard = Heard()
            headers = [(b"authorization", f"Bearer {bearer}".encode())] if bearer else []
            await knock(house.edge, heard, method=method, path=path, headers=headers)
            assert heard.status == 401, path
            assert b"pannier_http" not in heard.body


async def test_metrics_are_refused_however_their_path_is_encoded(house: House) -> None:
    refused(await house.client().get("/%6Detrics"), 401, "unauthenticated")
    refused(await house.client().get("/metrics?token=x"), 401, "unauthenticated")


async def test_metrics_are_read_with_their_token(house: House) -> None:
    refused(await house.client().get("/metrics"), 401, "unauthenticated")
    answer = await house.client(house.metrics_token).get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "pannier_http_requests_total" in answer.text
    # It opens nothing else.
    for path in ("/v1/orders", "/int/v1/keys"):
        assert (await house.client(house.metrics_token).get(path)).status_code == 401


async def test_another_version_revokes_the_token(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    before = await stage.build(database, clock, str(tmp_path))
    after = await stage.build(database, clock, str(tmp_path), metrics_token_version="2")
    assert before.metrics_token != after.metrics_token
    assert (await after.client(before.metrics_token).get("/metrics")).status_code == 401
    assert (await after.client(after.metrics_token).get("/metrics")).status_code == 200


async def test_metrics_are_rendered_once_for_everybody_who_asks_at_a_time(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), metrics_cache_seconds="60")
    answers = await asyncio.gather(*(house.metrics() for _ in range(8)))
    await house.client().get("/v1/nowhere")
    assert {*answers, await house.metrics()} == {answers[0]}


async def test_no_address_and_no_method_makes_a_series(acme: Firm, house: House) -> None:
    before = _series()
    for number in range(50):
        await acme.api.get(f"/v1/orders/order_{number}")
        await house.client().get(f"/nowhere/{number}")
        await house.client().request(f"MADE{number}", "/v1/orders")
    made = _series() - before
    assert len(made) < 10, made


def _series() -> set[bytes]:
    lines = generate_latest(metrics.PROCESS).splitlines()
    return {
        line.rpartition(b" ")[0]
        for line in lines
        if line.startswith(b"pannier_http_requests_total")
    }
