"""Tracking numbers: how one is spelled, and how one is given out.

Twelve symbols of Crockford's alphabet, which has no letters that look like digits. The last one
is a check: a number with one wrong symbol is no number, so a typing slip never finds another
company's parcel.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, columns
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit import ids
from pannier.payloads.events import TrackingNumberCreated
from pannier.payloads.models import SubjectType, TrackingNumber
from pannier.payloads.queries import NUMBERS

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM: Final = 11
# Of ten million numbers some three hundred begin with the same three symbols.
LEAST: Final = 3
HOUSE: Final = "PAN"
_PREFIX_LETTERS: Final = 3
# What a symbol counts, and what it counts doubled, with its two digits added.
_ONCE: Final = bytes.maketrans(ALPHABET.encode(), bytes(range(32)))
_TWICE: Final = bytes.maketrans(
    ALPHABET.encode(), bytes(value // 16 + value * 2 % 32 for value in range(32))
)
# There are 32 symbols, so every byte chooses fairly.
_CHOSEN: Final = (ALPHABET * 8).encode()
_MISREAD: Final = str.maketrans("OIL", "011")
_GAPS: Final = re.compile(r"[\s\u2010-\u2015-]+")
# A company's letters, and symbols; where there are fewer letters, something else tells them apart.
_BEGUN: Final = re.compile(r"([A-Z]{3}|[A-Z]{1,2}(?![A-Z]))(.*)")
_SPELLED: Final = re.compile(r"([A-Z]{1,3})([0-9A-Z]{12})")


def draw(company_name: str) -> str:
    """Make a number that nobody can guess."""
    random = ids.random_bytes(RANDOM).translate(_CHOSEN).decode()
    return _spelled(prefix(company_name), random + check(random))


@lru_cache(maxsize=256)
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
    if not set(ALPHABET) >= set(symbols) or _sum(symbols, doubled=False) % len(ALPHABET):
        return None
    return _spelled(found[1], symbols)


def beginning(text: str) -> str | None:
    """Read how a number begins as people type it; None when too many begin so, or none does."""
    begun = _BEGUN.fullmatch(text.strip().upper())
    symbols = _GAPS.sub("", begun[2]).translate(_MISREAD) if begun else ""
    if begun is None or not LEAST <= len(symbols) <= RANDOM or not set(ALPHABET) >= set(symbols):
        return normalise(text)
    return _spelled(begun[1], symbols).rstrip("-")


def _sum(symbols: str, *, doubled: bool) -> int:
    """Add up from the right, every second symbol doubled and its two digits added."""
    odd, even = symbols.encode()[::-2], symbols.encode()[-2::-2]
    twice, once = (odd, even) if doubled else (even, odd)
    return sum(twice.translate(_TWICE)) + sum(once.translate(_ONCE))


def _spelled(letters: str, symbols: str) -> str:
    return f"{letters}-{symbols[:4]}-{symbols[4:8]}-{symbols[8:]}"


class Subject(msgspec.Struct, frozen=True):
    """What gets a number."""

    type: SubjectType
    uuid: UUID
    public_id: str
    # A new one cannot have had a number before.
    new: bool = False


class Numbered(NamedTuple):
    """The numbers of subjects by their UUIDs, and those subjects that had none before."""

    rows: dict[UUID, TrackingNumber]
    new: list[Subject]


async def issue(
    db: Db, company: UUID, order: UUID, order_id: str, subjects: Sequence[Subject]
) -> dict[UUID, TrackingNumber]:
    """Give each subject a number, and tell of those that are new."""
    rows, new = await reserve(db, company, order, subjects)
    await tell(db, company, order_id, new, rows)
    return rows


async def reserve(
    db: Db,
    company: UUID,
    order: UUID,
    subjects: Sequence[Subject],
    *,
    region: str | None = None,
    draw: Callable[[str], str] = draw,
) -> Numbered:
    """Give each subject a number of its own; whoever has had one before takes that along."""
    name = (await company_settings.of(db, company)).company_name if subjects else ""
    kept = await _kept(db, company, order, [each.uuid for each in subjects if not each.new])
    unnumbered = [subject for subject in subjects if subject.uuid not in kept]
    rows = dict(kept)
    while waiting := [subject for subject in unnumbered if subject.uuid not in rows]:
        # One that is taken is drawn again.
        rows |= await _free(db, company, order, waiting, [draw(name) for _ in waiting], region)
    return Numbered(rows, unnumbered)


async def _kept(
    db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]
) -> dict[UUID, TrackingNumber]:
    """Take the numbers along into an order that some subjects had before."""
    if not subjects:
        return {}
    rows = await db.many(
        TrackingNumber,
        f"""update tracking_numbers set order_uuid = :order, deleted_at = null,
              updated_at = :now, version = version + 1
            where company = :company and subject = any(:subjects)
            returning {columns(TrackingNumber)}""",
        company=company,
        order=order,
        subjects=subjects,
        now=db.now,
    )
    return {row.subject: row for row in rows}


async def _free(
    db: Db,
    company: UUID,
    order: UUID,
    subjects: Sequence[Subject],
    drawn: Sequence[str],
    region: str | None,
) -> dict[UUID, TrackingNumber]:
    """Write those of the drawn numbers that are free, all at once."""
    rows = [
        NUMBERS.draft(
            db,
            company,
            number=number,
            order_uuid=order,
            subject_type=subject.type,
            subject=subject.uuid,
            region=region,
        )
        for subject, number in zip(subjects, drawn, strict=True)
    ]
    written = await db.returning(
        """insert into tracking_numbers (uuid, public_id, number, subject_type, subject,
             company, order_uuid, region, created_at, updated_at, version)
           select uuid, public_id, number, subject_type, subject,
             :company, :order, :region, :now, :now, 1
           from unnest(:uuids::uuid[], :public_ids::text[], :numbers::text[],
             :subject_types::text[], :subjects::uuid[])
             as drawn (uuid, public_id, number, subject_type, subject)
           on conflict (number) do nothing returning uuid""",
        company=company,
        order=order,
        region=region,
        now=db.now,
        uuids=[row.uuid for row in rows],
        public_ids=[row.public_id for row in rows],
        numbers=drawn,
        subject_types=[row.subject_type for row in rows],
        subjects=[row.subject for row in rows],
    )
    free = {uuid for (uuid,) in written}
    return {row.subject: row for row in rows if row.uuid in free}


async def tell(
    db: Db,
    company: UUID,
    order_id: str,
    subjects: Sequence[Subject],
    rows: Mapping[UUID, TrackingNumber],
) -> None:
    """Tell that each subject can be followed from now on."""
    for subject in subjects:
        data = TrackingNumberCreated.of(rows[subject.uuid], order_id, subject.public_id)
        await outbox.emit(
            db,
            company,
            Name.TRACKING_NUMBER_CREATED,
            data,
            subject=subject.public_id,
            subject_uuid=subject.uuid,
            thread=order_id,
        )


async def withdraw(db: Db, company: UUID, subjects: Sequence[UUID]) -> None:
    """Mark the numbers of what is not followed any more; nothing else ever gets them."""
    await db.execute(
        """update tracking_numbers set deleted_at = :at, updated_at = :at, version = version + 1
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
        at=db.now,
    )
