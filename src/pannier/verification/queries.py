"""Queries of challenges and codes."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Where, columns
from pannier.verification.models import Challenge, Code, CodeScope

SELECT: Final = f"select {columns(Challenge)} from challenges"


async def lock_requests(db: Db, code_scope: CodeScope) -> None:
    """Serialise requests for the same identity, even while there is no row to lock."""
    parts = (code_scope.company, code_scope.scope, code_scope.purpose, code_scope.identity)
    key = ":".join(["code-request", *map(str, parts)])
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def find_open_challenge(db: Db, code_scope: CodeScope) -> Challenge | None:
    where = _build_open_where(code_scope)
    return await db.find(Challenge, f"{SELECT} {where}", **where.values)


async def lock_open_challenge(db: Db, code_scope: CodeScope) -> Challenge | None:
    where = _build_open_where(code_scope)
    return await db.find(Challenge, f"{SELECT} {where} for update", **where.values)


async def list_recent_challenges(db: Db, code_scope: CodeScope) -> list[Challenge]:
    """List the latest challenges, including closed ones."""
    where = _build_scope_where(code_scope)
    return await db.fetch_all(
        Challenge,
        f"{SELECT} {where} order by created_at desc, uuid desc limit 20",
        **where.values,
    )


def _build_open_where(code_scope: CodeScope) -> Where:
    return _build_scope_where(code_scope).add("closed_at is null")


def _build_scope_where(code_scope: CodeScope) -> Where:
    return Where(code_scope.company).add_equal(
        scope=code_scope.scope, purpose=code_scope.purpose, identity=code_scope.identity
    )


async def list_unused_codes(db: Db, company: UUID, challenge: UUID) -> list[Code]:
    """List a challenge's unused codes, including expired ones."""
    return await db.fetch_all(
        Code,
        f"""select {columns(Code, "codes")} from codes
           join challenges on challenges.uuid = codes.challenge
           where challenges.company = :company and codes.challenge = :challenge
             and codes.used_at is null""",
        company=company,
        challenge=challenge,
    )
