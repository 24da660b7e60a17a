"""Tracking numbers: how one is spelled, and how one is given out.

Twelve symbols of Crockford's alphabet, which has no letters that look like digits. The last one
is a check: a number with one wrong symbol is no number, so a typing slip never finds another
company's parcel.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.db import Db, columns
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit import ids
from pannier.payloads.events import TrackingNumberCreated
from pannier.payloads.models import SubjectType, TrackingNumber

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM: Final = 11
HOUSE: Final = "PAN"
_PREFIX_LETTERS: Final = 3
_VALUES: Final = {symbol: value for value, symbol in enumerate(ALPHABET)}
_MISREAD: Final = str.maketrans("OIL", "011")
_GAPS: Final = re.compile(r"[\s\u2010-\u2015-]+")
_SPELLED: Final = re.compile(r"([A-Z]{1,3})([0-9A-Z]{12})")


def draw(company_name: str) -> str:
    """Make a number that nobody can guess."""
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return _spelled(prefix(company_name), random + check(random))


def prefix(company_name: str) -> str:
    """Take the letters that tell a company's numbers apart at a glance."""
    plain = unicodedata.normalize("NFKD", company_name).upper()
    letters = [letter for letter in plain if "A" <= letter <= "Z"]
    return "".join(letters[:_PREFIX_LETTERS]) or HOUSE


def check(symbols: str) -> str:
    """Answer the symbol that makes the others add up (Luhn's rule, modulo 32)."""
    return ALPHABET[-_sum(symbols, doubled=True) % len(ALPHABET)]


def normalise(text: str) -> str | None:
    """Read a number as people type it; None when it is none."""
    dense = _GAPS.sub("", text)
    found = _SPELLED.fullmatch(dense.upper())
    if found is None or not dense.isascii():
        return None
    symbols = found[2].translate(_MISREAD)
    if not _VALUES.keys() >= set(symbols) or _sum(symbols, doubled=False) % len(ALPHABET):
        return None
    return _spelled(found[1], symbols)


def _sum(symbols: str, *, doubled: bool) -> int:
    """Add up from the right, every second symbol doubled and its two digits added."""
    total = 0
    for symbol in reversed(symbols):
        value = _VALUES[symbol] * (2 if doubled else 1)
        total += value // len(ALPHABET) + value % len(ALPHABET)
        doubled = not doubled
    return total


def _spelled(letters: str, symbols: str) -> str:
    return "-".join((letters, symbols[:4], symbols[4:8], symbols[8:]))


class Subject(msgspec.Struct, frozen=True):
    """What gets a number."""

    type: SubjectType
    uuid: UUID
    public_id: str


async def issue(
    db: Db,
    company: UUID,
    order: UUID,
    order_id: str,
    subjects: Sequence[Subject],
    *,
    region: str | None = None,
    draw: Callable[[str], str] = draw,
) -> list[TrackingNumber]:
    """Give each subject a number of its own, and tell."""
    rows = await reserve(db, company, order, subjects, region=region, draw=draw)
    await tell(db, company, order_id, subjects, rows)
    return rows


async def reserve(
    db: Db,
    company: UUID,
    order: UUID,
    subjects: Sequence[Subject],
    *,
    region: str | None = None,
    draw: Callable[[str], str] = draw,
) -> list[TrackingNumber]:
    """Give each subject a number of its own; one that is taken is drawn again."""
    name = (await accounts.company(db, company)).name if subjects else ""
    issued: dict[UUID, TrackingNumber] = {}
    while waiting := [subject for subject in subjects if subject.uuid not in issued]:
        drawn = [_row(db, company, order, subject, draw(name), region) for subject in waiting]
        issued |= {row.subject: row for row in await _inserted(db, drawn)}
    return [issued[subject.uuid] for subject in subjects]


async def tell(
    db: Db,
    company: UUID,
    order_id: str,
    subjects: Sequence[Subject],
    rows: Sequence[TrackingNumber],
) -> None:
    """Tell that each subject can be followed from now on."""
    for subject, row in zip(subjects, rows, strict=True):
        data = TrackingNumberCreated.of(row, order_id, subject.public_id)
        await outbox.emit(
            db,
            company,
            Name.TRACKING_NUMBER_CREATED,
            data,
            subject=subject.public_id,
            subject_uuid=subject.uuid,
            thread=order_id,
        )


def _row(
    db: Db, company: UUID, order: UUID, subject: Subject, number: str, region: str | None
) -> TrackingNumber:
    return TrackingNumber(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("track"),
        company=company,
        number=number,
        order_uuid=order,
        subject_type=subject.type,
        subject=subject.uuid,
        region=region,
        created_at=db.now,
        updated_at=db.now,
    )


async def _inserted(db: Db, rows: list[TrackingNumber]) -> list[TrackingNumber]:
    """Write the numbers that are free, all in one statement, and answer those."""
    return await db.many(
        TrackingNumber,
        f"""insert into tracking_numbers ({columns(TrackingNumber)})
           select {columns(TrackingNumber)}
           from jsonb_populate_recordset(null::tracking_numbers, :rows)
           on conflict (number) do nothing returning {columns(TrackingNumber)}""",
        rows=rows,
    )


async def withdraw(db: Db, company: UUID, subjects: Sequence[UUID]) -> None:
    """Mark the numbers of what is not followed any more; they are never given out again."""
    await db.execute(
        """update tracking_numbers set deleted_at = :at, updated_at = :at, version = version + 1
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
        at=db.now,
    )


async def follow(db: Db, company: UUID, subject: UUID, order: UUID) -> bool:
    """Take a subject's number along into another order; False when it has never had one."""
    moved = await db.execute(
        """update tracking_numbers
           set order_uuid = :order, deleted_at = null, updated_at = :at, version = version + 1
           where company = :company and subject = :subject""",
        company=company,
        subject=subject,
        order=order,
        at=db.now,
    )
    return moved > 0
