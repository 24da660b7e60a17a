"""SQL with named values, and conditions that compose."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any, Final, Self
from uuid import UUID

import msgspec

from pannier.kit import ids

# A name after a single colon; `::type` casts and quoted text are left alone.
_NAMES: Final = re.compile(r"'[^']*'|::|:([a-z_][a-z0-9_]*)")
# Up to this many values, a list query uses an index for each value.
MAX_BRANCHES: Final = 8


@lru_cache(maxsize=4096)
def to_positional(sql: str) -> tuple[str, tuple[str, ...]]:
    """Replace `:name` with `$1`, and return the names in the order of their numbers."""
    names: list[str] = []

    def replace_name(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            return match.group(0)
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _NAMES.sub(replace_name, sql), tuple(names)


class Where:
    """Conditions joined by AND, with their named values.

    Every `Where` begins with a company, so that no query can read another company's rows.
    """

    def __init__(self, company: UUID, *, table: str = "") -> None:
        self._table = f"{table}." if table else ""
        self.conditions = [f"{self._table}company = :company"]
        self.values: dict[str, Any] = {"company": company}
        # The time after which a list with these conditions is refused.
        self.max_seconds: float | None = None
        self._any_of: str | None = None
        self._branches: list[str] = []

    def add(self, condition: str, **values: object) -> Self:
        """Add a condition written in SQL."""
        self.conditions.append(condition)
        self.values.update(values)
        return self

    def add_equal(self, **values: object) -> Self:
        """Add `column = value` for each value that is not None."""
        for column, value in values.items():
            if value is not None:
                self.add(f"{self._table}{column} = :{column}", **{column: value})
        return self

    def add_filters(self, filters: msgspec.Struct, *columns: str) -> Self:
        """Add `column = value` for each of these columns whose filter is not None."""
        return self.add_equal(**{column: getattr(filters, column) for column in columns})

    def add_time_range(self, column: str, since: datetime | None, until: datetime | None) -> Self:
        """Require `since <= column < until`. None means no limit."""
        for name, sign, limit in (("since", ">=", since), ("until", "<", until)):
            if limit is not None:
                parameter = f"{column}_{name}"
                self.add(f"{self._table}{column} {sign} :{parameter}", **{parameter: limit})
        return self

    def add_any_of(self, column: str, values: Sequence[object]) -> Self:
        """Require one of several values.

        If they are few, `branches` also has a clause for each, so that a list can use an index.
        """
        distinct_values = list(dict.fromkeys(values))
        if len(distinct_values) == 1:
            return self.add_equal(**{column: distinct_values[0]})
        self._any_of = f"{self._table}{column} = any(:{column}_any)"
        self.values[f"{column}_any"] = distinct_values
        if len(distinct_values) <= MAX_BRANCHES:
            numbered_values = {
                f"{column}_{number}": value for number, value in enumerate(distinct_values)
            }
            self._branches = [f"{self._table}{column} = :{name}" for name in numbered_values]
            self.values.update(numbered_values)
        return self

    def branches(self) -> list[str]:
        """Return one WHERE clause per value of `add_any_of`, or none when there are many values."""
        return [f"where {' and '.join([*self.conditions, part])}" for part in self._branches]

    def add_public_ids(self, public_ids: Sequence[str] | None) -> Self:
        """Require one of these public ids. None means no condition."""
        if public_ids is None:
            return self
        return self.add(f"{self._table}public_id = any(:known_as)", known_as=list(public_ids))

    def add_identifier(self, identifier: str | UUID) -> Self:
        """Require this UUID or public id."""
        uuid = identifier if isinstance(identifier, UUID) else ids.parse_uuid(identifier)
        if uuid is None:
            return self.add(f"{self._table}public_id = :named", named=identifier)
        return self.add(f"{self._table}uuid = :named", named=uuid)

    def __str__(self) -> str:
        any_of = [] if self._any_of is None else [self._any_of]
        return "where " + " and ".join([*self.conditions, *any_of])


def columns(row: type[msgspec.Struct], table: str = "") -> str:
    """Return a Struct's column names. Naming them ignores columns of a newer release."""
    prefix = f"{table}." if table else ""
    return ", ".join(f"{prefix}{name}" for name in row.__struct_fields__)


def parameters(row: type[msgspec.Struct]) -> str:
    """Return a Struct's columns as parameters: `:uuid, :company`."""
    return ", ".join(f":{name}" for name in row.__struct_fields__)


def own_write_condition(table: str) -> str:
    """Return a condition: the current transaction, or a savepoint in it, wrote the row.

    `age` counts from the current transaction id, once there is one. Rows that the transaction wrote
    have an age of zero or below; the lower bound excludes transaction ids that wrapped around.
    """
    return (
        "(pg_current_xact_id_if_assigned() is not null"
        f" and age({table}.xmin) between -1000000 and 0)"
    )


@lru_cache(maxsize=512)
def write_statement(
    updated_columns: tuple[tuple[str, tuple[str, ...]], ...],
    insert_shapes: tuple[tuple[str, type[msgspec.Struct], int], ...],
) -> str:
    """Return one statement that updates rows, each in its table, and inserts others."""
    numbers = count(1)
    updates = [_update_statement(numbers, *change) for change in updated_columns]
    *other_parts, last = [
        *updates,
        *(_insert_statement(numbers, *shape) for shape in insert_shapes),
    ]
    return " ".join([*_with_clause(other_parts), last])


@lru_cache(maxsize=512)
def add_inserts(
    insert_shapes: tuple[tuple[str, type[msgspec.Struct], int], ...],
    statement: str,
    parameter_count: int,
) -> str:
    """Return a statement extended by inserts. The inserts' parameters follow its own."""
    numbers = count(parameter_count + 1)
    return " ".join(
        [*_with_clause([_insert_statement(numbers, *shape) for shape in insert_shapes]), statement]
    )


def _update_statement(numbers: Iterator[int], table: str, columns: tuple[str, ...]) -> str:
    values = ", ".join(f"{column} = ${next(numbers)}" for column in columns)
    return (
        f"update {table} set {values} where company = ${next(numbers)} and uuid = ${next(numbers)}"
    )


def _insert_statement(
    numbers: Iterator[int], table: str, row: type[msgspec.Struct], row_count: int
) -> str:
    fields = row.__struct_fields__
    values = ", ".join(
        f"({', '.join(f'${next(numbers)}' for _ in fields)})" for _ in range(row_count)
    )
    return f"insert into {table} ({', '.join(fields)}) values {values}"


def _with_clause(statements: Sequence[str]) -> Iterator[str]:
    """Yield a WITH clause that runs these writes, unless there are none."""
    if statements:
        parts = (f"also_{number} as ({statement})" for number, statement in enumerate(statements))
        yield f"with {', '.join(parts)}"


def assignments(changes: Mapping[str, object]) -> str:
    """Return `a = :a, b = :b` for an UPDATE."""
    return ", ".join(f"{column} = :{column}" for column in changes)
