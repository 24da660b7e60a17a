"""Rows as the contract spells them."""

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from pannier.web.times import stamp

Out = TypeVar("Out", bound=msgspec.Struct)


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row: its fields by name, times as the contract has them, and what is said beside."""
    given = {name: _told(getattr(row, name)) for name in row.__struct_fields__}
    given |= {"id": given.get("public_id"), **more}
    return out(**{name: given[name] for name in out.__struct_fields__ if name in given})


def _told(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    return stamp(value) if isinstance(value, datetime) else value
