"""Finding receivers: whoever is not public is not even knocked at."""

import asyncio
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest
import trustme
from dns import message, rdatatype, rrset

from pannier.web.certificates import load_authorities
from pannier.webhooks.dns import (
    DnsResolver,
    Lookup,
    NameServers,
    SocketAddress,
    connect,
    parse_literal,
)
from pannier.webhooks.guard import Blocked, Networks, parse_networks
from pannier.webhooks.http import HttpReply, build_request
from pannier.webhooks.pool import Pool
from program import PATIENCE

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:4700::1111"
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing is bound to it
LOOPBACK = parse_networks("127.0.0.0/8")


@dataclass
class Names:
    """A name server that says something else each time, and in the end the last again."""

    answers: list[list[str]]
    asked: Counter[str] = field(default_factory=Counter)

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked[host] += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def nobody(host: str) -> Sequence[str]:
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


def addresses(places: Sequence[SocketAddress]) -> list[str]:
    return [place.address for place in places]


@pytest.fixture
def door() -> Iterator[Door]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield Door(listening)


@asynccontextmanager
async def reaching(
    lookup: Lookup,
    allowed_networks: Networks = (),
    ca_bundle: str | None = None,
    *,
    seconds: float = 10.0,
) -> AsyncIterator[Pool]:
    resolver = DnsResolver(lookup, allowed_networks, cache_seconds=seconds)
    pool = Pool(resolver, allowed_networks, load_authorities("BUNDLE", ca_bundle))
    yield pool
    await pool.close()
    await resolver.close()


async def posted(pool: Pool, host: str, port: int, *, fresh: bool = False) -> HttpReply:
    sent = build_request(f"{host}:{port}", "/in", {}, b"{}")
    return await pool.post((host, port), sent, PATIENCE, is_fresh=fresh)


async def reply_of(lookup: Lookup, host: str, port: int) -> HttpReply:
    async with reaching(lookup) as pool:
        return await posted(pool, host, port)


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

    reply = await reply_of(names, "hooks.example.com", door.port)

    assert reply.failure == "blocked"
    assert reply.remote is None
    assert names.asked == {"hooks.example.com": 1}
    assert not door.knocked()


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", ANY_ADDRESS, "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:0", "::1", "::",
     "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%1", "::1%lo"],
)  # fmt: skip
async def test_a_literal_address_of_ours_is_blocked_and_nobody_connects(
    door: Door, host: str
) -> None:
    reply = await reply_of(nobody, host, door.port)

    assert reply.failure == "blocked"
    assert reply.remote is None
    assert not door.knocked()


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0", "0x7f.1", "0x7f000001", "017700000001"]
)
async def test_no_odd_spelling_of_our_address_is_connected_to(door: Door, host: str) -> None:
    servers = NameServers()
    reply = await reply_of(servers, host, door.port)
    await servers.close()

    # Not every system can read every spelling.
    assert reply.failure in {"blocked", "dns"}
    assert not door.knocked()


async def test_a_name_that_was_public_when_it_was_checked_is_blocked_when_it_is_not_any_more(
    door: Door,
) -> None:
    names = Names([[PUBLIC], ["127.0.0.1"]])
    resolver = DnsResolver(names)
    assert addresses(await resolver.resolve("rebind.example.com", 443)) == [PUBLIC]
    await resolver.close()

    reply = await reply_of(names, "rebind.example.com", door.port)

    assert reply.failure == "blocked"
    assert not door.knocked()


async def test_an_address_is_judged_again_right_before_somebody_connects_to_it(door: Door) -> None:
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "::1", "fe80::1%1"):
        place = parse_literal(address, door.port)
        assert place is not None
        with pytest.raises(Blocked) as failure:
            await connect(place, ())
        assert address not in str(failure.value)
    assert not door.knocked()

    (await connect(SocketAddress(socket.AF_INET, "127.0.0.1", door.port), LOOPBACK)).close()
    assert door.knocked()


async def test_why_a_name_is_blocked_never_says_where_it_leads() -> None:
    reply = await reply_of(Names([["10.20.30.40"]]), "hooks.example.com", 443)
    assert "10.20.30.40" not in repr(reply)


def test_only_the_usual_spelling_is_an_address_by_itself() -> None:
    assert parse_literal("127.0.0.1", 443) == SocketAddress(socket.AF_INET, "127.0.0.1", 443)
    assert parse_literal("2606:4700::1111", 8443) == SocketAddress(
        socket.AF_INET6, "2606:4700::1111", 8443
    )
    for host in ("hooks.example.com", "127.1", "0x7f.1", "0177.0.0.1", "[::1]", ""):
        assert parse_literal(host, 443) is None


