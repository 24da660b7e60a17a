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

from pannier.webhooks.dns import SocketAddress
from pannier.webhooks.guard import LISTENER_HOST, Blocked

LOOPBACK: Final = "127.0.0.1"
ALLOWED_NETWORKS: Final = (IPv4Network(LOOPBACK),)
DEFAULT_PORT: Final = 8443
FOLDER: Final = "listen"
# The files with the port of the listener, and of the demo's stand-in.
LISTENER_FILE, STAND_IN_FILE = "port", "stand-in"
CERTIFICATE_LIFETIME: Final = timedelta(days=365)
RENEW_BEFORE: Final = timedelta(days=30)
LOCK_TRIES, LOCK_RETRY_SECONDS = 20, 0.05


class ListenerError(Exception):
    """The listener cannot start. The message says why."""


def load_certificate(data_folder: Path) -> bytes:
    """Load the listener's certificate. It is empty if no listener has ever run."""
    with suppress(FileNotFoundError):
        return (data_folder / FOLDER / "certificate.pem").read_bytes()
    return b""


def make_client_context(pem: bytes) -> ssl.SSLContext:
    """Create a client context that trusts only this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if pem:
        context.load_verify_locations(cadata=pem.decode())
    return context


class ListenerResolver:
    """A resolver for the listener. It looks up the port for each connection."""

    def __init__(self, data_folder: Path) -> None:
        self._data_folder = data_folder

    async def resolve(self, host: str, port: int) -> list[SocketAddress]:
        """Return the listener's address, or raise Blocked if none listens on the port."""
        open_port = self._find_port(port) if host == LISTENER_HOST else None
        if open_port is None:
            raise Blocked
        return [SocketAddress(socket.AF_INET, LOOPBACK, open_port)]

    def _find_port(self, port: int) -> int | None:
        if port == find_open_port(self._data_folder):
            return port
        return find_open_port(self._data_folder, STAND_IN_FILE) if port == DEFAULT_PORT else None


def find_open_port(data_folder: Path, name: str = LISTENER_FILE) -> int | None:
    """Return the port on which a listener currently listens, if any.

    A listener holds a lock on the file until its process ends in any way.
    """
    with suppress(OSError, ValueError), (data_folder / FOLDER / name).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return int(file.read())
    return None


@contextmanager
def announce_port(data_folder: Path, port: int, name: str = LISTENER_FILE) -> Iterator[None]:
    """Let this installation's webhooks reach a port while the context is open."""
    with (data_folder / FOLDER / name).open("a+") as file:
        _lock_file(file)
        file.truncate(0)
        file.write(str(port))
        file.flush()
        yield


def _lock_file(file: IO[str]) -> None:
    """Lock the file. Retry, because `find_open_port` holds the lock for a moment."""
    for _ in range(LOCK_TRIES):
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(LOCK_RETRY_SECONDS)
    raise ListenerError("Another listener is already running. Stop it first.")


def make_server_context(data_folder: Path, now: datetime) -> ssl.SSLContext:
    """Create the listener's TLS context. Renew its certificate before it expires."""
    folder = data_folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    if not _is_current(load_certificate(data_folder), now):
        certificate, private_key = _make_certificate(now)
        _write_private_file(key_file, private_key)
        _write_private_file(certificate_file, certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    return context


def _is_current(pem: bytes, now: datetime) -> bool:
    from cryptography import x509  # noqa: PLC0415 - only the listener needs it

    return (
        bool(pem) and x509.load_pem_x509_certificate(pem).not_valid_after_utc > now + RENEW_BEFORE
    )


def _make_certificate(now: datetime) -> tuple[bytes, bytes]:
    """Create a self-signed certificate and its key."""
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - as above
    from cryptography.x509.oid import NameOID  # noqa: PLC0415 - as above

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pannier listen")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + CERTIFICATE_LIFETIME)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(LISTENER_HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM), private_key


def _write_private_file(file: Path, content: bytes) -> None:
    new_file = file.with_suffix(".new")
    with os.fdopen(os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as output:
        output.write(content)
    new_file.replace(file)
