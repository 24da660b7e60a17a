"""Database reads of imports."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort, Table, Where, columns, load_page
from pannier.imports.models import ImportResource, ImportRow, RowResult
from pannier.imports.schemas import ImportFilters, ImportRowFilters
from pannier.jobs.leases import Leases

IMPORTS: Final = Table("imports", ImportRow, sort=Sort(("created_at",)))
LEASES: Final = Leases("import_runs", key="import_uuid")
SELECT_ROWS: Final = f"select {columns(RowResult)} from import_rows"
ROW_SORT: Final = Sort(("number",), descending=False)


class _StoredMapping(msgspec.Struct):
    mapping: dict[str, str]


async def list_imports(db: Db, company: UUID, filters: ImportFilters) -> Page[ImportRow]:
    """List imports, newest first."""
    where = IMPORTS.where(company).add_equal(resource=filters.resource)
    if filters.state is not None:
        where.add_any_of("state", filters.state)
    return await IMPORTS.load_page(db, where, filters)


async def find_last_mapping(
    db: Db, company: UUID, resource: ImportResource, digest: bytes
) -> Mapping[str, str]:
    """Return the mapping with which a file with the same headers was last imported."""
    stored = await db.find(
        _StoredMapping,
        """select mapping from imports
           where company = :company and resource = :resource and headers_digest = :digest
             and started_at is not null
           order by started_at desc limit 1""",
        company=company,
        resource=resource,
        digest=digest,
    )
    return {} if stored is None else stored.mapping


async def count_unfinished(db: Db, company: UUID) -> int:
    """Count the tasks of imports that are queued or running."""
    count: int = await db.fetch_value(
        "select count(*) from import_runs where company = :company", company=company
    )
    return count


async def list_rows(db: Db, company: UUID, row: UUID, filters: ImportRowFilters) -> Page[RowResult]:
    """List the results of an import's rows by number."""
    where = Where(company).add_equal(import_uuid=row)
    if filters.state is not None:
        where.add_any_of("state", filters.state)
    return await load_page(db, RowResult, SELECT_ROWS, where, filters, ROW_SORT)


async def list_created_rows(db: Db, company: UUID, row: UUID, limit: int) -> Sequence[RowResult]:
    """List the last rows whose records still exist."""
    return await db.fetch_all(
        RowResult,
        f"""{SELECT_ROWS}
            where company = :company and import_uuid = :import_uuid and state = 'created'
            order by number desc limit :limit""",
        import_uuid=row,
        company=company,
        limit=limit,
    )


async def find_record(db: Db, company: UUID, resource: ImportResource, key: bytes) -> str | None:
    """Return the public id of the record that a row with this key has created."""
    record: str | None = await db.fetch_value(
        """select record from import_keys
           where company = :company and resource = :resource and key = :key""",
        company=company,
        resource=resource,
        key=key,
    )
    return record
