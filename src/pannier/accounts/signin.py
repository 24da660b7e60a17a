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
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.models import Token
from pannier.accounts.tokens.service import Origin
from pannier.db import Database, Db
from pannier.errors import Field, Invalid, NotFound, Unauthenticated
from pannier.kit import email
from pannier.kit.passwords import Passwords
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget

BY_ADDRESS: Final = (50, timedelta(hours=1))
BY_IDENTITY: Final = ((5, timedelta(minutes=5)), (20, timedelta(hours=1)))


class LoginFailed(Unauthenticated):
    """Address or password is wrong; which of them, we do not tell."""

    code = "login_failed"
    title = "The e-mail address or the password is wrong."


class SignedIn(NamedTuple):
    """A session, and the token that is shown once."""

    operator: Operator
    token: Token
    text: str


def life(session_hours: int) -> timedelta:
    """Answer how long a session lasts."""
    return timedelta(hours=session_hours)


def _identity_key(email_key: str) -> str:
    return "login:" + hashlib.sha256(email_key.encode()).hexdigest()


async def recognised(
    database: Database,
    hasher: Passwords,
    *,
    email_text: str,
    password: str,
    company: str | None,
    address: str,
) -> Operator:
    """Check address and password, at the same cost and pace whether or not they are known.

    No connection is held while a hash is computed: others may need it.
    """
    key = _key(email_text)
    identity = _identity_key(key)
    await budgets.spend(
        database,
        [
            Budget(f"login-from:{addresses.neighbourhood(address)}", *BY_ADDRESS),
            *(Budget(identity, count, span) for count, span in BY_IDENTITY),
        ],
    )
    async with database.reading() as db:
        candidates = await queries.operators_by_email(db, key, company)
    operator = await _whose(hasher, candidates, password)
    if operator is None:
        raise LoginFailed
    async with database.apart() as db:
        await budgets.refund(db, identity)
    return operator


async def sign_in(
    db: Db,
    hasher: Passwords,
    operator: Operator,
    password: str,
    *,
    origin: Origin,
    life: timedelta,
) -> SignedIn:
    """Open a session for whose password was right, unless they were changed meanwhile."""
    try:
        row = await OPERATORS.take(db, operator.company, operator.uuid)
    except NotFound:
        raise LoginFailed from None
    if row.password_hash != operator.password_hash or row.disabled_at is not None:
        raise LoginFailed
    if hasher.needs_rehash(row.password_hash):
        await db.update("operators", row.uuid, password_hash=await hasher.hash(password))
    return await open_session(db, row, life, "password", origin)


async def _whose(hasher: Passwords, candidates: list[Operator], password: str) -> Operator | None:
    """Find whom the password belongs to; for nobody, a hash is computed all the same."""
    for candidate in candidates:
        if await hasher.verify(candidate.password_hash, password):
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


async def change_self(db: Db, hasher: Passwords, operator: Operator, change: MeChange) -> Operator:
    """Change one's own name or password; the password needs the present one."""
    new = OperatorChange(name=change.name, password=change.password)
    if isinstance(change.password, str):
        present = change.current_password if isinstance(change.current_password, str) else ""
        await budgets.spend(
            db.database,
            [Budget(_identity_key(operator.email_key), *limit) for limit in BY_IDENTITY],
        )
        if not await hasher.verify(operator.password_hash, present):
            raise Invalid(fields=[Field("current_password", "This is not the present password.")])
        await budgets.refund(db, _identity_key(operator.email_key))
    return await service.change_operator(db, hasher, operator, new)


async def sign_out(db: Db, caller: Caller) -> None:
    """End a session."""
    await tokens.revoke(db, caller.holder, caller.token, by="logout")
    record(db, caller.company, "operator.signed_out", caller.public_id)
