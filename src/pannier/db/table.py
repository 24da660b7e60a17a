"""What every resource's table shares: finding, listing, writing only what changed, leaving."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db.paging import Page, PageIn, Sort, page
from pannier.db.session import Db
from pannier.db.sql import Where, assignments
from pannier.errors import NotFound

Row = TypeVar("Row", bound=msgspec.Struct)


class Table(Generic[Row]):
    """A company's rows of one kind.

    Its columns include `uuid, public_id, company, created_at, updated_at, version, deleted_at`:
    a row that leaves stays behind marked, because history names it.
    """

    def __init__(
        self,
        name: str,
        row: type[Row],
        *,
        sort: Sort = Sort(),  # noqa: B008 - frozen
        search: tuple[str, ...] = (),
    ) -> None:
        self.name, self.row = name, row
        self._sort, self._search = sort, search
        self._select = f"select * from {name}"

    def where(self, company: UUID) -> Where:
        """Begin a condition on living rows."""
        return Where(company).that("deleted_at is null")

    async def find(self, db: Db, company: UUID, identifier: str | UUID) -> Row | None:
        """Read a row by UUID or public id, or None."""
        where = self.where(company).named(str(identifier))
        return await db.find(self.row, f"{self._select} {where}", **where.values)

    async def get(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Read a row, or refuse."""
        row = await self.find(db, company, identifier)
        if row is None:
            raise NotFound
        return row

    async def take(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Read a row and hold it until the transaction ends.

        Keys never change, so whoever writes a row that names this one need not wait for it: two
        who each hold what the other one names would wait for ever.
        """
        where = self.where(company).named(str(identifier))
        return await db.one(self.row, f"{self._select} {where} for no key update", **where.values)

    async def page(
        self, db: Db, where: Where, asked: PageIn, *, query: str | None = None
    ) -> Page[Row]:
        """List rows; `query` is looked for in the columns that are searched."""
        if query is not None:
            found = " or ".join(f"{column} ilike :query" for column in self._search)
            where.that(f"({found})", query=f"%{literal(query)}%")
        return await page(db, self.row, self._select, where, asked, self._sort)

    async def among(self, db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, Row]:
        """Read several rows at once, by UUID; also those that have left."""
        if not uuids:
            return {}
        rows = await db.many(
            self.row,
            f"{self._select} where company = :company and uuid = any(:uuids)",
            company=company,
            uuids=uuids,
        )
        return {row.uuid: row for row in rows}  # type: ignore[attr-defined]  # every row has one

    async def insert(self, db: Db, row: Row) -> Row:
        """Write a new row."""
        await db.insert(self.name, row)
        return row

    async def insert_all(self, db: Db, rows: Sequence[Row]) -> None:
        """Write new rows, however many, in one statement."""
        if rows:
            await db.execute(
                f"""insert into {self.name}
                    select * from jsonb_populate_recordset(null::{self.name}, :rows)""",
                rows=rows,
            )

    async def change(self, db: Db, row: Row, **wanted: Any) -> tuple[Row, list[str]]:  # noqa: ANN401 - columns
        """Write what differs, and tell which columns that were; without any, nothing happens."""
        changes = {name: value for name, value in wanted.items() if getattr(row, name) != value}
        if not changes:
            return row, []
        told = list(changes)
        changes |= {"updated_at": db.now, "version": row.version + 1}  # type: ignore[attr-defined]  # every row has one
        await db.execute(
            f"""update {self.name} set {assignments(changes)}
                where company = :company and uuid = :uuid""",
            company=row.company,  # type: ignore[attr-defined]  # every row has one
            uuid=row.uuid,  # type: ignore[attr-defined]  # every row has one
            **changes,
        )
        return msgspec.structs.replace(row, **changes), told

    async def remove(self, db: Db, row: Row) -> Row:
        """Mark a row as gone."""
        gone, _ = await self.change(db, row, deleted_at=db.now)
        return gone


def literal(text: str) -> str:
    """Take the special meaning from what a person searches for."""
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
