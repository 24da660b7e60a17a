"""Access to the tracking page: by its link, or by a secret that the recipient knows.

A tracking number has 55 bits but is printed on the label, so it shows nothing on its own. Without
the link, a visitor enters the postcode or the last digits of the recipient's phone number. Wrong
attempts are counted for each network, both at one number and at all numbers, so that a stranger's
attempts do not lock the recipient out. When many networks try one number together, each of them has
two attempts a day left. Numbers that do not exist are counted and answered like those that do.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from litestar.datastructures import Cookie

from pannier.accounts.tokens.auth import cookie
from pannier.db import Database
from pannier.errors import TooManyRequests
from pannier.kit import crypto
from pannier.kit.crypto import Keyring
from pannier.orders.tracking import links
from pannier.orders.tracking.links import Ticket
from pannier.tracking.parcel import Parcel, end, known_to_recipient, plain
from pannier.web import addresses, attempts
from pannier.web.budgets import Budget
from pannier.web.exchange import Exchange
from pannier.web.limits import Rate

PURPOSE: Final = "tracking-pass"
PASS_LIFE: Final = timedelta(hours=12)
# Wrong attempts: a network at one number, a network at all numbers, all networks at one number, and
# a network at one number once the limit of all networks is used up.
OF_VISITOR: Final = (10, timedelta(days=1))
OF_ADDRESS: Final = (30, timedelta(hours=1))
OF_NUMBER: Final = (100, timedelta(days=1))
OF_VISITOR_IN_A_CROWD: Final = (2, timedelta(days=1))
# Pages refresh four times a minute, and many people can share one address.
LOOKS_OF_ADDRESS: Final = Rate(300, 60.0)
LOOKS_OF_NUMBER: Final = Rate(60, 60.0)
LONGEST: Final = 20
# With this many digits, the secret may be a whole phone number.
PHONE: Final = 7
_PASS: Final = re.compile(r"([0-9]{1,12})\.([A-Za-z0-9_-]{22})", re.ASCII)


class Access(msgspec.Struct, frozen=True):
    """What a visitor can see: the page, and the proof of delivery."""

    page: bool
    proof: Ticket


def access(exchange: Exchange, number: str, key: str, proof: str) -> Access:
    """Check the key or the proof ticket in the address, or the visitor's pass.

    Views are limited by network and by number. Views without access have a limit of their own, so
    that strangers cannot block visitors who have access.
    """
    keys, now = exchange.db.database.keys, exchange.db.now
    shown = links.ticket(keys, number, proof, now)
    page = (
        shown != "foreign"
        or links.is_key(keys, number, key)
        or _is_pass(keys, number, cookie(exchange, named(number)), now)
    )
    near, whose = addresses.neighbourhood(exchange.address), "known" if page else "strange"
    exchange.edge.limit(f"tracking:{near}", LOOKS_OF_ADDRESS, exchange)
    exchange.edge.limit(f"tracking-number:{whose}:{number}", LOOKS_OF_NUMBER, exchange)
    return Access(page, shown)


async def try_at(exchange: Exchange, parcel: Parcel | None, number: str, said: str) -> bool:
    """Return whether the secret is correct. A wrong one counts as an attempt."""
    database: Database = exchange.edge.database
    near = addresses.neighbourhood(exchange.address)
    own = [
        Budget(f"tracking-tries:{number}:{near}", *OF_VISITOR),
        Budget(f"tracking-tries-from:{near}", *OF_ADDRESS),
    ]
    everybody = Budget(f"tracking-tries:{number}", *OF_NUMBER)
    in_a_crowd = Budget(f"tracking-tries-in-a-crowd:{number}:{near}", *OF_VISITOR_IN_A_CROWD)
    try:
        attempt = await attempts.begin(database, [*own, everybody])
    except TooManyRequests:
        attempt = await attempts.begin(database, [*own, in_a_crowd])
    right = parcel is not None and _matches(parcel, said)
    if right:
        await attempt.succeed()
    return right


def _matches(parcel: Parcel, said: str) -> bool:
    known = [each.encode() for each in known_to_recipient(parcel)]
    offered = plain(said[:LONGEST])
    if offered and crypto.among(known, offered.encode()):
        return True
    # Only the last digits of a whole phone number are compared.
    whole = offered.isdigit() and len(offered) >= PHONE
    return whole and crypto.among(known, end(offered).encode())


def named(number: str) -> str:
    """Return the name of the cookie that holds the pass of a number."""
    return f"pannier_t_{number}"


def pass_for(exchange: Exchange, number: str) -> Cookie:
    """Return a signed cookie that gives access without the secret for `PASS_LIFETIME`."""
    until = str(int((exchange.db.now + PASS_LIFE).timestamp()))
    signed = exchange.db.database.keys.sign(PURPOSE, f"{number} {until}".encode())
    return Cookie(
        named(number), value=f"{until}.{crypto.to_text(signed)}", path="/t",
        max_age=int(PASS_LIFE.total_seconds()), httponly=True, samesite="lax",
        secure=exchange.secure,
    )  # fmt: skip


def _is_pass(keys: Keyring, number: str, text: str, now: datetime) -> bool:
    found = _PASS.fullmatch(text)
    if found is None:
        return False
    ours = keys.signatures(PURPOSE, f"{number} {found[1]}".encode())
    genuine = crypto.among([crypto.to_text(each).encode() for each in ours], found[2].encode())
    return genuine and now < datetime.fromtimestamp(int(found[1]), UTC)
