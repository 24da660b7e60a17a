"""Conversion of schemas to tables of fields."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from pannier.web.openapi.schemas import PREFIX, Schema, non_null_options, resolve

MAX_DEPTH: Final = 4
RANGES: Final = (("minimum", "maximum", ""), ("minLength", "maxLength", " characters"),
                 ("minItems", "maxItems", " items"))  # fmt: skip
BOUNDS: Final[Mapping[str, str]] = {
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
}


class FieldRow(msgspec.Struct, frozen=True):
    """A row about one field."""

    name: str
    kind: str
    required: bool
    description: str
    values: tuple[str, ...]
    bounds: tuple[str, ...]
    depth: int = 0
    alike: str = ""  # an earlier field with the same nested fields, which are listed there


class SchemaTables:
    """Converts schemas, including nested ones, to rows."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def rows(self, schema: Schema) -> list[FieldRow]:
        """List the fields of an object, or of the objects in an array."""
        return list(self._rows(schema, "", (), {}))

    def brief_rows(self, schema: Schema) -> list[FieldRow]:
        """List the fields; those of a nested object only at its first occurrence."""
        return list(self._rows(schema, "", (), {}, brief=True))

    def required_names(self, schema: Schema) -> frozenset[str]:
        """Return the paths of the required fields."""
        return frozenset(row.name.replace("[]", "") for row in self.rows(schema) if row.required)

    def row(self, name: str, schema: Schema, *, required: bool, description: str = "") -> FieldRow:
        """Make the row of one field."""
        parts = [resolve(part, self._components) for part in (schema, *non_null_options(schema))]
        values = [str(value) for part in parts for value in part.get("enum", ())]
        if "const" in schema:
            values = [str(schema["const"])]
        inherited = next((part["description"] for part in parts if part.get("description")), "")
        return FieldRow(
            name,
            self.kind(schema),
            required,
            schema.get("description") or description or inherited,
            tuple(dict.fromkeys(values)),
            tuple(dict.fromkeys(_list_bounds(parts))),
            name.count("."),
        )

    def kind(self, schema: Schema) -> str:
        """Describe a schema's type in words."""
        options = non_null_options(schema)
        if "anyOf" in schema or "oneOf" in schema:
            names = list(dict.fromkeys(self.kind(option) for option in options))
            all_options = schema.get("anyOf") or schema.get("oneOf") or []
            return " or ".join([*names, *["null"][: len(all_options) - len(options)]])
        resolved = resolve(schema, self._components)
        kind = resolved.get("type", "anything")
        if isinstance(kind, list):
            return " or ".join(kind)
        if kind == "array":
            inner = resolved.get("items") or {}
            return f"array of {self.kind(inner)}" if inner else "array"
        return str(resolved.get("format") or kind)

    def _rows(
        self,
        schema: Schema,
        prefix: str,
        trail: tuple[str, ...],
        prefixes: dict[str, str],
        *,
        brief: bool = False,
    ) -> Iterator[FieldRow]:
        for option in non_null_options(schema):
            name = option.get("$ref", "").removeprefix(PREFIX)
            if name in trail or len(trail) >= MAX_DEPTH:
                continue
            resolved = resolve(option, self._components)
            inner = (*trail, name) if name else trail
            if resolved.get("type") == "array":
                dotted = (prefix.removesuffix(".") + "[].").removeprefix("[].")
                items = resolved.get("items") or {}
                yield from self._rows(items, dotted, inner, prefixes, brief=brief)
            fields = resolved.get("properties", {})
            if brief and fields and prefixes.setdefault(name or prefix, prefix) != prefix:
                continue
            for key, value in fields.items():
                row = self.row(prefix + key, value, required=key in resolved.get("required", ()))
                twin = self._find_listed_field(value, prefixes) if brief else None
                if twin and twin != prefix + key:
                    row = msgspec.structs.replace(row, alike=twin)
                yield row
                yield from self._rows(value, f"{prefix}{key}.", inner, prefixes, brief=brief)

    def _find_listed_field(self, schema: Schema, prefixes: Mapping[str, str]) -> str | None:
        """Return the field where the nested fields of this one are already listed."""
        for option in non_null_options(schema):
            resolved = resolve(option, self._components)
            part = resolved.get("items") or {} if resolved.get("type") == "array" else option
            name = part.get("$ref", "").removeprefix(PREFIX)
            if name in prefixes:
                return prefixes[name].removesuffix(".").removesuffix("[]")
        return None


def _list_bounds(parts: list[Schema]) -> Iterator[str]:
    for part in parts:
        yield from (_range(part, *ends) for ends in RANGES if ends[0] in part or ends[1] in part)
        yield from (text.format(part[key]) for key, text in BOUNDS.items() if key in part)
        if part.get("default") is not None:
            yield f"default {_value(part['default'])}"


def _range(part: Schema, minimum: str, maximum: str, unit: str) -> str:
    if minimum in part and maximum in part:
        return f"{part[minimum]} to {part[maximum]}{unit}"
    return (
        f"at most {part[maximum]}{unit}" if maximum in part else f"at least {part[minimum]}{unit}"
    )


def _value(value: Any) -> str:  # noqa: ANN401 - any JSON
    text = msgspec.json.encode(value).decode()
    return re.sub(r'^"(.*)"$', r"\1", text)
