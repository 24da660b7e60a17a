"""Verbs of verification: ask for a code, check a code.

No transaction that counts (`database.apart`) ever waits for a row of a challenge, so a caller may
hold one while it counts: wrong answers are spending of a budget, not a column of the challenge.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Codes
from pannier.db import Db
from pannier.errors import Problem, TooManyRequests
from pannier.kit import crypto, phone
from pannier.notifications import service as notifications
from pannier.verification import queries, rules, texts
from pannier.verification.models import Challenge, Code, CodeScope
from pannier.verification.rules import CodeChannel, Limit
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget

HASHING: Final = "one-time code"
COUNTING: Final = "one-time code budget"


class CodeInvalid(Problem):
    """The code is wrong, used, or was never sent, or too many wrong ones came before it.

    Which of these, we do not tell: a stranger must not learn whether a code is under way.
    """

    status, code, title = 422, "invalid_code", "The code is wrong or no longer works."


class CodeExpired(Problem):
    """The code is right but too old; only whoever received it can learn that."""

    status, code, title = 410, "code_expired", "The code has expired; ask for a new one."


class CountryNotAllowed(Problem):
    """The company, or its store, sends no codes by SMS to numbers of this country."""

    status, code = 422, "country_not_allowed"
    title = "No codes are sent to phone numbers of this country."


class Requested(NamedTuple):
    """What a caller is told, whether or not anything was sent: seconds."""

    expires_in: int
    resend_after: int


async def request(
    db: Db,
    company: UUID,
    scope: str,
    purpose: str,
    identity: str,
    channel: CodeChannel,
    *,
    address: str | None,
    to: str | None = None,
    store: UUID | None = None,
    template: str = texts.TEMPLATE,
    life: timedelta | None = None,
    quiet: bool = False,
) -> Requested:
    """Send a code to an identity, or another one to the same challenge.

    Asking too soon or too often is refused with 429. `address` is the caller's network address
    (None: nobody outside asked); `to` is where to send, when it is spelled otherwise than the
    identity; `store` is the one whose settings apply, if not the company's; `template` continues
    the sentence after the code. A `quiet` request, for an identity
    nobody knows, takes the same steps, the same time and the same budgets, and sends nothing.
    """
    code_scope = CodeScope(company, scope, purpose, identity)
    lasts = min(life or rules.LIVES[channel], rules.LONGEST_LIFE)
    settings = await company_settings.of(db, company, store)
    if channel == "sms":
        _check_country(settings.codes, to or identity)
    await queries.line_up(db, code_scope)
    present = await queries.take(db, code_scope)
    if present is not None:
        _refuse_haste(db, present)
    await budgets.spend(db.database, _send_budgets(db, settings.codes, code_scope, address))
    challenge = await _sent_once_more(db, settings.codes, code_scope, present)
    code = f"{secrets.randbelow(10**rules.DIGITS):0{rules.DIGITS}}"
    await _keep(db, code_scope, challenge, code, lasts, quiet=quiet)
    message = await notifications.send(
        db,
        company,
        channel,
        to or identity,
        texts.text(code, template, brand=settings.branding.name, life=lasts),
        texts.subject(settings.branding.name) if channel == "email" else "",
        store=store,
        secret=True,
        expires_at=db.now + lasts,
    )
    # Taken either way, because a step left out could be timed; no message has a challenge's name.
    await notifications.take_back(db, company, message.uuid if quiet else challenge.uuid)
    wait = rules.resend_wait(challenge.sends)
    return Requested(int(lasts.total_seconds()), int(wait.total_seconds()))


def _check_country(codes: Codes, number: str) -> None:
    """Refuse a number of a country to which no codes are sent, whoever has it."""
    if codes.countries is not None and phone.country_of(number) not in codes.countries:
        raise CountryNotAllowed


def _refuse_haste(db: Db, challenge: Challenge) -> None:
    wait = (rules.next_send(challenge.sends, challenge.last_sent_at) - db.now).total_seconds()
    if wait > 0:
        raise TooManyRequests(wait)


async def _sent_once_more(
    db: Db, limits: Codes, code_scope: CodeScope, present: Challenge | None
) -> Challenge:
    """Count a send to the present challenge, or begin another when that one has had its day."""
    if present is not None:
        codes = await queries.codes(db, code_scope.company, present.uuid)
        dead = await budgets.wait(db, [_challenge_budget(limits, present.uuid)]) > 0
        if rules.continues(present.created_at, codes, db.now, dead=dead):
            counted = msgspec.structs.replace(present, sends=present.sends + 1, last_sent_at=db.now)
            await db.update(
                "challenges", counted.uuid, sends=counted.sends, last_sent_at=counted.last_sent_at
            )
            return counted
        await db.update("challenges", present.uuid, closed_at=db.now)
    fresh = Challenge(
        uuid=db.new_uuid(),
        **msgspec.structs.asdict(code_scope),
        created_at=db.now,
        sends=1,
        last_sent_at=db.now,
    )
    await db.insert("challenges", fresh)
    return fresh


async def _keep(
    db: Db, code_scope: CodeScope, challenge: Challenge, code: str, lasts: timedelta, *, quiet: bool
) -> None:
    """Keep a code's hash; in a quiet challenge one that no code has."""
    right = _hashes(db, code_scope, challenge.uuid, code)[0]
    nothing = secrets.token_bytes(len(right))
    row = Code(
        uuid=db.new_uuid(),
        challenge=challenge.uuid,
        hash=nothing if quiet else right,
        created_at=db.now,
        expires_at=db.now + lasts,
    )
    await db.insert("codes", row)


