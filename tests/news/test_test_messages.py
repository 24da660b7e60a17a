"""Test messages: real providers get them, their errors are shown, and budgets limit them."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import stage
from console.seat import Seat
from notifications.mail_server import MailServer, mail_server
from pannier.accounts.auth import SESSION_COOKIE
from pannier.accounts.models import Role
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.notifications.channels import open_channels
from pannier.notifications.sender import make_senders
from stage import Firm, House

__all__ = ["mail_server"]

# One of Apprise's providers tries a module that Python has retired, and does without it.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
API = "/int/v1/test-messages"
NUMBER = "+6591234567"


@dataclass
class Phones:
    """A provider of text messages on this machine."""

    url: str = ""
    status: int = 200
    texts: list[dict[str, Any]] = field(default_factory=list)

    async def receive(self, request: web.Request) -> web.Response:
        self.texts.append(await request.json())
        return web.Response(status=self.status)


@pytest.fixture
async def phones() -> AsyncIterator[Phones]:
    made, app = Phones(), web.Application()
    app.router.add_post("/{path:.*}", made.receive)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0]
    made.url = f"json://{host}:{port}/{{to}}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def house(
    database: Database, clock: ManualClock, tmp_path: Path, phones: Phones, mail_server: MailServer
) -> House:
    """A whole Pannier with a provider of text messages and one of email."""
    urls = {"sms_url": phones.url, "email_url": mail_server.url}
    return await stage.build(database, clock, str(tmp_path), **urls)


async def work(house: House) -> None:
    """Let a worker send what is due."""
    for sender in make_senders(house.database, open_channels(house.settings)):
        await sender.step()
        await sender.wait_until_idle()


async def look(firm: Firm, message: str) -> dict[str, Any]:
    answer = await firm.admin.get(f"/int/v1/messages/{message}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_test_message_reaches_the_number_and_the_address_that_were_typed(
    acme: Firm, house: House, phones: Phones, mail_server: MailServer
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG", "locale": "de"})
    for channel, to in (("sms", "9123 4567"), ("email", "Ada@Example.com")):
        sent = await acme.admin.post(API, json={"channel": channel, "to": to})
        assert (sent.status_code, sent.json()["state"]) == (201, "due"), sent.text
        await work(house)
        assert (await look(acme, sent.json()["id"]))["state"] == "sent"
    (text,), (letter,) = phones.texts, mail_server.letters
    assert text["message"] == (
        "Acme: Dies ist eine Testnachricht. Ihre Kunden können solche Nachrichten empfangen."
    )
    assert "Subject: Testnachricht" in letter
    log = (await acme.admin.get("/int/v1/audit?action=message.test_sent")).json()["data"]
    assert [one["details"] for one in log] == [{"channel": "email"}, {"channel": "sms"}]


async def test_what_the_provider_answers_is_said(
    acme: Firm, house: House, phones: Phones, clock: ManualClock
) -> None:
    phones.status = 402
    sent = (await acme.admin.post(API, json={"channel": "sms", "to": NUMBER})).json()
    # All attempts, and the longest of their pauses.
    states = []
    for _ in range(5):
        await work(house)
        told = await look(acme, sent["id"])
        states.append(told["state"])
        assert "The provider did not accept the message." in told["error"]
        assert "402" in told["error"]
        clock.advance(minutes=31)
    assert states == ["due", "due", "failed", "failed", "failed"]
    page = await (await Seat.of(acme)).open(f"/console/messages/{sent['id']}")
    assert "402" in page.main.text


async def test_few_test_messages_a_day_reach_one_recipient_and_leave_one_company(
    acme: Firm, rival: Firm
) -> None:
    async def send(firm: Firm, to: str) -> int:
        return (await firm.admin.post(API, json={"channel": "sms", "to": to})).status_code

    assert [await send(acme, NUMBER) for _ in range(6)] == [201] * 5 + [429]
    # The same number in another spelling.
    assert await send(acme, "+65 9123-4567") == 429
    assert await send(rival, NUMBER) == 201
    codes = [await send(acme, f"+6591234{number}") for number in range(100, 116)]
    assert codes == [201] * 15 + [429]


async def test_messages_sent_at_once_share_the_budget(acme: Firm) -> None:
    body = {"channel": "email", "to": "ada@example.com"}
    answers = await asyncio.gather(*(acme.admin.post(API, json=body) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [429] * 3


async def test_a_premium_number_gets_no_test_message(acme: Firm, house: House) -> None:
    for to, code in (("+449098790000", "number_not_allowed"), ("hello", "validation_failed")):
        refused = await acme.admin.post(API, json={"channel": "sms", "to": to})
        assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert await house.value("select count(*) from messages") == 0


async def test_only_admins_send_test_messages(acme: Firm, house: House) -> None:
    roles: tuple[Role, ...] = ("viewer", "billing", "dispatcher")
    for role in roles:
        seat = await Seat.of(acme, role)
        operator = house.client(seat.client.cookies[SESSION_COOKIE])
        refused = await operator.post(API, json={"channel": "sms", "to": NUMBER})
        assert refused.status_code == 403
        assert (await seat.client.get("/console/messages/test")).status_code == 403
    assert await house.value("select count(*) from messages") == 0


async def test_the_step_of_a_new_company_is_done_once_a_message_was_sent(
    acme: Firm, house: House, mail_server: MailServer
) -> None:
    seat = await Seat.of(acme)

    async def is_done() -> bool:
        page = await seat.open("/console/home")
        (step,) = (link for link in page.main.all("a") if link["href"].endswith("messages/test"))
        return "(done)" in step.text

    assert not await is_done()
    form = await seat.open("/console/messages/test")
    assert form.main.one("input", name="to")["value"] == acme.email("admin")
    fields = {"channel": "email", "to": acme.email("admin")}
    page = await seat.sent("/console/messages/test", fields)
    assert "Queued" in page.main.text
    await work(house)
    assert len(mail_server.letters) == 1
    assert await is_done()


async def test_the_form_says_what_is_wrong(acme: Firm) -> None:
    page = await (await Seat.of(acme)).sent(
        "/console/messages/test", {"channel": "sms", "to": "nobody"}
    )
    assert "Check the marked fields." in page.main.text
    assert page.main.one("input", name="to")["aria-invalid"] == "true"
