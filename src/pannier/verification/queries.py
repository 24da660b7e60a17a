"""Reading challenges and codes."""

from uuid import UUID

from pannier.db import Db, Where
from pannier.verification.models import Bond, Challenge, Code


async def line_up(db: Db, bond: Bond) -> None:
    """Let requests for the same thing follow each other, even while there is no row to lock."""
    key = f"code-request:{bond.company}:{bond.scope}:{bond.purpose}:{bond.identity}"
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def find(db: Db, bond: Bond) -> Challenge | None:
    """Read the open challenge."""
    where = _open(bond)
    return await db.find(Challenge, f"select * from challenges {where}", **where.values)


async def take(db: Db, bond: Bond) -> Challenge | None:
    """Read the open challenge and hold it until the transaction ends."""
    where = _open(bond)
    return await db.find(Challenge, f"select * from challenges {where} for update", **where.values)


async def recent(db: Db, bond: Bond) -> list[Challenge]:
    """Read the latest challenges, closed ones too."""
    where = Where(bond.company).equal(
        scope=bond.scope, purpose=bond.purpose, identity=bond.identity
    )
    return await db.many(
        Challenge,
        f"select * from challenges {where} order by created_at desc, uuid desc limit 20",
        **where.values,
    )


def _open(bond: Bond) -> Where:
    where = Where(bond.company).that("closed_at is null")
    return where.equal(scope=bond.scope, purpose=bond.purpose, identity=bond.identity)


async def codes(db: Db, company: UUID, challenge: UUID) -> list[Code]:
    """Read the codes of a challenge that were not used, expired ones too."""
    return await db.many(
        Code,
        """select codes.* from codes join challenges on challenges.uuid = codes.challenge
           where challenges.company = :company and codes.challenge = :challenge
             and codes.used_at is null""",
        company=company,
        challenge=challenge,
    )
