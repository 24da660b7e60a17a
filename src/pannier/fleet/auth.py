"""Who is calling: a driver by their own token, where an API key may come too."""

from datetime import datetime
from uuid import UUID

import msgspec

from pannier.accounts import auth
from pannier.accounts.auth import TOUCH_AFTER, Connection, Door, FleetKey
from pannier.db import Db
from pannier.errors import NotFound, Unauthenticated
from pannier.fleet import eligibility
from pannier.fleet.models import DriverStatus
from pannier.kit import credential, crypto, ids
from pannier.kit.credential import Mode, Presented
from pannier.web import idempotency
from pannier.web.exchange import Exchange, current

KIND = "drv"
# How a signed-in driver names themself in a path.
ME = "me"


class Driving(msgspec.Struct, frozen=True):
    """The driver behind a request under `/v1`."""

    company: UUID
    driver: UUID
    public_id: str
    token: UUID


class _Login(msgspec.Struct):
    """What must be known to let a driver in."""

    token: UUID
    secret_hash: bytes
    last_used_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    mode: Mode
    driver: UUID
    public_id: str
    company: UUID
    status: DriverStatus
    deleted_at: datetime | None


def driver_or_key(resource: str) -> Door:
    """Let a driver in by token, or an API key whose scopes cover the resource."""
    by_key = auth.fleet(resource)

    async def door(connection: Connection) -> None:
        exchange = current.get()
        presented = _presented(exchange)
        if presented is None:
            await by_key(connection)
        else:
            await _enter(exchange, presented)

    return door


async def driver(_: Connection) -> None:
    """Let a driver in by token, and nobody else."""
    exchange = current.get()
    presented = _presented(exchange)
    if presented is None:
        raise Unauthenticated(f"Send `Authorization: Bearer {KIND}_…` with a valid credential.")
    await _enter(exchange, presented)


def reach(caller: FleetKey | Driving, identifier: str) -> str | UUID:
    """Name the driver a caller may reach: a key any of its company's, a driver themself."""
    if isinstance(caller, FleetKey):
        return identifier
    itself = identifier in {ME, caller.public_id} or ids.as_uuid(identifier) == caller.driver
    if not itself:
        raise NotFound
    return caller.driver


def own(caller: FleetKey | Driving) -> UUID | None:
    """Name the driver to whose things a caller is held; a key reaches all of its company's."""
    return caller.driver if isinstance(caller, Driving) else None


def _presented(exchange: Exchange) -> Presented | None:
    """Read a driver's token; None when something else was sent, or nothing."""
    sent = exchange.headers.get(b"authorization", b"").decode("latin-1")
    scheme, _, text = sent.partition(" ")
    presented = credential.read(text.strip()) if scheme.lower() == "bearer" else None
    return presented if presented is not None and presented.kind == KIND else None


async def _enter(exchange: Exchange, presented: Presented) -> None:
    """Check the token as it is now: who left or was suspended is out at once."""
    # Looked up apart: while a slow sender's body arrives, no transaction of theirs is open.
    async with exchange.db.database.reading() as db:
        found = await _login(db, presented.id)
    if (
        found is None
        or not crypto.same(found.secret_hash, presented.hash)
        or found.mode != presented.mode
        or found.revoked_at is not None
        or found.deleted_at is not None
        or found.expires_at <= db.now
        or not eligibility.may_work(found.status)
    ):
        raise Unauthenticated("This sign-in has ended; sign in again.")
    exchange.edge.limit(f"driver:{presented.id}", exchange.edge.credential_rate, exchange)
    if found.last_used_at <= db.now - TOUCH_AFTER:
        async with db.database.apart() as aside:
            await aside.update("driver_tokens", found.token, last_used_at=db.now)
    exchange.caller = Driving(found.company, found.driver, found.public_id, found.token)
    await idempotency.begin(exchange, f"driver:{found.driver}")


async def _login(db: Db, token_id: str) -> _Login | None:
    """Find a sign-in by the id its token carries, before its company is known."""
    return await db.find(
        _Login,
        """select t.uuid as token, t.secret_hash, t.last_used_at, t.expires_at, t.revoked_at,
                  c.mode, d.uuid as driver, d.public_id, d.company, d.status, d.deleted_at
           from driver_tokens t join drivers d on d.uuid = t.driver
           join companies c on c.uuid = d.company where t.public_id = :public_id""",
        public_id=f"session_{token_id}",
    )
