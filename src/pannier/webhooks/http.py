"""HTTP requests as bytes, and the replies to them."""

import os
import re
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

import msgspec

SUCCESS, REDIRECTION = 200, 300
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TARGET: Final = re.compile(r"/[\x21-\x7e]*")
AUTHORITY: Final = re.compile(r"[\x21-\x7e]+")
# Headers that frame a request. Only this module sets them.
FRAMING_HEADERS: Final = frozenset(
    {"connection", "content-length", "expect", "host", "te", "transfer-encoding", "upgrade"}
)

Failure = Literal["blocked", "dns", "connect", "tls", "late", "disconnected", "malformed"]


class HttpReply(msgspec.Struct, kw_only=True):
    """The result of an exchange, and the time at which each phase began."""

    began_at: float
    dns_began_at: float = 0.0
    connect_began_at: float = 0.0
    tls_began_at: float = 0.0
    wait_began_at: float = 0.0
    read_began_at: float = 0.0
    ended_at: float = 0.0
    remote: str | None = None
    reused: bool = False
    # Whether any byte of a response arrived.
    answered: bool = False
    status: int | None = None
    headers: list[tuple[bytes, bytes]] = []
    body: bytes = b""
    is_cut: bool = False
    failure: Failure | None = None
    reason: str = ""

    def measure_phases(self) -> dict[str, float]:
        """Return the duration of each phase that began, in milliseconds."""
        durations: dict[str, float] = {}
        phase_ended_at = self.ended_at
        for name, phase_began_at in (
            ("read", self.read_began_at),
            ("wait", self.wait_began_at),
            ("tls", self.tls_began_at),
            ("connect", self.connect_began_at),
            ("dns", self.dns_began_at),
        ):
            if phase_began_at:
                durations[name] = round((phase_ended_at - phase_began_at) * 1000, 2)
                phase_ended_at = phase_began_at
        durations["total"] = round((self.ended_at - self.began_at) * 1000, 2)
        return durations

    @property
    def is_success(self) -> bool:
        """Whether the status is a success."""
        return self.status is not None and SUCCESS <= self.status < REDIRECTION

    @property
    def is_framed(self) -> bool:
        """Whether the response declares where its body ends, other than by closing."""
        return any(
            name.lower() == b"content-length"
            or (name.lower() == b"transfer-encoding" and b"chunked" in value.lower())
            for name, value in self.headers
        )


def build_request(authority: str, target: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Build the bytes of a request. Raise ValueError for a value with a line break."""
    lines = [
        f"POST {_check_part(TARGET, target)} HTTP/1.1\r\nHost: {_check_part(AUTHORITY, authority)}"
    ]
    lines += [f"{_check_header_name(name)}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}\r\n\r\n")
    head = "\r\n".join(lines)
    # An extra line break would be an injected header.
    line_count = len(headers) + 4
    if head.count("\n") != line_count or head.count("\r") != line_count or "\0" in head:
        raise ValueError("A header contains a line break.")
    return head.encode("latin-1") + body


@lru_cache(maxsize=1024)
def _check_part(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError("The URL contains characters that a request must not contain.")
    return text


@lru_cache(maxsize=1024)
def _check_header_name(name: str) -> str:
    if not TOKEN.fullmatch(name) or name.lower() in FRAMING_HEADERS:
        raise ValueError(f"The header name {name!r} is invalid or reserved. Use another name.")
    return name


class ProxyRefused(ConnectionError):  # noqa: N818 - the outcome of a connection
    """The proxy refused the connection. The message contains no address."""


def describe_failure(failure: OSError) -> str:
    """Describe why a connection failed, without any address."""
    if isinstance(failure, ProxyRefused):
        return str(failure)
    if isinstance(failure, ssl.SSLCertVerificationError):
        return str(failure.verify_message).rstrip(".")
    if isinstance(failure, ssl.SSLError) and failure.reason:
        return failure.reason.replace("_", " ").lower()
    # Not `failure.strerror`, because asyncio writes the address into it.
    return os.strerror(failure.errno) if failure.errno else "the receiver closed the connection"
