"""Signed links for recipients: to the tracking page, and for a limited time to the proof.

Anybody can read the number on a parcel's label. The link also carries a key that
authenticates its recipient.
"""

import base64
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, Literal

from pannier.db import Db
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

PAGE_PURPOSE: Final = "tracking-page"
PROOF_PURPOSE: Final = "tracking-proof"
# 72 bits, as fifteen letters and digits. An SMS is short, and phones exclude a trailing dash or dot
# from a link.
KEY_BYTES: Final = 9
_TICKET: Final = re.compile(r"([0-9]{1,12})\.([a-z2-7]{15})", re.ASCII)
TicketState = Literal["good", "expired", "foreign"]


def page_link(keys: Keyring, base_url: str, number: str) -> str:
    """Build the URL of a number's tracking page."""
    return f"{base_url.rstrip('/')}/t/{number}?k={_sign_message(keys, PAGE_PURPOSE, number)[0]}"


def proof_link(keys: Keyring, base_url: str, number: str, expires_at: datetime) -> str:
    """Build the URL of a tracking page that shows the proof until `expires_at`."""
    return f"{base_url.rstrip('/')}/t/{number}?proof={make_ticket(keys, number, expires_at)}"


def make_ticket(keys: Keyring, number: str, expires_at: datetime) -> str:
    """Make a ticket for the proof of a number."""
    seconds = str(int(expires_at.timestamp()))
    return f"{seconds}.{_sign_message(keys, PROOF_PURPOSE, f'{number} {seconds}')[0]}"


def page_url(db: Db, number: str) -> str:
    """Build the tracking page's URL at this installation."""
    return page_link(db.database.keys, db.database.base_url, number)


def unsubscribe_url(db: Db, number: str) -> str:
    """Build the URL where a recipient unsubscribes from notifications about a number."""
    page, _, key = page_url(db, number).partition("?")
    return f"{page}/news?{key}"


def add_recipient(link: str, person: str) -> str:
    """Add the recipient to a URL, because several people may track the same number."""
    return f"{link}&person={person}"


def is_valid_key(keys: Keyring, number: str, key: str) -> bool:
    """Return whether a key opens the page of a number."""
    return _has_signature(_sign_message(keys, PAGE_PURPOSE, number), key)


def get_ticket_state(keys: Keyring, number: str, ticket: str, now: datetime) -> TicketState:
    """Return whether a ticket is valid, has expired, or was not issued for this number."""
    match = _TICKET.fullmatch(ticket)
    if match is None or not _has_signature(
        _sign_message(keys, PROOF_PURPOSE, f"{number} {match[1]}"), match[2]
    ):
        return "foreign"
    return "good" if now < datetime.fromtimestamp(int(match[1]), UTC) else "expired"


def _sign_message(keys: Keyring, purpose: str, message: str) -> list[str]:
    signatures = keys.signatures(purpose, message.encode())
    texts = [base64.b32encode(signature[:KEY_BYTES]).decode() for signature in signatures]
    return [text.rstrip("=").lower() for text in texts]


def _has_signature(signatures: Iterable[str], key: str) -> bool:
    return crypto.contains(
        [candidate.encode() for candidate in signatures], key.encode(errors="replace")
    )
