"""Tracking numbers: their format, and their assignment to orders, stops and items.

A number has twelve symbols of Crockford's alphabet, which has no letters that look like digits. The
last symbol is a check symbol: a typing error never leads to another company's parcel.
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
RANDOM_SYMBOLS: Final = 11
# Of ten million numbers, about three hundred start with the same three symbols.
MIN_SEARCH_SYMBOLS: Final = 3
DEFAULT_PREFIX: Final = "PAN"
_PREFIX_LETTERS: Final = 3
# The value of each symbol, and its doubled value with the two digits added.
_VALUES: Final = bytes.maketrans(ALPHABET.encode(), bytes(range(32)))
_DOUBLED_VALUES: Final = bytes.maketrans(
    ALPHABET.encode(), bytes(value // 16 + value * 2 % 32 for value in range(32))
)
# 256 is a multiple of 32, so every symbol is equally likely.
_SYMBOL_BY_BYTE: Final = (ALPHABET * 8).encode()
_MISREAD: Final = str.maketrans("OIL", "011")
_GAPS: Final = re.compile(r"[\s\u2010-\u2015-]+")
# A company's letters, then symbols. Fewer than three letters must end before another letter.
_START: Final = re.compile(r"([A-Z]{3}|[A-Z]{1,2}(?![A-Z]))(.*)")
_NUMBER: Final = re.compile(r"([A-Z]{1,3})([0-9A-Z]{12})")


def draw_number(company_name: str) -> str:
    """Draw a random number that cannot be guessed."""
    random = ids.random_bytes(RANDOM_SYMBOLS).translate(_SYMBOL_BY_BYTE).decode()
    return _format_number(derive_prefix(company_name), random + compute_check_symbol(random))


@lru_cache(maxsize=256)
def derive_prefix(company_name: str) -> str:
    """Derive the letters that mark a company's numbers."""
    normalised_name = unicodedata.normalize("NFKD", company_name).upper()
    letters = [letter for letter in normalised_name if "A" <= letter <= "Z"]
    return "".join(letters[:_PREFIX_LETTERS]) or DEFAULT_PREFIX


def compute_check_symbol(symbols: str) -> str:
    """Compute the check symbol (Luhn's algorithm, modulo 32)."""
    return ALPHABET[-_compute_luhn_sum(symbols, starts_doubled=True) % len(ALPHABET)]


def parse(text: str) -> str | None:
    """Parse a number as people type it; return None if it is invalid."""
    compact_text = _GAPS.sub("", text)
    match = _NUMBER.fullmatch(compact_text.upper())
    if match is None or not compact_text.isascii():
        return None
    symbols = match[2].translate(_MISREAD)
    if not set(ALPHABET) >= set(symbols) or _compute_luhn_sum(symbols, starts_doubled=False) % len(
        ALPHABET
    ):
        return None
    return _format_number(match[1], symbols)


def parse_start(text: str) -> str | None:
    """Parse the start of a number, for a search.

    Returns None for too few symbols, which would match too many numbers, and for invalid ones.
    """
    match = _START.fullmatch(text.strip().upper())
    symbols = _GAPS.sub("", match[2]).translate(_MISREAD) if match else ""
    if (
        match is None
        or not MIN_SEARCH_SYMBOLS <= len(symbols) <= RANDOM_SYMBOLS
        or not set(ALPHABET) >= set(symbols)
    ):
        return parse(text)
    return _format_number(match[1], symbols).rstrip("-")


def _compute_luhn_sum(symbols: str, *, starts_doubled: bool) -> int:
    """Add up from the right, doubling every second symbol and adding its two digits."""
    odd_symbols, even_symbols = symbols.encode()[::-2], symbols.encode()[-2::-2]
    doubled_symbols, plain_symbols = (
        (odd_symbols, even_symbols) if starts_doubled else (even_symbols, odd_symbols)
    )
    return sum(doubled_symbols.translate(_DOUBLED_VALUES)) + sum(plain_symbols.translate(_VALUES))


def _format_number(letters: str, symbols: str) -> str:
    return f"{letters}-{symbols[:4]}-{symbols[4:8]}-{symbols[8:]}"


class NumberSubject(msgspec.Struct, frozen=True):
    """An order, a stop or an item that receives a number."""

    type: SubjectType
    uuid: UUID
    public_id: str
    # A new subject cannot have had a number before.
    is_new: bool = False


class ReservedNumbers(NamedTuple):
    """The numbers by subject, and the subjects without an earlier number."""

    rows: dict[UUID, TrackingNumber]
    new_subjects: list[NumberSubject]


async def issue(
    db: Db, company: UUID, order: UUID, order_id: str, subjects: Sequence[NumberSubject]
) -> dict[UUID, TrackingNumber]:
    """Issue a number for each subject, and emit events for the new ones."""
    rows, new_subjects = await reserve(db, company, order, subjects)
    await emit_number_created(db, company, order_id, new_subjects, rows)
    return rows


async def reserve(
    db: Db,
    company: UUID,
    order: UUID,
    subjects: Sequence[NumberSubject],
    *,
    region: str | None = None,
    draw_number: Callable[[str], str] = draw_number,
) -> ReservedNumbers:
    """Assign a number to each subject. A subject keeps its earlier number."""
    name = (await company_settings.load(db, company)).company_name if subjects else ""
    earlier_rows = await _move_numbers(
        db, company, order, [subject.uuid for subject in subjects if not subject.is_new]
    )
    new_subjects = [subject for subject in subjects if subject.uuid not in earlier_rows]
    rows = dict(earlier_rows)
    while pending_subjects := [subject for subject in new_subjects if subject.uuid not in rows]:
        # Numbers that are taken are drawn again.
        rows |= await _insert_free_numbers(
            db,
            company,
            order,
            pending_subjects,
            [draw_number(name) for _ in pending_subjects],
            region,
        )
    return ReservedNumbers(rows, new_subjects)


async def _move_numbers(
    db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]
) -> dict[UUID, TrackingNumber]:
    """Move the subjects' earlier numbers to the order."""
    if not subjects:
        return {}
    rows = await db.fetch_all(
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


async def _insert_free_numbers(
    db: Db,
    company: UUID,
    order: UUID,
    subjects: Sequence[NumberSubject],
    numbers: Sequence[str],
    region: str | None,
) -> dict[UUID, TrackingNumber]:
    """Insert the drawn numbers that are still free; return them by subject."""
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
        for subject, number in zip(subjects, numbers, strict=True)
    ]
    inserted_rows = await db.execute_returning(
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
        numbers=numbers,
        subject_types=[row.subject_type for row in rows],
        subjects=[row.subject for row in rows],
    )
    inserted_uuids = {uuid for (uuid,) in inserted_rows}
    return {row.subject: row for row in rows if row.uuid in inserted_uuids}


async def emit_number_created(
    db: Db,
    company: UUID,
    order_id: str,
    subjects: Sequence[NumberSubject],
    rows: Mapping[UUID, TrackingNumber],
) -> None:
    for subject in subjects:
        data = TrackingNumberCreated.from_row(rows[subject.uuid], order_id, subject.public_id)
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
    """Withdraw the numbers of subjects. They are never issued again."""
    await db.execute(
        """update tracking_numbers set deleted_at = :now, updated_at = :now, version = version + 1
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
        now=db.now,
    )
