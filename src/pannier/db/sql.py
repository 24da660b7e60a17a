"""SQL with names for values, and conditions that compose."""

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
# Of so many values a list goes along an index for each of them.
MOST_BRANCHES: Final = 8


@lru_cache(maxsize=4096)
def positional(sql: str) -> tuple[str, tuple[str, ...]]:
    """Turn `:name` into `$1`, and tell which name each number stands for."""
    names: list[str] = []

    def number(found: re.Match[str]) -> str:
        name = found.group(1)
        if name is None:
            return found.group(0)
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _NAMES.sub(number, sql), tuple(names)


class Where:
    """Conditions joined by AND, with the values they name.

    A query about a company's rows begins `Where(company)`; there is no other way to make one.
    """

    def __init__(self, company: UUID, *, table: str = "") -> None:
        self._table = f"{table}." if table else ""
        self.conditions = [f"{self._table}company = :company"]
        self.values: dict[str, Any] = {"company": company}
        self._any_of: str | None = None
        self._branches: list[str] = []

    def that(self, condition: str, **values: object) -> Self:
        """Add a condition written in SQL."""
        self.conditions.append(condition)
        self.values.update(values)
        return self

    def equal(self, **values: object) -> Self:
        """Add `column = value` for each value that is given."""
        for column, value in values.items():
            if value is not None:
                self.that(f"{self._table}{column} = :{column}", **{column: value})
        return self

    def like(self, filters: msgspec.Struct, *columns: str) -> Self:
        """Add `column = value` for each of the columns that the filters give a value."""
        return self.equal(**{column: getattr(filters, column) for column in columns})

    def within(self, column: str, since: datetime | None, until: datetime | None) -> Self:
        """Add that a moment is not before `since` and before `until`, where those are given."""
        for name, sign, moment in (("since", ">=", since), ("until", "<", until)):
            if moment is not None:
                value = f"{column}_{name}"
                self.that(f"{self._table}{column} {sign} :{value}", **{value: moment})
        return self

    def one_of(self, column: str, values: Sequence[object]) -> Self:
        """Add that a column has any of some values; a list goes along an index for each of them."""
        distinct = list(dict.fromkeys(values))
        if len(distinct) == 1:
            return self.equal(**{column: distinct[0]})
        self._any_of = f"{self._table}{column} = any(:{column}_any)"
        self.values[f"{column}_any"] = distinct
        if len(distinct) <= MOST_BRANCHES:
            numbered = {f"{column}_{number}": value for number, value in enumerate(distinct)}
            self._branches = [f"{self._table}{column} = :{name}" for name in numbered]
            self.values.update(numbered)
        return self

    def branches(self) -> list[str]:
        """Write one condition for each of the few values of `one_of`; a row meets one of them."""
        return [f"where {' and '.join([*self.conditions, part])}" for part in self._branches]

    def known_as(self, public_ids: Sequence[str] | None) -> Self:
        """Add that the row goes by any of these public ids, when some are given."""
        if public_ids is None:
            return self
        return self.that(f"{self._table}public_id = any(:known_as)", known_as=list(public_ids))

    def named(self, identifier: str | UUID) -> Self:
        """Add that the row goes by this UUID or public id."""
        uuid = identifier if isinstance(identifier, UUID) else ids.as_uuid(identifier)
        if uuid is None:
            return self.that(f"{self._table}public_id = :named", named=identifier)
        return self.that(f"{self._table}uuid = :named", named=uuid)

    def __str__(self) -> str:
        any_of = [] if self._any_of is None else [self._any_of]
        return "where " + " and ".join([*self.conditions, *any_of])


def columns(row: type[msgspec.Struct], table: str = "") -> str:
    """Name a Struct's columns: a column that is newer than this program disturbs nothing."""
    before = f"{table}." if table else ""
    return ", ".join(f"{before}{name}" for name in row.__struct_fields__)


def parameters(row: type[msgspec.Struct]) -> str:
    """Name a Struct's columns as what a statement is given: `:uuid, :company`."""
    return ", ".join(f":{name}" for name in row.__struct_fields__)


def ours(table: str) -> str:
    """Write whether this transaction may have written a row itself, also in a part of it.

    Ages count from the transaction, once it has a number: what it wrote is no older, and what is
    younger by millions is older by more than numbers reach.
    """
    return (
        "(pg_current_xact_id_if_assigned() is not null"
        f" and age({table}.xmin) between -1000000 and 0)"
    )


@lru_cache(maxsize=512)
def writing_statement(
    changed: tuple[tuple[str, tuple[str, ...]], ...],
    kinds: tuple[tuple[str, type[msgspec.Struct], int], ...],
) -> str:
    """Write one statement that changes columns of rows, each by its table, and inserts others."""
    numbers = count(1)
    updates = [_update(numbers, *change) for change in changed]
    *others, last = [*updates, *(_insert(numbers, *kind) for kind in kinds)]
    return " ".join([*_beside(others), last])


@lru_cache(maxsize=512)
def beside(
    kinds: tuple[tuple[str, type[msgspec.Struct], int], ...], statement: str, given: int
) -> str:
    """Have rows inserted by a statement that is given so many values of its own."""
    numbers = count(given + 1)
    return " ".join([*_beside([_insert(numbers, *kind) for kind in kinds]), statement])


def _update(numbers: Iterator[int], table: str, columns: tuple[str, ...]) -> str:
    values = ", ".join(f"{column} = ${next(numbers)}" for column in columns)
    return (
        f"update {table} set {values} where company = ${next(numbers)} and uuid = ${next(numbers)}"
    )


def _insert(numbers: Iterator[int], table: str, row: type[msgspec.Struct], rows: int) -> str:
    fields = row.__struct_fields__
    values = ", ".join(f"({', '.join(f'${next(numbers)}' for _ in fields)})" for _ in range(rows))
    return f"insert into {table} ({', '.join(fields)}) values {values}"


def _beside(writes: Sequence[str]) -> Iterator[str]:
    """Have something written by the statement that follows."""
    if writes:
        parts = (f"also_{number} as ({write})" for number, write in enumerate(writes))
        yield f"with {', '.join(parts)}"


def assignments(changes: Mapping[str, object]) -> str:
    """Write `a = :a, b = :b` for an update."""
    return ", ".join(f"{column} = :{column}" for column in changes)
