"""Keyset pages: every page costs the same, and new rows do not shift the next one."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db.cursors import open_cursor, seal_cursor
from pannier.db.database import Db
from pannier.db.sql import Where
from pannier.errors import FieldError, Invalid
from pannier.kit.moments import Moment

DEFAULT_LIMIT: Final = 30
MAX_LIMIT: Final = 100

# A word in millions of rows takes long to search. Nobody waits for it, and others need the time.
MAX_SEARCH_SECONDS: Final = 3.0

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out")


class SearchTooBroad(Invalid):
    """A search is canceled after three seconds. Its words are in too many records."""

    code, title = "search_too_broad", "The search matches too many records."
    remedy = "Search for a longer or a rarer text."


Limit = Annotated[
    int,
    Meta(ge=1, le=MAX_LIMIT, description="Maximum number of results.", examples=[DEFAULT_LIMIT]),
]


class PagingIn(msgspec.Struct, frozen=True, kw_only=True):
    """Query parameters of a page. `PageIn` adds the times of the rows."""

    # The values of `sort`, for the documentation. A test compares them with the list's `Sort`.
    sortable: ClassVar[tuple[str, ...]] = ("created_at",)

    limit: Limit = DEFAULT_LIMIT
    cursor: Annotated[
        str | None, Meta(description="Cursor of the next page, from the `Link` header.")
    ] = None
    sort: Annotated[
        str | None, Meta(description="Field to sort by; prefix it with `-` for descending order.")
    ] = None


class CreatedPageIn(PagingIn, frozen=True, kw_only=True):
    """Query parameters of a list whose rows do not record when they change."""

    created_since: Annotated[
        Moment | None, Meta(description="Return only those created at or after this time.")
    ] = None


class PageIn(CreatedPageIn, frozen=True, kw_only=True):
    """Query parameters of most lists."""

    updated_since: Annotated[
        Moment | None,
        Meta(description="Return only those created or changed at or after this time."),
    ] = None


def reject_paging(paging: PagingIn) -> None:
    """Reject `sort` and `cursor` for a list that has one page in a fixed order."""
    unsupported_parameters = [
        name for name in ("sort", "cursor") if getattr(paging, name) is not None
    ]
    if unsupported_parameters:
        raise Invalid(
            fields=[
                FieldError(name, "is not supported by this list.")
                for name in unsupported_parameters
            ]
        )


class Sort(msgspec.Struct, frozen=True):
    """Sortable columns, none of which may be null. The first one is the default."""

    columns: tuple[str, ...] = ("created_at",)
    descending: bool = True

    def parse(self, text: str | None) -> tuple[str, bool]:
        """Parse `sort=name` or `sort=-name` into a column and whether to sort descending."""
        if not text:
            return self.columns[0], self.descending
        column = text.removeprefix("-")
        if column not in self.columns:
            names = ", ".join(self.columns)
            raise Invalid(
                fields=[
                    FieldError("sort", f"must be one of: {names}. A leading - reverses the order.")
                ]
            )
        return column, text.startswith("-")


class Page(msgspec.Struct, Generic[Row]):
    """A page of rows, with the cursor of the next page."""

    rows: list[Row]
    limit: int
    next_cursor: str | None

    def map(self, convert: Callable[[Row], Out]) -> list[Out]:
        """Convert all rows."""
        return [convert(row) for row in self.rows]


def add_times(where: Where, row_type: type[msgspec.Struct], paging: PagingIn) -> Where:
    """Restrict to rows that were created or changed since the given times.

    A row without `updated_at` never changes, unless its class has an expression for that time in
    `changed_column`. Likewise, `created_column` is another name of `created_at`.
    """
    created_at = getattr(row_type, "created_column", "created_at")
    if isinstance(paging, CreatedPageIn):
        where.add_time_range(created_at, paging.created_since, None)
    if isinstance(paging, PageIn) and paging.updated_since is not None:
        has_time = "updated_at" in row_type.__struct_fields__
        changed_at = "updated_at" if has_time else getattr(row_type, "changed_column", created_at)
        where.add(f"{changed_at} >= :changed_since", changed_since=paging.updated_since)
    return where


async def load_page(
    db: Db,
    row_type: type[Row],
    select: str,
    where: Where,
    paging: PagingIn,
    sort: Sort = Sort(),  # noqa: B008 - frozen
) -> Page[Row]:
    """Load the rows after the cursor."""
    add_times(where, row_type, paging)
    column, descending = sort.parse(paging.sort)
    scope = f"{select}|{where.values['company']}|{column}|{descending}"
    if paging.cursor is not None:
        key, uuid = _parse_cursor(db, paging.cursor, scope, row_type, column)
        where.add(
            f"({column}, uuid) {'<' if descending else '>'} (:after_key, :after_uuid)",
            after_key=key,
            after_uuid=uuid,
        )
    direction = "desc" if descending else "asc"
    order = f"order by {column} {direction}, uuid {direction} limit {paging.limit + 1}"
    # In the default order, an index finds the rows of each branch. Other orders scan all rows.
    branches = where.branches() if column == sort.columns[0] else []
    union = " union all ".join(f"{select} {branch}" for branch in branches)
    sql = f"{union or f'{select} {where}'} {order}"
    try:
        rows = await db.fetch_within(row_type, sql, where.max_seconds, where.values)
    except TimeoutError:
        if where.max_seconds is None:
            raise
        raise SearchTooBroad from None
    page_rows = rows[: paging.limit]
    has_more = len(rows) > paging.limit
    return Page(
        page_rows,
        paging.limit,
        _seal_cursor(db, scope, column, page_rows[-1]) if has_more else None,
    )


def _seal_cursor(db: Db, scope: str, column: str, last_row: msgspec.Struct) -> str:
    """Return a cursor after the last row, for this list only."""
    position = msgspec.json.encode((getattr(last_row, column), last_row.uuid))  # type: ignore[attr-defined]  # every listed row has one
    return seal_cursor(db.database.keys, scope.encode(), position)


def _parse_cursor(
    db: Db, cursor: str, scope: str, row_type: type[Row], column: str
) -> tuple[Any, UUID]:
    """Parse a cursor. Reject one of another list."""
    position = open_cursor(db.database.keys, scope.encode(), cursor)
    kind = next(field.type for field in msgspec.structs.fields(row_type) if field.name == column)
    return msgspec.json.decode(position, type=tuple[kind, UUID])  # type: ignore[valid-type]  # the column's own type
