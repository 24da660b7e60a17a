"""Connecting to receivers: whoever is not public is not even knocked at."""

import asyncio
import socket
import ssl
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
import trustme
from aiohttp import web

from pannier.settings import SettingsError
from pannier.webhooks.guard import Blocked, Networks, networks
from pannier.webhooks.reaching import (
    Answer,
    Lookup,
    Resolver,
    connector,
    guarded,
    look_up,
    trusting,
    was_blocked,
)

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:4700::1111"
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing is bound to it
LOOPBACK = networks("127.0.0.0/8")


def answer(address: str, port: int = 0) -> Answer:
    if ":" in address:
        return (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))


@dataclass
class Names:
    """A name server that says something else each time, and in the end the last again."""

    answers: list[list[str]]
    asked: Counter[str] = field(default_factory=Counter)

    def __call__(self, host: str, port: int) -> Sequence[Answer]:
        self.asked[host] += 1
        told = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [answer(address, port) for address in told]


def nobody(host: str, _: int) -> Sequence[Answer]:
    raise AssertionError(f"somebody asked for {host}")


@dataclass
class Door:
    """A socket of our own machine that waits for somebody to connect."""

    listening: socket.socket

    @property
    def port(self) -> int:
        port: int = self.listening.getsockname()[1]
        return port

    def knocked(self) -> bool:
        try:
            self.listening.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def door() -> Iterator[Door]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield Door(listening)


async def failure_of(made: aiohttp.TCPConnector, url: str) -> BaseException:
    # Whoever does get through to a door waits there in vain.
    limits = aiohttp.ClientTimeout(total=5)
    async with aiohttp.ClientSession(connector=made, timeout=limits) as session:
        with pytest.raises(aiohttp.ClientError) as failure:
            await session.post(url, data=b"{}")
    return failure.value


def outside(lookup: Lookup, allow: Networks = ()) -> aiohttp.TCPConnector:
    return connector(allow, trusting(None), lookup=lookup)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::ffff:127.0.0.1"],
        [ANY_ADDRESS],
        ["::1"],
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        [PUBLIC_6, PUBLIC, "::ffff:127.0.0.1"],
        [PUBLIC, "fe80::1%1"],
        ["nonsense"],
    ],
)
async def test_a_name_that_leads_to_us_is_blocked_and_nobody_connects(
    door: Door, addresses: list[str]
) -> None:
    names = Names([addresses])

    failure = await failure_of(outside(names), f"https://hooks.example.com:{door.port}/")

    assert was_blocked(failure)
    assert isinstance(failure, aiohttp.ClientConnectorDNSError)
    assert names.asked == {"hooks.example.com": 1}
    assert not door.knocked()


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", ANY_ADDRESS, "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0:0]", "[::1]",
     "[::]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
)  # fmt: skip
async def test_a_literal_address_of_ours_is_blocked_and_nobody_connects(
    door: Door, host: str
) -> None:
    failure = await failure_of(outside(nobody), f"https://{host}:{door.port}/")

    assert was_blocked(failure)
    assert not door.knocked()


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0", "0x7f.1", "0x7f000001", "017700000001"]
)
async def test_no_odd_spelling_of_our_address_is_connected_to(door: Door, host: str) -> None:
    failure = await failure_of(outside(look_up), f"https://{host}:{door.port}/")

    # Some spellings are refused by aiohttp itself, before anybody is asked.
    assert was_blocked(failure) or isinstance(failure, aiohttp.InvalidURL)
    assert not door.knocked()


async def test_a_name_that_was_public_when_it_was_checked_is_blocked_when_it_is_not_any_more(
    door: Door,
) -> None:
    names = Names([[PUBLIC], ["127.0.0.1"]])
    resolver = Resolver(lookup=names)
    assert [found["host"] for found in await resolver.resolve("rebind.example.com")] == [PUBLIC]
    await resolver.close()

    failure = await failure_of(outside(names), f"https://rebind.example.com:{door.port}/")

    assert was_blocked(failure)
    assert not door.knocked()


def test_a_socket_is_made_for_an_allowed_address_only() -> None:
    for address in (PUBLIC, PUBLIC_6, f"::ffff:{PUBLIC}"):
        guarded(())(answer(address, 443)).close()
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "::1", "fe80::1%1"):
        with pytest.raises(Blocked) as failure:
            guarded(())(answer(address, 443))
        assert address not in str(failure.value)
    guarded(LOOPBACK)(answer("127.0.0.1", 443)).close()


async def test_why_a_name_is_blocked_never_says_where_it_leads(door: Door) -> None:
    failure = await failure_of(
        outside(Names([["10.20.30.40"]])), f"https://hooks.example.com:{door.port}/"
    )
    assert "10.20.30.40" not in f"{failure!s} {failure!r} {failure.__cause__!r}"


