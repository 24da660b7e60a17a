"""Access to the tracking page, by its link or by a secret that the recipient knows.

A tracking number has 55 bits but is printed on the label, so it shows nothing on its own. Without
the link, a visitor enters the postcode or the last digits of the recipient's phone number. Wrong
attempts are counted for each network, both at one number and at all numbers, so that a stranger's
attempts do not lock the recipient out. When many networks try one number together, each of them has
two attempts a day left. Numbers that do not exist are counted and answered like those that do.

A change needs both: a link can be forwarded, and anybody at the door knows the postcode.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from litestar.datastructures import Cookie

from pannier.accounts.tokens.auth import read_cookie
from pannier.db import Database
from pannier.errors import TooManyRequests
from pannier.kit import crypto
from pannier.kit.crypto import Keyring
from pannier.orders.tracking import links
from pannier.orders.tracking.links import TicketState
from pannier.tracking.parcel import TrackedParcel, get_last_digits, list_secrets, normalise_code
from pannier.web import addresses, attempts
from pannier.web.budgets import Budget
from pannier.web.exchange import Exchange
from pannier.web.limits import Rate

PURPOSE: Final = "tracking-pass"
PASS_LIFETIME: Final = timedelta(hours=12)
# Wrong attempts: a network at one number, a network at all numbers, all networks at one number, and
# a network at one number once the limit of all networks is used up.
VISITOR_ATTEMPTS: Final = (10, timedelta(days=1))
ADDRESS_ATTEMPTS: Final = (30, timedelta(hours=1))
NUMBER_ATTEMPTS: Final = (100, timedelta(days=1))
REDUCED_VISITOR_ATTEMPTS: Final = (2, timedelta(days=1))
# Pages refresh four times a minute, and many people can share one address.
ADDRESS_VIEW_RATE: Final = Rate(300, 60.0)
NUMBER_VIEW_RATE: Final = Rate(60, 60.0)
MAX_SECRET_LENGTH: Final = 20
# With this many digits, the secret may be a whole phone number.
MIN_PHONE_DIGITS: Final = 7
_PASS: Final = re.compile(r"([0-9]{1,12})\.([A-Za-z0-9_-]{22})", re.ASCII)


class Access(msgspec.Struct, frozen=True):
    """A visitor's access to the page and to the proof of delivery."""

    can_view: bool
    # Whether the visitor followed a link from a message, and also knows a secret.
    has_link: bool
    can_change: bool
    proof: TicketState


def check_access(exchange: Exchange, number: str, key: str, proof: str) -> Access:
    """Check the key or the proof ticket in the address, or the visitor's pass.

    Views are limited by network and by number. Views without access are counted separately,
    so that strangers cannot block visitors who have access.
    """
    keys, now = exchange.db.database.keys, exchange.db.now
    ticket = links.get_ticket_state(keys, number, proof, now)
    has_link = ticket != "foreign" or links.is_valid_key(keys, number, key)
    has_pass = _is_valid_pass(keys, number, read_cookie(exchange, cookie_name(number)), now)
    can_view = has_link or has_pass
    network, audience = (
        addresses.get_rate_limit_network(exchange.address),
        "known" if can_view else "strange",
    )
    exchange.edge.count_hit(f"tracking:{network}", ADDRESS_VIEW_RATE, exchange)
    exchange.edge.count_hit(f"tracking-number:{audience}:{number}", NUMBER_VIEW_RATE, exchange)
    return Access(can_view, has_link, has_link and has_pass, ticket)


async def verify_secret(
    exchange: Exchange, parcel: TrackedParcel | None, number: str, secret: str
) -> bool:
    """Return whether the secret is correct. A wrong secret counts as an attempt."""
    database: Database = exchange.edge.database
    network = addresses.get_rate_limit_network(exchange.address)
    visitor_budgets = [
        Budget(f"tracking-tries:{number}:{network}", *VISITOR_ATTEMPTS),
        Budget(f"tracking-tries-from:{network}", *ADDRESS_ATTEMPTS),
    ]
    shared_budget = Budget(f"tracking-tries:{number}", *NUMBER_ATTEMPTS)
    reduced_budget = Budget(
        f"tracking-tries-in-a-crowd:{number}:{network}", *REDUCED_VISITOR_ATTEMPTS
    )
    try:
        attempt = await attempts.begin(database, [*visitor_budgets, shared_budget])
    except TooManyRequests:
        attempt = await attempts.begin(database, [*visitor_budgets, reduced_budget])
    is_correct = parcel is not None and _is_correct_secret(parcel, secret)
    if is_correct:
        await attempt.succeed()
    return is_correct


def _is_correct_secret(parcel: TrackedParcel, secret: str) -> bool:
    secrets = [known_secret.encode() for known_secret in list_secrets(parcel)]
    normalised_secret = normalise_code(secret[:MAX_SECRET_LENGTH])
    if normalised_secret and crypto.contains(secrets, normalised_secret.encode()):
        return True
    # Only the last digits of a whole phone number are compared.
    is_full_number = normalised_secret.isdigit() and len(normalised_secret) >= MIN_PHONE_DIGITS
    return is_full_number and crypto.contains(secrets, get_last_digits(normalised_secret).encode())


def cookie_name(number: str) -> str:
    """Return the name of the cookie that holds the pass of a number."""
    return f"pannier_t_{number}"


def make_pass(exchange: Exchange, number: str) -> Cookie:
    """Return a signed cookie that gives access without the secret for `PASS_LIFETIME`."""
    expires_at = str(int((exchange.db.now + PASS_LIFETIME).timestamp()))
    signature = exchange.db.database.keys.sign(PURPOSE, f"{number} {expires_at}".encode())
    return Cookie(
        cookie_name(number), value=f"{expires_at}.{crypto.to_text(signature)}", path="/t",
        max_age=int(PASS_LIFETIME.total_seconds()), httponly=True, samesite="lax",
        secure=exchange.secure,
    )  # fmt: skip


def _is_valid_pass(keys: Keyring, number: str, text: str, now: datetime) -> bool:
    match = _PASS.fullmatch(text)
    if match is None:
        return False
    signatures = keys.signatures(PURPOSE, f"{number} {match[1]}".encode())
    is_genuine = crypto.contains(
        [crypto.to_text(signature).encode() for signature in signatures], match[2].encode()
    )
    return is_genuine and now < datetime.fromtimestamp(int(match[1]), UTC)
