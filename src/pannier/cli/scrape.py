"""The port of a worker: how it is, and what it has counted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import asyncpg

from pannier.db import Database
from pannier.db.connections import CONFUSED
from pannier.db.pool import TRANSIENT
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.web import metrics

if TYPE_CHECKING:
    from aiohttp import web


class Door:
    """Answers `/healthz` and `/metrics`; what waits in the database is counted once it is open."""

    database: Database | None = None

    async def healthz(self, _: "web.Request") -> "web.Response":
        """Tell that the process runs."""
        from aiohttp import web  # noqa: PLC0415 - a worker without a port does without it

        return web.json_response({"status": "ok"})

    async def metrics(self, _: "web.Request") -> "web.Response":
        """Spell the metrics for Prometheus."""
        from aiohttp import web  # noqa: PLC0415 - as above

        from pannier.waiting import COUNTS  # noqa: PLC0415 - as above

        if self.database is not None:
            with suppress(*TRANSIENT, *CONFUSED, asyncpg.PostgresError):
                async with self.database.reading() as db:
                    await metrics.take_over(db, COUNTS)
        return web.Response(
            body=metrics.exposition(), headers={"Content-Type": "text/plain; version=0.0.4"}
        )


@asynccontextmanager
async def door(settings: Settings) -> AsyncIterator[Door]:
    """Open the port that the settings name, if they do."""
    made = Door()
    if settings.worker_port is None:
        yield made
        return
    from aiohttp import web  # noqa: PLC0415 - as above

    app = web.Application()
    app.add_routes([web.get("/healthz", made.healthz), web.get("/metrics", made.metrics)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.worker_host, settings.worker_port).start()
        yield made
    except OSError as wrong:
        raise InstallationError(
            f"Cannot listen on {settings.worker_host} port {settings.worker_port}: "
            f"{wrong.strerror}. Choose others with PANNIER_WORKER_HOST and PANNIER_WORKER_PORT."
        ) from wrong
    finally:
        await runner.cleanup()
