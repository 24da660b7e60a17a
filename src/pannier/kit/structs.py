"""Conversion between Structs."""

from functools import lru_cache
from typing import TypeVar

import msgspec

Into = TypeVar("Into", bound=msgspec.Struct)


def convert_struct(source: msgspec.Struct, target: type[Into], **extra_values: object) -> Into:
    """Make a `target` Struct from the fields that it shares with `source`, and `extra_values`."""
    shared_values = {
        name: getattr(source, name) for name in _list_shared_names(type(source), target)
    }
    return target(**shared_values | extra_values)


@lru_cache(maxsize=1024)
def _list_shared_names(
    source: type[msgspec.Struct], target: type[msgspec.Struct]
) -> tuple[str, ...]:
    source_fields = source.__struct_fields__
    return tuple(name for name in target.__struct_fields__ if name in source_fields)
