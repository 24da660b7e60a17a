"""A server in a process of its own, which is killed while it works on what a phone has sent."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

import program
import stage
from stage import House

# The longest that it lives on once it has everything, in seconds; most captures take less.
LONGEST: Final = 0.5
ITS_OWN: Final = {b"host", b"content-length", b"connection"}


@dataclass
class Doomed:
    """A weather that kills: nobody knows how far the server came."""

    serving: program.Serving
    chance: random.Random = field(default_factory=random.Random)
    killed: bool = False

    @classmethod
    def beside(cls, house: House, database_url: str) -> "Doomed":
        """Start a server on the database and the files of a house."""
        folder, words = house.settings.folder, ("--api-only", "--workers", "1")
        serving = program.Serving(folder, *words, database_url=database_url, secret=stage.SECRET)
        return cls(serving)

    async def ready(self) -> None:
        """Wait until it answers."""
        await asyncio.to_thread(self.serving.ready)

    async def __call__(self, scope: Any, body: bytes) -> None:
        """Take a request, and die at some moment until it is answered."""
        headers = [(name, value) for name, value in scope["headers"] if name not in ITS_OWN]
        async with httpx.AsyncClient(base_url=self.serving.url, timeout=program.PATIENCE) as client:
            sent = client.request(scope["method"], scope["path"], headers=headers, content=body)
            working = asyncio.create_task(sent)
            await asyncio.wait({working}, timeout=self.chance.uniform(0.0, LONGEST))
            await self.kill()
            await asyncio.wait({working})
            working.exception()

    async def kill(self) -> None:
        """Kill it with everything that came of it, unless it is dead."""
        if not self.killed:
            self.killed = True
            await asyncio.to_thread(self.serving.kill)
