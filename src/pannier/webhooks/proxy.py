"""A proxy between us and all receivers, for installations that have no other way out.

It is asked for the very address that was judged, never for a name: whom a name leads to is not
the proxy's to decide. What goes through it is TLS between us and the receiver.
"""

import asyncio
import base64
import re
import socket
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pannier.settings import SettingsError
from pannier.web.addresses import Networks
from pannier.webhooks.dns import Place
from pannier.webhooks.guard import Blocked, allowed
from pannier.webhooks.http import Refused

LONGEST: Final = 8192
ANSWER: Final = re.compile(rb"HTTP/1\.[01] (?P<status>[0-9]{3})[ \r]")
WRONG: Final = (
    "PANNIER_WEBHOOK_PROXY is wrong: it is like http://user:password@proxy.internal:3128."
)


class Proxy(NamedTuple):
    """Where the proxy is, and what it lets us in by."""

    host: str
    port: int
    credentials: str | None


def read(text: str | None) -> Proxy | None:
    """Read the setting."""
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(WRONG) from None
    if parts.scheme != "http" or not host or not port or parts.path not in {"", "/"}:
        raise SettingsError(WRONG)
    if parts.username is None:
        return Proxy(host, port, None)
    spelled = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Proxy(host, port, base64.b64encode(spelled.encode()).decode())


async def tunnelled(proxy: Proxy, place: Place, allow: Networks) -> socket.socket:
    """Connect to an address through the proxy; it is judged once more, right before."""
    if not allowed(place.address, allow):
        raise Blocked
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    family, kind, _, _, address = found[0]
    made = socket.socket(family, kind)
    try:
        made.setblocking(False)  # noqa: FBT003 - the socket's own way to say it
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await loop.sock_connect(made, address)
        await loop.sock_sendall(made, _request(proxy, place))
        _check(await _answer(made))
    except BaseException:
        made.close()
        raise
    return made


def _request(proxy: Proxy, place: Place) -> bytes:
    host = f"[{place.address}]" if place.family == socket.AF_INET6 else place.address
    lines = [f"CONNECT {host}:{place.port} HTTP/1.1", f"Host: {host}:{place.port}"]
    if proxy.credentials is not None:
        lines.append(f"Proxy-Authorization: Basic {proxy.credentials}")
    return "\r\n".join([*lines, "", ""]).encode()


async def _answer(made: socket.socket) -> bytes:
    """Read the head of the proxy's answer; nothing follows it before we speak."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = await asyncio.get_running_loop().sock_recv(made, LONGEST)
        head += part
        if not part or len(head) > LONGEST:
            raise Refused("the proxy gave no answer that could be read")
    return head


def _check(head: bytes) -> None:
    found = ANSWER.match(head)
    if found is None or not found["status"].startswith(b"2"):
        status = found["status"].decode() if found else "something else"
        raise Refused(f"the proxy answered {status}")
