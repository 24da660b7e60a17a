"""The demo's city: central Helsinki, built in the data directory on the first start.

The map programs and the extract come with `scripts/setup demo`, and may arrive while the demo runs.
"""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pannier import child_process
from pannier.demo.routes import RouteFinder
from pannier.errors import SetupError
from pannier.maps import installer
from pannier.maps.folder import MapFolder
from pannier.maps.programs import find_demo_extract, find_programs_folder
from pannier.settings import Settings
from pannier.web.logs import log

NAME: Final = "helsinki"
# The demo waits this long for roads, and then starts without them.
MAX_WAIT_SECONDS, MAX_ENGINE_SECONDS = 40.0, 15.0
POLL_SECONDS: Final = 0.5
# A low priority, so that the build does not slow down pages.
NICENESS: Final = 5
NO_MAP: Final = (
    "The map programs or the map of Helsinki are missing, so couriers drive in straight lines "
    "between corners. `make demo` fetches them."
)


class DemoCity:
    """Builds the city, and waits for the routing engine."""

    def __init__(self, settings: Settings, roads: RouteFinder) -> None:
        self._data, self._roads = settings.folder, roads
        self._maps = MapFolder(settings.folder)
        # Only processes of `pannier serve` start our own engine.
        has_own_engine = settings.router in {"auto", "embedded"} and settings.router_url is not None
        self._is_done = not has_own_engine
        self._engine_urls = [
            part.rpartition("=")[2] for part in (settings.router_url or "").split()
        ]
        self._started_at: float | None = None
        self._built_at: float | None = None
        self._build: asyncio.Task[bool] | None = None

    async def prepare(self) -> bool:
        """Continue to prepare roads. Return whether the demo can start, with or without them."""
        now = time.monotonic()
        self._started_at = self._started_at or now
        if self._is_done or await self._take_step(now):
            return True
        return self._built_at is None and now - self._started_at > MAX_WAIT_SECONDS

    async def _take_step(self, now: float) -> bool:
        """Take a step of the preparation, and return whether it was the last one."""
        if self._build is not None:
            await asyncio.wait({self._build}, timeout=POLL_SECONDS)
            if not self._build.done():
                return False
            is_built, self._build = self._build.result(), None
            if not is_built:
                self._is_done = True
        elif self._maps.find_current_city() is not None:
            self._built_at = self._built_at or now
            is_waiting = now - self._built_at < MAX_ENGINE_SECONDS
            self._is_done = not is_waiting or await self._is_engine_ready()
        elif self._maps.get_city(NAME).read_manifest() is not None:
            self._is_done = True  # an operator has put the city out of use
        elif (extract := self._find_extract()) is not None:
            self._build = asyncio.create_task(_build_city(extract, self._data))
        elif not installer.is_installing():
            log.warning("demo without streets", reason=NO_MAP)
            self._is_done = True
        if not self._is_done:
            await asyncio.sleep(POLL_SECONDS)
        return self._is_done

    async def _is_engine_ready(self) -> bool:
        """Return whether the engine responds. Connect to its port first.

        The router would count failed requests, and then pause for half a minute.
        """
        for url in map(urlsplit, self._engine_urls):
            try:
                _, writer = await asyncio.open_connection(url.hostname, url.port)
            except OSError:
                return False
            writer.close()
        return await self._roads.has_roads()

    def _find_extract(self) -> Path | None:
        """Find the extract, if it and the programs are installed."""
        try:
            find_programs_folder(self._data)
        except SetupError:
            return None
        return find_demo_extract(self._data)


async def _build_city(extract: Path, data: Path) -> bool:
    """Build the city in a separate process. The first city is put in use."""
    arguments = ["map", "build", str(extract), "--name", NAME, "--data", str(data)]
    command = child_process.build_command(
        [sys.executable, "-m", "pannier", *arguments], parent_death_signal=signal.SIGKILL
    )
    environment = {name: value for name, value in os.environ.items() if "PANNIER" not in name}
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        _, errors = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        log.warning("demo without streets", reason=lines[-1] if lines else "The build failed.")
    return not process.returncode
