"""A receiver in a process of its own: takes deliveries over TLS and writes each of them down.

`python letterbox.py FOLDER` says its port and serves until its standard input ends. The folder
gets `trust.pem` and `received`, a line for every request. At `/name/20` it answers within 20
milliseconds, and finds the secret in the file `name`.
"""

import asyncio
import random
import ssl
import sys
from functools import cache
from pathlib import Path
from typing import IO, Final

import msgspec
import standardwebhooks
import trustme
import uvloop
from aiohttp import web

from pannier.webhooks import InvalidSignature, verify

HOST: Final = "127.0.0.1"
# The first attempt of an order's first event waits for so long here.
HESITANT, HESITATION = "hesitant", 60.0
OURS: Final = "X-Service-Signature"


class Letter(msgspec.Struct, array_like=True, frozen=True):
    """A request as it came in."""

    box: str
    delivery: str
    attempt: int
    subject: str
    sequence: int
    genuine: bool


class Keeper:
    """Judges every request, writes it down, and only then answers."""

    def __init__(self, folder: Path, received: IO[bytes]) -> None:
        self._received = received
        self._secret = cache(lambda box: (folder / box).read_text())

    async def take(self, request: web.Request) -> web.Response:
        """Take a delivery."""
        body, box = await request.read(), request.match_info["box"]
        letter = Letter(
            box,
            request.headers["webhook-id"],
            int(request.headers["X-Service-Attempt"]),
            msgspec.json.decode(body)["data"]["id"],
            int(request.headers["X-Service-Sequence"]),
            _is_genuine(body, dict(request.headers), self._secret(box)),
        )
        self._received.write(msgspec.json.encode(letter) + b"\n")
        await asyncio.sleep(_pause(letter, int(request.match_info["slowest"])))
        return web.Response()


def _pause(letter: Letter, slowest: int) -> float:
    """Decide how long to think about an answer."""
    if letter.box == HESITANT and letter.sequence == letter.attempt == 1:
        return HESITATION
    return random.random() * slowest / 1000


def _is_genuine(body: bytes, headers: dict[str, str], secret: str) -> bool:
    """Ask the library of Standard Webhooks, and our own verifier about both signatures."""
    try:
        theirs = standardwebhooks.Webhook(secret).verify(body, headers)
        ours = verify(body, headers, secret)
        plain = verify(body, {OURS: headers[OURS]}, secret)
    except (InvalidSignature, standardwebhooks.WebhookVerificationError):
        return False
    return bool(theirs == ours == plain)


def _context(folder: Path) -> ssl.SSLContext:
    """Make a certificate, and write down whom to trust."""
    authority, made = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(made)
    authority.cert_pem.write_to_path(folder / "trust.pem")
    return made


async def serve(folder: Path) -> None:
    """Serve until nobody is left who could ask."""
    with (folder / "received").open("wb", buffering=0) as received:
        application = web.Application()
        application.router.add_post("/{box}/{slowest}", Keeper(folder, received).take)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, HOST, 0, ssl_context=_context(folder), shutdown_timeout=0)
        await site.start()
        sys.stdout.write(f"{runner.addresses[0][1]}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()


if __name__ == "__main__":
    uvloop.run(serve(Path(sys.argv[1])))
