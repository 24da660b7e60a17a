"""One authenticated read through the whole stack, against the smallest server that could do it.

*What.* One API process handles `GET /v1/organizations/current` over keep-alive connections. It
looks up the key, compares its hash, reads the company and returns JSON. The figure is requests per
CPU second of the server process.

*Floor.* A bare ASGI application with asyncpg does the same work in the same run.

*Ratio.* The share of the floor's requests that Pannier handles per CPU second. Higher is better.
At 0.5, Pannier costs twice the CPU of the bare server.
"""

import asyncio
import hashlib
import hmac
from typing import Any

import asyncpg
import msgspec

import stand
from stand import BenchProcess, Figure, HttpConnection, Stand

REQUESTS = stand.read_size("requests", 6000, tiny=40)
ROUNDS = stand.read_size("rounds", 5, tiny=1)
CONNECTIONS = 8
PATH = "/v1/organizations/current"


class CompanyAnswer(msgspec.Struct):
    """The response of both servers."""

    uuid: Any
    public_id: str
    name: str
    mode: str
    created_at: Any


async def serve_bare(url: str, descriptor: str) -> None:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=10, reset=lambda _: asyncio.sleep(0))
    columns = ", ".join(CompanyAnswer.__struct_fields__)

    async def app(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        header = dict(scope["headers"])[b"authorization"].decode()
        _, _, identifier, secret = header.split(" ")[1].split("_")
        async with pool.acquire() as connection:
            key: Any = await connection.fetchrow(
                "select * from keys where public_id = $1", f"key_{identifier}"
            )
            same = hmac.compare_digest(key["secret_hash"], hashlib.sha256(secret.encode()).digest())
            row: Any = await connection.fetchrow(
                f"select {columns} from companies where uuid = $1", key["company"]
            )
        await stand.send_json(send, msgspec.json.encode(CompanyAnswer(**row)) if same else b"{}")

    await stand.serve(app, int(descriptor))


async def measure_rate(process: BenchProcess, key: str, count: int) -> float:
    """Send `count` requests; return requests per CPU second of the server."""
    lines = [HttpConnection(process.port, key) for _ in range(CONNECTIONS)]
    before = process.read_cpu_seconds()
    await stand.run_requests(lines, count, lambda line: line.request("GET", PATH))
    return count / (process.read_cpu_seconds() - before)


def measure(test_stand: Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    servers = {
        "bare": test_stand.start_part("bare", test_stand.url),
        "whole": test_stand.start_api(test_stand.url),
    }
    rates: dict[str, list[float]] = {kind: [] for kind in servers}
    for turn in range(1 + ROUNDS):
        for kind, process in servers.items():
            taken = asyncio.run(measure_rate(process, key, REQUESTS if turn else REQUESTS // 8))
            rates[kind] += [taken] if turn else []  # the first turn warms up
    least, whole = (max(several) for several in rates.values())
    test_stand.record(
        Figure(
            what="An authenticated read",
            measured=f"{whole:.0f} requests per CPU second ({1e6 / whole:.0f} µs each)",
            floor=f"{least:.0f} ({1e6 / least:.0f} µs)",
            ratio=whole / least,
            aim=stand.aim_at_least(0.60),
        )
    )


if __name__ == "__main__":
    stand.run(measure, bare=serve_bare)
