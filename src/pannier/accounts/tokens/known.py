"""Devices that signed in before, told from strangers.

Whoever signs in is given a *device proof*. It lets nobody in: it only says that the right one was
here before, so that what strangers try is not counted against them. Without one, the network of an
earlier sign-in speaks for a caller. A proof names its sign-in and is signed for its holder; both
are good as long as that sign-in *vouches*: until somebody ends it, or all of them, for a cause.
"""

from datetime import timedelta
from typing import Final, NamedTuple

import msgspec

from pannier.accounts.tokens.auth import cookie
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.kit.crypto import Keyring
from pannier.web import addresses
from pannier.web.exchange import Exchange

HEADER: Final = b"device-proof"
COOKIE: Final = "pannier_device"
PREFIX: Final = "dpf"
# For how long a sign-in vouches.
LASTS: Final = timedelta(days=180)
LONGEST_AGENT: Final = 200
_SIGNING: Final = "device proof"
_SESSION: Final = "session_"
_LONGEST: Final = 128


class Origin(NamedTuple):
    """Where a sign-in comes from."""

    address: str = ""
    user_agent: str = ""
    proof: str = ""

    @classmethod
    def of(cls, exchange: Exchange) -> "Origin":
        """Look at a request."""
        agent = exchange.headers.get(b"user-agent", b"").decode("latin-1")
        proof = exchange.headers.get(HEADER, b"").decode("latin-1").strip()
        return cls(exchange.address, agent[:LONGEST_AGENT], proof or cookie(exchange, COOKIE))

    @property
    def network(self) -> str:
        """The network that shares an allowance."""
        return addresses.neighbourhood(self.address)


class Place(NamedTuple):
    """Where somebody signed in before: a device that proves it, or a network."""

    name: str
    proved: bool


class _Vouched(msgspec.Struct):
    by_proof: bool
    by_network: bool


def prove(keys: Keyring, holder: Holder, session: str) -> str:
    """Give the device of a sign-in its proof."""
    name = session.removeprefix(_SESSION)
    return f"{PREFIX}_{name}_{keys.sign(_SIGNING, _message(holder, name)).hex()}"


async def place(db: Db, holder: Holder, origin: Origin) -> Place | None:
    """Tell from where a holder signed in before that this is; None for a stranger.

    The same is done for a holder who does not exist, so that nobody can time it.
    """
    session = shown(db.database.keys, holder, origin)
    found = await db.one(
        _Vouched,
        """select coalesce(bool_or(public_id = :session), false) as by_proof,
                  coalesce(bool_or(address = :network and address <> ''), false) as by_network
           from tokens where company = :company and kind = :kind and holder = :holder
             and created_at > :since and vouches""",
        **holder.columns,
        session=session,
        network=origin.network,
        since=db.now - LASTS,
    )
    if found.by_proof:
        return Place(f"{holder.uuid}:{session}", proved=True)
    return Place(f"{holder.uuid}:{origin.network}", proved=False) if found.by_network else None


def shown(keys: Keyring, holder: Holder, origin: Origin) -> str:
    """Name the sign-in whose proof a holder's device shows; nothing is the empty text."""
    prefix, _, rest = origin.proof[:_LONGEST].partition("_")
    name, _, signature = rest.partition("_")
    try:
        offered = bytes.fromhex(signature)
    except ValueError:
        offered = b""
    right = keys.verified(_SIGNING, _message(holder, name), offered) and prefix == PREFIX
    return f"{_SESSION}{name}" if right else ""


def _message(holder: Holder, name: str) -> bytes:
    return f"{holder.kind}:{holder.uuid}:{name}".encode()
