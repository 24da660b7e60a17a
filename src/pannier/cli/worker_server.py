"""The HTTP port of a worker, with its health and metrics."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from pannier import installation
from pannier.db import Database
from pannier.errors import Unauthenticated
from pannier.installation import InstallationError
from pannier.settings import Settings
from pannier.web import metrics

if TYPE_CHECKING:
    from aiohttp import web

    from pannier.worker import Worker


class WorkerServer:
    """Answers `/healthz` and `/metrics`. Metrics from the database follow once it is open."""

    database: Database | None = None
    worker: "Worker | None" = None

    def __init__(self, settings: Settings) -> None:
        self._version = settings.metrics_token_version
        self._keyring = installation.make_keyring(settings)
        self._seconds = settings.metrics_cache_seconds
        self._exposition: metrics.Exposition | None = None

    @contextmanager
    def expose(self, database: Database, worker: "Worker") -> Iterator[None]:
        """Report a worker's health while it runs. A worker that waits for the clock is healthy."""
        self.database, self.worker = database, worker
        try:
            yield
        finally:
            self.worker = None

    async def healthz(self, _: "web.Request") -> "web.Response":
        """Report that the process runs and that its heartbeat does not hang."""
        from aiohttp import web  # noqa: PLC0415 - a worker without a port does not need it

        if self.worker is not None and not self.worker.is_alive():
            return web.json_response({"status": "hanging"}, status=503)
        return web.json_response({"status": "ok"})

    async def metrics(self, request: "web.Request") -> "web.Response":
        """Return the metrics for Prometheus to a caller with the metrics token."""
        from aiohttp import web  # noqa: PLC0415 - as above

        from pannier.backlogs import COUNT_REFRESHES  # noqa: PLC0415 - as above
        from pannier.web import problems  # noqa: PLC0415 - as above
        from pannier.web.exchange import choose_request_id  # noqa: PLC0415 - as above

        try:
            authorization = request.headers.get("Authorization", "").encode("utf-8", "replace")
            metrics.check_token(authorization, self._keyring, self._version)
        except Unauthenticated as error:
            return web.Response(
                status=error.status,
                body=problems.render(error, choose_request_id(None)),
                headers={**error.headers, "Content-Type": problems.MEDIA_TYPE},
            )
        if self._exposition is None:
            self._exposition = metrics.Exposition(COUNT_REFRESHES, self._seconds)
        body = await self._exposition.read(self.database)
        return web.Response(body=body, headers={"Content-Type": metrics.MEDIA_TYPE})


@asynccontextmanager
async def open_server(settings: Settings) -> AsyncIterator[WorkerServer]:
    """Open the port if the settings contain one."""
    server = WorkerServer(settings)
    if settings.worker_port is None:
        yield server
        return
    from aiohttp import web  # noqa: PLC0415 - as above

    app = web.Application()
    app.add_routes([web.get("/healthz", server.healthz), web.get("/metrics", server.metrics)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.worker_host, settings.worker_port).start()
        yield server
    except OSError as error:
        raise InstallationError(
            f"Cannot listen on {settings.worker_host} port {settings.worker_port}: "
            f"{error.strerror}. Choose others with PANNIER_WORKER_HOST and PANNIER_WORKER_PORT."
        ) from error
    finally:
        await runner.cleanup()
