"""Rows as the contract spells them."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeVar, get_args

import msgspec

from pannier.web.times import known_stamp

Out = TypeVar("Out", bound=msgspec.Struct)

# Exact decimals leave as numbers, digit by digit.
encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row: its fields by name, times as the contract has them, and what is said beside."""
    made: Out = _speller(type(row), out, *more)(row, more)
    return made


@lru_cache(maxsize=1024)
def _speller(
    row: type[msgspec.Struct], out: type[msgspec.Struct], *beside: str
) -> Callable[[Any, dict[str, object]], Any]:
    """Write the function that spells rows of one kind, once, as dataclasses write their methods.

    Nothing but names of our own fields is in its text; going through them one by one for each row
    would take three times as long.
    """
    known = {field.name: f"row.{field.name}" for field in msgspec.structs.fields(row)}
    for field in msgspec.structs.fields(row):
        if _is_time(field.type):
            known[field.name] = f"row.{field.name} and stamp(row.{field.name})"
    known.setdefault("id", known.get("public_id", ""))
    known |= {name: f"more[{name!r}]" for name in beside}
    said = [f"{name}={known[name]}" for name in out.__struct_fields__ if known.get(name)]
    text = f"lambda row, more: out({', '.join(said)})"
    names = {"out": out, "stamp": known_stamp}
    written: Callable[[Any, dict[str, object]], Any] = eval(text, names)  # noqa: S307 - see above
    return written


def _is_time(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    return hint is datetime or any(_is_time(part) for part in get_args(hint))