def test_a_failure_is_blocked_only_if_something_in_its_chain_is() -> None:
    caused, while_handling, circle = ValueError(), RuntimeError(), OSError()
    caused.__cause__ = Blocked()
    while_handling.__context__ = caused
    circle.__cause__ = RuntimeError()
    circle.__cause__.__context__ = circle

    assert was_blocked(Blocked())
    assert was_blocked(caused)
    assert was_blocked(while_handling)
    assert not was_blocked(OSError("Connection refused."))
    assert not was_blocked(circle)


async def test_the_same_host_is_looked_up_once_at_a_time_whatever_the_port() -> None:
    names, open_now = Names([[PUBLIC]]), threading.Event()

    def slow(host: str, port: int) -> Sequence[Answer]:
        assert open_now.wait(10)
        return names(host, port)

    resolver = Resolver(lookup=slow)
    waiting = [
        asyncio.create_task(resolver.resolve("a.example.com", port)) for port in (443, 443, 8443)
    ]
    await asyncio.sleep(0)
    # Who gives up does not take the answer from the others.
    waiting.pop(0).cancel()
    open_now.set()
    found = await asyncio.gather(*waiting)
    assert names.asked == {"a.example.com": 1}
    assert [(one["host"], one["port"]) for (one,) in found] == [(PUBLIC, 443), (PUBLIC, 8443)]

    await resolver.resolve("a.example.com", 443)
    assert names.asked == {"a.example.com": 2}
    await resolver.close()


async def test_a_name_server_that_hangs_keeps_neither_others_nor_the_end_waiting() -> None:
    names, released = Names([[PUBLIC]]), threading.Event()

    def lookup(host: str, port: int) -> Sequence[Answer]:
        if host.startswith("hanging"):
            released.wait(10)
        return names(host, port)

    resolver = Resolver(lookup=lookup)
    hanging = [asyncio.create_task(resolver.resolve(f"hanging-{n}.example")) for n in range(40)]
    more = [asyncio.create_task(resolver.resolve("hanging-0.example")) for _ in range(100)]
    await asyncio.sleep(0)
    async with asyncio.timeout(2):
        assert (await resolver.resolve("quick.example"))[0]["host"] == PUBLIC
        # The threads of everybody else are free as well.
        await asyncio.to_thread(lambda: None)
        await resolver.close()
        ended = await asyncio.gather(*hanging, *more, return_exceptions=True)
    released.set()
    assert {type(one) for one in ended} == {asyncio.CancelledError}


async def test_a_lookup_that_fails_fails_for_all_who_wait_and_is_tried_anew() -> None:
    asked = Counter[str]()

    def lookup(host: str, port: int) -> Sequence[Answer]:
        asked[host] += 1
        if asked[host] == 1:
            raise socket.gaierror(socket.EAI_AGAIN, "Try again later.")
        return [answer(PUBLIC, port)]

    resolver = Resolver(lookup=lookup)
    ended = await asyncio.gather(
        *(resolver.resolve("a.example.com") for _ in range(3)), return_exceptions=True
    )
    assert [type(one) for one in ended] == [socket.gaierror] * 3
    assert not any(was_blocked(one) for one in ended if isinstance(one, BaseException))
    assert (await resolver.resolve("a.example.com"))[0]["host"] == PUBLIC
    await resolver.close()


async def test_only_addresses_of_the_wanted_family_are_told_but_all_are_judged() -> None:
    resolver = Resolver(lookup=Names([[PUBLIC, PUBLIC_6], [PUBLIC, PUBLIC_6], [PUBLIC, "::1"]]))
    assert [one["host"] for one in await resolver.resolve("a.example")] == [PUBLIC, PUBLIC_6]
    wanted = await resolver.resolve("a.example", 443, socket.AF_INET6)
    assert [one["host"] for one in wanted] == [PUBLIC_6]
    with pytest.raises(Blocked):
        await resolver.resolve("a.example", 443, socket.AF_INET)
    await resolver.close()


async def test_a_host_without_an_address_is_a_connection_that_failed() -> None:
    failure = await failure_of(outside(Names([[]])), "https://a.example.com/")
    assert isinstance(failure, aiohttp.ClientConnectorDNSError)
    assert not was_blocked(failure)


async def test_the_system_knows_where_localhost_is() -> None:
    resolver = Resolver(networks("127.0.0.0/8, ::1"))
    assert {one["host"] for one in await resolver.resolve("localhost", 443)} <= {"127.0.0.1", "::1"}
    await resolver.close()


async def test_closing_the_session_lets_go_of_its_lookups_and_their_threads() -> None:
    threads, begun, released = list[threading.Thread](), threading.Event(), threading.Event()

    def hanging(_: str, port: int) -> Sequence[Answer]:
        threads.append(threading.current_thread())
        begun.set()
        released.wait(10)
        return [answer(PUBLIC, port)]

    session = aiohttp.ClientSession(connector=outside(hanging))
    async with asyncio.timeout(2):
        posted = asyncio.ensure_future(session.post("https://a.example.com/"))
        assert await asyncio.to_thread(begun.wait, 2)
        await session.close()
        (ended,) = await asyncio.gather(posted, return_exceptions=True)
    released.set()
    assert isinstance(ended, (asyncio.CancelledError, aiohttp.ClientError))
    await asyncio.to_thread(threads[0].join, 2)
    assert not threads[0].is_alive()


