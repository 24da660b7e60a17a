"""Conversion between Structs."""

from functools import lru_cache
from typing import TypeVar

import msgspec

Into = TypeVar("Into", bound=msgspec.Struct)


def convert_struct(source: msgspec.Struct, into: type[Into], **more: object) -> Into:
    """Make a Struct from the fields of the same names in another one, and from `more`."""
    same = {name: getattr(source, name) for name in _shared_names(type(source), into)}
    return into(**same | more)


@lru_cache(maxsize=1024)
def _shared_names(source: type[msgspec.Struct], into: type[msgspec.Struct]) -> tuple[str, ...]:
    known = source.__struct_fields__
    return tuple(name for name in into.__struct_fields__ if name in known)
