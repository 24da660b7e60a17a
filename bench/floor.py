"""An authenticated read through the whole stack, against bare ASGI and asyncpg in the same run.

Both servers look a key up, compare its hash, read one company and answer it as JSON, in one process
each, over loopback with keep-alive. The figure is requests per CPU second of the server process.
"""

import asyncio
import gc
import hashlib
import hmac
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import uvicorn
import uvloop

from pannier.db.embedded import Server

REQUESTS = int(os.environ.get("BENCH_REQUESTS", "6000"))
CONNECTIONS = 8
ROUNDS = 5
TICKS = os.sysconf("SC_CLK_TCK")


class Company(msgspec.Struct):
    """What both servers answer."""

    uuid: Any
    public_id: str
    name: str
    mode: str
    created_at: Any


async def bare(url: str) -> Any:  # noqa: ANN401 - an ASGI application
    pool = await asyncpg.create_pool(url, min_size=1, max_size=10, reset=lambda _: asyncio.sleep(0))

    async def app(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        header = dict(scope["headers"])[b"authorization"].decode()
        _, _, identifier, secret = header.split(" ")[1].split("_")
        async with pool.acquire() as connection:
            key: Any = await connection.fetchrow(
                "select * from keys where public_id = $1", f"key_{identifier}"
            )
            same = hmac.compare_digest(key["secret_hash"], hashlib.sha256(secret.encode()).digest())
            row: Any = await connection.fetchrow(
                "select * from companies where uuid = $1", key["company"]
            )
        body = msgspec.json.encode(Company(**dict(row))) if same else b"{}"
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", b"application/json")],
            }
        )
        await send({"type": "http.response.body", "body": body})

    return app


async def whole(url: str) -> Any:  # noqa: ANN401 - an ASGI application
    from pannier.app import create
    from pannier.db import connect
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring
    from pannier.kit.passwords import Passwords
    from pannier.settings import load
    from pannier.web import logs
    from pannier.web.limits import Limiter

    logs.configure("info")
    settings = load({}, secret="x" * 40, credential_rate="10000000", address_rate="10000000")
    database = await connect(url, clock=SystemClock(), keys=Keyring("x" * 40))
    limits = Path(tempfile.mkdtemp()) / "limits"
    return create(settings, database, Limiter(limits), Passwords())


async def serve(making: Awaitable[Any], descriptor: int) -> None:
    app = await making
    gc.collect()
    gc.freeze()  # as `pannier serve` does; for both alike
    config = uvicorn.Config(
        app,
        http="httptools",
        access_log=False,
        lifespan="off",
        log_level="error",
        proxy_headers=False,
        server_header=False,
    )
    await uvicorn.Server(config).serve(sockets=[socket.socket(fileno=descriptor)])


def start(kind: str, url: str, script: str = __file__) -> tuple[subprocess.Popen[bytes], int]:
    listener = socket.create_server(("127.0.0.1", 0))
    descriptor = listener.fileno()
    process = subprocess.Popen(  # noqa: S603 - a script of ours
        [sys.executable, script, kind, url, str(descriptor)],
        pass_fds=[descriptor],
        stderr=subprocess.DEVNULL,
    )
    port = listener.getsockname()[1]
    listener.close()
    return process, port


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def client(port: int, request: bytes, count: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(count):
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        if b"transfer-encoding: chunked" in head.lower():
            await reader.readuntil(b"0\r\n\r\n")
        else:
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
    writer.close()


async def load(process: subprocess.Popen[bytes], port: int, key: str, count: int) -> float:
    request = (
        "GET /v1/organizations/current HTTP/1.1\r\nHost: bench\r\n"
        f"Authorization: Bearer {key}\r\n\r\n"
    ).encode()
    before = cpu_seconds(process.pid)
    await asyncio.gather(*(client(port, request, count // CONNECTIONS) for _ in range(CONNECTIONS)))
    return count / (cpu_seconds(process.pid) - before)


async def prepare(url: str) -> str:
    from pannier.accounts import service
    from pannier.accounts.audit import Actor
    from pannier.db import connect
    from pannier.db.migrate import migrate
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring

    await migrate(url)
    database = await connect(url, clock=SystemClock(), keys=Keyring("x" * 40))
    async with database.transaction() as db:
        company = await service.create_company(db, "Bench", "live")
        actor = Actor.command(company.uuid)
        key = await service.create_key(db, actor, kind="api", name="Bench", scopes=["*"])
    await database.close()
    return key.text


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = Server.open(Path(folder) / "data")
        processes = []
        try:
            key = asyncio.run(prepare(server.url))
            rates: dict[str, list[float]] = {"bare": [], "whole": []}
            running = {kind: start(kind, server.url) for kind in rates}
            processes = [process for process, _ in running.values()]
            for kind, (process, port) in running.items():
                print(f"{kind}: warming up", flush=True)
                asyncio.run(load(process, port, key, 800))
            for _ in range(ROUNDS):
                for kind, (process, port) in running.items():
                    rates[kind].append(asyncio.run(load(process, port, key, REQUESTS)))
            best = {kind: max(values) for kind, values in rates.items()}
            for kind, rate in best.items():
                print(f"{kind:>6}: {rate:8.0f} requests per CPU second ({1e6 / rate:.0f} µs each)")
            print(f" ratio: {best['whole'] / best['bare']:.2f} of the floor (aim: 0.60)")
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
                process.wait(10)
            server.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        app = bare if sys.argv[1] == "bare" else whole
        uvloop.run(serve(app(sys.argv[2]), int(sys.argv[3])))
    else:
        main()
