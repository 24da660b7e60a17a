"""`pannier api`: one process of the API, started by `pannier serve`."""

import gc
import os
import resource
import socket
import sys
from typing import Final

import click
import uvicorn
import uvloop

from pannier import app, installation, lifeline
from pannier.cli import attach
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import logs, porter
from pannier.web.limits import Limiter
from pannier.web.streams import Streams

SPARE_FILES: Final = 512  # for the database, files, sockets to the outside
GRACE_SECONDS: Final = 8  # less than the supervisor's patience
# How many things are made before the collector looks for rings among them. What requests are made
# of ends by itself: looking at it each few of them, while they wait, finds nothing.
LOOK_AFTER: Final = 20_000


@click.command(hidden=True)
@click.argument("descriptor", type=int)
@click.argument("told", type=int, required=False)
@click.argument("gate", type=int, required=False)
def api(descriptor: int, told: int | None, gate: int | None) -> None:
    """Serve the API on a socket that the supervisor opened, and tell it when that works.

    Loading takes longer than anything else, so it began before there was a database; now the gate
    is waited for, a socket that the supervisor writes to. Where it is closed instead, nobody has
    made the database ready, or ever will.
    """
    settings = attach.settings_of(None)
    logs.configure(settings.log_level, settings.log_format)
    if gate is not None and not _opened(gate):
        sys.exit(lifeline.NOT_STARTED)
    uvloop.run(_serve_api(settings, socket.socket(fileno=descriptor), told))


def _opened(gate: int) -> bool:
    """Wait for the gate, and leave the word there for whoever comes later."""
    with socket.socket(fileno=gate) as waited:
        return bool(waited.recv(1, socket.MSG_PEEK))


class _Telling(uvicorn.Server):
    """Tells the supervisor once it accepts requests, and streams once it does no more."""

    def __init__(self, config: uvicorn.Config, told: int | None, streams: Streams) -> None:
        super().__init__(config)
        self._told, self._streams = told, streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, and say so."""
        await super().startup(sockets)
        if self._told is not None:
            os.write(self._told, b"!")
            os.close(self._told)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what flows, so that the rest is not waited for in vain."""
        lifeline.end_soon()
        self._streams.close()
        await super().shutdown(sockets)


async def _serve_api(settings: Settings, listener: socket.socket, told: int | None) -> None:
    gc.disable()
    database = await installation.open_database(settings, settings.database_url or "")
    edge = app.create(
        settings,
        database,
        Limiter(settings.folder / "limits"),
        Passwords(memory_kib=settings.password_memory),
    )
    config = porter.serving(edge, settings, timeout_graceful_shutdown=GRACE_SECONDS)
    _allow_files(settings.connections)
    # What is loaded by now stays for good; the collector need not look at it again, nor now.
    gc.freeze()
    gc.set_threshold(LOOK_AFTER)
    gc.enable()
    try:
        await _Telling(config, told, edge.services["streams"]).serve(sockets=[listener])
    finally:
        await edge.services["devices"].close()
        await edge.services["carrier"].close()
        await database.close()


def _allow_files(connections: int) -> None:
    """Ask the system for as many open files as there may be connections, and some for the rest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
