"""Receive webhooks with Python 3.9 or later and nothing else.

WEBHOOK_SECRET holds the secret, or several with spaces between them.

    python verify.py serve 8080
    python verify.py check body-file headers-json-file
"""
# ruff: noqa: INP001, T201 - an example to copy, not a package; it prints

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WINDOW = 300  # seconds
MOST_BYTES = 4 * 1024 * 1024  # what is longer is cut, and so does not match
SECRET = re.compile(r"whsec_([A-Za-z0-9+/]{32,}={0,2})")


def verified(body: bytes, headers: Mapping[str, str], secrets: Sequence[str]) -> bool:
    """Tell whether the raw body was signed with one of the secrets."""
    if not secrets or not all(SECRET.fullmatch(secret) for secret in secrets):
        raise ValueError("A secret must be whsec_ followed by base64.")
    sent = {name.lower(): value for name, value in headers.items()}
    if any(name in sent for name in ("webhook-id", "webhook-timestamp", "webhook-signature")):
        return standard(body, sent, secrets)
    names = ("x-service-signature", "x-service-signature-previous")
    given = [sent.get(name, "").removeprefix("sha256=") for name in names]
    known = [hmac.new(key.encode(), body, hashlib.sha256).hexdigest() for key in secrets]
    return matches(given, known)


def standard(body: bytes, sent: Mapping[str, str], secrets: Sequence[str]) -> bool:
    """Check the signature of Standard Webhooks, which covers id, time and body."""
    name, moment = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    # The id has no full stop: it could move the borders between the three parts.
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name) or not re.fullmatch(r"[0-9]{1,12}", moment):
        return False
    if abs(time.time() - int(moment)) > WINDOW:
        return False
    content = f"{name}.{moment}.".encode() + body
    keys = [base64.b64decode(secret[len("whsec_") :]) for secret in secrets]
    codes = [hmac.new(key, content, hashlib.sha256).digest() for key in keys]
    known = ["v1," + base64.b64encode(code).decode() for code in codes]
    return matches(sent.get("webhook-signature", "").split(" "), known)


def matches(given: Sequence[str], known: Sequence[str]) -> bool:
    """Compare in a time that tells nothing."""
    return any(
        hmac.compare_digest(one.encode(errors="replace"), other.encode())
        for one in given
        for other in known
    )


class Receiver(BaseHTTPRequestHandler):
    """Answers 200 to what we signed and 401 to anything else."""

    def do_POST(self) -> None:
        """Verify first, answer at once, work later."""
        length = self.headers.get("Content-Length", "")
        body = self.rfile.read(min(int(length), MOST_BYTES) if length.isdecimal() else 0)
        genuine = verified(body, dict(self.headers.items()), SECRETS)
        if genuine:
            print(json.loads(body)["event"])  # put it into your queue here
        self.send_response(200 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()


SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()

if __name__ == "__main__":
    if sys.argv[1] == "check":
        request = Path(sys.argv[2]).read_bytes(), json.loads(Path(sys.argv[3]).read_text())
        sys.exit(0 if verified(*request, SECRETS) else 1)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver).serve_forever()
