"""A mail server that hangs delays mail; the worker goes on sending codes by SMS."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from pannier.files.storage import make_storage
from pannier.notifications.channels import open_channels
from pannier.notifications.sender import make_senders
from pannier.settings import load
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from pannier.worker import Worker, list_jobs
from program import PATIENCE
from stage import House

# The fixtures' classes live in conftest, which importlib mode does not let us import.
Desk = Any

# One of Apprise's providers tries a module that Python has retired, and does without it.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


@dataclass
class Town:
    """A mail server that takes calls and says nothing, and an SMS provider that works."""

    mail: str = ""
    sms: str = ""
    calls: list[asyncio.StreamWriter] = field(default_factory=list)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    received: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def hang(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls.append(writer)
        self.called.set()
        await reader.read()
        writer.close()

    async def receive(self, request: web.Request) -> web.Response:
        self.received.put_nowait((await request.json())["message"])
        return web.Response()


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    town = Town()
    server = await asyncio.start_server(town.hang, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    town.mail = f"mailto://{host}:{port}?from=us@example.com&to={{to}}&mode=insecure"
    app = web.Application()
    app.router.add_post("/{path:.*}", town.receive)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    town.sms = f"json://{host}:{port}/{{to}}"
    yield town
    server.close()
    for call in town.calls:
        call.close()
        await call.wait_closed()
    await server.wait_closed()
    await runner.cleanup()


@pytest.mark.slow
async def test_a_hanging_mail_server_does_not_delay_codes_by_sms(
    house: House, desk: Desk, town: Town, tmp_path: Path
) -> None:
    settings = load(
        {"PANNIER_EMAIL_URL": town.mail, "PANNIER_SMS_URL": town.sms}, data=str(tmp_path)
    )
    outgoing = make_senders(house.database, open_channels(settings))
    webhooks = WebhookSender(
        house.database, house.edge.services["webhook_client"], SoleMember(), max_in_flight=1
    )
    work = list_jobs(house.database, settings, outgoing, make_storage(settings), webhooks)
    worker = Worker(house.database, work)
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(PATIENCE):
        for _ in range(40):
            await desk.write("ada@example.com", "News.", channel="email")
        await town.called.wait()
        await desk.write(text="123456 is your code.", secret=True)
        assert await town.received.get() == "123456 is your code."
    ended = "select count(*) from messages where channel = 'email' and error is not null"
    assert await house.value(ended) == 0, "the code waited for mail"
    worker.stop()
    await running
    for sender in outgoing:
        await sender.close()
