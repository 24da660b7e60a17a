"""JSON Schema of event data, for receivers who validate it or generate code."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pannier.events.catalog import Name

# The Struct that each event carries, declared by the domain that emits it.
EventDataTypes = Mapping[Name, type[msgspec.Struct]]

JsonSchema = dict[str, Any]
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def build_schema(kind: type[msgspec.Struct]) -> JsonSchema:
    """Build a self-contained schema of a Struct, with referenced types in `$defs`."""
    # Imported here, because it loads the web framework, and workers do without.
    from pannier.web.openapi.schemas import PREFIX, Schemas  # noqa: PLC0415 - see above

    schemas = Schemas([kind])
    reference = schemas.find_schema(kind)["$ref"]
    root, definitions = schemas.components.pop(reference.removeprefix(PREFIX)), schemas.components
    root["description"] = " ".join((kind.__doc__ or "").split())
    document = {"$schema": DIALECT, **root, **({"$defs": definitions} if definitions else {})}
    encoded_document = msgspec.json.encode(document).replace(PREFIX.encode(), b"#/$defs/")
    schema: JsonSchema = msgspec.json.decode(encoded_document)
    return schema
