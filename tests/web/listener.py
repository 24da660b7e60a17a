"""Somebody who reads an answer while it is being made, and may leave at any moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from program import PATIENCE
from stage import House


@dataclass
class Listener:
    """An answer as it comes in."""

    # Whoever sends waits for a reader who takes nothing.
    parts: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(2))
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    heard: bytes = b""
    leaves: bool = True

    async def receive(self) -> Any:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): text.decode() for name, text in message["headers"]}
            self.begun.set()
        elif message["body"]:
            await self.parts.put(message["body"])

    async def until(self, text: bytes, times: int = 1) -> bytes:
        """Read on until something was said so many times."""
        async with asyncio.timeout(PATIENCE):
            while self.heard.count(text) < times:
                self.heard += await self.parts.get()
        return self.heard


@asynccontextmanager
async def listening(
    house: House, bearer: str, path: str, **headers: str
) -> AsyncIterator[Listener]:
    """Ask for something, and read it while it comes; in the end the reader leaves, if they do."""
    target, _, query = path.partition("?")
    listener = Listener()
    given = {"authorization": f"Bearer {bearer}", **headers}
    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": target,
        "raw_path": target.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [
            (name.replace("_", "-").encode(), text.encode()) for name, text in given.items()
        ],
        "client": ("127.0.0.1", 40000),
        "server": ("pannier.test", 80),
    }
    running = asyncio.create_task(house.edge(scope, listener.receive, listener.send))
    try:
        async with asyncio.timeout(PATIENCE):
            await listener.begun.wait()
        yield listener
    finally:
        if listener.leaves:
            listener.gone.set()
        async with asyncio.timeout(PATIENCE):
            await running
