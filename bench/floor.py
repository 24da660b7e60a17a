"""An authenticated read through the whole stack, against bare ASGI and asyncpg in the same run.

Both servers look a key up, compare its hash, read one company and answer it as JSON, in one process
each, over loopback with keep-alive. The figure is requests per CPU second of the server process.
"""

import asyncio
import hashlib
import hmac
from typing import Any

import asyncpg
import msgspec

import stand
from stand import Figure, Line, Process, Stand

REQUESTS = stand.size("requests", 6000, tiny=40)
ROUNDS = stand.size("rounds", 5, tiny=1)
CONNECTIONS = 8
PATH = "/v1/organizations/current"


class Company(msgspec.Struct):
    """What both servers answer."""

    uuid: Any
    public_id: str
    name: str
    mode: str
    created_at: Any


async def bare(url: str, descriptor: str) -> None:
    pool = await asyncpg.create_pool(url, min_size=1, max_size=10, reset=lambda _: asyncio.sleep(0))
    columns = ", ".join(Company.__struct_fields__)

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
        await stand.answer(send, msgspec.json.encode(Company(**row)) if same else b"{}")

    await stand.serve(app, int(descriptor))


async def rate(process: Process, key: str, count: int) -> float:
    """Ask so many times; answer requests per CPU second of the server."""
    lines = [Line(process.port, key) for _ in range(CONNECTIONS)]
    before = process.cpu()
    await stand.spread(lines, count, lambda line: line.raw("GET", PATH))
    return count / (process.cpu() - before)


def measure(here: Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    servers = {"bare": here.part("bare", here.url), "whole": here.api(here.url)}
    rates: dict[str, list[float]] = {kind: [] for kind in servers}
    for turn in range(1 + ROUNDS):
        for kind, process in servers.items():
            taken = asyncio.run(rate(process, key, REQUESTS if turn else REQUESTS // 8))
            rates[kind] += [taken] if turn else []  # the first turn warms up
    least, whole = (max(several) for several in rates.values())
    here.tell(
        Figure(
            what="An authenticated read",
            measured=f"{whole:.0f} requests per CPU second ({1e6 / whole:.0f} µs each)",
            floor=f"{least:.0f} ({1e6 / least:.0f} µs)",
            ratio=whole / least,
            aim=stand.at_least(0.60),
        )
    )


if __name__ == "__main__":
    stand.run(measure, bare=bare)
