"""Links for recipients: the page of a tracking number, and for a while the proof on it.

A number stands on the label of a parcel, where anybody reads it. Its link carries a key as well,
so that whoever was sent it is not asked for anything.
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
# 72 bits, as fifteen letters and digits: an SMS is short, and phones leave a dash or a dot at the
# end of an address out of the link.
KEY_BYTES: Final = 9
_TICKET: Final = re.compile(r"([0-9]{1,12})\.([a-z2-7]{15})", re.ASCII)
Ticket = Literal["good", "expired", "foreign"]


def link(keys: Keyring, base_url: str, number: str) -> str:
    """Spell the address under which a recipient follows what has a number."""
    return f"{base_url.rstrip('/')}/t/{number}?k={_signed(keys, PAGE, number)[0]}"


def proof_link(keys: Keyring, base_url: str, number: str, expires: datetime) -> str:
    """Spell the address under which a recipient sees the proof of delivery too, until a moment."""
    seconds = str(int(expires.timestamp()))
    ticket = f"{seconds}.{_signed(keys, PROOF, f'{number} {seconds}')[0]}"
    return f"{base_url.rstrip('/')}/t/{number}?proof={ticket}"


def url(db: Db, number: str) -> str:
    """Spell the link of a number, at this installation."""
    return link(db.database.keys, db.database.base_url, number)


def way_out(db: Db, number: str) -> str:
    """Spell the address under which a recipient stops the news of what has a number."""
    page, _, key = url(db, number).partition("?")
    return f"{page}/news?{key}"


def naming(address: str, person: str) -> str:
    """Say in an address to whom it was sent, where several follow the same number."""
    return f"{address}&person={person}"


def is_key(keys: Keyring, number: str, offered: str) -> bool:
    """Tell whether a key opens the page of a number."""
    return _among(_signed(keys, PAGE, number), offered)


def ticket(keys: Keyring, number: str, offered: str, now: datetime) -> Ticket:
    """Tell whether a link shows the proof: one that has expired was ours all the same."""
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
