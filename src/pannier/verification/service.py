"""Requesting and checking codes.

Transactions that count attempts (`database.side_transaction`) never wait for a challenge's row
lock, so a caller may hold that lock while it counts. For that reason, wrong answers spend a budget
and are not a column.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.codes import Codes
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.kit import phone
from pannier.kit.structs import convert_struct
from pannier.notifications import sandbox
from pannier.notifications import service as notifications
from pannier.verification import code_budgets, codes, queries, rules, send_limits, texts
from pannier.verification.codes import CodeInvalid
from pannier.verification.models import Challenge, CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.web import attempts, budgets
from pannier.web.budgets import Budget


class CodeTiming(NamedTuple):
    """Seconds until expiry and until a resend; returned whether or not a code was sent."""

    expires_in: int
    resend_after: int


async def request_code(db: Db, claimant: Claimant, code_request: CodeRequest) -> CodeTiming:
    """Send a code to an identity, or another code for its open challenge.

    Raise TooManyRequests when it is too soon or too often.
    """
    code_scope = claimant.code_scope
    settings = await company_settings.load(db, code_scope.company, code_request.store)
    limits, recipient = settings.codes, code_request.recipient or code_scope.identity
    if sandbox.is_test_recipient(settings, recipient):
        return await _begin_test_challenge(db, limits, code_scope, code_request)
    country = None
    if code_request.channel == "sms":
        send_limits.check_number(limits, recipient)
        country = None if code_request.reserved else phone.find_country(recipient)
    await queries.lock_requests(db, code_scope)
    open_challenge = await queries.lock_open_challenge(db, code_scope)
    if open_challenge is not None:
        _check_resend_wait(db, open_challenge)
    await send_limits.check_limits(db, limits, code_scope, code_request.channel, country)
    await code_budgets.spend_send_budgets(db, limits, claimant, code_request)
    challenge = await _continue_or_begin_challenge(db, limits, claimant, open_challenge, country)
    await _send_code(db, settings, code_scope, challenge, code_request)
    return _to_timing(challenge, code_request.lifetime)


async def _send_code(
    db: Db,
    settings: CompanySettings,
    code_scope: CodeScope,
    challenge: Challenge,
    code_request: CodeRequest,
) -> None:
    """Create and send a code for a challenge. The message of a decoy is withdrawn immediately."""
    brand, locale = settings.branding.name, settings.locale
    code = f"{secrets.randbelow(10**rules.CODE_DIGITS):0{rules.CODE_DIGITS}}"
    await codes.create_code(
        db, code_scope, challenge, code, code_request.lifetime, decoy=code_request.decoy
    )
    message = await notifications.queue_message(
        db,
        code_scope.company,
        code_request.channel,
        code_request.recipient or code_scope.identity,
        texts.compose_text(
            code, code_request.text, brand=brand, lifetime=code_request.lifetime, locale=locale
        ),
        texts.compose_subject(brand, locale) if code_request.channel == "email" else "",
        store=code_request.store,
        secret=True,
        expires_at=db.now + code_request.lifetime,
    )
    # Always withdraw something, so that both cases take the same time; no message has a challenge's
    # UUID.
    withdrawn_uuid = message.uuid if code_request.decoy else challenge.uuid
    await notifications.delete_unsent_message(db, code_scope.company, withdrawn_uuid)


def _to_timing(challenge: Challenge, lifetime: timedelta) -> CodeTiming:
    wait = rules.get_resend_wait(challenge.sends)
    return CodeTiming(int(lifetime.total_seconds()), int(wait.total_seconds()))


async def _begin_test_challenge(
    db: Db, limits: Codes, code_scope: CodeScope, code_request: CodeRequest
) -> CodeTiming:
    """Begin a challenge with the public test code: nothing is sent and no budget is spent."""
    await queries.lock_requests(db, code_scope)
    open_challenge = await queries.lock_open_challenge(db, code_scope)
    challenge = await _continue_or_begin_challenge(
        db, limits, Claimant(code_scope), open_challenge, None
    )
    # Keep a single code, however often it is requested.
    await db.execute("delete from codes where challenge = :challenge", challenge=challenge.uuid)
    test_code, lifetime = rules.TEST_CODE, code_request.lifetime
    await codes.create_code(
        db, code_scope, challenge, test_code, lifetime, decoy=code_request.decoy
    )
    return _to_timing(challenge, lifetime)


def _check_resend_wait(db: Db, challenge: Challenge) -> None:
    wait = (
        rules.compute_next_send_time(challenge.sends, challenge.last_sent_at) - db.now
    ).total_seconds()
    if wait > 0:
        raise TooManyRequests(wait)


async def _continue_or_begin_challenge(
    db: Db, limits: Codes, claimant: Claimant, open_challenge: Challenge | None, country: str | None
) -> Challenge:
    """Count a send for the open challenge, or begin a new one if it cannot continue."""
    code_scope = claimant.code_scope
    if open_challenge is not None:
        sent_codes = await queries.list_unused_codes(db, code_scope.company, open_challenge.uuid)
        answer_budget = code_budgets.make_answer_budget(limits, claimant, open_challenge.uuid)
        is_exhausted = await budgets.find_wait_seconds(db, [answer_budget]) > 0
        if rules.can_continue(
            open_challenge.created_at, sent_codes, db.now, is_exhausted=is_exhausted
        ):
            resumed_challenge = msgspec.structs.replace(
                open_challenge, sends=open_challenge.sends + 1, last_sent_at=db.now
            )
            await db.update(
                "challenges",
                resumed_challenge.uuid,
                sends=resumed_challenge.sends,
                last_sent_at=resumed_challenge.last_sent_at,
            )
            return resumed_challenge
        await db.update("challenges", open_challenge.uuid, closed_at=db.now)
    new_challenge = convert_struct(
        code_scope,
        Challenge,
        uuid=db.new_uuid(),
        created_at=db.now,
        sends=1,
        last_sent_at=db.now,
        country=country,
    )
    await db.insert("challenges", new_challenge)
    return new_challenge


async def check_code(db: Db, claimant: Claimant, code: str, *, store: UUID | None = None) -> None:
    """Accept the correct code once; raise CodeInvalid for any other.

    The attempt is counted and committed before the comparison, so neither a crash nor parallel
    guesses allow uncounted ones. Too many wrong codes across all purposes raise TooManyRequests. A
    correct but expired code raises CodeExpired. Success is part of the caller's transaction: a
    rollback leaves the code unused. To reject a request and still use up its code, raise a problem
    that sets `keeps_changes`.
    """
    code_scope = claimant.code_scope
    settings = await company_settings.load(db, code_scope.company, store)
    is_test = sandbox.is_test_recipient(settings, code_scope.identity)
    attempt_budgets = (
        [] if is_test else code_budgets.make_attempt_budgets(db, settings.codes, claimant)
    )
    attempt = await attempts.begin(db.database, attempt_budgets)
    challenge = await queries.find_open_challenge(db, code_scope)
    # Without a challenge, do the same work for a made-up one, so that timing reveals nothing.
    uuid = db.new_uuid() if challenge is None else challenge.uuid
    if attempt_budgets:
        await _count_answer(db, code_budgets.make_answer_budget(settings.codes, claimant, uuid))
    await codes.close_challenge(db, code_scope, uuid, code)
    await attempt.succeed()


async def accept_code(db: Db, code_scope: CodeScope, code: str) -> None:
    """Accept the correct code like `check_code`. The caller counts the attempts."""
    challenge = await queries.find_open_challenge(db, code_scope)
    if challenge is None:
        raise CodeInvalid
    await codes.close_challenge(db, code_scope, challenge.uuid, code)


async def is_code_awaited(db: Db, claimant: Claimant, *, store: UUID | None = None) -> bool:
    """Tell whether a code would be checked, so that callers can skip costly work."""
    code_scope = claimant.code_scope
    settings = await company_settings.load(db, code_scope.company, store)
    challenge = await queries.find_open_challenge(db, code_scope)
    if challenge is None or sandbox.is_test_recipient(settings, code_scope.identity):
        return challenge is not None
    answer_budget = code_budgets.make_answer_budget(settings.codes, claimant, challenge.uuid)
    answer_budgets = [
        *code_budgets.make_attempt_budgets(db, settings.codes, claimant),
        answer_budget,
    ]
    return await budgets.find_wait_seconds(db, answer_budgets) == 0


async def find_last_requested_identity(
    db: Db, company: UUID, scope: str, purpose: str, identities: Sequence[str]
) -> str | None:
    """Find which of several identities last requested a code."""
    identity: str | None = await db.fetch_value(
        """select identity from challenges where company = :company and scope = :scope
           and purpose = :purpose and identity = any(:identities) and closed_at is null
           order by last_sent_at desc, uuid desc limit 1""",
        company=company,
        scope=scope,
        purpose=purpose,
        identities=list(identities),
    )
    return identity


async def check_code_as_of(db: Db, code_scope: CodeScope, code: str, moment: datetime) -> None:
    """Accept a code once if it was valid at the given time, or raise CodeInvalid.

    This is for codes entered offline. The caller counts the attempts, because the challenges may be
    closed and their budgets spent.
    """
    for challenge in await queries.list_recent_challenges(db, code_scope):
        sent_codes = await queries.list_unused_codes(db, code_scope.company, challenge.uuid)
        candidates = codes.hash_code(db, code_scope, challenge.uuid, rules.normalise_code(code))
        match = codes.find_matching_code(sent_codes, candidates)
        if match is not None and match.created_at <= moment < match.expires_at:
            await codes.mark_code_used(db, match)
            return
    raise CodeInvalid


async def _count_answer(db: Db, budget: Budget) -> None:
    try:
        await budgets.spend(db.database, [budget])
    except TooManyRequests:
        raise CodeInvalid from None


async def close_challenges(db: Db, company: UUID, scope: str, identity: str) -> None:
    """Close all challenges of an identity in a scope, because its account is being closed."""
    await db.execute(
        """update challenges set closed_at = :now where company = :company and scope = :scope
           and identity = :identity and closed_at is null""",
        now=db.now,
        company=company,
        scope=scope,
        identity=identity,
    )


async def reset_send_limit(db: Db, code_scope: CodeScope) -> None:
    """Reset the send limit of an identity, because an operator vouches for it."""
    audience = code_budgets.get_audience(code_scope)
    key = f"code-sends:{audience}:{code_budgets.hash_identity(db, code_scope)}"
    await budgets.reset(db.database, key)
