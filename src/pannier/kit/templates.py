"""Texts with named fields: `{brand}` is filled in, and `[…]` left out unless all in it is known."""

import re
from collections.abc import Collection, Mapping
from typing import Final

_FIELD: Final = re.compile(r"\{(\w*)\}")
_PART: Final = re.compile(r"\[([^\[\]]*)\]")
_GAPS: Final = re.compile(r"[^\S\n]+")


def fields(template: str) -> set[str]:
    """Name the fields of a template."""
    return set(_FIELD.findall(template))


def check(template: str, known: Collection[str]) -> str:
    """Refuse a template with a field that nobody fills in, or a bracket too many."""
    strange = sorted(fields(template) - set(known))
    if strange:
        names = ", ".join(f"{{{name}}}" for name in sorted(known))
        raise ValueError(f"There is no field {{{strange[0]}}}. The fields are: {names}.")
    plain = _FIELD.sub("", template)
    # What stands apart stays apart, or two brackets too many would make a field.
    rest = " ".join([_PART.sub(" ", plain), *_PART.findall(plain)])
    if set("[]{}") & set(rest):
        raise ValueError(
            "Close each bracket: {field} is filled in, and [a part] is left out when a field "
            "in it has no value. Parts cannot be nested."
        )
    return template


def filled(template: str, values: Mapping[str, str]) -> str:
    """Fill in a template; what is filled in is never read as a template itself."""
    wanted = _PART.sub(lambda part: part[1] if _known(part[1], values) else "", template)
    text = _FIELD.sub(lambda field: values.get(field[1], ""), wanted)
    return "\n".join(_GAPS.sub(" ", line).strip() for line in text.split("\n")).strip()


def _known(part: str, values: Mapping[str, str]) -> bool:
    return all(values.get(name) for name in fields(part))
