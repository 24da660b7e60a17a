"""Writes the types of the Python client's requests and responses."""

import json
import keyword
from collections.abc import Mapping
from typing import Final

from generator.model import (
    Api,
    Schema,
    find_description,
    is_binary,
    is_time,
    list_options,
    read_name,
)
from generator.naming import to_sentence, wrap

PLAIN_TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}


def render_type(api: Api, name: str) -> str:
    schema = api.components[name]
    is_sent = name not in api.received_names
    if "properties" not in schema:
        # Quoted, because a name can be declared below.
        return f"{name}: TypeAlias = {json.dumps(to_type(schema, is_sent=is_sent))}"
    required = set(schema.get("required", []))
    fields = {
        field: to_type(each, is_sent=is_sent)
        if field in required
        else f"NotRequired[{to_type(each, is_sent=is_sent)}]"
        for field, each in schema["properties"].items()
    }
    docstring = render_docstring(schema.get("description") or name, "    ")
    # A name such as `return` is no attribute. The base class has it.
    odd = "".join(
        f'    "{field}": {json.dumps(kind)},\n'
        for field, kind in fields.items()
        if not is_identifier(field)
    )
    base = f"_{name}Keywords" if odd else "TypedDict"
    lines = [f'{base} = TypedDict("{base}", {{\n{odd}}})\n'] if odd else []
    lines += [f"class {name}({base}):", docstring, ""]
    for field, kind in fields.items():
        if is_identifier(field):
            lines.append(f"    {field}: {kind}")
            description = find_description(schema["properties"][field])
            lines += [render_docstring(description, "    ")] if description else []
    return "\n".join(lines)


def to_type(schema: Schema, *, is_sent: bool, module: str = "") -> str:
    """Convert a schema to a type. Requests accept more types than responses contain."""
    if "$ref" in schema:
        return f"{module}{read_name(schema)}"
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(map(repr, values))}]"
    options = list_options(schema)
    if options is not None:
        kinds = [to_type(option, is_sent=is_sent, module=module) for option in options]
        unique = list(dict.fromkeys(part for kind in kinds for part in [kind]))
        return "Any" if "Any" in unique else " | ".join(unique)
    if len(schema.get("allOf", [])) == 1:
        return to_type(schema["allOf"][0], is_sent=is_sent, module=module)
    kind = schema.get("type")
    if kind == "array":
        items = to_type(schema.get("items", {}), is_sent=is_sent, module=module)
        # Classes have methods called `list`.
        plain_list = "builtins.list" if module else "list"
        return f"Sequence[{items}]" if is_sent else f"{plain_list}[{items}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        inner = "Any"
        if isinstance(values, Mapping):
            inner = to_type(values, is_sent=is_sent, module=module)
        return f"Mapping[str, {inner}]" if is_sent else f"dict[str, {inner}]"
    plain = PLAIN_TYPES.get(str(kind), "Any")
    if is_sent and is_time(schema):
        return "str | datetime"
    return "str | bytes" if is_sent and is_binary(schema) else plain


def is_identifier(name: str) -> bool:
    """Tell whether a name can be a parameter."""
    return name.isidentifier() and not keyword.iskeyword(name)


def render_docstring(text: str, indent: str) -> str:
    escaped = to_sentence(text).replace("\\", "\\\\").replace('"""', "'''")
    padded = f"{escaped} " if escaped.endswith('"') else escaped
    return f'{indent}"""{wrap(padded, indent, 96)}"""'
