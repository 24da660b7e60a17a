"""Rejects: readings that could not be stored and why, limited per company and day."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort, Where, columns, load_page
from pannier.devices.models import RejectRow
from pannier.devices.outcomes import REVOKED
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.schemas import RejectFilters
from pannier.devices.sources import Source
from pannier.kit import ids

MAX_BODY_BYTES: Final = 4096  # bytes kept of a body
MAX_TEXT_LENGTH: Final = 200  # characters kept of a name and a reason
MAX_PER_DAY: Final = 1000  # per company
NEWEST_FIRST: Final = Sort(("received_at",))

_encode: Final = msgspec.json.Encoder().encode


def encode_reading(reading: Reading) -> bytes:
    """Encode a parsed reading, truncated to the stored size."""
    return _encode(reading)[:MAX_BODY_BYTES]


async def record(db: Db, rejects: Iterable[tuple[Source, Sequence[ItemRefusal]]]) -> None:
    """Store rejects, up to each company's daily limit."""
    by_company: dict[UUID, list[tuple[Source, ItemRefusal]]] = {}
    for source, refusals in rejects:
        if all(refusal.code != REVOKED for refusal in refusals):
            company_refusals = by_company.setdefault(source.company, [])
            company_refusals.extend((source, refusal) for refusal in refusals[:MAX_PER_DAY])
    rows = [
        _to_row(db, source, refusal)
        for company, company_refusals in by_company.items()
        if company_refusals
        for source, refusal in company_refusals[: await _count_remaining_rejects(db, company)]
    ]
    await db.insert("device_rejects", *rows)


async def _count_remaining_rejects(db: Db, company: UUID) -> int:
    """Count the rejects that a company may still store today."""
    reject_count: int = await db.fetch_value(
        """select count(*) from (select 1 from device_rejects
           where company = :company and received_at > :since limit :limit) stored""",
        company=company,
        since=db.now - timedelta(days=1),
        limit=MAX_PER_DAY,
    )
    return MAX_PER_DAY - reject_count


def _to_row(db: Db, source: Source, refusal: ItemRefusal) -> RejectRow:
    return RejectRow(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("device_reject"),
        company=source.company,
        device=source.device,
        named=None if refusal.device is None else _to_storable_text(refusal.device),
        code=refusal.code,
        reason=_to_storable_text(refusal.reason),
        body=refusal.body[:MAX_BODY_BYTES],
        received_at=db.now,
    )


def _to_storable_text(text: str) -> str:
    """Truncate untrusted text, and remove characters that PostgreSQL cannot store."""
    return text[:MAX_TEXT_LENGTH].replace("\0", "").encode(errors="replace").decode()


async def list_rejects(db: Db, company: UUID, filters: RejectFilters) -> Page[RejectRow]:
    """List rejects, newest first."""
    where = Where(company).add_equal(code=filters.code, named=filters.device)
    return await load_page(
        db,
        RejectRow,
        f"select {columns(RejectRow)} from device_rejects",
        where,
        filters,
        NEWEST_FIRST,
    )
