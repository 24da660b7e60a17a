"""Conversion of schemas to tables of fields."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from pannier.web.openapi.schemas import PREFIX, Schema, list_non_null_options, resolve

MAX_DEPTH: Final = 4
GEOMETRY_PREFIX: Final = "GeoJson"
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
    same_as: str = ""  # an earlier field, where the same nested fields are listed
    component: str = ""  # the only component whose fields are nested in this one


class SchemaTables:
    """Converts schemas, including nested ones, to rows."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def list_rows(self, schema: Schema) -> list[FieldRow]:
        """List the fields of an object, or of the objects in an array."""
        return list(self._walk_fields(schema, "", (), {}))

    def list_brief_rows(self, schema: Schema) -> list[FieldRow]:
        """List the fields of an object. A repeated nested object is listed only once."""
        return list(self._walk_fields(schema, "", (), {}, brief=True))

    def list_required_names(self, schema: Schema) -> frozenset[str]:
        """List the paths of the required fields."""
        return frozenset(
            row.name.replace("[]", "") for row in self.list_rows(schema) if row.required
        )

    def make_row(
        self, name: str, schema: Schema, *, required: bool, description: str = ""
    ) -> FieldRow:
        """Make the row of one field."""
        parts = [
            resolve(part, self._components) for part in (schema, *list_non_null_options(schema))
        ]
        values = [str(value) for part in parts for value in part.get("enum", ())]
        if "const" in schema:
            values = [str(schema["const"])]
        inherited_description = next(
            (part["description"] for part in parts if part.get("description")), ""
        )
        return FieldRow(
            name,
            self.describe_type(schema),
            required,
            schema.get("description") or description or inherited_description,
            tuple(dict.fromkeys(values)),
            tuple(dict.fromkeys(_list_bounds(parts))),
            name.count("."),
        )

    def describe_type(self, schema: Schema) -> str:
        """Describe a schema's type in words."""
        options = list_non_null_options(schema)
        if "anyOf" in schema or "oneOf" in schema:
            names = list(dict.fromkeys(self.describe_type(option) for option in options))
            all_options = schema.get("anyOf") or schema.get("oneOf") or []
            return " or ".join([*names, *["null"][: len(all_options) - len(options)]])
        geometry = _find_geometry(schema)
        if geometry is not None:
            return f"GeoJSON {geometry}"
        resolved_schema = resolve(schema, self._components)
        kind = resolved_schema.get("type", "anything")
        if isinstance(kind, list):
            return " or ".join(kind)
        if kind == "array":
            items = resolved_schema.get("items") or {}
            return f"array of {self.describe_type(items)}" if items else "array"
        return str(resolved_schema.get("format") or kind)

    def _walk_fields(
        self,
        schema: Schema,
        prefix: str,
        trail: tuple[str, ...],
        prefixes: dict[str, str],
        *,
        brief: bool = False,
    ) -> Iterator[FieldRow]:
        """List the fields of a schema and of its nested objects, depth first."""
        for option in list_non_null_options(schema):
            name = option.get("$ref", "").removeprefix(PREFIX)
            if name in trail or len(trail) >= MAX_DEPTH or _find_geometry(option) is not None:
                continue
            resolved_schema = resolve(option, self._components)
            inner_trail = (*trail, name) if name else trail
            if resolved_schema.get("type") == "array":
                dotted = (prefix.removesuffix(".") + "[].").removeprefix("[].")
                items = resolved_schema.get("items") or {}
                yield from self._walk_fields(items, dotted, inner_trail, prefixes, brief=brief)
            fields = resolved_schema.get("properties", {})
            if brief and fields and prefixes.setdefault(name or prefix, prefix) != prefix:
                continue
            for key, value in fields.items():
                # Former names have a page of their own.
                if value.get("deprecated"):
                    continue
                row = self.make_row(
                    prefix + key, value, required=key in resolved_schema.get("required", ())
                )
                row = msgspec.structs.replace(row, component=self._find_component(value))
                listed_field = self._find_listed_field(value, prefixes) if brief else None
                if listed_field and listed_field != prefix + key:
                    row = msgspec.structs.replace(row, same_as=listed_field)
                yield row
                yield from self._walk_fields(
                    value, f"{prefix}{key}.", inner_trail, prefixes, brief=brief
                )

    def _find_listed_field(self, schema: Schema, prefixes: Mapping[str, str]) -> str | None:
        """Return the field where the nested fields of this one are already listed."""
        return next(
            (
                prefixes[name].removesuffix(".").removesuffix("[]")
                for name in self._list_component_names(schema)
                if name in prefixes
            ),
            None,
        )

    def _find_component(self, schema: Schema) -> str:
        """Return the component whose fields are nested in this field, if it is only one."""
        names = self._list_component_names(schema)
        return names[0] if len(names) == 1 else ""

    def _list_component_names(self, schema: Schema) -> list[str]:
        """List the objects that a field, or an item of a list, can be."""
        parts = []
        for option in list_non_null_options(schema):
            resolved_schema = resolve(option, self._components)
            is_list = resolved_schema.get("type") == "array"
            parts += (
                list_non_null_options(resolved_schema.get("items") or {}) if is_list else [option]
            )
        return [
            part["$ref"].removeprefix(PREFIX)
            for part in parts
            if _find_geometry(part) is None
            and "$ref" in part
            and "properties" in resolve(part, self._components)
        ]


def _find_geometry(schema: Schema) -> str | None:
    """Return the type of a GeoJSON geometry, whose fields every reader knows."""
    name: str = schema.get("$ref", "").removeprefix(PREFIX)
    return name.removeprefix(GEOMETRY_PREFIX) if name.startswith(GEOMETRY_PREFIX) else None


def _list_bounds(parts: list[Schema]) -> Iterator[str]:
    for part in parts:
        yield from (
            _format_range(part, *ends) for ends in RANGES if ends[0] in part or ends[1] in part
        )
        yield from (text.format(part[key]) for key, text in BOUNDS.items() if key in part)
        if part.get("default") is not None:
            yield f"default {_format_value(part['default'])}"


def _format_range(part: Schema, minimum: str, maximum: str, unit: str) -> str:
    if minimum in part and maximum in part:
        return f"{part[minimum]} to {part[maximum]}{unit}"
    return (
        f"at most {part[maximum]}{unit}" if maximum in part else f"at least {part[minimum]}{unit}"
    )


def _format_value(value: Any) -> str:  # noqa: ANN401 - any JSON
    text = msgspec.json.encode(value).decode()
    return re.sub(r'^"(.*)"$', r"\1", text)
