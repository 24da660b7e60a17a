"""Signed links for recipients: the tracking page, and for a while the proof of delivery.

Anybody can read the number on a parcel's label. The link also carries a key, so that its recipient
needs no further authentication.
"""

import base64
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, Literal

from pannier.db import Db
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

PAGE: Final = "tracking-page"
PROOF: Final = "tracking-proof"
# 72 bits, as fifteen letters and digits. An SMS is short, and phones exclude a trailing dash or dot
# from a link.
KEY_BYTES: Final = 9
_TICKET: Final = re.compile(r"([0-9]{1,12})\.([a-z2-7]{15})", re.ASCII)
Ticket = Literal["good", "expired", "foreign"]


def link(keys: Keyring, base_url: str, number: str) -> str:
    """Build the URL of a number's tracking page."""
    return f"{base_url.rstrip('/')}/t/{number}?k={_signed(keys, PAGE, number)[0]}"


def proof_link(keys: Keyring, base_url: str, number: str, expires: datetime) -> str:
    """Build the URL of a tracking page that shows the proof until it expires."""
    seconds = str(int(expires.timestamp()))
    ticket = f"{seconds}.{_signed(keys, PROOF, f'{number} {seconds}')[0]}"
    return f"{base_url.rstrip('/')}/t/{number}?proof={ticket}"


def url(db: Db, number: str) -> str:
    """Build the tracking page's URL at this installation."""
    return link(db.database.keys, db.database.base_url, number)


def way_out(db: Db, number: str) -> str:
    """Build the URL where a recipient unsubscribes from notifications about a number."""
    page, _, key = url(db, number).partition("?")
    return f"{page}/news?{key}"


def naming(address: str, person: str) -> str:
    """Add the recipient to a URL, because several people may track the same number."""
    return f"{address}&person={person}"


def is_key(keys: Keyring, number: str, offered: str) -> bool:
    """Return whether a key opens the page of a number."""
    return _among(_signed(keys, PAGE, number), offered)


def ticket(keys: Keyring, number: str, offered: str, now: datetime) -> Ticket:
    """Return whether a ticket shows the proof, has expired, or is not ours."""
    found = _TICKET.fullmatch(offered)
    if found is None or not _among(_signed(keys, PROOF, f"{number} {found[1]}"), found[2]):
        return "foreign"
    return "good" if now < datetime.fromtimestamp(int(found[1]), UTC) else "expired"


def _signed(keys: Keyring, purpose: str, message: str) -> list[str]:
    signatures = keys.signatures(purpose, message.encode())
    spelled = [base64.b32encode(signed[:KEY_BYTES]).decode() for signed in signatures]
    return [text.rstrip("=").lower() for text in spelled]


def _among(ours: Iterable[str], offered: str) -> bool:
    return crypto.among([each.encode() for each in ours], offered.encode(errors="replace"))
