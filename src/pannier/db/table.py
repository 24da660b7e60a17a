"""Operations of every resource's table: find, list, write only what changed, delete."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db import audit
from pannier.db.paging import Page, PageIn, Sort, page
from pannier.db.pool import Db
from pannier.db.sql import Where, columns
from pannier.errors import Field, NotFound, checked
from pannier.kit.meta import MetaPatch

# Split words as the database functions `search_words` and `search_parts` do.
BETWEEN_WORDS: Final = re.compile(r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
# `search_parts` indexes at most this many characters from each letter of a word.
LONGEST_PART: Final = 30
PHONE_ENDINGS: Final = " || ".join(f"' ' || right(phone, {digits})" for digits in (7, 8, 9, 10))

Row = TypeVar("Row", bound=msgspec.Struct)
Details = Mapping[str, Any] | None
OnChange = Callable[[Db, UUID], Awaitable[None]]


class Table(Generic[Row]):
    """A company's rows of one kind; `noun` names the kind.

    The columns include `uuid, public_id, company, created_at, updated_at, version`. Tables with
    `deleted_at` delete softly: the row stays, because history refers to it.

    Changes by an operator go into the audit log; where the rows are `configuration`, all changes
    do. The log never contains the values of `secret` columns or any bytes.

    A search matches anywhere in a `search` column. `by_parts` uses an index of parts of words.
    `by_words`, for large tables, uses an index of words and matches only at the beginning of a
    word.

    `on_change` is for rows that processes cache. It is called in the transaction of each change,
    and makes every process refresh its cache.
    """

    def __init__(
        self,
        name: str,
        row: type[Row],
        *,
        noun: str | None = None,
        prefix: str | None = None,
        sort: Sort = Sort(),  # noqa: B008 - frozen
        search: tuple[str, ...] = (),
        by_words: bool = False,
        by_parts: bool = False,
        configuration: bool = False,
        secret: frozenset[str] = frozenset(),
        on_change: OnChange | None = None,
    ) -> None:
        self.name, self.row, self._on_change = name, row, on_change
        # The kind's singular, derived from the table's name.
        self.noun = noun or name.removesuffix("s")
        self.configuration, self.secret = configuration, secret
        self.columns = columns(row)
        self._prefix, self.sort, self._search = prefix or self.noun, sort, search
        self.words = words_of(search) if by_words else None
        self._parts = parts_of(search) if by_parts else None
        self._select = f"select {self.columns} from {name}"
        self._alone = frozenset({name})
        self._marked = "deleted_at" in row.__struct_fields__

    def where(self, company: UUID) -> Where:
        """Return a condition for the company's rows that are not deleted."""
        where = Where(company)
        return where.that("deleted_at is null") if self._marked else where

    async def find(self, db: Db, company: UUID, identifier: str | UUID) -> Row | None:
        where = self.where(company).named(identifier)
        sql = f"{self._select} {where}"
        return await db.find(self.row, sql, of_tables=self._alone, **where.values)

    async def get(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Return a row, or raise NotFound."""
        row = await self.find(db, company, identifier)
        if row is None:
            raise NotFound
        return row

    async def take(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Return a row and lock it until the transaction ends.

        Keys never change, so a writer whose row refers to this one need not wait for the lock. With
        a stronger lock, two transactions could deadlock on rows that refer to each other.
        """
        where = self.where(company).named(identifier)
        sql = f"{self._select} {where} for no key update"
        return await db.one(self.row, sql, of_tables=self._alone, **where.values)

    async def named(
        self,
        db: Db,
        company: UUID,
        path: str,
        identifier: str,
        *,
        hold: bool = False,
        called: str | None = None,
    ) -> Row:
        """Return the row that a request's field refers to. Raise NotFound for the field."""
        try:
            return await (self.take if hold else self.get)(db, company, identifier)
        except NotFound:
            sentence = f"There is no such {called or self.noun.replace('_', ' ')}."
            raise NotFound(fields=[Field(path, sentence)]) from None

    async def page(
        self, db: Db, where: Where, asked: PageIn, *, query: str | None = None
    ) -> Page[Row]:
        """Return a page of rows, limited to those that match `query`."""
        if query is not None:
            self.searched(where, query)
        return await page(db, self.row, self._select, where, asked, self.sort)

    def searched(self, where: Where, query: str) -> Where:
        """Restrict to rows that match a person's search."""
        found = " or ".join(f"{column} ilike :query" for column in self._search)
        where.that(f"({found})", query=f"%{literal(query)}%")
        if self._parts is not None:
            parts = parts_wanted(where.values["company"], query)
            where.that(f"{self._parts} @@ lower(:parts)::tsquery", parts=parts)
        return self.saying(where, words=query)

    def saying(self, where: Where, **texts: str | None) -> Where:
        """Restrict to rows whose indexed words match all the texts."""
        for name, text in texts.items():
            words = None if text is None else words_wanted(where.values["company"], text)
            if self.words is not None and words is not None:
                where.that(f"{self.words} @@ to_tsquery('simple', :{name})", **{name: words})
        return where

    async def among(self, db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, Row]:
        """Return several rows by UUID, including deleted ones."""
        if not uuids:
            return {}
        rows = await db.many(
            self.row,
            f"{self._select} where company = :company and uuid = any(:uuids)",
            of_tables=self._alone,
            company=company,
            uuids=uuids,
        )
        return {row.uuid: row for row in rows}  # type: ignore[attr-defined]  # every row has one

    async def create(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Insert a row of the given columns."""
        return await self.insert(db, self.draft(db, company, **columns))

    def append(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Create a row that is written at the end of the transaction, together with its events."""
        row = self.draft(db, company, **columns)
        db.append(self.name, row)
        if self._logs(db):
            self._log(db, row, "created", {}, _fields(row))
        return row

    def draft(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Create a row without writing it."""
        given = {"updated_at": db.now, **columns}
        return self.row(**db.begun(company, self._prefix) | given)

    async def insert(self, db: Db, row: Row, *, log_details: Details = None) -> Row:
        """Insert a row. `log_details` are added to its audit entry."""
        await db.insert(self.name, row)
        await self._count(db, row)
        if self._logs(db):
            self._log(db, row, "created", {}, _fields(row), log_details)
        return row

    async def insert_all(self, db: Db, rows: Sequence[Row], *, soon: bool = False) -> None:
        """Insert rows in one statement. With `deferred`, write them together with later writes."""
        db.add(self.name, *rows)
        if not soon:
            await db.write_soon()
        for row in rows[:1]:
            await self._count(db, row)
        if self._logs(db):
            for row in rows:
                self._log(db, row, "created", {}, _fields(row))

    async def change(
        self,
        db: Db,
        row: Row,
        *,
        soon: bool = False,
        log_action: str = "changed",
        log_details: Details = None,
        **wanted: Any,  # noqa: ANN401 - columns
    ) -> tuple[Row, list[str]]:
        """Write the columns that differ, and return their names. Without any, do nothing.

        `deferred` writes them together with later writes. It needs a locked row and columns without
        constraints.
        """
        for name, value in wanted.items():
            if isinstance(value, MetaPatch):
                wanted[name] = checked(name, value.apply, getattr(row, name))
        changes = {name: value for name, value in wanted.items() if getattr(row, name) != value}
        if not changes:
            return row, []
        told = list(changes)
        before, after = {name: getattr(row, name) for name in told}, dict(changes)
        changes |= {"updated_at": db.now, "version": row.version + 1}  # type: ignore[attr-defined]  # every row has one
        db.alter(self.name, row.company, row.uuid, **changes)  # type: ignore[attr-defined]  # every row has them
        if not soon:
            await db.write_soon()
        await self._count(db, row)
        if self._logs(db):
            self._log(db, row, log_action, before, after, log_details)
        return msgspec.structs.replace(row, **changes), told

    async def touch(self, db: Db, row: Row) -> Row:
        """Count a change of data that is shown with the row but stored elsewhere."""
        changes = {"updated_at": db.now, "version": row.version + 1}  # type: ignore[attr-defined]  # every row has one
        await db.update(self.name, row.uuid, **changes)  # type: ignore[attr-defined]  # every row has one
        return msgspec.structs.replace(row, **changes)

    async def remove(
        self,
        db: Db,
        row: Row,
        *,
        log_action: str = "deleted",
        log_details: Details = None,
    ) -> Row:
        """Delete a row softly where the table supports it; otherwise delete it."""
        if self._marked:
            gone, _ = await self.change(
                db, row, log_action=log_action, log_details=log_details, deleted_at=db.now
            )
            return gone
        await db.execute(
            f"delete from {self.name} where company = :company and uuid = :uuid",
            company=row.company,  # type: ignore[attr-defined]  # every row has one
            uuid=row.uuid,  # type: ignore[attr-defined]  # every row has one
        )
        await self._count(db, row)
        if self._logs(db):
            self._log(db, row, log_action, _fields(row), {}, log_details)
        return row

    async def _count(self, db: Db, row: Row) -> None:
        """Report a change, so that every process refreshes its cached rows."""
        if self._on_change is not None:
            await self._on_change(db, row.company)  # type: ignore[attr-defined]  # every row has one
            db.known.clear()

    def _logs(self, db: Db) -> bool:
        return self.configuration or db.actor.kind == "operator"

    def _log(
        self,
        db: Db,
        row: Row,
        action: str,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        details: Details = None,
    ) -> None:
        audit.write(
            db,
            row.company,  # type: ignore[attr-defined]  # every row has one
            f"{self.noun}.{action}",
            row.public_id,  # type: ignore[attr-defined]  # every row has one
            details=details,
            before=audit.shown(before, self.secret),
            after=audit.shown(after, self.secret),
        )


def _fields(row: msgspec.Struct) -> dict[str, Any]:
    """Return a row's fields that are not null."""
    fields = ((name, getattr(row, name)) for name in row.__struct_fields__)
    return {name: value for name, value in fields if value is not None}


def words_of(search: Sequence[str]) -> str:
    """Return the expression that an index of words is built on.

    Phone numbers also match without their country code.
    """
    said = [f"coalesce({column}, '')" for column in search if column != "phone"]
    if "phone" in search:
        said.append(f"coalesce(phone || {PHONE_ENDINGS}, '')")
    text = " || ' ' || ".join(said)
    return f"search_words(company, {text})"


def parts_of(search: Sequence[str]) -> str:
    """Return the expression that an index of parts of words is built on."""
    text = " || ' ' || ".join(f"coalesce({column}, '')" for column in search)
    return f"search_parts(company, {text})"


def parts_wanted(company: UUID, query: str) -> str:
    """Return a text search query for parts of words."""
    words = [f"'{word[:LONGEST_PART]}':*" for word in BETWEEN_WORDS.split(query) if word]
    return " & ".join([f"'{company.hex}'", *words])


def words_wanted(company: UUID, query: str) -> str | None:
    """Return a text search query for words, or None when the text has none."""
    words = [f"'{word}':*" for word in BETWEEN_WORDS.split(query) if word]
    return " & ".join([company.hex, *words]) if words else None


def literal(text: str) -> str:
    """Escape the wildcards of LIKE."""
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
