"""A mail server on this machine."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest


@dataclass
class MailServer:
    """A mail server on this machine that takes every letter."""

    port: int = 0
    letters: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address for Apprise."""
        return f"mailto://127.0.0.1:{self.port}/?from=pannier@example.com&to={{to}}&mode=insecure"

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip().upper():
            if line == "DATA":
                writer.write(b"354 go on\r\n")
                self.letters.append((await reader.readuntil(b"\r\n.\r\n")).decode())
            writer.write(b"221 bye\r\n" if line == "QUIT" else b"250 fine\r\n")
            if line == "QUIT":
                break
        await writer.drain()
        writer.close()


@pytest.fixture
async def mail_server() -> AsyncIterator[MailServer]:
    made = MailServer()
    server = await asyncio.start_server(made.talk, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()
