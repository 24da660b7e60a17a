"""Queries of challenges and codes."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Where, columns
from pannier.verification.models import Challenge, Code, CodeScope

SELECT: Final = f"select {columns(Challenge)} from challenges"


async def line_up(db: Db, code_scope: CodeScope) -> None:
    """Serialise requests for the same identity, even while there is no row to lock."""
    parts = (code_scope.company, code_scope.scope, code_scope.purpose, code_scope.identity)
    key = ":".join(["code-request", *map(str, parts)])
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def find(db: Db, code_scope: CodeScope) -> Challenge | None:
    where = _open(code_scope)
    return await db.find(Challenge, f"{SELECT} {where}", **where.values)


async def take(db: Db, code_scope: CodeScope) -> Challenge | None:
    where = _open(code_scope)
    return await db.find(Challenge, f"{SELECT} {where} for update", **where.values)


async def recent(db: Db, code_scope: CodeScope) -> list[Challenge]:
    """List the latest challenges, including closed ones."""
    where = _of(code_scope)
    return await db.many(
        Challenge,
        f"{SELECT} {where} order by created_at desc, uuid desc limit 20",
        **where.values,
    )


def _open(code_scope: CodeScope) -> Where:
    return _of(code_scope).that("closed_at is null")


def _of(code_scope: CodeScope) -> Where:
    return Where(code_scope.company).equal(
        scope=code_scope.scope, purpose=code_scope.purpose, identity=code_scope.identity
    )


async def codes(db: Db, company: UUID, challenge: UUID) -> list[Code]:
    """List a challenge's unused codes, including expired ones."""
    return await db.many(
        Code,
        f"""select {columns(Code, "codes")} from codes
           join challenges on challenges.uuid = codes.challenge
           where challenges.company = :company and codes.challenge = :challenge
             and codes.used_at is null""",
        company=company,
        challenge=challenge,
    )
