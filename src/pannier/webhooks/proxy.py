"""Connections through an HTTP proxy, for installations without direct internet access.

The proxy is asked for the exact address that was checked, never for a name, so it does not resolve
names. TLS is end to end between the worker and the receiver.
"""

import asyncio
import base64
import re
import socket
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pannier.settings import SettingsError
from pannier.web.addresses import Networks
from pannier.webhooks.dns import SocketAddress, connect_without_check
from pannier.webhooks.guard import Blocked, is_allowed
from pannier.webhooks.http import ProxyRefused

MAX_RESPONSE_BYTES: Final = 8192
HEAD_END: Final = b"\r\n\r\n"
STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] (?P<status>[0-9]{3})[ \r]")
INVALID_SETTING: Final = (
    "PANNIER_WEBHOOK_PROXY is not a valid proxy URL. Use one such as "
    "http://user:password@proxy.internal:3128."
)


class Proxy(NamedTuple):
    """The proxy's address and credentials."""

    host: str
    port: int
    credentials: str | None


def parse_proxy(text: str | None) -> Proxy | None:
    """Parse PANNIER_WEBHOOK_PROXY. Return None if it is not set."""
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(INVALID_SETTING) from None
    if parts.scheme != "http" or not host or not port or parts.path not in {"", "/"}:
        raise SettingsError(INVALID_SETTING)
    if parts.username is None:
        return Proxy(host, port, None)
    credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Proxy(host, port, base64.b64encode(credentials.encode()).decode())


async def open_tunnel(
    proxy: Proxy, address: SocketAddress, allowed_networks: Networks
) -> socket.socket:
    """Check an address again and connect to it through the proxy."""
    if not is_allowed(address.address, allowed_networks):
        raise Blocked
    connection = await _connect_to_proxy(proxy)
    try:
        await asyncio.get_running_loop().sock_sendall(connection, _build_request(proxy, address))
        _check_response(await _read_response(connection))
    except BaseException:
        connection.close()
        raise
    return connection


async def _connect_to_proxy(proxy: Proxy) -> socket.socket:
    """Connect to the first of the proxy's addresses that answers."""
    loop = asyncio.get_running_loop()
    addresses = await loop.getaddrinfo(proxy.host, proxy.port, type=socket.SOCK_STREAM)
    failure: OSError = ProxyRefused("the proxy's name has no address")
    for family, _, _, _, address in addresses:
        try:
            return await connect_without_check(family, address)
        except OSError as error:
            failure = error
    raise failure


def _build_request(proxy: Proxy, address: SocketAddress) -> bytes:
    host = f"[{address.address}]" if address.family == socket.AF_INET6 else address.address
    lines = [f"CONNECT {host}:{address.port} HTTP/1.1", f"Host: {host}:{address.port}"]
    if proxy.credentials is not None:
        lines.append(f"Proxy-Authorization: Basic {proxy.credentials}")
    return "\r\n".join([*lines, "", ""]).encode()


async def _read_response(proxy_socket: socket.socket) -> bytes:
    """Read the head of the proxy's response, and any bytes that came with it."""
    response = b""
    while HEAD_END not in response:
        chunk = await asyncio.get_running_loop().sock_recv(proxy_socket, MAX_RESPONSE_BYTES)
        response += chunk
        if not chunk or len(response) > MAX_RESPONSE_BYTES:
            raise ProxyRefused("the proxy's response could not be parsed")
    return response


def _check_response(response: bytes) -> None:
    """Raise ProxyRefused unless the status is 2xx. Nothing may follow its head."""
    match = STATUS_LINE.match(response)
    status = match["status"].decode() if match else "an unknown status"
    if not status.startswith("2"):
        raise ProxyRefused(f"the proxy responded with {status}")
    if not response.endswith(HEAD_END):
        raise ProxyRefused("the proxy sent data after its response")
