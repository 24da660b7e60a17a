"""Operators sign in and out."""

import hashlib
from datetime import timedelta
from typing import Final, NamedTuple

from pannier.accounts import queries, service
from pannier.accounts.audit import record
from pannier.accounts.auth import Caller
from pannier.accounts.models import Operator
from pannier.accounts.queries import OPERATORS
from pannier.accounts.schemas import MeChange, OperatorChange
from pannier.accounts.service import holder
from pannier.accounts.tokens import known
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin, Place
from pannier.accounts.tokens.models import Holder, Token
from pannier.db import Database, Db
from pannier.errors import Field, Invalid, NotFound, TooManyRequests, Unauthenticated
from pannier.kit import email
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import budgets
from pannier.web.budgets import Budget
from pannier.web.fields import given_fields, leave_out_fixed

BY_ADDRESS: Final = (50, timedelta(hours=1))
WRONG: Final = "This is not the present password."
BY_IDENTITY: Final = ((5, timedelta(minutes=5)), (20, timedelta(hours=1)))


class LoginFailed(Unauthenticated):
    """Address or password is wrong; which of them, we do not tell."""

    code = "login_failed"
    title = "The e-mail address or the password is wrong."


class Recognised(NamedTuple):
    """Whose password was right, and its new hash where the present one is out of date."""

    operator: Operator
    rehash: str | None


class Checked(NamedTuple):
    """The hash of the password that somebody knew, and that of the one they want."""

    present: str
    hashed: str


class SignedIn(NamedTuple):
    """A session, the token that is shown once, and the proof that the device keeps."""

    operator: Operator
    token: Token
    text: str
    proof: str


def life(settings: Settings) -> timedelta:
    """Answer how long a session lasts."""
    return timedelta(hours=settings.session_hours)


def proof_life(settings: Settings) -> timedelta:
    """Answer how long a device proof is good for: no longer than the row of its session is kept."""
    return min(known.LASTS, life(settings) + timedelta(days=settings.token_retention_days))


async def recognised(
    database: Database,
    hasher: Passwords,
    *,
    email_text: str,
    password: str,
    company: str | None,
    origin: Origin,
) -> Recognised:
    """Check address and password, at the same cost and pace whether or not they are known.

    No connection is held while a hash is computed: others may need it. What is wrong counts
    against each operator who has the address, for each company apart: whoever is right in one
    has shown nothing to the others.
    """
    key = _key(email_text)
    candidates = await _candidates(database, key, company, origin)
    paid = await _charge_network(database, candidates, origin)
    names = [candidate.name for candidate in candidates] or [_nobody(key)]
    waits = [await _charged(database, name) for name in names]
    able = [each for each, wait in zip(candidates, waits, strict=False) if not wait]
    found = None if any(waits) and not able else await _whose(hasher, able, password)
    if found is None:
        raise TooManyRequests(max(waits)) if any(waits) else LoginFailed
    await _forgive(database, found, paid)
    again = hasher.needs_rehash(found.operator.password_hash)
    return Recognised(found.operator, await hasher.hash(password) if again else None)


class _Candidate(NamedTuple):
    """An operator who has the address, and where the caller stands to them."""

    operator: Operator
    place: Place | None

    @property
    def name(self) -> str:
        """What is counted: a known place's tries apart from those of all strangers together."""
        return f"login:{self.operator.uuid if self.place is None else self.place.name}"


async def _candidates(
    database: Database, email_key: str, company: str | None, origin: Origin
) -> list[_Candidate]:
    async with database.reading() as db:
        operators = await queries.operators_by_email(db, email_key, company)
        # For an address that nobody has, somebody is looked for all the same.
        nobody = Holder(db.new_uuid(), "operator", db.new_uuid(), "")
        holders = [holder(operator) for operator in operators] or [nobody]
        places = [await known.place(db, each, origin) for each in holders]
    return [_Candidate(*each) for each in zip(operators, places, strict=False)]


