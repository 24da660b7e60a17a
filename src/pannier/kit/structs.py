"""Structs made of other Structs."""

from typing import TypeVar

import msgspec

Into = TypeVar("Into", bound=msgspec.Struct)


def remade(source: msgspec.Struct, into: type[Into], **more: object) -> Into:
    """Make a Struct of another one's fields of the same names, and of what is said beside."""
    known = source.__struct_fields__
    same = {name: getattr(source, name) for name in into.__struct_fields__ if name in known}
    return into(**same | more)
