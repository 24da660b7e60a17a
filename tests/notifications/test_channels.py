"""Apprise carries messages to a real receiver; without an address they go to the drawer."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.parser import Parser
from typing import Any

import pytest
from aiohttp import web

from notifications.mail_server import MailServer, mail_server
from pannier.notifications.channels import (
    AppriseChannel,
    DeliveryFailed,
    NullChannel,
    Undeliverable,
    list_configured_channels,
    open_channels,
)
from pannier.settings import load

__all__ = ["mail_server"]

# One of Apprise's providers tries a module that Python has retired, and does without it.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


@dataclass
class Provider:
    """A provider on this machine: keeps what it gets, answers as told."""

    url: str = ""
    status: int = 200
    slowness: float = 0.0
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def receive(self, request: web.Request) -> web.Response:
        self.requests.append((request.path, await request.json()))
        await asyncio.sleep(self.slowness)
        return web.Response(status=self.status)


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    provider = Provider()
    app = web.Application()
    app.router.add_post("/{path:.*}", provider.receive)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0]
    provider.url = f"json://{host}:{port}"
    yield provider
    await runner.cleanup()


async def test_a_letter_says_where_mail_programs_look_how_to_have_no_more(
    mail_server: MailServer,
) -> None:
    channel = AppriseChannel(mail_server.url)
    way_out = "https://acme.example/t/ACM-7K4M-2XQ9-3TBC/news?k=mfzq4x7n2kdtrb5"
    await channel.deliver("ada@example.com", "News", "It is on its way.", unsubscribe_url=way_out)
    await channel.deliver("ada@example.com", "Your code", "123456")
    news, code = (Parser().parsestr(letter) for letter in mail_server.letters)
    assert news["List-Unsubscribe"] == f"<{way_out}>"
    assert news["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert code["List-Unsubscribe"] is None


async def test_apprise_delivers_to_a_real_receiver(provider: Provider) -> None:
    channel = AppriseChannel(f"{provider.url}/sms/{{to}}/")
    await channel.deliver("+6591234567", "Greetings", "Hello <there> & welcome.")
    [(path, body)] = provider.requests
    assert path == "/sms/+6591234567/"
    assert body["title"] == "Greetings"
    assert body["message"] == "Hello <there> & welcome."


async def test_a_recipient_cannot_change_the_address(provider: Provider) -> None:
    channel = AppriseChannel(f"{provider.url}/sms/{{to}}/end/")
    await channel.deliver("x/../../admin?a=b&c#d, json://elsewhere", "", "Hello.")
    assert len(provider.requests) == 1


async def test_a_providers_refusal_is_told_in_words_and_may_pass(provider: Provider) -> None:
    provider.status = 503
    with pytest.raises(DeliveryFailed, match="503"):
        await AppriseChannel(f"{provider.url}/{{to}}").deliver("+6591234567", "", "Hello.")


async def test_a_provider_who_is_away_may_come_back() -> None:
    with pytest.raises(DeliveryFailed):
        await AppriseChannel("json://127.0.0.1:9/{to}").deliver("+6591234567", "", "Hello.")


@pytest.mark.slow
async def test_a_provider_who_does_not_answer_is_left_after_the_time_limit(
    provider: Provider,
) -> None:
    patient = AppriseChannel(f"{provider.url}/{{to}}")
    await patient.deliver("+6591234567", "", "The first one has to wait for Apprise itself.")
    channel = AppriseChannel(f"{provider.url}/{{to}}", timeout=0.5)
    provider.slowness = 30.0
    began = asyncio.get_running_loop().time()
    with pytest.raises(DeliveryFailed):
        await channel.deliver("+6591234567", "", "Hello.")
    assert asyncio.get_running_loop().time() - began < 3


async def test_an_address_that_apprise_does_not_know_is_undeliverable() -> None:
    with pytest.raises(Undeliverable):
        await AppriseChannel("nonsense://{to}").deliver("+6591234567", "", "Hello.")


async def test_apprise_logs_nothing_of_what_it_sends(
    provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    channel = AppriseChannel(f"{provider.url}/{{to}}")
    await channel.deliver("+6591234567", "", "918273 is your code.")
    provider.status = 500
    with pytest.raises(DeliveryFailed) as refusal:
        await channel.deliver("+6591234567", "", "918273 is your code.")
    assert "918273" not in f"{caplog.text} {refusal.value}"


def test_a_channel_without_an_address_is_a_drawer() -> None:
    settings = load({"PANNIER_SMS_URL": "json://127.0.0.1/{to}"})
    assert list_configured_channels(settings) == {"sms"}
    opened = open_channels(settings)
    assert isinstance(opened["sms"], AppriseChannel)
    assert isinstance(opened["email"], NullChannel)
    assert isinstance(opened["push"], NullChannel)
