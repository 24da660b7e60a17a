"""What an event's data looks like, as JSON Schema, for receivers who check it or generate code."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pannier.events.catalog import Name

# The Struct that is told with each event, by the domain that tells it.
Told = Mapping[Name, type[msgspec.Struct]]
Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: type[msgspec.Struct]) -> Schema:
    """Describe a Struct by a schema that needs no other: its own fields first, `$defs` inside."""
    found = msgspec.json.schema(kind)
    parts = found["$defs"]
    own = parts.pop(found["$ref"].removeprefix("#/$defs/"))
    return {"$schema": DIALECT, **own, **({"$defs": parts} if parts else {})}
