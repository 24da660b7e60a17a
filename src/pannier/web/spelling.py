"""Rows as the contract spells them."""

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from pannier.web.times import stamp

Out = TypeVar("Out", bound=msgspec.Struct)


def spelled(row: msgspec.Struct, out: type[Out], **more: object) -> Out:
    """Spell a row: its fields by name, times as the contract has them, and what is said beside."""
    wanted = out.__struct_fields__
    given = {name: _told(getattr(row, name)) for name in row.__struct_fields__ if name in wanted}
    if "id" in wanted and "id" not in given:
        given["id"] = row.public_id  # type: ignore[attr-defined]  # what shows an id has one
    return out(**given | {name: value for name, value in more.items() if name in wanted})


def _told(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    return stamp(value) if isinstance(value, datetime) else value
