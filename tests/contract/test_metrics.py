"""The metrics: for whoever has their token, rendered seldom, and bounded."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client import generate_latest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.web import metrics
from probe import Heard, knock, refused
from program import PATIENCE
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


async def test_statuses_are_counted_by_class(acme: Firm, house: House) -> None:
    await acme.api.get("/v1/orders")
    await house.client().get("/v1/orders")
    await house.client().head("/v1/orders")
    told = await house.metrics()
    for status in ("2xx", "4xx"):
        assert f'method="GET",route="/v1/orders",status="{status}"' in told
    assert 'status="401"' not in told
    assert 'method="HEAD"' not in told
    assert 'pannier_http_request_seconds_bucket{area="/v1",le="0.1"}' in told
    assert 'pannier_http_route_seconds_total{route="/v1/orders"}' in told


WALK = """
from litestar.routes import HTTPRoute
from pannier.app import build_litestar
from pannier.web import metrics
for route in build_litestar().routes:
    if isinstance(route, HTTPRoute):
        for method in route.route_handler_map.keys() - {"OPTIONS"}:
            for status in (200, 201, 400, 401, 403, 404, 409, 422):
                metrics.observe(method, route.path_format, status, 0.01)
print(len(metrics.render()))
"""


ONE = """
from pannier.web import metrics
metrics.observe("GET", "/healthz", 200, 0.01)
print("counted", flush=True)
input()
print(metrics.render().decode())
"""


def counting(program: str, folder: Path) -> subprocess.Popen[str]:
    """Count in a process of its own, as the children of `serve` do."""
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_metrics_stay_small_after_requests_to_every_route(tmp_path: Path) -> None:
    told, _ = counting(WALK, tmp_path).communicate(timeout=PATIENCE)
    assert 50_000 < int(told) < 200_000


def test_a_restarted_process_continues_the_files_of_the_one_before(tmp_path: Path) -> None:
    together = [counting(ONE, tmp_path) for _ in range(2)]
    for process in together:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
    for process in together:
        process.communicate("\n", timeout=PATIENCE)
    files = {file.name for file in tmp_path.iterdir()}
    assert {"1.lock", "2.lock"} < files
    for _ in range(2):
        told, _ = counting(ONE, tmp_path).communicate("\n", timeout=PATIENCE)
    assert 'pannier_http_requests_total{method="GET",route="/healthz",status="2xx"} 4.0' in told
    assert {file.name for file in tmp_path.iterdir()} == files


async def test_a_database_that_does_not_answer_delays_a_scrape_by_seconds_only(
    house: House,
) -> None:
    async with house.database.transaction() as db:
        await db.execute("lock table parked in access exclusive mode")
        async with asyncio.timeout(4 * metrics.COUNT_TIMEOUT_SECONDS):
            assert "pannier_parked" in await house.metrics()
    assert "pannier_parked" in await house.metrics()


def _series() -> set[bytes]:
    lines = generate_latest(metrics.PROCESS).splitlines()
    return {
        line.rpartition(b" ")[0]
        for line in lines
        if line.startswith(b"pannier_http_requests_total")
    }
