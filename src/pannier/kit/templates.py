"""Text templates: `{brand}` is filled in; `[…]` is omitted unless all its fields have values."""

import re
from collections.abc import Collection, Mapping
from typing import Final

_FIELD: Final = re.compile(r"\{(\w*)\}")
_PART: Final = re.compile(r"\[([^\[\]]*)\]")
_GAPS: Final = re.compile(r"[^\S\n]+")


def fields(template: str) -> set[str]:
    """Return the names of a template's fields."""
    return set(_FIELD.findall(template))


def check(template: str, field_names: Collection[str]) -> str:
    """Raise ValueError for an unknown field or an unmatched bracket."""
    unknown_fields = sorted(fields(template) - set(field_names))
    if unknown_fields:
        names = ", ".join(f"{{{name}}}" for name in sorted(field_names))
        raise ValueError(f"There is no field {{{unknown_fields[0]}}}. The fields are: {names}.")
    without_fields = _FIELD.sub("", template)
    # Joined with spaces: otherwise two unmatched brackets could form a field.
    leftover = " ".join([_PART.sub(" ", without_fields), *_PART.findall(without_fields)])
    if set("[]{}") & set(leftover):
        raise ValueError(
            "Close each bracket: {field} is filled in, and [a part] is left out when a field "
            "in it has no value. Parts cannot be nested."
        )
    return template


def fill(template: str, values: Mapping[str, str]) -> str:
    """Fill in a template. Values are never read as templates themselves."""
    kept_parts = _PART.sub(lambda part: part[1] if _has_values(part[1], values) else "", template)
    text = _FIELD.sub(lambda field: values.get(field[1], ""), kept_parts)
    return "\n".join(_GAPS.sub(" ", line).strip() for line in text.split("\n")).strip()


def _has_values(part: str, values: Mapping[str, str]) -> bool:
    return all(values.get(name) for name in fields(part))
