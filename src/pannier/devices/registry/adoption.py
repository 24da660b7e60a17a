"""Adoption: a gateway may register the unknown devices that it names."""

from collections.abc import Mapping
from itertools import groupby
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.kit import ids

MAX_NAME_LENGTH: Final = 200
# Limits adoption, so that a gateway that invents names cannot fill the registry.
MAX_DEVICES: Final = 100_000

# A company, and a device name that its gateway uses.
CompanyDeviceName = tuple[UUID, str]


def is_adoptable(name: str) -> bool:
    """Return whether a device may have this name. Names like our own ids are mistakes."""
    is_valid_name = 0 < len(name) <= MAX_NAME_LENGTH and name == name.strip() and name.isprintable()
    return is_valid_name and not ids.is_public_id(name)


async def adopt(db: Db, names: Mapping[CompanyDeviceName, str | None]) -> int:
    """Register devices unless another transaction does, and return how many.

    A device gets its display name if one is reported, or else its identifier. Rows are inserted in
    the order of names, so that two transactions never deadlock.
    """
    sorted_names = sorted(names)
    adoptable_devices = [
        company_and_name
        for company, group in groupby(sorted_names, key=lambda pair: pair[0])
        for company_and_name in list(group)[: await _count_adoptable_devices(db, company)]
    ]
    if not adoptable_devices:
        return 0
    return await db.execute(
        """insert into devices (uuid, public_id, company, name, kind, identifier, meta,
               created_at, updated_at)
           select uuid, public_id, company, called, 'tracker', name, '{}', :now, :now
           from unnest(:uuids::uuid[], :public_ids::text[], :companies::uuid[], :called::text[],
                       :names::text[]) as new (uuid, public_id, company, called, name)
           on conflict do nothing""",
        uuids=[db.new_uuid() for _ in adoptable_devices],
        public_ids=[ids.new_public_id("device") for _ in adoptable_devices],
        companies=[company for company, _ in adoptable_devices],
        called=[_clean_display_name(names[pair]) or pair[1] for pair in adoptable_devices],
        names=[name for _, name in adoptable_devices],
        now=db.now,
    )


def _clean_display_name(text: str | None) -> str:
    printable_text = "".join(character for character in text or "" if character.isprintable())
    return printable_text.strip()[:MAX_NAME_LENGTH].strip()


async def _count_adoptable_devices(db: Db, company: UUID) -> int:
    """Count the devices that a company may still adopt."""
    device_count: int = await db.fetch_value(
        """select count(*) from (select from devices
               where company = :company and deleted_at is null limit :limit) d""",
        company=company,
        limit=MAX_DEVICES,
    )
    return MAX_DEVICES - device_count