@dataclass
class Receiver:
    """Somebody who receives webhooks over TLS on loopback, and remembers who came."""

    bundle: str
    port: int = 0
    peers: list[int] = field(default_factory=list)

    async def receive(self, request: web.Request) -> web.Response:
        assert request.transport is not None
        self.peers.append(request.transport.get_extra_info("peername")[1])
        return web.Response(text="Thank you.")

    async def told(self, made: aiohttp.TCPConnector, *hosts: str) -> list[int]:
        async with aiohttp.ClientSession(connector=made) as session:
            answers = [
                await session.post(f"https://{host}:{self.port}/in", data=b"{}") for host in hosts
            ]
            for one in answers:
                await one.read()
            return [one.status for one in answers]


@pytest.fixture(scope="module")
async def receiver(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Receiver]:
    authority = trustme.CA()
    made = Receiver(str(tmp_path_factory.mktemp("authority") / "ca.pem"))
    authority.cert_pem.write_to_path(made.bundle)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("hooks.example.com", "127.0.0.1").configure_cert(context)
    app = web.Application()
    app.router.add_post("/in", made.receive)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    made.port = runner.addresses[0][1]
    yield made
    await runner.cleanup()


async def test_a_receiver_is_reached_by_name_and_by_address(receiver: Receiver) -> None:
    names = Names([["127.0.0.1"]])
    made = connector(LOOPBACK, trusting(receiver.bundle), lookup=names)
    assert await receiver.told(made, "hooks.example.com", "127.0.0.1") == [200, 200]
    assert names.asked == {"hooks.example.com": 1}


async def test_a_name_that_turns_inwards_between_two_deliveries_is_blocked(
    receiver: Receiver,
) -> None:
    names = Names([["127.0.0.1"], ["10.0.0.1"]])
    made = connector(LOOPBACK, trusting(receiver.bundle), lookup=names, keep=False)
    url = f"https://hooks.example.com:{receiver.port}/in"
    receiver.peers.clear()
    async with aiohttp.ClientSession(connector=made) as session:
        assert (await session.post(url)).status == 200
        # A name is asked for again after ten seconds; these have passed.
        made.clear_dns_cache()
        with pytest.raises(aiohttp.ClientConnectorDNSError) as failure:
            await session.post(url)
    assert was_blocked(failure.value)
    assert len(receiver.peers) == 1


@pytest.mark.parametrize(("keep", "connections"), [(True, 1), (False, 3)])
async def test_a_connection_is_kept_for_the_next_delivery_if_wanted(
    receiver: Receiver, *, keep: bool, connections: int
) -> None:
    receiver.peers.clear()
    made = connector(LOOPBACK, trusting(receiver.bundle), lookup=nobody, keep=keep)
    async with aiohttp.ClientSession(connector=made) as session:
        for _ in range(3):
            async with session.post(f"https://127.0.0.1:{receiver.port}/in") as told:
                await told.read()
    assert len(set(receiver.peers)) == connections


async def test_a_receiver_that_is_not_who_its_name_says_is_told_nothing(
    receiver: Receiver,
) -> None:
    receiver.peers.clear()
    made = connector(LOOPBACK, trusting(receiver.bundle), lookup=Names([["127.0.0.1"]]))
    failure = await failure_of(made, f"https://other.example.com:{receiver.port}/in")
    assert isinstance(failure, aiohttp.ClientConnectorCertificateError)
    assert receiver.peers == []


async def test_a_receiver_whom_no_authority_vouches_for_is_told_nothing(
    receiver: Receiver,
) -> None:
    receiver.peers.clear()
    made = connector(LOOPBACK, trusting(None), lookup=Names([["127.0.0.1"]]))
    failure = await failure_of(made, f"https://hooks.example.com:{receiver.port}/in")
    assert isinstance(failure, aiohttp.ClientConnectorCertificateError)
    assert receiver.peers == []


def test_trust_is_read_once_and_is_never_less_than_tls_1_2(receiver: Receiver) -> None:
    for bundle in (None, receiver.bundle):
        context = trusting(bundle)
        assert context is trusting(bundle)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_2
        assert context.check_hostname
        assert context.verify_mode is ssl.CERT_REQUIRED


def test_a_bundle_comes_on_top_of_the_authorities_of_the_system(receiver: Receiver) -> None:
    system = {str(one) for one in trusting(None).get_ca_certs()}
    ours = {str(one) for one in trusting(receiver.bundle).get_ca_certs()}
    assert system < ours


def test_a_bundle_that_is_not_there_is_told_by_the_name_of_its_setting() -> None:
    with pytest.raises(SettingsError, match=r"^PANNIER_WEBHOOK_CA_BUNDLE is wrong: .* /nowhere\.$"):
        trusting("/nowhere")


def test_a_bundle_that_holds_no_certificates_is_told_as_well(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    for text in ("", "nonsense"):
        bundle.write_text(text)
        with pytest.raises(SettingsError, match=r"holds no certificates to read\.$"):
            trusting(str(bundle))
