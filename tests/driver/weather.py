"""Bad weather between a phone and the house: answers that are lost, servers that die, refusals."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from program import PATIENCE

KEY: Final = b"idempotency-key"


class Struck(Exception):  # noqa: N818 - lightning is not an error
    """The connection breaks here."""


@dataclass
class Weather:
    """Stands before the house and treats what phones send as each test wants it.

    Every item of `coming` meets one request: "gone" nobody hears it, "cut" it breaks off in the
    middle of the body, "lost" the house does it and its answer never arrives, "slow" it waits for
    `sun`, a problem is answered instead of the house, a function takes it and nobody answers,
    None lets it through.
    """

    edge: Any
    gone: bool = False
    coming: deque[Any] = field(default_factory=deque)
    sun: asyncio.Event = field(default_factory=asyncio.Event)
    meets: Callable[[dict[str, Any]], bool] = lambda scope: scope["method"] == "POST"
    heard: list[tuple[str, str, int]] = field(default_factory=list)
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request through, or not."""
        # What is offered beside `send` would pass the weather by.
        scope = {**scope, "extensions": {}}
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            return await self.edge(scope, receive, send)
        if self.gone:
            return await self._break(send)
        fate = self.coming.popleft() if self.coming and self.meets(scope) else None
        return await self._meet(fate, scope, receive, send)

    async def _meet(self, fate: Any, scope: Any, receive: Any, send: Any) -> None:
        if fate == "gone":
            await self._break(send)
        elif fate == "cut":
            await receive()
            await self._break(send)
        elif fate == "lost":
            await self.edge(scope, receive, self._listening(scope, _nowhere))
            await self._break(send)
        elif callable(fate):
            await fate(scope, await read(receive))
            await self._break(send)
        elif isinstance(fate, dict):
            await read(receive)
            self._note(scope, fate["status"])
            await _answered(send, fate)
        else:
            if fate == "slow":
                await self.sun.wait()
            await self.edge(scope, receive, self._listening(scope, send))

    def _listening(self, scope: Any, send: Any) -> Any:
        async def hear(message: Any) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"])
            await send(message)

        return hear

    def _note(self, scope: Any, status: int) -> None:
        if scope["method"] == "POST":
            key = dict(scope["headers"]).get(KEY, b"").decode()
            self.heard.append((scope["path"], key, status))
            self.stirred.set()

    async def _break(self, send: Any) -> None:
        """Begin an answer that never ends: the server closes the connection."""
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        raise Struck

    async def until(self, number: int) -> None:
        """Wait until so many requests have succeeded."""
        async with asyncio.timeout(PATIENCE):
            while len(self.done()) < number:
                self.stirred.clear()
                await self.stirred.wait()

    def done(self, *statuses: int) -> list[str]:
        """List the paths that were answered with one of these, or with success."""
        wanted = statuses or (200, 201)
        return [path for path, _, status in self.heard if status in wanted]


def problem(status: int, code: str, detail: str = "Because.", **headers: str) -> dict[str, Any]:
    """Make a refusal as the interface spells it."""
    body = {"status": status, "code": code, "title": "No.", "detail": detail, "fields": []}
    return {"status": status, "body": msgspec.json.encode(body), "headers": headers}


def foreign(
    status: int, text: str = "<h1>Welcome to the Wi-Fi</h1>", kind: str = "text/html"
) -> dict[str, Any]:
    """Make an answer of somebody on the way: a gateway, or a page to log in to a network."""
    return {"status": status, "body": text.encode(), "headers": {"Content-Type": kind}}


async def _answered(send: Any, fate: dict[str, Any]) -> None:
    told = {"Content-Type": "application/problem+json", **fate["headers"]}
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": fate["status"], "headers": headers})
    await send({"type": "http.response.body", "body": fate["body"]})


async def read(receive: Any) -> bytes:
    """Read what a phone sends to its end."""
    whole, more = b"", True
    while more:
        message = await receive()
        whole, more = whole + message.get("body", b""), message.get("more_body", False)
    return whole


async def _nowhere(_: Any) -> None:
    """Let an answer go unheard."""