async def check(
    db: Db,
    company: UUID,
    scope: str,
    purpose: str,
    identity: str,
    code: str,
    *,
    store: UUID | None = None,
) -> None:
    """Accept the right code, once; refuse every other with CodeInvalid.

    The attempt is counted and committed before anything is compared, so neither a crash nor a
    flood of parallel guesses gets one for nothing; too many wrong ones over all purposes are
    refused with 429. A right code that is too old is refused with CodeExpired. Success belongs
    to the caller's transaction: if that is undone, the code has not been used. A caller that
    refuses after a right code and wants it used up raises a `remembered` problem.
    """
    code_scope = CodeScope(company, scope, purpose, identity)
    limits = (await company_settings.of(db, company, store)).codes
    tries = _tries(db, code_scope)
    await budgets.spend(db.database, _each(tries, rules.wrong_per_identity(limits)))
    challenge = await queries.find(db, code_scope)
    # Without a challenge the same steps are taken for one that does not exist.
    uuid = db.new_uuid() if challenge is None else challenge.uuid
    await _count_attempt(db, limits, uuid)
    codes = await queries.codes(db, company, uuid)
    found = _matching(codes, _hashes(db, code_scope, uuid, rules.typed(code)))
    if found is None:
        raise CodeInvalid
    if found not in rules.alive(codes, db.now):
        raise CodeExpired
    await _close(db, found)
    await _forgive(db, tries)


async def asked_last(
    db: Db, company: UUID, scope: str, purpose: str, identities: Sequence[str]
) -> str | None:
    """Tell which of several identities a code was asked for last, if for any."""
    found: str | None = await db.value(
        """select identity from challenges where company = :company and scope = :scope
           and purpose = :purpose and identity = any(:identities) and closed_at is null
           order by last_sent_at desc, uuid desc limit 1""",
        company=company,
        scope=scope,
        purpose=purpose,
        identities=list(identities),
    )
    return found


async def check_as_of(
    db: Db, company: UUID, scope: str, purpose: str, identity: str, code: str, at: datetime
) -> None:
    """Accept a code that worked at a moment that has passed, once; else refuse with CodeInvalid.

    It is for what somebody typed without reception. The caller counts the attempts, because the
    challenges it looks at may be closed and their budgets spent.
    """
    code_scope = CodeScope(company, scope, purpose, identity)
    for challenge in await queries.recent(db, code_scope):
        codes = await queries.codes(db, company, challenge.uuid)
        found = _matching(codes, _hashes(db, code_scope, challenge.uuid, rules.typed(code)))
        if found is not None and found.created_at <= at < found.expires_at:
            await _use_up(db, found)
            return
    raise CodeInvalid


