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
from pannier.accounts.service import make_holder
from pannier.accounts.tokens import device_proofs
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import KnownOrigin, SigninOrigin
from pannier.accounts.tokens.models import Holder, Token
from pannier.db import Database, Db
from pannier.errors import FieldError, Invalid, NotFound, TooManyRequests, Unauthenticated
from pannier.kit import email
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import attempts
from pannier.web.attempts import SecretAttempt
from pannier.web.budgets import Budget, make_budgets
from pannier.web.fields import drop_fixed_fields, get_sent_fields

MAX_ATTEMPTS_PER_NETWORK: Final = (50, timedelta(hours=1))
MISMATCH_MESSAGE: Final = "This is not the current password."
MAX_ATTEMPTS_PER_OPERATOR: Final = ((5, timedelta(minutes=5)), (20, timedelta(hours=1)))


class LoginFailed(Unauthenticated):
    """The response does not say which is wrong, to avoid revealing whether the account exists."""

    code = "login_failed"
    title = "The email address or password is wrong."
    remedy = "Check both and try again."


class VerifiedOperator(NamedTuple):
    """An operator whose password was correct; `new_hash` is set if the stored hash is outdated."""

    operator: Operator
    new_hash: str | None


class PasswordReplacement(NamedTuple):
    """The hash of the verified current password, and the hash of the new one."""

    current_hash: str
    new_hash: str


class OperatorSession(NamedTuple):
    """A session, its token, which is shown once, and the proof that the device keeps."""

    operator: Operator
    token: Token
    text: str
    proof: str


def get_session_lifetime(settings: Settings) -> timedelta:
    """Return how long a session lasts."""
    return timedelta(hours=settings.session_hours)


def get_proof_lifetime(settings: Settings) -> timedelta:
    """Return how long a device proof is valid: at most as long as its session's row is kept."""
    return min(
        device_proofs.TRUST_PERIOD,
        get_session_lifetime(settings) + timedelta(days=settings.token_retention_days),
    )


async def verify_credentials(
    database: Database,
    hasher: Passwords,
    *,
    email_text: str,
    password: str,
    company: str | None,
    origin: SigninOrigin,
) -> VerifiedOperator:
    """Verify address and password at the same cost, whether or not the address is known.

    No connection is held while a hash is computed. A failure counts against each operator who has
    the address, separately for each company: knowing one password proves nothing to other
    companies.
    """
    key = _normalise_email_key(email_text)
    candidates = await _load_candidates(database, key, company, origin)
    network_attempt = await attempts.begin(database, _make_network_budgets(candidates, origin))
    names = [candidate.budget_name for candidate in candidates] or [_make_unknown_email_name(key)]
    attempts_by_name, wait = await _begin_attempts(database, names)
    candidates_in_budget = [
        candidate for candidate in candidates if candidate.budget_name in attempts_by_name
    ]
    match = (
        None
        if wait and not candidates_in_budget
        else await _find_match(hasher, candidates_in_budget, password)
    )
    if match is None:
        raise TooManyRequests(wait) if wait else LoginFailed
    await network_attempt.succeed()
    # A success resets the limit of a known origin, but not that of strangers.
    await attempts_by_name[match.budget_name].succeed(
        forgiven_key=match.known_origin and match.budget_name
    )
    new_hash = await hasher.rehash(match.operator.password_hash, password)
    return VerifiedOperator(match.operator, new_hash)


class _Candidate(NamedTuple):
    """An operator with the address, and the known origin of the caller, if there is one."""

    operator: Operator
    known_origin: KnownOrigin | None

    @property
    def budget_name(self) -> str:
        """The name of the attempt limit. Each known origin has its own; strangers share one."""
        if self.known_origin is None:
            return f"login:{self.operator.uuid}"
        return f"login:{self.known_origin.budget_name}"


async def _load_candidates(
    database: Database, email_key: str, company: str | None, origin: SigninOrigin
) -> list[_Candidate]:
    async with database.reading() as db:
        operators = await queries.list_operators_by_email(db, email_key, company)
        # Run the same query for an unknown address, so that timing reveals nothing.
        placeholder = Holder(db.new_uuid(), "operator", db.new_uuid(), "")
        holders = [make_holder(operator) for operator in operators] or [placeholder]
        origins = [
            await device_proofs.find_known_origin(db, account, origin) for account in holders
        ]
    return [_Candidate(*pair) for pair in zip(operators, origins, strict=False)]


