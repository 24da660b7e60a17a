"""Connecting to receivers: every address is judged before a socket to it is made."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from pannier.settings import SettingsError
from pannier.webhooks.guard import Blocked, Networks, allowed

THREADS: Final = 64
KEEP_SECONDS: Final = 60
NAME_SECONDS: Final = 10

SocketAddress = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
Answer = tuple[socket.AddressFamily, socket.SocketKind, int, str, SocketAddress]
Lookup = Callable[[str, int], Sequence[Answer]]
# The last member is a socket address, which aiohttp does not describe any closer.
Target = tuple[int, int, int, str, tuple[Any, ...]]


def look_up(host: str, port: int) -> Sequence[Answer]:
    """Ask the system where a host is; this may take as long as its name servers please."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)


class Resolver(AbstractResolver):
    """Finds receivers by name, and refuses a name that leads anywhere it must not.

    It has threads of its own, and one at the most waits for a host: a receiver whose name
    server hangs keeps neither other receivers nor other work of the process waiting.
    """

    def __init__(self, allow: Networks = (), lookup: Lookup = look_up) -> None:
        self._allow = allow
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="webhook-names")
        self._asked: dict[str, asyncio.Future[Sequence[Answer]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Find a host's addresses; one forbidden address among them spoils them all."""
        # Whoever gives up waiting must not take the answer from the others who wait.
        answers = await asyncio.shield(self._ask(host, port))
        if not all(allowed(str(answer[4][0]), self._allow) for answer in answers):
            raise Blocked
        found = [_result(host, port, answer) for answer in answers if family in {0, answer[0]}]
        if not found:
            raise OSError("The host has no address.")
        return found

    def _ask(self, host: str, port: int) -> asyncio.Future[Sequence[Answer]]:
        if host not in self._asked:
            loop = asyncio.get_running_loop()
            asked = loop.run_in_executor(self._threads, self._lookup, host, port)
            self._asked[host] = asked
            asked.add_done_callback(lambda _: self._asked.pop(host, None))
        return self._asked[host]

    async def close(self) -> None:
        """Let go of the threads without waiting for those whose name server hangs."""
        for asked in list(self._asked.values()):
            asked.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _result(host: str, port: int, answer: Answer) -> ResolveResult:
    family, _, protocol, _, address = answer
    return ResolveResult(
        hostname=host,
        host=str(address[0]),
        # Not the answer's: it may have been given to somebody who asked for another port.
        port=port,
        family=family,
        proto=protocol,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


def guarded(allow: Networks) -> Callable[[Target], socket.socket]:
    """Make sockets for allowed addresses only.

    It is asked with the very address that is connected to next, so it sees literals, which
    nobody looks up, and no later answer about a name can slip past it.
    """

    def guard(target: Target) -> socket.socket:
        family, kind, protocol, _, address = target
        if not allowed(str(address[0]), allow):
            raise Blocked
        return socket.socket(family, kind, protocol)

    return guard


class _Connector(aiohttp.TCPConnector):
    """Closes its resolver too, which aiohttp leaves open when it was handed in."""

    async def close(self, *, abort_ssl: bool = False) -> None:
        await super().close(abort_ssl=abort_ssl)
        await self._resolver.close()


def connector(
    allow: Networks, context: ssl.SSLContext, *, lookup: Lookup = look_up, keep: bool = True
) -> aiohttp.TCPConnector:
    """Make what a session connects with; `keep` keeps connections for the next delivery.

    How many there are at a time is not its affair: who sends counts them, by receiver.
    """
    return _Connector(
        resolver=Resolver(allow, lookup),
        socket_factory=guarded(allow),
        ssl=context,
        limit=0,
        limit_per_host=0,
        ttl_dns_cache=NAME_SECONDS,
        **({"keepalive_timeout": KEEP_SECONDS} if keep else {"force_close": True}),
    )


def was_blocked(failure: BaseException) -> bool:
    """Tell whether a request failed because its receiver is where webhooks may not go."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [failure]
    while waiting:
        reason = waiting.pop()
        if isinstance(reason, Blocked):
            return True
        if reason is not None and id(reason) not in seen:
            seen.add(id(reason))
            waiting += [reason.__cause__, reason.__context__]
    return False


@lru_cache(maxsize=2)
def trusting(ca_bundle: str | None) -> ssl.SSLContext:
    """Read the authorities to trust; once a process, because it takes long."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_bundle is not None:
        _add(context, ca_bundle)
    return context


def _add(context: ssl.SSLContext, ca_bundle: str) -> None:
    if not Path(ca_bundle).is_file():
        raise SettingsError(f"PANNIER_WEBHOOK_CA_BUNDLE is wrong: there is no file {ca_bundle}.")
    try:
        context.load_verify_locations(ca_bundle)
    except OSError:
        raise SettingsError(
            f"PANNIER_WEBHOOK_CA_BUNDLE is wrong: {ca_bundle} holds no certificates to read."
        ) from None