async def _use_up(db: Db, code: Code) -> None:
    """Use one code up; of parallel callers one succeeds."""
    used = await db.execute(
        "update codes set used_at = :now where uuid = :uuid and used_at is null",
        now=db.now,
        uuid=code.uuid,
    )
    if not used:
        raise CodeInvalid


async def _count_attempt(db: Db, limits: Codes, challenge: UUID) -> None:
    try:
        await budgets.spend(db.database, [_challenge_budget(limits, challenge)])
    except TooManyRequests:
        raise CodeInvalid from None


def _matching(codes: Sequence[Code], given: Sequence[bytes]) -> Code | None:
    """Find the code that was given, looking at every one: where it stands must not be timed."""
    matches = [code for code in codes if crypto.among(given, code.hash)]
    return matches[-1] if matches else None


async def _close(db: Db, code: Code) -> None:
    """Use the code up, and every other of its challenge; of parallel callers one succeeds."""
    closed = await db.execute(
        "update challenges set closed_at = :now where uuid = :challenge and closed_at is null",
        now=db.now,
        challenge=code.challenge,
    )
    used = await db.execute(
        "update codes set used_at = :now where challenge = :challenge and used_at is null",
        now=db.now,
        challenge=code.challenge,
    )
    if not (closed and used):
        raise CodeInvalid


async def _forgive(db: Db, tries: str) -> None:
    """Take back the count of the attempt that was right: the budget is for wrong ones."""
    await db.execute(
        """delete from budget_hits where ctid = (
               select ctid from budget_hits where key = :key order by created_at desc limit 1)""",
        key=tries,
    )


async def forget(db: Db, company: UUID, scope: str, identity: str) -> None:
    """End every challenge of an identity in a scope, because the identity is leaving."""
    await db.execute(
        """update challenges set closed_at = :now where company = :company and scope = :scope
           and identity = :identity and closed_at is null""",
        now=db.now,
        company=company,
        scope=scope,
        identity=identity,
    )


def _hashes(db: Db, code_scope: CodeScope, challenge: UUID, code: str) -> list[bytes]:
    """Bind a code to its purpose, scope, identity and challenge, with each of our secrets."""
    return db.database.keys.signatures(HASHING, msgspec.json.encode((code_scope, challenge, code)))


def _challenge_budget(limits: Codes, challenge: UUID) -> Budget:
    return Budget(f"code:{challenge}", *rules.wrong_per_challenge(limits))


def _tries(db: Db, code_scope: CodeScope) -> str:
    return f"code-tries:{_identity(db, code_scope)}"


def _send_budgets(
    db: Db, limits: Codes, code_scope: CodeScope, address: str | None
) -> list[Budget]:
    scope = Budget(
        f"code-sends-in:{code_scope.company}:{code_scope.scope}", *rules.sends_per_scope(limits)
    )
    sends = _each(f"code-sends:{_identity(db, code_scope)}", rules.sends_per_identity(limits))
    if address is None:
        return [scope, *sends]
    network = addresses.neighbourhood(address)
    return [Budget(f"code-sends-from:{network}", *rules.SENDS_PER_ADDRESS), scope, *sends]


def _each(key: str, limits: Sequence[Limit]) -> list[Budget]:
    return [Budget(key, *limit) for limit in limits]


def _identity(db: Db, code_scope: CodeScope) -> str:
    """Name an identity in a budget without telling it.

    The company is part of it: nobody can lock a person out of another company's store.
    """
    parts = msgspec.json.encode((code_scope.company, code_scope.identity))
    return db.database.keys.sign(COUNTING, parts).hex()