def _make_network_budgets(candidates: list[_Candidate], origin: SigninOrigin) -> list[Budget]:
    """Make the network's attempt limit, except for a device that all candidates trust."""
    origins = [candidate.known_origin for candidate in candidates]
    if origins and all(
        known_origin is not None and known_origin.proved for known_origin in origins
    ):
        return []
    return [Budget(f"login-from:{origin.network}", *MAX_ATTEMPTS_PER_NETWORK)]


async def _begin_attempts(
    database: Database, names: list[str]
) -> tuple[dict[str, SecretAttempt], float]:
    """Begin an attempt for each name below its limit; return also the wait for the others."""
    attempts_by_name: dict[str, SecretAttempt] = {}
    wait = 0.0
    for name in names:
        try:
            attempts_by_name[name] = await attempts.begin(
                database, make_budgets(name, MAX_ATTEMPTS_PER_OPERATOR)
            )
        except TooManyRequests as error:
            wait = max(wait, error.wait)
    return attempts_by_name, wait


def _make_unknown_email_name(email_key: str) -> str:
    """Make the limit's name for an unknown address, without revealing the address."""
    return "login:" + hashlib.sha256(email_key.encode()).hexdigest()


async def sign_in(
    db: Db, verified_operator: VerifiedOperator, *, origin: SigninOrigin, lifetime: timedelta
) -> OperatorSession:
    """Open a session, unless the operator was changed since the password was verified."""
    operator = verified_operator.operator
    try:
        row = await OPERATORS.lock(db, operator.company, operator.uuid)
    except NotFound:
        raise LoginFailed from None
    if row.password_hash != operator.password_hash or row.disabled_at is not None:
        raise LoginFailed
    if verified_operator.new_hash is not None:
        await db.update("operators", row.uuid, password_hash=verified_operator.new_hash)
    return await open_session(db, row, lifetime, "password", origin)


async def _find_match(
    hasher: Passwords, candidates: list[_Candidate], password: str
) -> _Candidate | None:
    """Find the operator whose password matches. Compute a hash even if there are no candidates."""
    for candidate in candidates:
        if await hasher.verify(candidate.operator.password_hash, password):
            return candidate
    if not candidates:
        await hasher.verify(None, password)
    return None


def _normalise_email_key(email_text: str) -> str:
    try:
        return email.key(email.normalise(email_text))
    except ValueError:
        return email_text.strip().casefold()


async def open_session(
    db: Db,
    operator: Operator,
    lifetime: timedelta,
    method: str = "command",
    origin: SigninOrigin = SigninOrigin(),  # noqa: B008 - a tuple
) -> OperatorSession:
    token = await tokens.create_token(db, make_holder(operator), method, origin, lifetime=lifetime)
    return OperatorSession(operator, *token)


async def prepare_password_replacement(
    database: Database, hasher: Passwords, caller: Caller, change: MeChange
) -> PasswordReplacement | None:
    """Verify the current password and hash the new one, without holding a connection."""
    if not isinstance(change.password, str):
        return None
    async with database.reading() as db:
        operator = await OPERATORS.get(db, caller.company, caller.uuid)
    current_password = change.current_password if isinstance(change.current_password, str) else ""
    # One limit for each session, so that another session cannot use it up.
    key = f"operator-password:{caller.token}"
    attempt = await attempts.begin(database, make_budgets(key, MAX_ATTEMPTS_PER_OPERATOR))
    if not await hasher.verify(operator.password_hash, current_password):
        raise Invalid(fields=[FieldError("current_password", MISMATCH_MESSAGE)])
    await attempt.succeed(forgiven_key=key)
    new_hash = await service.hash_password(hasher, operator, change.password)
    return PasswordReplacement(operator.password_hash, new_hash)


async def change_self(
    db: Db,
    caller: Caller,
    operator: Operator,
    change: MeChange,
    replacement: PasswordReplacement | None,
) -> Operator:
    """Change the operator's own name or password, if the verified password is still current."""
    drop_fixed_fields(get_sent_fields(change), operator, "email", "role")
    if replacement is not None and replacement.current_hash != operator.password_hash:
        raise Invalid(fields=[FieldError("current_password", MISMATCH_MESSAGE)])
    operator_change = OperatorChange(name=change.name, password=change.password)
    return await service.change_operator(
        db,
        operator,
        operator_change,
        replacement and replacement.new_hash,
        trusted_session=str(caller.token),
    )


async def sign_out(db: Db, caller: Caller) -> None:
    await tokens.revoke_token(db, caller.holder, caller.token, revoked_by="logout")
    record(db, caller.company, "operator.signed_out", caller.public_id)
