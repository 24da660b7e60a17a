"""The receiver on this machine, `pannier listen`, for test companies.

Webhooks never reach private addresses. This is the only exception, and it is narrow: only a test
company may register its name. The name resolves to 127.0.0.1 and the port on which `pannier listen`
currently listens with the same data directory. Only the certificate in that directory is trusted,
so no other program on this machine receives anything.

In the demo, a stand-in listens on the default port until a real listener starts.
"""

import fcntl
import os
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from ipaddress import IPv4Network
from pathlib import Path
from typing import IO, Final

from pannier.webhooks.dns import Place
from pannier.webhooks.guard import LISTENER, Blocked

LOOPBACK: Final = "127.0.0.1"
ALLOWED: Final = (IPv4Network(LOOPBACK),)
USUAL_PORT: Final = 8443
FOLDER: Final = "listen"
# The files with the port of the listener, and of the demo's stand-in.
LISTENERS, STAND_INS = "port", "stand-in"
LIFE: Final = timedelta(days=365)
RENEWED: Final = timedelta(days=30)
TRIES, TRY_SECONDS = 20, 0.05


class ListeningError(Exception):
    """The listener cannot start. The message says why."""


def certificate(data: Path) -> bytes:
    """Load the listener's certificate. It is empty if no listener ever ran."""
    with suppress(FileNotFoundError):
        return (data / FOLDER / "certificate.pem").read_bytes()
    return b""


def context(pem: bytes) -> ssl.SSLContext:
    """Create a client context that trusts only this certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if pem:
        made.load_verify_locations(cadata=pem.decode())
    return made


class Finder:
    """A resolver for the listener. It looks for the port at each connection."""

    def __init__(self, data: Path) -> None:
        self._data = data

    async def resolve(self, host: str, port: int) -> list[Place]:
        """Return the listener's address, or raise Blocked if none listens on the port."""
        found = self._found(port) if host == LISTENER else None
        if found is None:
            raise Blocked
        return [Place(socket.AF_INET, LOOPBACK, found)]

    def _found(self, port: int) -> int | None:
        if port == open_port(self._data):
            return port
        return open_port(self._data, STAND_INS) if port == USUAL_PORT else None


def open_port(data: Path, name: str = LISTENERS) -> int | None:
    """Return the port on which a listener currently listens, if any.

    A listener holds a lock on the file until its process ends in any way.
    """
    with suppress(OSError, ValueError), (data / FOLDER / name).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return int(file.read())
    return None


@contextmanager
def opened(data: Path, port: int, name: str = LISTENERS) -> Iterator[None]:
    """Let this installation's webhooks reach a port while the context is open."""
    with (data / FOLDER / name).open("a+") as file:
        _lock(file)
        file.truncate(0)
        file.write(str(port))
        file.flush()
        yield


def _lock(file: IO[str]) -> None:
    """Lock the file. Retry, because `find_open_port` holds the lock for a moment."""
    for _ in range(TRIES):
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(TRY_SECONDS)
    raise ListeningError("Somebody listens here already; end that one first.")


def server_context(data: Path, now: datetime) -> ssl.SSLContext:
    """Create the listener's TLS context. Create its certificate again before it expires."""
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    cert, key = folder / "certificate.pem", folder / "key.pem"
    if not _lasts(certificate(data), now):
        made, secret = _signed(now)
        _write(key, secret)
        _write(cert, made)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


def _lasts(pem: bytes, now: datetime) -> bool:
    from cryptography import x509  # noqa: PLC0415 - only the listener needs it

    return bool(pem) and x509.load_pem_x509_certificate(pem).not_valid_after_utc > now + RENEWED


def _signed(now: datetime) -> tuple[bytes, bytes]:
    """Create a self-signed certificate and its key."""
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - as above
    from cryptography.x509.oid import NameOID  # noqa: PLC0415 - as above

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pannier listen")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + LIFE)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(LISTENER)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return made.public_bytes(serialization.Encoding.PEM), secret


def _write(file: Path, content: bytes) -> None:
    fresh = file.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
        opened.write(content)
    fresh.replace(file)