async def test_the_same_host_is_looked_up_once_at_a_time_whatever_the_port() -> None:
    names, open_now = Names([[PUBLIC]]), asyncio.Event()

    async def slow(host: str) -> Sequence[str]:
        await open_now.wait()
        return await names(host)

    resolver = DnsResolver(slow, cache_seconds=0)
    waiting = [
        asyncio.create_task(resolver.resolve("a.example.com", port)) for port in (443, 443, 8443)
    ]
    await asyncio.sleep(0)
    # Who gives up does not take the answer from the others.
    waiting.pop(0).cancel()
    open_now.set()
    found = await asyncio.gather(*waiting)
    assert names.asked == {"a.example.com": 1}
    assert [(one.address, one.port) for (one,) in found] == [(PUBLIC, 443), (PUBLIC, 8443)]

    await resolver.resolve("a.example.com", 443)
    assert names.asked == {"a.example.com": 2}
    await resolver.close()


class NameServer(asyncio.DatagramProtocol):
    """A name server that knows where everybody is, and never tells of those who hang."""

    def __init__(self) -> None:
        self.hanging: set[str] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        asked = message.from_wire(data)
        name = str(asked.question[0].name)
        if name.startswith("hanging"):
            self.hanging.add(name)
            return
        told = message.make_response(asked)
        if asked.question[0].rdtype == rdatatype.A:
            told.answer.append(rrset.from_text(asked.question[0].name, 60, "IN", "A", PUBLIC))
        self._transport.sendto(told.to_wire(), addr)


