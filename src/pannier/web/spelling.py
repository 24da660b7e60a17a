"""Rows as the contract spells them."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar, get_args

import msgspec

from pannier.web.times import stamp

Out = TypeVar("Out", bound=msgspec.Struct)

# Exact decimals leave as numbers, digit by digit.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row: its fields by name, times as the contract has them, and what is said beside."""
    plan = _plan(type(row), out)
    given = dict(zip(plan.names, plan.read(row), strict=True))
    for name in plan.times:
        given[name] = stamp(given[name])
    given |= more if more.keys() <= plan.wanted else _among(plan.wanted, more)
    return out(**given)


def _among(wanted: frozenset[str], more: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in more.items() if name in wanted}


class _Plan(NamedTuple):
    """How rows of one kind are spelled: which fields, read how, and which of them are times."""

    names: tuple[str, ...]
    read: Callable[[Any], tuple[Any, ...]]
    times: tuple[str, ...]
    wanted: frozenset[str]


@lru_cache(maxsize=512)
def _plan(row: type[msgspec.Struct], out: type[msgspec.Struct]) -> _Plan:
    """Look once at what a row has and what is shown of it."""
    fields = {field.name: field.type for field in msgspec.structs.fields(row)}
    wanted = frozenset(out.__struct_fields__)
    read = {name: name for name in fields if name in wanted}
    if "id" in wanted and "public_id" in fields:
        read = {"id": "public_id"} | read
    times = tuple(name for name, column in read.items() if _is_time(fields[column]))
    return _Plan(tuple(read), _reader(tuple(read.values())), times, wanted)


def _reader(columns: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Read some columns at once; one alone would not come as a tuple."""
    if len(columns) > 1:
        return attrgetter(*columns)
    return lambda row: tuple(getattr(row, column) for column in columns)


def _is_time(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    return hint is datetime or any(_is_time(part) for part in get_args(hint))
