"""Schemas by direction: what requests may leave out, and what responses always contain.

msgspec declares a field with a default as optional with that default. Generators of clients read
that differently: some make the field required, some send the default in every request, and
`"default": null` has no type. So a default is a sentence of the description. The document says
which fields a caller may leave out, and a response has all its fields.
"""

from collections.abc import Callable, Mapping

import msgspec

from pannier.web.openapi.schemas import Schema, list_non_null_options

Adapt = Callable[[Schema], Schema]


def to_request_schema(schema: Schema) -> Schema:
    """Return the schema of a request: a null that equals leaving the field out is not offered."""
    return _change_properties(schema, lambda part: _describe_default(_drop_meaningless_null(part)))


def to_response_schema(schema: Schema) -> Schema:
    """Return the schema of a response: fields with a default are always there."""
    properties: Mapping[str, Schema] = schema.get("properties", {})
    always_there = {name for name, part in properties.items() if "default" in part}
    always_there.update(schema.get("required", ()))
    changed_schema = _change_properties(schema, _drop_default)
    required_names = [name for name in properties if name in always_there]
    return {**changed_schema, "required": required_names} if required_names else changed_schema


def to_shared_schema(schema: Schema) -> Schema:
    """Return the schema of an object that requests and responses contain."""
    return _change_properties(schema, _describe_default)


def choose(*, is_sent: bool, is_returned: bool, omits_defaults: bool) -> Adapt:
    """Choose the schema of an object by where it occurs."""
    if is_sent and not is_returned:
        return to_request_schema
    return to_shared_schema if is_sent or omits_defaults else to_response_schema


def _change_properties(schema: Schema, change: Adapt) -> Schema:
    if "properties" not in schema:
        return schema
    properties = {name: change(part) for name, part in schema["properties"].items()}
    return {**schema, "properties": properties}


def _drop_default(part: Schema) -> Schema:
    return {key: value for key, value in part.items() if key != "default"}


def _drop_meaningless_null(part: Schema) -> Schema:
    """Drop the null of a field whose default is null: sending it says nothing."""
    if part.get("default", ...) is not None:
        return part
    rest = _drop_default(part)
    if "anyOf" not in part:
        return rest
    options = list_non_null_options(part)
    del rest["anyOf"]
    if rest.get("examples") == [None]:
        del rest["examples"]
    return {**options[0], **rest} if len(options) == 1 else {"anyOf": options, **rest}


def _describe_default(part: Schema) -> Schema:
    """Move a default into the description."""
    default = part.get("default")
    rest = _drop_default(part)
    if default in (None, [], {}, ""):
        return rest
    sentence = f"Defaults to `{msgspec.json.encode(default).decode()}`."
    description = rest.get("description", "")
    if "default" in description.lower():
        return rest
    return {**rest, "description": f"{description} {sentence}".strip()}
