"""Devices that signed in before, told from strangers.

Whoever signs in is given a *device proof*. It lets nobody in: it only says that the right one was
here before, so that what strangers try is not counted against them. Without one, the network of an
earlier sign-in speaks for a caller. Nothing of a proof is kept: it is signed for its holder.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from pannier.accounts.tokens.auth import cookie
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.kit import ids
from pannier.kit.crypto import Keyring
from pannier.web import addresses
from pannier.web.exchange import Exchange

HEADER: Final = b"device-proof"
COOKIE: Final = "pannier_device"
PREFIX: Final = "dpf"
# For how long a browser keeps it, and a network is remembered.
LASTS: Final = timedelta(days=180)
LONGEST_AGENT: Final = 200
_SIGNING: Final = "device proof"
_LONGEST: Final = 64


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


def prove(keys: Keyring, holder: Holder, origin: Origin) -> str:
    """Give a holder's device its proof; one that it has already stays."""
    if _reads(keys, holder, origin.proof):
        return origin.proof
    identifier = ids.random_text(16)
    signature = keys.sign(_SIGNING, _message(holder, identifier))
    return f"{PREFIX}_{identifier}_{signature.hex()}"


async def place(db: Db, holder: Holder, origin: Origin) -> Place | None:
    """Tell from where a holder signed in before that this is; None for a stranger.

    The same is done for a holder who does not exist, so that nobody can time it.
    """
    seen = await db.value(
        """select exists(select from tokens
               where company = :company and kind = :kind and holder = :holder
                 and address = :network and address <> '' and created_at > :since
                 and (revoked_at is null or revoked_by = 'logout'))""",
        **holder.columns,
        network=origin.network,
        since=db.now - LASTS,
    )
    if _reads(db.database.keys, holder, origin.proof):
        return Place(f"{holder.uuid}:{origin.proof.split('_')[1]}", proved=True)
    return Place(f"{holder.uuid}:{origin.network}", proved=False) if seen else None


def _reads(keys: Keyring, holder: Holder, text: str) -> bool:
    """Tell whether a text is a proof of ours for this holder."""
    prefix, _, rest = text[:_LONGEST].partition("_")
    identifier, _, signature = rest.partition("_")
    try:
        offered = bytes.fromhex(signature)
    except ValueError:
        offered = b""
    return keys.verified(_SIGNING, _message(holder, identifier), offered) and prefix == PREFIX


def _message(holder: Holder, identifier: str) -> bytes:
    return f"{holder.kind}:{holder.uuid}:{identifier}".encode()
