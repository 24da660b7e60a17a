"""Tracking numbers: how one is spelled, and how one is given out.

Twelve symbols of Crockford's alphabet, which has no letters that look like digits. The last one
is a check: a number with one wrong symbol is no number, so a typing slip never finds another
company's parcel.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple
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
    # The alphabet has 32 symbols, so every byte chooses fairly.
    random = "".join(ALPHABET[byte % len(ALPHABET)] for byte in secrets.token_bytes(RANDOM))
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
    name = (await accounts.company(db, company)).name if subjects else ""
    rows: dict[UUID, TrackingNumber] = {}
    kept: set[UUID] = set()
    while waiting := [subject for subject in subjects if subject.uuid not in rows]:
        # One that is taken is drawn again.
        drawn = [_row(db, company, order, subject, draw(name), region) for subject in waiting]
        given = await _given(db, drawn)
        kept |= {row.subject for row in given.kept}
        mine = given.uuids
        rows |= {row.subject: row for row in (*given.kept, *drawn) if row.uuid in mine}
    return Numbered(rows, [subject for subject in subjects if subject.uuid not in kept])


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


class Given(msgspec.Struct):
    """The numbers that subjects had before, and those of the drawn ones that were free."""

    kept: list[TrackingNumber]
    free: set[UUID]

    @property
    def uuids(self) -> set[UUID]:
        """The numbers that are theirs now."""
        return self.free | {row.uuid for row in self.kept}


async def _given(db: Db, drawn: Sequence[TrackingNumber]) -> Given:
    """Take old numbers along into an order and write the new ones that are free, all at once."""
    text = await db.value(
        f"""with drawn as materialized (
              select {columns(TrackingNumber)}
              from jsonb_populate_recordset(null::tracking_numbers, :drawn)),
            kept as (
              update tracking_numbers n set order_uuid = d.order_uuid, deleted_at = null,
                updated_at = d.updated_at, version = n.version + 1
              from drawn d where n.company = d.company and n.subject = d.subject
              returning {columns(TrackingNumber, "n")}),
            free as (
              insert into tracking_numbers ({columns(TrackingNumber)})
              select {columns(TrackingNumber)} from drawn
              where subject not in (select subject from kept)
              on conflict (number) do nothing returning uuid)
            select json_build_object(
              'kept', (select coalesce(json_agg(kept), '[]') from kept),
              'free', (select coalesce(json_agg(uuid), '[]') from free))""",
        drawn=drawn,
    )
    return msgspec.json.decode(text, type=Given)


async def withdraw(db: Db, company: UUID, subjects: Sequence[UUID]) -> None:
    """Mark the numbers of what is not followed any more; nothing else ever gets them."""
    await db.execute(
        """update tracking_numbers set deleted_at = :at, updated_at = :at, version = version + 1
           where company = :company and subject = any(:subjects) and deleted_at is null""",
        company=company,
        subjects=list(subjects),
        at=db.now,
    )
