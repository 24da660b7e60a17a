"""Rows as the contract spells them."""

from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from pannier.web.times import stamp

Out = TypeVar("Out", bound=msgspec.Struct)


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row: its fields by name, times as the contract has them, and what is said beside."""
    read = _shared(type(row), out)
    given = {name: _told(getattr(row, source)) for name, source in read if name not in more}
    given |= {name: value for name, value in more.items() if name in out.__struct_fields__}
    return out(**given)


@lru_cache(maxsize=512)
def _shared(row: type[msgspec.Struct], out: type[msgspec.Struct]) -> list[tuple[str, str]]:
    """List what is shown of a row: the field, and the column that it is read from."""
    columns = {"id": "public_id"} | {name: name for name in row.__struct_fields__}
    has = row.__struct_fields__
    return [
        (name, columns[name])
        for name in out.__struct_fields__
        if name in columns and columns[name] in has
    ]


def _told(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    return stamp(value) if isinstance(value, datetime) else value
