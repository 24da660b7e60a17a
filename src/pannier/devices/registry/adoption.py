"""Adoption: a gateway that may takes in the devices that it is the first to name."""

from collections.abc import Mapping
from itertools import groupby
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.kit import ids

LONGEST_NAME: Final = 200
# Whoever has more devices names them: a gateway that makes names up must not fill the register.
MOST_DEVICES: Final = 100_000

# A device as its gateway names it, by company.
Named = tuple[UUID, str]


def adoptable(name: str) -> bool:
    """Tell whether a device may be called so; what looks like an id of ours is a mistake."""
    named = 0 < len(name) <= LONGEST_NAME and name == name.strip() and name.isprintable()
    return named and not ids.looks_public(name)


async def adopt(db: Db, named: Mapping[Named, str | None]) -> int:
    """Take in devices that nobody else takes in just now, and tell how many; each by its company.

    Where it is known what people call one, it is called so; else by its own name.

    In the order of their names, so that two who take in the same ones do not wait for each other.
    """
    wanted = sorted(named)
    taken = [
        one
        for company, group in groupby(wanted, key=lambda each: each[0])
        for one in list(group)[: await _room(db, company)]
    ]
    if not taken:
        return 0
    return await db.execute(
        """insert into devices (uuid, public_id, company, name, kind, identifier, meta,
               created_at, updated_at)
           select uuid, public_id, company, called, 'tracker', name, '{}', :now, :now
           from unnest(:uuids::uuid[], :public_ids::text[], :companies::uuid[], :called::text[],
                       :names::text[]) as new (uuid, public_id, company, called, name)
           on conflict do nothing""",
        uuids=[db.new_uuid() for _ in taken],
        public_ids=[ids.new_public_id("device") for _ in taken],
        companies=[company for company, _ in taken],
        called=[_called(named[one]) or one[1] for one in taken],
        names=[name for _, name in taken],
        now=db.now,
    )


def _called(text: str | None) -> str:
    """Read what people call a device as far as it can be shown."""
    shown = "".join(sign for sign in text or "" if sign.isprintable())
    return shown.strip()[:LONGEST_NAME].strip()


async def _room(db: Db, company: UUID) -> int:
    """Tell how many more devices a company may come to have so."""
    present: int = await db.value(
        """select count(*) from (select from devices
               where company = :company and deleted_at is null limit :most) d""",
        company=company,
        most=MOST_DEVICES,
    )
    return MOST_DEVICES - present
