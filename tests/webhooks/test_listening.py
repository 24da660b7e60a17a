"""`pannier listen`: the one receiver on this machine, for test companies and nobody else."""

import asyncio
import json
import queue
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

import copier
import program
from cli import shell
from pannier.cli import local_webhooks
from pannier.cli.forwarding import Forwarder
from pannier.cli.local_webhooks import WebhookListener
from pannier.demo import webhook_receiver as shops
from pannier.demo.webhook_receiver import WebhookReceiver
from pannier.webhooks import guard, local_listener, verify
from pannier.webhooks.guard import LISTENER_HOST
from stage import Firm, House
from webhooks import receiver as receivers


@pytest.fixture
async def trial(house: House) -> Firm:
    """A company in test mode."""
    return await house.found("Trial", "test")


@pytest.fixture
def port() -> int:
    return program.free_port()


async def registered(firm: Firm, port: int, path: str = "") -> httpx.Response:
    url = f"https://{LISTENER_HOST}:{port}/{path}"
    return await firm.admin.post("/int/v1/webhooks", json={"url": url})


async def pinged(firm: Firm, webhook: dict[str, Any]) -> dict[str, Any]:
    answer = await firm.admin.post(f"/int/v1/webhooks/{webhook['id']}/ping")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_only_a_test_company_may_name_the_listener(acme: Firm, trial: Firm) -> None:
    refused = await registered(acme, 8443)
    assert refused.status_code == 422, refused.text
    assert "Only webhooks of test companies" in refused.text
    url = f"https://{LISTENER_HOST}:8443/"
    plain = await acme.admin.post("/int/v1/webhooks", json={"url": "https://hooks.example.com/"})
    moved = await acme.admin.patch(f"/int/v1/webhooks/{plain.json()['id']}", json={"url": url})
    assert moved.status_code == 422, moved.text
    assert (await registered(trial, 8443)).status_code == 201


def test_no_other_name_of_this_machine_is_the_listeners() -> None:
    assert (
        guard.check_url(f"https://{LISTENER_HOST.upper()}:8443") == f"https://{LISTENER_HOST}:8443/"
    )
    for other in (
        "localhost",
        "127.0.0.1",
        f"x.{LISTENER_HOST}",
        f"{LISTENER_HOST}.",
        "listen.local",
    ):
        with pytest.raises(ValueError, match=r"\."):
            guard.check_url(f"https://{other}:8443/")


