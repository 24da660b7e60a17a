"""Codes: stored as hashes; the correct one closes its challenge."""

import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Problem
from pannier.kit import crypto
from pannier.verification import queries, rules
from pannier.verification.models import Challenge, Code, CodeScope

HASH_PURPOSE: Final = "one-time code"


class CodeInvalid(Problem):
    """The code is wrong, has been used or was never sent, or there were too many wrong attempts.

    The response does not say which, to avoid revealing whether a code was sent.
    """

    status, code, title = 422, "invalid_code", "The code is wrong or no longer valid."
    remedy = "Check it, or request a new one."


class CodeExpired(Problem):
    """The code is correct but too old."""

    status, code, title = 410, "code_expired", "The code has expired."
    remedy = "Request a new one."


async def create_code(
    db: Db,
    code_scope: CodeScope,
    challenge: Challenge,
    code: str,
    lifetime: timedelta,
    *,
    decoy: bool,
) -> None:
    """Store a code's hash. A decoy gets a random hash that matches no code."""
    code_hash = hash_code(db, code_scope, challenge.uuid, code)[0]
    random_hash = secrets.token_bytes(len(code_hash))
    row = Code(
        uuid=db.new_uuid(),
        challenge=challenge.uuid,
        hash=random_hash if decoy else code_hash,
        created_at=db.now,
        expires_at=db.now + lifetime,
    )
    await db.insert("codes", row)


async def close_challenge(db: Db, code_scope: CodeScope, challenge: UUID, code: str) -> None:
    """Close a challenge with the correct code; raise CodeInvalid or CodeExpired."""
    codes = await queries.list_unused_codes(db, code_scope.company, challenge)
    candidates = hash_code(db, code_scope, challenge, rules.normalise_code(code))
    valid_code = find_matching_code(rules.list_valid_codes(codes, db.now), candidates)
    if find_matching_code(codes, candidates) is None:
        raise CodeInvalid
    if valid_code is None:
        raise CodeExpired
    await _close_and_mark_used(db, valid_code)


def find_matching_code(codes: Sequence[Code], hashes_to_match: Sequence[bytes]) -> Code | None:
    """Find the code that matches. All are compared, so that timing reveals nothing."""
    matches = [code for code in codes if crypto.contains(hashes_to_match, code.hash)]
    return matches[-1] if matches else None


async def _close_and_mark_used(db: Db, code: Code) -> None:
    """Close the challenge and mark all its codes as used.

    Raise `CodeInvalid` if it was already closed; only one concurrent caller succeeds.
    """
    closed_count = await db.execute(
        """update challenges set closed_at = :now, verified_at = :now
           where uuid = :challenge and closed_at is null""",
        now=db.now,
        challenge=code.challenge,
    )
    used_count = await db.execute(
        "update codes set used_at = :now where challenge = :challenge and used_at is null",
        now=db.now,
        challenge=code.challenge,
    )
    if not (closed_count and used_count):
        raise CodeInvalid


async def mark_code_used(db: Db, code: Code) -> None:
    """Mark a code as used.

    Raise `CodeInvalid` if it was already used; only one concurrent caller succeeds.
    """
    used_count = await db.execute(
        "update codes set used_at = :now where uuid = :uuid and used_at is null",
        now=db.now,
        uuid=code.uuid,
    )
    if not used_count:
        raise CodeInvalid


def hash_code(db: Db, code_scope: CodeScope, challenge: UUID, code: str) -> list[bytes]:
    """Hash a code with its scope and challenge, once for each of the installation's secrets."""
    return db.database.keys.signatures(
        HASH_PURPOSE, msgspec.json.encode((code_scope, challenge, code))
    )
