"""Types that the API's document shows for fields that accept more than their type says.

A field that accepts an object in several forms is a plain `dict` for msgspec, and its own code
parses it. For callers, `Meta(extra_json_schema=document_as(Point, str))` names the forms to send.
"""

from typing import Any, Final

# The key in a JSON schema that the document replaces with the schemas of the types.
DOCUMENTED_KEY: Final = "documentedAs"
_documented_types: Final[dict[str, tuple[Any, ...]]] = {}


def document_as(*kinds: Any) -> dict[str, str]:  # noqa: ANN401 - annotations
    """Return the extra schema of a field that is documented as one of these types."""
    key = " | ".join(getattr(kind, "__name__", repr(kind)) for kind in kinds)
    _documented_types[key] = kinds
    return {DOCUMENTED_KEY: key}


def find_documented_types(key: str) -> tuple[Any, ...]:
    """Find the types of a field by the key in its schema."""
    return _documented_types[key]
