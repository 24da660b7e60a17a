"""`pannier api`: one API process, started by `pannier serve`."""

import asyncio
import gc
import os
import resource
import socket
import sys
from typing import Final

import click
import uvicorn
import uvloop

from pannier import app, child_process, installation
from pannier.cli import access
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import connection_guard, logs
from pannier.web.limits import RateLimiter
from pannier.web.process_heartbeat import ProcessHeartbeat
from pannier.web.streams import Streams

SPARE_FILES: Final = 512  # for the database, files and outgoing connections
GRACE_SECONDS: Final = 8  # shorter than the supervisor's timeout
# Allocations between two runs of the garbage collector. Reference counting frees the objects of a
# request, so more frequent runs would delay requests and find nothing.
GC_THRESHOLD: Final = 20_000
# Seconds after which a thread that computes lets the event loop run. With Python's default of 5 ms,
# each step of a request waits that long while a document is rendered.
SWITCH_SECONDS: Final = 0.0005


@click.command(hidden=True)
@click.argument("descriptor", type=int)
@click.argument("ready_descriptor", type=int, required=False)
@click.argument("gate", type=int, required=False)
def api(descriptor: int, ready_descriptor: int | None, gate: int | None) -> None:
    """Serve the API on a socket that the supervisor opened, and report when it is ready.

    Loading takes longest, so it starts before the database is ready. The process then waits for the
    gate, a socket that the supervisor writes to. If the supervisor closes it, the database will
    never be ready.
    """
    settings = access.load_or_create_settings(None)
    logs.configure(settings.log_level, settings.log_format)
    if gate is not None and not _wait_for_gate(gate):
        sys.exit(child_process.NOT_STARTED)
    uvloop.run(_serve_api(settings, socket.socket(fileno=descriptor), ready_descriptor))


def _wait_for_gate(gate: int) -> bool:
    """Wait for the gate. The byte stays in it for processes that start later."""
    with socket.socket(fileno=gate) as gate_socket:
        return bool(gate_socket.recv(1, socket.MSG_PEEK))


class _NotifyingServer(uvicorn.Server):
    """Reports to the supervisor when it accepts requests, and closes streams on shutdown."""

    def __init__(
        self, config: uvicorn.Config, ready_descriptor: int | None, streams: Streams
    ) -> None:
        super().__init__(config)
        self._ready_descriptor, self._streams = ready_descriptor, streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting requests, then report it."""
        await super().startup(sockets)
        if self._ready_descriptor is not None:
            os.write(self._ready_descriptor, b"!")
            os.close(self._ready_descriptor)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close streams first, so that the shutdown does not wait for them."""
        child_process.schedule_kill()
        self._streams.close()
        await super().shutdown(sockets)


async def _serve_api(
    settings: Settings, listener: socket.socket, ready_descriptor: int | None
) -> None:
    gc.disable()
    database = await installation.open_database(settings, settings.database_url or "")
    edge = app.create_app(
        settings,
        database,
        RateLimiter(settings.folder / "limits"),
        Passwords(memory_kib=settings.password_memory),
    )
    config = connection_guard.make_server_config(
        edge, settings, timeout_graceful_shutdown=GRACE_SECONDS
    )
    _raise_file_limit(settings.connections)
    sys.setswitchinterval(SWITCH_SECONDS)
    # Everything loaded so far stays in use, so the collector can skip it.
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    gc.enable()
    heartbeat = ProcessHeartbeat(database)
    heartbeat_task = asyncio.create_task(heartbeat.run(), name="heartbeat")
    try:
        await _NotifyingServer(config, ready_descriptor, edge.services["streams"]).serve(
            sockets=[listener]
        )
    finally:
        heartbeat_task.cancel()
        await heartbeat.close()
        await edge.services["devices"].close()
        await edge.services["webhook_client"].close()
        await database.close()


def _raise_file_limit(connections: int) -> None:
    """Raise the limit of open files to the number of connections plus a reserve."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = connections + SPARE_FILES
    new_limit = target if hard == resource.RLIM_INFINITY else min(target, hard)
    if soft != resource.RLIM_INFINITY and soft < new_limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))
