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

from pannier.accounts.tokens.auth import read_cookie
from pannier.accounts.tokens.models import Holder
from pannier.db import Db
from pannier.kit.crypto import Keyring
from pannier.web import addresses
from pannier.web.exchange import Exchange

PROOF_HEADER: Final = b"device-proof"
PROOF_COOKIE: Final = "pannier_device"
PROOF_PREFIX: Final = "dpf"
# How long a sign-in vouches.
TRUST_PERIOD: Final = timedelta(days=180)
MAX_USER_AGENT_LENGTH: Final = 200
_SIGNING_PURPOSE: Final = "device proof"
_SESSION_PREFIX: Final = "session_"
_MAX_PROOF_LENGTH: Final = 128


class SigninOrigin(NamedTuple):
    """Where a sign-in comes from: address, browser and device proof."""

    address: str = ""
    user_agent: str = ""
    proof: str = ""

    @classmethod
    def from_exchange(cls, exchange: Exchange) -> "SigninOrigin":
        agent = exchange.headers.get(b"user-agent", b"").decode("latin-1")
        proof = exchange.headers.get(PROOF_HEADER, b"").decode("latin-1").strip()
        return cls(
            exchange.address,
            agent[:MAX_USER_AGENT_LENGTH],
            proof or read_cookie(exchange, PROOF_COOKIE),
        )

    @property
    def network(self) -> str:
        """The network that shares a rate limit."""
        return addresses.get_rate_limit_network(self.address)


class KnownOrigin(NamedTuple):
    """A device or network that signed in before; `proved` if the device showed its proof."""

    budget_name: str
    proved: bool


class _TrustedOrigins(msgspec.Struct):
    by_proof: bool
    by_network: bool


def make_proof(keys: Keyring, holder: Holder, session: str) -> str:
    """Make the proof for a sign-in's device."""
    session_id = session.removeprefix(_SESSION_PREFIX)
    signature = keys.sign(_SIGNING_PURPOSE, _message(holder, session_id)).hex()
    return f"{PROOF_PREFIX}_{session_id}_{signature}"


async def find_known_origin(db: Db, holder: Holder, origin: SigninOrigin) -> KnownOrigin | None:
    """Find the known origin that this sign-in matches; None for a stranger.

    The same query runs for a holder who does not exist, so that timing reveals nothing.
    """
    session = read_proof(db.database.keys, holder, origin)
    match = await db.get(
        _TrustedOrigins,
        """select coalesce(bool_or(public_id = :session), false) as by_proof,
                  coalesce(bool_or(address = :network and address <> ''), false) as by_network
           from tokens where company = :company and kind = :kind and holder = :holder
             and created_at > :since and vouches""",
        **holder.key_columns,
        session=session,
        network=origin.network,
        since=db.now - TRUST_PERIOD,
    )
    if match.by_proof:
        return KnownOrigin(f"{holder.uuid}:{session}", proved=True)
    return (
        KnownOrigin(f"{holder.uuid}:{origin.network}", proved=False) if match.by_network else None
    )


def read_proof(keys: Keyring, holder: Holder, origin: SigninOrigin) -> str:
    """Return the session that the device's proof is valid for; an empty text if none."""
    prefix, _, token = origin.proof[:_MAX_PROOF_LENGTH].partition("_")
    session_id, _, signature = token.partition("_")
    try:
        sent_signature = bytes.fromhex(signature)
    except ValueError:
        sent_signature = b""
    is_valid = (
        keys.is_valid(_SIGNING_PURPOSE, _message(holder, session_id), sent_signature)
        and prefix == PROOF_PREFIX
    )
    return f"{_SESSION_PREFIX}{session_id}" if is_valid else ""


def _message(holder: Holder, session_id: str) -> bytes:
    return f"{holder.kind}:{holder.uuid}:{session_id}".encode()
