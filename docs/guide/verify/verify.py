"""Receive webhooks with Python 3.9 or later and nothing else.

WEBHOOK_SECRET holds the secret, or several separated by spaces.

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
MAX_BYTES = 4 * 1024 * 1024  # longer bodies are truncated and fail the check
SECRET = re.compile(r"whsec_([A-Za-z0-9+/]{32,}={0,2})")


def is_signed(body: bytes, headers: Mapping[str, str], secrets: Sequence[str]) -> bool:
    """Tell whether the raw body was signed with one of the secrets."""
    if not secrets or not all(SECRET.fullmatch(secret) for secret in secrets):
        raise ValueError("A secret must be whsec_ followed by base64.")
    sent = {name.lower(): value for name, value in headers.items()}
    if any(name in sent for name in ("webhook-id", "webhook-timestamp", "webhook-signature")):
        return is_signed_by_standard(body, sent, secrets)
    names = ("x-service-signature", "x-service-signature-previous")
    sent_signatures = [sent.get(name, "").removeprefix("sha256=") for name in names]
    expected_signatures = [
        hmac.new(key.encode(), body, hashlib.sha256).hexdigest() for key in secrets
    ]
    return has_match(sent_signatures, expected_signatures)


def is_signed_by_standard(body: bytes, sent: Mapping[str, str], secrets: Sequence[str]) -> bool:
    """Check the signature of Standard Webhooks, which covers id, time and body."""
    name, moment = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    # The id must not contain a full stop, which separates the three parts.
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name) or not re.fullmatch(r"[0-9]{1,12}", moment):
        return False
    if abs(time.time() - int(moment)) > WINDOW:
        return False
    content = f"{name}.{moment}.".encode() + body
    keys = [base64.b64decode(secret[len("whsec_") :]) for secret in secrets]
    codes = [hmac.new(key, content, hashlib.sha256).digest() for key in keys]
    expected_signatures = ["v1," + base64.b64encode(code).decode() for code in codes]
    return has_match(sent.get("webhook-signature", "").split(" "), expected_signatures)


def has_match(sent_signatures: Sequence[str], expected_signatures: Sequence[str]) -> bool:
    """Compare signatures in constant time."""
    return any(
        hmac.compare_digest(one.encode(errors="replace"), other.encode())
        for one in sent_signatures
        for other in expected_signatures
    )


class Receiver(BaseHTTPRequestHandler):
    """Responds 200 to signed requests and 401 to others."""

    def do_POST(self) -> None:
        """Verify first, respond immediately, and process the event later."""
        length = self.headers.get("Content-Length", "")
        body = self.rfile.read(min(int(length), MAX_BYTES) if length.isdecimal() else 0)
        is_genuine = is_signed(body, dict(self.headers.items()), SECRETS)
        if is_genuine:
            print(json.loads(body)["event"])  # put it into your queue here
        self.send_response(200 if is_genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()


SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()

if __name__ == "__main__":
    if sys.argv[1] == "check":
        request = Path(sys.argv[2]).read_bytes(), json.loads(Path(sys.argv[3]).read_text())
        sys.exit(0 if is_signed(*request, SECRETS) else 1)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Receiver).serve_forever()