@pytest.mark.slow
async def test_name_servers_that_hang_keep_neither_others_nor_the_end_waiting() -> None:
    server = NameServer()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: server, ("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    # So many questions at once may overrun the socket: what is lost is asked for again.
    servers = NameServers(nameservers=["127.0.0.1"], udp_port=port, timeout=0.5, tries=10)
    resolver = DnsResolver(servers)
    hanging = [
        asyncio.create_task(resolver.resolve(f"hanging-{n}.example", 443)) for n in range(500)
    ]
    more = [asyncio.create_task(resolver.resolve("hanging-0.example", 443)) for _ in range(100)]
    async with asyncio.timeout(PATIENCE):
        while len(server.hanging) < 500:  # noqa: ASYNC110 - until all of them really wait
            await asyncio.sleep(0.01)
        assert addresses(await resolver.resolve("quick.example", 443)) == [PUBLIC]
        await resolver.close()
        await servers.close()
        ended = await asyncio.gather(*hanging, *more, return_exceptions=True)
    transport.close()
    assert {type(one) for one in ended} == {asyncio.CancelledError}


async def test_a_lookup_that_fails_fails_for_all_who_wait_and_is_tried_anew() -> None:
    asked = Counter[str]()

    async def lookup(host: str) -> Sequence[str]:
        asked[host] += 1
        if asked[host] == 1:
            raise socket.gaierror(socket.EAI_AGAIN, "Try again later.")
        return [PUBLIC]

    resolver = DnsResolver(lookup)
    ended = await asyncio.gather(
        *(resolver.resolve("a.example.com", 443) for _ in range(3)), return_exceptions=True
    )
    assert [type(one) for one in ended] == [socket.gaierror] * 3
    assert addresses(await resolver.resolve("a.example.com", 443)) == [PUBLIC]
    await resolver.close()


async def test_a_lookup_that_fails_after_everybody_gave_up_disturbs_nobody() -> None:
    open_now = asyncio.Event()

    async def failing(_: str) -> Sequence[str]:
        await open_now.wait()
        raise socket.gaierror(socket.EAI_NONAME, "Nobody knows.")

    resolver = DnsResolver(failing)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(resolver.resolve("a.example.com", 443), 0.01)
    open_now.set()
    # The next one finds out for itself.
    with pytest.raises(socket.gaierror):
        await resolver.resolve("a.example.com", 443)
    await resolver.close()


async def test_what_was_found_is_remembered_for_a_while_whatever_the_port() -> None:
    names = Names([[PUBLIC], [PUBLIC_6]])
    resolver = DnsResolver(names, cache_seconds=PATIENCE)
    for port in (443, 443, 8443):
        assert await resolver.resolve("a.example", port) == [
            SocketAddress(socket.AF_INET, PUBLIC, port)
        ]
    assert names.asked == {"a.example": 1}
    await resolver.close()


async def test_what_was_found_is_forgotten_after_a_while() -> None:
    names = Names([[PUBLIC], [PUBLIC_6]])
    resolver = DnsResolver(names, cache_seconds=0.05)
    assert addresses(await resolver.resolve("a.example", 443)) == [PUBLIC]
    await asyncio.sleep(0.06)
    assert addresses(await resolver.resolve("a.example", 443)) == [PUBLIC_6]
    await resolver.close()


async def test_a_name_that_is_blocked_stays_so_while_it_is_remembered() -> None:
    names = Names([[PUBLIC, "::1"]])
    resolver = DnsResolver(names)
    for _ in range(2):
        with pytest.raises(Blocked):
            await resolver.resolve("a.example", 443)
    assert names.asked == {"a.example": 1}
    await resolver.close()


async def test_a_host_without_an_address_cannot_be_found() -> None:
    assert (await reply_of(Names([[]]), "a.example.com", 443)).failure == "dns"


async def test_the_system_knows_where_localhost_is() -> None:
    servers = NameServers()
    resolver = DnsResolver(servers, parse_networks("127.0.0.0/8, ::1"))
    assert set(addresses(await resolver.resolve("localhost", 443))) <= {"127.0.0.1", "::1"}
    await servers.close()


async def test_closing_lets_go_of_lookups() -> None:
    begun = asyncio.Event()

    async def hanging(_: str) -> Sequence[str]:
        begun.set()
        await asyncio.Event().wait()
        return []

    async with asyncio.timeout(PATIENCE):
        async with reaching(hanging) as pool:
            asked = asyncio.ensure_future(posted(pool, "a.example.com", 443))
            await begun.wait()
        (ended,) = await asyncio.gather(asked, return_exceptions=True)
    assert isinstance(ended, asyncio.CancelledError)


@dataclass
class Receiver:
    """Somebody who receives webhooks over TLS on loopback, and remembers who came."""

    bundle: str
    port: int = 0
    peers: list[int] = field(default_factory=list)

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n{}")
            self.peers.append(writer.get_extra_info("peername")[1])
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.transport.abort()


@pytest.fixture(scope="module")
async def receiver(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Receiver]:
    authority = trustme.CA()
    made = Receiver(str(tmp_path_factory.mktemp("authority") / "ca.pem"))
    authority.cert_pem.write_to_path(made.bundle)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("hooks.example.com", "127.0.0.1").configure_cert(context)
    server = await asyncio.start_server(made.receive, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()
    await server.wait_closed()


async def test_a_receiver_is_reached_by_name_and_by_address(receiver: Receiver) -> None:
    names = Names([["127.0.0.1"]])
    async with reaching(names, LOOPBACK, receiver.bundle) as pool:
        by_name = await posted(pool, "hooks.example.com", receiver.port)
        by_address = await posted(pool, "127.0.0.1", receiver.port)
    assert (by_name.status, by_address.status) == (200, 200)
    assert set(by_name.measure_phases()) == {"dns", "connect", "tls", "wait", "read", "total"}
    assert set(by_address.measure_phases()) == {"connect", "tls", "wait", "read", "total"}
    assert names.asked == {"hooks.example.com": 1}


async def test_a_name_that_turns_inwards_between_two_deliveries_is_blocked(
    receiver: Receiver,
) -> None:
    names = Names([["127.0.0.1"], ["10.0.0.1"]])
    receiver.peers.clear()
    async with reaching(names, LOOPBACK, receiver.bundle, seconds=0) as pool:
        first = await posted(pool, "hooks.example.com", receiver.port, fresh=True)
        second = await posted(pool, "hooks.example.com", receiver.port, fresh=True)
    assert (first.status, second.status, second.failure) == (200, None, "blocked")
    assert len(receiver.peers) == 1


@pytest.mark.parametrize(("fresh", "connections"), [(False, 1), (True, 3)])
async def test_a_connection_is_kept_for_the_next_delivery_if_wanted(
    receiver: Receiver, *, fresh: bool, connections: int
) -> None:
    receiver.peers.clear()
    async with reaching(nobody, LOOPBACK, receiver.bundle) as pool:
        for _ in range(3):
            assert (await posted(pool, "127.0.0.1", receiver.port, fresh=fresh)).status == 200
    assert len(set(receiver.peers)) == connections


@pytest.mark.parametrize(
    ("host", "trusted", "words"),
    [("other.example.com", True, "not valid for 'other.example.com'"),
     ("hooks.example.com", False, "unable to get local issuer certificate")],
)  # fmt: skip
async def test_a_receiver_that_is_not_who_its_name_says_is_told_nothing(
    receiver: Receiver, host: str, words: str, *, trusted: bool
) -> None:
    receiver.peers.clear()
    bundle = receiver.bundle if trusted else None
    async with reaching(Names([["127.0.0.1"]]), LOOPBACK, bundle) as pool:
        reply = await posted(pool, host, receiver.port)
    assert reply.failure == "tls"
    assert words in reply.reason
    assert receiver.peers == []
