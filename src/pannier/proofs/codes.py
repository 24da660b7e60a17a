"""SMS codes: sent to the recipient, typed by the driver.

Each attempt is counted as wrong before it is compared, in its own transaction, so that neither a
crash nor concurrent requests allow uncounted guesses.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, Problem
from pannier.proofs.models import ProofSubject
from pannier.verification import scopes
from pannier.verification import service as verification
from pannier.verification.codes import CodeExpired, CodeInvalid
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import CodeTiming
from pannier.web.budgets import Budget

CODE_SCOPE: Final = scopes.DELIVERIES
CODE_LIFETIME: Final = timedelta(hours=2)
MAX_WRONG_PER_CODE: Final = 5
MAX_WRONG_PER_SUBJECT: Final = 10


class PhoneMissing(Conflict):
    """The code goes to the recipient, whose phone number is unknown."""

    code = "pod_recipient_phone_missing"
    title = "There is no phone number to send a code to."
    remedy = "Add one to the stop's contact or the order's customer."


class CodeIncorrect(Problem):
    """Each wrong code reduces `attempts_left`."""

    status, code, title = 422, "pod_code_incorrect", "The code is wrong or no longer valid."
    remedy = "Ask the recipient for the latest code, or send a new one."

    def __init__(self, attempts_left: int) -> None:
        super().__init__(
            f"{self.title} Attempts left: {attempts_left}.", attempts_left=attempts_left
        )


class CodeLocked(Problem):
    """The stop accepts no more codes."""

    status, code = 423, "pod_code_locked"
    title = "Too many wrong codes."
    remedy = "Ask an operator to unlock this stop."


class WrongAttempts(msgspec.Struct):
    """The wrong codes for a subject: since the last code was sent, and in total."""

    wrong: int
    wrong_in_all: int

    @property
    def attempts_left(self) -> int:
        """The number of attempts left."""
        return max(
            0, min(MAX_WRONG_PER_CODE - self.wrong, MAX_WRONG_PER_SUBJECT - self.wrong_in_all)
        )


async def send_code(
    db: Db, subject: ProofSubject, phone: str, *, budgets: Sequence[Budget] = ()
) -> CodeTiming:
    """Send a code to the recipient.

    The request does not count against an IP address, because only drivers can request codes.
    """
    attempts = await _load_attempts(db, subject)
    if attempts.wrong_in_all >= MAX_WRONG_PER_SUBJECT:
        raise CodeLocked
    code_request = CodeRequest(
        "sms",
        recipient=phone,
        text="delivery",
        wanted_lifetime=CODE_LIFETIME,
        reserved=True,
        extra_budgets=budgets,
    )
    timing = await verification.request_code(db, Claimant(_make_code_scope(subject)), code_request)
    # A row without wrong codes is not locked, so that the code can be checked meanwhile.
    await db.execute(
        """update proof_codes set wrong = 0
           where company = :company and subject = :subject and wrong > 0""",
        company=subject.company,
        subject=subject.uuid,
    )
    return timing


async def check_code(
    db: Db, subject: ProofSubject, code: str, *, entered_at: datetime | None
) -> None:
    """Accept a correct code once. A code typed offline is checked as of `entered_at`."""
    attempts = await _count_attempt(db, subject)
    try:
        if entered_at is None:
            await verification.accept_code(db, _make_code_scope(subject), code)
        else:
            await verification.check_code_as_of(db, _make_code_scope(subject), code, entered_at)
    except (CodeInvalid, CodeExpired):
        raise _to_problem(attempts) from None
    await _uncount_attempt(db, subject)


def _to_problem(attempts: WrongAttempts) -> Problem:
    is_locked = attempts.wrong_in_all >= MAX_WRONG_PER_SUBJECT
    return CodeLocked() if is_locked else CodeIncorrect(attempts.attempts_left)


async def unlock_codes(db: Db, subject: ProofSubject) -> None:
    """Unlock codes for a subject, and reset its counters."""
    await db.execute(
        "delete from proof_codes where company = :company and subject = :subject",
        company=subject.company,
        subject=subject.uuid,
    )
    await verification.reset_send_limit(db, _make_code_scope(subject))


def _make_code_scope(subject: ProofSubject) -> CodeScope:
    return CodeScope(subject.company, CODE_SCOPE, CODE_SCOPE, subject.public_id)


async def _load_attempts(db: Db, subject: ProofSubject) -> WrongAttempts:
    attempts = await db.find(
        WrongAttempts,
        """select wrong, wrong_in_all from proof_codes
           where company = :company and subject = :subject""",
        company=subject.company,
        subject=subject.uuid,
    )
    return attempts or WrongAttempts(0, 0)


async def _count_attempt(db: Db, subject: ProofSubject) -> WrongAttempts:
    """Count an attempt as wrong, and commit that before the code is compared.

    An attempt beyond the limit is rejected without being counted.
    """
    async with db.database.side_transaction() as side_db:
        attempts = await side_db.find(
            WrongAttempts,
            """insert into proof_codes (company, subject, wrong, wrong_in_all)
               values (:company, :subject, 1, 1)
               on conflict (company, subject) do update
               set wrong = proof_codes.wrong + 1, wrong_in_all = proof_codes.wrong_in_all + 1
               where proof_codes.wrong < :max_wrong and proof_codes.wrong_in_all < :max_wrong_total
               returning wrong, wrong_in_all""",
            company=subject.company,
            subject=subject.uuid,
            max_wrong=MAX_WRONG_PER_CODE,
            max_wrong_total=MAX_WRONG_PER_SUBJECT,
        )
    if attempts is None:
        raise _to_problem(await _load_attempts(db, subject))
    return attempts


async def _uncount_attempt(db: Db, subject: ProofSubject) -> None:
    """Undo the count of a correct attempt."""
    await db.execute(
        """update proof_codes set wrong = wrong - 1, wrong_in_all = wrong_in_all - 1
           where company = :company and subject = :subject""",
        company=subject.company,
        subject=subject.uuid,
    )
