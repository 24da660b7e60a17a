"""What an event's data looks like, as JSON Schema, for receivers who check it or generate code."""

from collections.abc import Mapping
from typing import Final

import msgspec

from pannier.events.catalog import Name
from pannier.web.openapi.schemas import PREFIX, Schema, Schemas

# The Struct that is told with each event, by the domain that tells it.
Told = Mapping[Name, type[msgspec.Struct]]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: type[msgspec.Struct]) -> Schema:
    """Describe a Struct by a schema that needs no other: its own fields first, `$defs` inside."""
    found = Schemas([kind])
    reference = found.of(kind)["$ref"]
    own, rest = found.components.pop(reference.removeprefix(PREFIX)), found.components
    own["description"] = " ".join((kind.__doc__ or "").split())
    whole = {"$schema": DIALECT, **own, **({"$defs": rest} if rest else {})}
    spelled = msgspec.json.encode(whole).replace(PREFIX.encode(), b"#/$defs/")
    described: Schema = msgspec.json.decode(spelled)
    return described
