"""Rejects: readings that could not be stored and why, limited per company and day."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort, Where, columns, page
from pannier.devices.models import Reject
from pannier.devices.outcomes import REVOKED
from pannier.devices.readings import Reading, Refusal
from pannier.devices.schemas import RejectFilters
from pannier.devices.sources import Source
from pannier.kit import ids

LARGEST: Final = 4096  # bytes kept of a body
LONGEST: Final = 200  # characters kept of a name and a reason
MOST_A_DAY: Final = 1000  # per company
LATEST: Final = Sort(("received_at",))

_encode: Final = msgspec.json.Encoder().encode


def spelled(reading: Reading) -> bytes:
    """Encode a parsed reading, truncated to the stored size."""
    return _encode(reading)[:LARGEST]


async def keep(db: Db, refused: Iterable[tuple[Source, Sequence[Refusal]]]) -> None:
    """Store rejects, up to each company's daily limit."""
    by_company: dict[UUID, list[tuple[Source, Refusal]]] = {}
    for source, refusals in refused:
        if all(refusal.code != REVOKED for refusal in refusals):
            some = by_company.setdefault(source.company, [])
            some.extend((source, refusal) for refusal in refusals[:MOST_A_DAY])
    rows = [
        _row(db, source, refusal)
        for company, some in by_company.items()
        if some
        for source, refusal in some[: await _room(db, company)]
    ]
    await db.insert("device_rejects", *rows)


async def _room(db: Db, company: UUID) -> int:
    """Return how many more rejects a company may store today."""
    kept: int = await db.value(
        """select count(*) from (select 1 from device_rejects
           where company = :company and received_at > :since limit :most) kept""",
        company=company,
        since=db.now - timedelta(days=1),
        most=MOST_A_DAY,
    )
    return MOST_A_DAY - kept


def _row(db: Db, source: Source, refusal: Refusal) -> Reject:
    return Reject(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("device_reject"),
        company=source.company,
        device=source.device,
        named=None if refusal.device is None else _plain(refusal.device),
        code=refusal.code,
        reason=_plain(refusal.reason),
        body=refusal.body[:LARGEST],
        received_at=db.now,
    )


def _plain(text: str) -> str:
    """Truncate untrusted text, and remove characters that PostgreSQL cannot store."""
    return text[:LONGEST].replace("\0", "").encode(errors="replace").decode()


async def page_of(db: Db, company: UUID, filters: RejectFilters) -> Page[Reject]:
    """List rejects, newest first."""
    where = Where(company).equal(code=filters.code, named=filters.device)
    return await page(
        db, Reject, f"select {columns(Reject)} from device_rejects", where, filters, LATEST
    )