async def test_a_delivery_is_received_verified_and_shown(
    house: House, trial: Firm, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    hook = (await registered(trial, port, "orders")).json()
    url = f"https://{LISTENER_HOST}:{port}/"
    ear = WebhookListener(house.database, trial.company, url, as_json=True)
    async with ear.serve(house.settings, socket.create_server(("127.0.0.1", port))):
        capsys.readouterr()
        assert (await pinged(trial, hook))["ok"]
    shown = json.loads(capsys.readouterr().out)
    assert shown["verified"]
    assert (shown["path"], shown["event"]) == ("/orders", "webhook.ping")
    assert shown["body"]["event"] == "webhook.ping"
    assert not (await pinged(trial, hook))["ok"]  # nobody listens any more


async def test_what_is_signed_by_nobody_we_know_is_not_verified(
    house: House, trial: Firm, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    await registered(trial, port)
    ear = WebhookListener(house.database, trial.company, f"https://{LISTENER_HOST}:{port}/")
    async with ear.serve(house.settings, socket.create_server(("127.0.0.1", port))):
        context = local_listener.make_client_context(
            local_listener.load_certificate(house.settings.folder)
        )
        transport = httpx.AsyncHTTPTransport(verify=context)
        async with httpx.AsyncClient(transport=transport) as stranger:
            answer = await stranger.post(
                f"https://127.0.0.1:{port}/",
                content=b'"\\u001b[2J\xc2\x9b"',
                headers={"Host": LISTENER_HOST},
                extensions={"sni_hostname": LISTENER_HOST},
            )
    assert answer.status_code == 401
    said = capsys.readouterr().out
    assert "NOT VERIFIED: The request has no signature." in said
    assert "\x9b" not in said
    assert "\\x9b" in said


async def test_whoever_else_listens_on_this_machine_is_told_nothing(
    house: House, trial: Firm, tmp_path: Path, port: int
) -> None:
    async with receivers.opened(tmp_path) as other:
        theirs = int(other.url().rsplit(":", 1)[1].partition("/")[0])
        hook = (await registered(trial, theirs)).json()
        ping = await pinged(trial, hook)
        assert ping["attempts"][0]["outcome"] == "blocked", ping
        ear = WebhookListener(
            house.database, trial.company, f"https://{LISTENER_HOST}:{port}/", as_json=True
        )
        async with ear.serve(house.settings, socket.create_server(("127.0.0.1", port))):
            pass  # from now on there is a certificate
        with local_listener.announce_port(house.settings.folder, theirs):
            ping = await pinged(trial, hook)
        assert ping["attempts"][0]["outcome"] == "tls", ping
        assert other.requests == []


async def test_whoever_listens_beside_a_demo_gets_in_at_once_and_hears_what_its_shop_would(
    house: House,
    trial: Firm,
    port: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The usual one is taken by whoever tries the guides out beside this.
    for module in (local_listener, shops):
        monkeypatch.setattr(module, "DEFAULT_PORT", port)
    shop = WebhookReceiver(house.settings.folder)
    address = await shop.open(house.clock.now())
    hook = (await registered(trial, port, "shop")).json()
    try:
        assert address == hook["url"]
        assert (await pinged(trial, hook))["attempts"][0]["response_body"] == '{"received": true}'
        url = f"https://{LISTENER_HOST}:{port}/"
        ear = WebhookListener(house.database, trial.company, url, as_json=True)
        usual = socket.create_server((local_listener.LOOPBACK, port))
        async with ear.serve(house.settings, usual):
            capsys.readouterr()
            assert (await pinged(trial, hook))["ok"]
        shown = json.loads(capsys.readouterr().out)
        assert (shown["path"], shown["verified"]) == ("/shop", True)
        assert (await pinged(trial, hook))["attempts"][0]["response_body"] == '{"received": true}'
    finally:
        await shop.close()
    assert not (await pinged(trial, hook))["ok"]


@pytest.mark.slow
def test_the_real_program_shows_what_happens(house_folder: Path, port: int) -> None:
    with program.serving(house_folder) as serve:
        serve.ready()
        trial = ("bootstrap", "--another", "Trial", "--mode", "test", "--json")
        key = shell.answer(house_folder, *trial)["api_key"]
        process = copier.start(
            [
                *(*program.WORDS, "listen", "--register", "--port", str(port)),
                *("--event", "order.created", "--count", "1", "--json"),
            ],
            env=program.environment(house_folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with program.ending(process) as listener:
            assert listener.stdout is not None
            assert listener.stderr is not None
            assert f"Listening at https://{LISTENER_HOST}:{port}/" in listener.stderr.readline()
            assert "Registered webhook_" in listener.stderr.readline()
            placed = httpx.post(
                f"{serve.url}/v1/orders",
                json={"pickup": "1 A Road", "dropoff": "2 A Road"},
                headers={"Authorization": f"Bearer {key}"},
                timeout=program.PATIENCE,
            )
            assert placed.status_code == 201, placed.text
            first = json.loads(listener.stdout.readline())
            assert (first["event"], first["verified"]) == ("order.created", True)
            assert first["body"]["data"]["id"] == placed.json()["id"]
            assert listener.wait(program.PATIENCE) == 0
        assert serve.interrupt() == 0


@contextmanager
def receiving() -> Iterator[tuple[str, "queue.Queue[tuple[dict[str, str], bytes]]"]]:
    """Run a receiver without TLS in a thread of its own, and answer its URL and what it got."""
    heard: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.put(({name.lower(): text for name, text in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *given: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", heard
    finally:
        server.shutdown()
        server.server_close()


@asynccontextmanager
async def forwarding(
    house: House, firm: Firm, port: int, receiver: receivers.Receiver
) -> AsyncIterator[dict[str, Any]]:
    """Listen, and forward to a receiver without TLS."""
    hook = (await registered(firm, port)).json()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    target = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    ear = WebhookListener(
        house.database, firm.company, f"https://{LISTENER_HOST}:{port}/",
        forwarder=Forwarder(target),
    )  # fmt: skip
    try:
        async with ear.serve(house.settings, socket.create_server(("127.0.0.1", port))):
            yield hook
    finally:
        server.close()
        receiver.hang_up()


async def test_what_was_accepted_is_still_forwarded_after_the_end(
    house: House, trial: Firm, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    receiver, gate = receivers.Receiver(Path()), asyncio.Event()

    async def slow(_: receivers.Received, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    receiver.behave(slow)
    async with forwarding(house, trial, port, receiver) as hook:
        for _ in range(3):
            assert (await pinged(trial, hook))["ok"]
        assert len(await receiver.heard(1)) == 1
        asyncio.get_running_loop().call_soon(gate.set)
    assert len(receiver.requests) == 3
    said = capsys.readouterr().out
    assert said.count("  204  ") == 3
    assert "Not forwarded" not in said


async def test_what_is_not_forwarded_is_named_and_a_full_queue_accepts_no_more(
    house: House,
    trial: Firm,
    port: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_webhooks, "DRAIN_SECONDS", 0.05)
    monkeypatch.setattr(local_webhooks, "MAX_QUEUED", 2)
    receiver = receivers.Receiver(Path())
    receiver.behave(receivers.silent)
    async with forwarding(house, trial, port, receiver) as hook:
        assert [(await pinged(trial, hook))["ok"] for _ in range(3)] == [True, True, False]
        (first,) = await receiver.heard(1)
    said = capsys.readouterr().out
    assert f"Not forwarded: {first.id}, delivery_" in said


@pytest.mark.parametrize(
    ("words", "is_local"),
    [
        ((), True),
        (("--forward-to", "http://localhost:1"), True),
        (("--forward-to", "http://localhost:1", "--key", "key", "--port", "8443"), True),
        (("--forward-to", "http://localhost:1", "--key", "öffne"), False),
    ],
)
def test_an_address_in_the_environment_does_not_prevent_listening_here(
    tmp_path: Path, words: tuple[str, ...], *, is_local: bool
) -> None:
    done = shell.run(tmp_path, "listen", *words, api_url="https://pannier.example.com")
    assert done.returncode == 1
    assert ("There is no installation in" in done.stderr) == is_local, done.stderr
    assert ("not an API key" in done.stderr) != is_local, done.stderr
    asked = shell.run(tmp_path, "listen", "--url", "https://pannier.example.com")
    assert "--url needs" in asked.stderr


@pytest.mark.slow
def test_the_real_program_forwards_from_here_and_from_afar(
    house_folder: Path, tmp_path: Path, port: int
) -> None:
    with program.serving(house_folder) as serve, receiving() as (target, heard):
        serve.ready()
        trial = ("bootstrap", "--another", "Trial", "--mode", "test", "--json")
        key = shell.answer(house_folder, *trial)["api_key"]
        common = (
            *(*program.WORDS, "listen", "--forward-to", target, "--count", "1"),
            *("--events", "order.created,order.started"),
        )
        options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        elsewhere = program.environment(tmp_path / "nothing", api_key=key)
        with (
            program.ending(
                copier.start(
                    [*common, "--port", str(port)], env=program.environment(house_folder), **options
                )
            ) as near,
            program.ending(
                copier.start([*common, "--url", serve.url], env=elsewhere, **options)
            ) as far,
        ):
            secrets = [_await_secret(listener.stdout) for listener in (near, far)]
            placed = httpx.post(
                f"{serve.url}/v1/orders",
                json={"pickup": "1 A Road", "dropoff": "2 A Road"},
                headers={"Authorization": f"Bearer {key}"},
                timeout=program.PATIENCE,
            )
            got = [heard.get(timeout=program.PATIENCE) for _ in secrets]
            bodies = {_read_genuine(headers, body, secrets) for headers, body in got}
            assert len(bodies) == 1  # byte for byte the same
            assert json.loads(bodies.pop())["data"]["id"] == placed.json()["id"]
            for listener in (near, far):
                assert listener.stdout is not None
                assert "  order.created  204  delivery_" in listener.stdout.readline()
                assert listener.wait(program.PATIENCE) == 0
        assert serve.interrupt() == 0


def _await_secret(lines: Any) -> str:
    for line in lines:
        if line.startswith("Signing secret: "):
            return str(line.split()[-1])
    raise AssertionError("It ended without a secret.")


def _read_genuine(headers: dict[str, str], body: bytes, secrets: list[str]) -> bytes:
    """Check a request with the independent library and with our own."""
    (envelope,) = [found for secret in secrets if (found := _try(headers, body, secret))]
    assert envelope["event"] == "order.created"
    return body


def _try(headers: dict[str, str], body: bytes, secret: str) -> Any:
    try:
        theirs = Webhook(secret).verify(body.decode(), headers)
    except WebhookVerificationError:
        return None
    assert verify(body, headers, secret) == theirs
    return theirs
