"""Operations of every resource's table: find, list, write changed columns, delete."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import msgspec

from pannier.db import audit
from pannier.db.database import Db
from pannier.db.paging import MAX_SEARCH_SECONDS, Page, PagingIn, Sort, load_page
from pannier.db.sql import Where, columns
from pannier.errors import FieldError, NotFound, parse_field
from pannier.kit.meta import MetaPatch

# Split words as the database functions `search_words` and `search_parts` do.
WORD_SEPARATORS: Final = re.compile(r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
# `search_parts` indexes at most this many characters from each position in a word.
MAX_PART_LENGTH: Final = 30
PHONE_TEXT: Final = re.compile(r"\+?[\d\s()./-]+")
PHONE_SEPARATORS: Final = re.compile(r"[\s()./-]+")
MIN_PHONE_LENGTH: Final = 7
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

    A search matches anywhere in a `search` column, and ignores accents. `by_parts` uses an index of
    parts of words. `by_words`, for large tables, uses an index of words and matches only at the
    beginning of a word.

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
        self.word_index = word_index_expression(search) if by_words else None
        self._part_index = part_index_expression(search) if by_parts else None
        self._select = f"select {self.columns} from {name}"
        self._own_table = frozenset({name})
        self._soft_deletes = "deleted_at" in row.__struct_fields__

    def where(self, company: UUID) -> Where:
        """Return a condition for the company's rows that are not deleted."""
        where = Where(company)
        return where.add("deleted_at is null") if self._soft_deletes else where

    def add_identifier(self, where: Where, identifier: str | UUID) -> Where:
        """Require the row of an identifier."""
        return where.add_identifier(identifier)

    async def find(self, db: Db, company: UUID, identifier: str | UUID) -> Row | None:
        where = self.add_identifier(self.where(company), identifier)
        sql = f"{self._select} {where}"
        return await db.find(self.row, sql, of_tables=self._own_table, **where.values)

    async def get(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Return a row, or raise NotFound."""
        row = await self.find(db, company, identifier)
        if row is None:
            raise NotFound
        return row

    async def lock(self, db: Db, company: UUID, identifier: str | UUID) -> Row:
        """Lock a row until the transaction ends, and return it.

        Keys never change, so a writer whose row refers to this one need not wait for the lock. With
        a stronger lock, two transactions could deadlock on rows that refer to each other.
        """
        where = self.add_identifier(self.where(company), identifier)
        sql = f"{self._select} {where} for no key update"
        return await db.get(self.row, sql, of_tables=self._own_table, **where.values)

    async def resolve_reference(
        self,
        db: Db,
        company: UUID,
        path: str,
        identifier: str,
        *,
        lock: bool = False,
        label: str | None = None,
    ) -> Row:
        """Return the row that a request's field refers to. Raise NotFound for the field."""
        try:
            return await (self.lock if lock else self.get)(db, company, identifier)
        except NotFound:
            sentence = f"There is no such {label or self.noun.replace('_', ' ')}."
            raise NotFound(fields=[FieldError(path, sentence)]) from None

    async def load_page(
        self, db: Db, where: Where, paging: PagingIn, *, query: str | None = None
    ) -> Page[Row]:
        """Load a page of rows. With `query`, include only rows that match it."""
        if query is not None:
            self.add_search(where, query)
        return await load_page(db, self.row, self._select, where, paging, self.sort)

    async def count(self, db: Db, where: Where, limit: int) -> int:
        """Count the rows that match, up to a limit."""
        count: int = await db.fetch_value(
            f"select count(*) from (select from {self.name} {where} limit {limit}) found",
            **where.values,
        )
        return count

    def add_search(self, where: Where, query: str) -> Where:
        """Restrict to rows that match a person's search."""
        where.max_seconds = MAX_SEARCH_SECONDS
        if "phone" in self._search:
            query = join_phone_number(query)
        conditions = " or ".join(
            f"fold_accents({column}) ilike fold_accents(:query)" for column in self._search
        )
        where.add(f"({conditions})", query=to_like_pattern(query))
        if self._part_index is not None:
            parts = to_part_query(where.values["company"], query)
            where.add(f"{self._part_index} @@ lower(fold_accents(:parts))::tsquery", parts=parts)
        return self.add_word_search(where, words=query)

    def add_word_search(self, where: Where, **texts: str | None) -> Where:
        """Restrict to rows whose indexed words match all the texts."""
        for name, text in texts.items():
            word_query = None if text is None else to_word_query(where.values["company"], text)
            if self.word_index is not None and word_query is not None:
                where.add(
                    f"{self.word_index} @@ to_tsquery('simple', fold_accents(:{name}))",
                    **{name: word_query},
                )
        return where

    async def load_many(self, db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, Row]:
        """Load several rows, including deleted ones, by UUID."""
        if not uuids:
            return {}
        rows = await db.fetch_all(
            self.row,
            f"{self._select} where company = :company and uuid = any(:uuids)",
            of_tables=self._own_table,
            company=company,
            uuids=uuids,
        )
        return {row.uuid: row for row in rows}  # type: ignore[attr-defined]  # every row has one

    async def create(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Insert a row with the given columns."""
        return await self.insert(db, self.draft(db, company, **columns))

    def append(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Create a row that is written at the end of the transaction, together with its events."""
        row = self.draft(db, company, **columns)
        db.append(self.name, row)
        if self._should_log(db):
            self._log_change(db, row, "created", {}, _list_non_null_fields(row))
        return row

    def draft(self, db: Db, company: UUID, **columns: Any) -> Row:  # noqa: ANN401 - columns
        """Create a row without writing it."""
        values = {"updated_at": db.now, **columns}
        return self.row(**db.new_row_fields(company, self._prefix) | values)

    async def insert(self, db: Db, row: Row, *, log_details: Details = None) -> Row:
        """Insert a row. `log_details` are added to its audit entry."""
        await db.insert(self.name, row)
        await self._report_change(db, row)
        if self._should_log(db):
            self._log_change(db, row, "created", {}, _list_non_null_fields(row), log_details)
        return row

    async def insert_all(self, db: Db, rows: Sequence[Row], *, deferred: bool = False) -> None:
        """Insert rows in one statement. With `deferred`, write them together with later writes."""
        db.queue_inserts(self.name, *rows)
        if not deferred:
            await db.flush()
        for row in rows[:1]:
            await self._report_change(db, row)
        if self._should_log(db):
            for row in rows:
                self._log_change(db, row, "created", {}, _list_non_null_fields(row))

    async def change(
        self,
        db: Db,
        row: Row,
        *,
        deferred: bool = False,
        log_action: str = "changed",
        log_details: Details = None,
        **values: Any,  # noqa: ANN401 - columns
    ) -> tuple[Row, list[str]]:
        """Write the columns that differ. Return the new row and their names.

        `deferred` writes them together with later writes. It needs a locked row and columns without
        constraints.
        """
        for name, value in values.items():
            if isinstance(value, MetaPatch):
                values[name] = parse_field(name, value.apply, getattr(row, name))
        changes = {name: value for name, value in values.items() if getattr(row, name) != value}
        if not changes:
            return row, []
        names = list(changes)
        old_fields, new_fields = {name: getattr(row, name) for name in names}, dict(changes)
        changes |= {"updated_at": db.now, "version": row.version + 1}  # type: ignore[attr-defined]  # every row has one
        db.queue_update(self.name, row.company, row.uuid, **changes)  # type: ignore[attr-defined]  # every row has them
        if not deferred:
            await db.flush()
        await self._report_change(db, row)
        if self._should_log(db):
            self._log_change(db, row, log_action, old_fields, new_fields, log_details)
        return msgspec.structs.replace(row, **changes), names

    async def touch(self, db: Db, row: Row) -> Row:
        """Increment the row's version after a change to related data."""
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
        """Delete a row, softly if the table supports it."""
        if self._soft_deletes:
            removed_row, _ = await self.change(
                db, row, log_action=log_action, log_details=log_details, deleted_at=db.now
            )
            return removed_row
        await db.execute(
            f"delete from {self.name} where company = :company and uuid = :uuid",
            company=row.company,  # type: ignore[attr-defined]  # every row has one
            uuid=row.uuid,  # type: ignore[attr-defined]  # every row has one
        )
        await self._report_change(db, row)
        if self._should_log(db):
            self._log_change(db, row, log_action, _list_non_null_fields(row), {}, log_details)
        return row

    async def _report_change(self, db: Db, row: Row) -> None:
        """Report a change, so that every process refreshes its cached rows."""
        if self._on_change is not None:
            await self._on_change(db, row.company)  # type: ignore[attr-defined]  # every row has one
            db.cache.clear()

    def _should_log(self, db: Db) -> bool:
        return self.configuration or db.actor.kind == "operator"

    def _log_change(
        self,
        db: Db,
        row: Row,
        action: str,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        details: Details = None,
    ) -> None:
        audit.record(
            db,
            row.company,  # type: ignore[attr-defined]  # every row has one
            f"{self.noun}.{action}",
            row.public_id,  # type: ignore[attr-defined]  # every row has one
            details=details,
            before=audit.to_log_fields(before, self.secret),
            after=audit.to_log_fields(after, self.secret),
        )


def _list_non_null_fields(row: msgspec.Struct) -> dict[str, Any]:
    """Return a row's fields that are not null."""
    fields = ((name, getattr(row, name)) for name in row.__struct_fields__)
    return {name: value for name, value in fields if value is not None}


def word_index_expression(search: Sequence[str]) -> str:
    """Return the expression that an index of words is built on.

    Phone numbers also match without their country code.
    """
    expressions = [f"coalesce({column}, '')" for column in search if column != "phone"]
    if "phone" in search:
        expressions.append(f"coalesce(phone || {PHONE_ENDINGS}, '')")
    text = " || ' ' || ".join(expressions)
    return f"search_words(company, fold_accents({text}))"


def part_index_expression(search: Sequence[str]) -> str:
    """Return the expression that an index of parts of words is built on."""
    text = " || ' ' || ".join(f"coalesce({column}, '')" for column in search)
    return f"search_parts(company, fold_accents({text}))"


def to_part_query(company: UUID, query: str) -> str:
    """Return a text search query for parts of words."""
    terms = [f"'{word[:MAX_PART_LENGTH]}':*" for word in WORD_SEPARATORS.split(query) if word]
    return " & ".join([f"'{company.hex}'", *terms])


def to_word_query(company: UUID, query: str) -> str | None:
    """Return a text search query for words, or None when the text has none."""
    terms = [f"'{word}':*" for word in WORD_SEPARATORS.split(query) if word]
    return " & ".join([company.hex, *terms]) if terms else None


def to_like_pattern(text: str) -> str:
    """Return a pattern for a text anywhere in a column, however its words are separated."""
    return f"%{'%'.join(map(escape_like, text.split()))}%"


def join_phone_number(text: str) -> str:
    """Remove the separators of a phone number; return any other text unchanged."""
    if PHONE_TEXT.fullmatch(text.strip()) is None:
        return text
    digits = PHONE_SEPARATORS.sub("", text)
    return digits if len(digits) >= MIN_PHONE_LENGTH else text


def escape_like(text: str) -> str:
    """Escape the wildcards of LIKE."""
    return text.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
