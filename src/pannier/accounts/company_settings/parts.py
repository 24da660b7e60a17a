"""Sections of settings: configured values, and changes to them."""

from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from pannier.web.fields import Clearable

Part = TypeVar("Part", bound=msgspec.Struct)


def get_configured_values(part: Clearable[msgspec.Struct]) -> dict[str, Any]:
    """Return the configured values of a section."""
    if not isinstance(part, msgspec.Struct):
        return {}
    pairs = ((name, getattr(part, name)) for name in part.__struct_fields__)
    return {name: value for name, value in pairs if value is not UNSET and value is not None}


def merge_parts(current_settings: Part, change: Part | None) -> Part:
    """Apply a change to a section: an omitted setting stays, null restores the default."""
    if change is None:
        return type(current_settings)()
    values = {name: getattr(change, name) for name in change.__struct_fields__}
    for name, value in values.items():
        current_value = getattr(current_settings, name)
        if value is UNSET:
            values[name] = current_value
        elif isinstance(value, msgspec.Struct):
            values[name] = merge_parts(
                current_value if current_value is not UNSET else type(value)(), value
            )
    return type(current_settings)(
        **{name: UNSET if value is None else value for name, value in values.items()}
    )
