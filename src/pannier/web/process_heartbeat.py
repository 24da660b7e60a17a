"""The heartbeat of an API process."""

import asyncio
import os
import socket
from contextlib import suppress
from typing import Final

import asyncpg

from pannier.db import Database, heartbeats
from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.database import TRANSIENT_ERRORS
from pannier.db.versions import ProgramOutdated, read_version
from pannier.errors import Problem
from pannier.web.logs import log

HEARTBEAT_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 2.0
# Errors of an unavailable database, which requests report.
EXPECTED_ERRORS: Final = (
    Problem,
    *TRANSIENT_ERRORS,
    *DRIVER_ERRORS,
    asyncpg.PostgresError,
    OSError,
)


class ProcessHeartbeat:
    """Records that an API process runs, and with which version.

    With each heartbeat it compares the clocks, and asks whether a newer release has made this
    process too old.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._process = f"{socket.gethostname()}:{os.getpid()}"
        self._started_at = database.clock.now()

    async def run(self) -> None:
        """Record heartbeats until cancelled."""
        while True:
            try:
                await self.record()
            except ProgramOutdated as error:
                log.error("requests are refused", reason=error.detail)
            except EXPECTED_ERRORS:
                log.debug("heartbeat not recorded")
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def record(self) -> None:
        """Record one heartbeat. Raise ProgramOutdated if this process is too old."""
        await self._database.measure_clock()
        await self._database.check_version()
        async with self._database.transaction() as db:
            await db.execute(
                heartbeats.API_BEAT,
                process=self._process,
                started_at=self._started_at,
                version=read_version(),
            )

    async def close(self) -> None:
        """Record that the process ends, if the database responds."""
        with suppress(*EXPECTED_ERRORS):
            async with asyncio.timeout(CLOSE_SECONDS), self._database.transaction() as db:
                await db.execute(heartbeats.END_API, process=self._process)
