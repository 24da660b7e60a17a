"""Devices and networks that signed in before.

Every sign-in gets a *device proof*. It grants no access: it shows that the right person signed in
here before, so that attempts by strangers do not count against them. Without a proof, the network
of an earlier sign-in counts. A proof names its sign-in and is signed for its holder. Proof and
network are valid while the sign-in *vouches*: a logout does not end that, but revoking the sign-in
for another reason does, and so does ending all sign-ins.
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
# How long a sign-in vouches.
LASTS: Final = timedelta(days=180)
LONGEST_AGENT: Final = 200
_SIGNING: Final = "device proof"
_SESSION: Final = "session_"
_LONGEST: Final = 128


class Origin(NamedTuple):
    """Where a sign-in comes from: address, browser and device proof."""

    address: str = ""
    user_agent: str = ""
    proof: str = ""

    @classmethod
    def of(cls, exchange: Exchange) -> "Origin":
        agent = exchange.headers.get(b"user-agent", b"").decode("latin-1")
        proof = exchange.headers.get(HEADER, b"").decode("latin-1").strip()
        return cls(exchange.address, agent[:LONGEST_AGENT], proof or cookie(exchange, COOKIE))

    @property
    def network(self) -> str:
        """The network that shares a rate limit."""
        return addresses.neighbourhood(self.address)


class Place(NamedTuple):
    """A device or network that signed in before; `proved` if the device showed its proof."""

    name: str
    proved: bool


class _Vouched(msgspec.Struct):
    by_proof: bool
    by_network: bool


def prove(keys: Keyring, holder: Holder, session: str) -> str:
    """Make the proof for a sign-in's device."""
    name = session.removeprefix(_SESSION)
    return f"{PREFIX}_{name}_{keys.sign(_SIGNING, _message(holder, name)).hex()}"


async def place(db: Db, holder: Holder, origin: Origin) -> Place | None:
    """Find the earlier sign-in's origin that this one matches; None for a stranger.

    The same query runs for a holder who does not exist, so that timing reveals nothing.
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
    """Return the session that the device's proof is valid for; an empty text if none."""
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