async def _charge_network(
    database: Database, candidates: list[_Candidate], origin: Origin
) -> list[str]:
    """Count a try against the network, unless the device is known to all; answer what was paid."""
    places = [candidate.place for candidate in candidates]
    if places and all(place is not None and place.proved for place in places):
        return []
    network = f"login-from:{origin.network}"
    await budgets.spend(database, [Budget(network, *BY_ADDRESS)])
    return [network]


async def _forgive(database: Database, found: _Candidate, paid: list[str]) -> None:
    """Take back what the right try cost; whoever is known begins anew, strangers do not."""
    await budgets.take_back(database, [found.name, *paid])
    if found.place is not None:
        await budgets.refund(database, found.name)


def _nobody(email_key: str) -> str:
    """Name what is counted for an address that nobody has, without telling it."""
    return "login:" + hashlib.sha256(email_key.encode()).hexdigest()


async def _charged(database: Database, name: str) -> float:
    """Count a try; answer how many seconds to wait when there were too many, else 0."""
    try:
        await budgets.spend(database, [Budget(name, *limit) for limit in BY_IDENTITY])
    except TooManyRequests as refusal:
        return refusal.wait
    return 0


async def sign_in(db: Db, recognised: Recognised, *, origin: Origin, life: timedelta) -> SignedIn:
    """Open a session for whose password was right, unless they were changed meanwhile."""
    operator = recognised.operator
    try:
        row = await OPERATORS.take(db, operator.company, operator.uuid)
    except NotFound:
        raise LoginFailed from None
    if row.password_hash != operator.password_hash or row.disabled_at is not None:
        raise LoginFailed
    if recognised.rehash is not None:
        await db.update("operators", row.uuid, password_hash=recognised.rehash)
    return await open_session(db, row, life, "password", origin)


async def _whose(
    hasher: Passwords, candidates: list[_Candidate], password: str
) -> _Candidate | None:
    """Find whom the password belongs to; for nobody, a hash is computed all the same."""
    for candidate in candidates:
        if await hasher.verify(candidate.operator.password_hash, password):
            return candidate
    if not candidates:
        await hasher.verify(None, password)
    return None


def _key(email_text: str) -> str:
    try:
        return email.key(email.normalise(email_text))
    except ValueError:
        return email_text.strip().casefold()


async def open_session(
    db: Db,
    operator: Operator,
    life: timedelta,
    method: str = "command",
    origin: Origin = Origin(),  # noqa: B008 - a tuple
) -> SignedIn:
    """Start a session for an operator."""
    opened = await tokens.open_token(db, holder(operator), method, origin, life=life)
    return SignedIn(operator, *opened)


async def new_password(
    database: Database, hasher: Passwords, caller: Caller, change: MeChange
) -> Checked | None:
    """See that whoever sets a password has the present one, and hash the new one.

    Nothing is held meanwhile.
    """
    if not isinstance(change.password, str):
        return None
    async with database.reading() as db:
        operator = await OPERATORS.get(db, caller.company, caller.uuid)
    present = change.current_password if isinstance(change.current_password, str) else ""
    # Apart for each sign-in: whoever has another one cannot use up these tries.
    key = f"operator-password:{caller.token}"
    await budgets.spend(database, [Budget(key, *limit) for limit in BY_IDENTITY])
    if not await hasher.verify(operator.password_hash, present):
        raise Invalid(fields=[Field("current_password", WRONG)])
    await budgets.refund(database, key)
    hashed = await service.new_hash(hasher, operator, change.password)
    return Checked(operator.password_hash, hashed)


async def change_self(
    db: Db, caller: Caller, operator: Operator, change: MeChange, checked: Checked | None
) -> Operator:
    """Change one's own name or password; the password needs the present one."""
    leave_out_fixed(given_fields(change), operator, "email", "role")
    if checked is not None and checked.present != operator.password_hash:
        raise Invalid(fields=[Field("current_password", WRONG)])
    new = OperatorChange(name=change.name, password=change.password)
    return await service.change_operator(
        db, operator, new, checked and checked.hashed, known=str(caller.token)
    )


async def sign_out(db: Db, caller: Caller) -> None:
    """End a session."""
    await tokens.revoke(db, caller.holder, caller.token, by="logout")
    record(db, caller.company, "operator.signed_out", caller.public_id)
