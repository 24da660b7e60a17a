"""Examples, built from the examples of the fields."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.web.openapi.schemas import PREFIX, Schema, list_non_null_options, resolve

MOMENT: Final = "2026-01-31T09:30:00.000Z"
BY_FORMAT: Final[Mapping[str, str]] = {
    "uuid": "0194b8f2-6c1e-7d3a-9f40-5b2c8e71d6a3",
    "date-time": MOMENT,
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "partial-time": "09:30:00",
    "duration": "PT30M",
    "decimal": "12.50",
    "email": "ada@example.com",
    "uri": "https://shop.example.com",
    "binary": "…",
}
BY_NAME: Final[Mapping[str, str]] = {
    "address": "203.0.113.7",
    "currency": "EUR",
    "cursor": "q83vEjRWeJCrze8x",
    "email": "ada@example.com",
    "name": "Ada Lovelace",
    "next_cursor": "q83vEjRWeJCrze8x",
    "phone": "+4915112345678",
    "request_id": "5f2b9c0e7a41d8e3b6c4f109",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sort": "-created_at",
    "url": "https://shop.example.com/hooks",
}
NUMBERS: Final[Mapping[str, int]] = {"amount": 1250, "limit": 30}
SENTENCE: Final = "A few words."
# Fields that are null in examples: these things have not happened to the example's record.
NULL_FIELDS: Final = frozenset(
    {"canceled_at", "deleted_at", "disabled_at", "failed_at", "replaced_by", "revoked_at"}
)


class _SelfReferenceError(Exception):
    """The schema contains itself."""


class Examples:
    """Makes examples of schemas: with all fields if `is_complete`, or with the usual ones."""

    def __init__(self, components: Mapping[str, Schema], *, is_complete: bool) -> None:
        self._components, self._is_complete = components, is_complete

    def make(self, schema: Schema, name: str = "", trail: tuple[str, ...] = ()) -> Any:  # noqa: ANN401 - any JSON
        """Make an example of a schema."""
        if "$ref" in schema:
            reference = schema["$ref"].removeprefix(PREFIX)
            if reference in trail:
                raise _SelfReferenceError
            trail = (*trail, reference)
            schema = resolve(schema, self._components)
        declared_example = _find_declared_example(schema)
        if declared_example is not None:
            return declared_example[0]
        if "anyOf" in schema or "oneOf" in schema:
            return self._make_choice(schema, name, trail)
        if "allOf" in schema:
            parts = [self.make(part, name, trail) for part in schema["allOf"]]
            return {key: value for part in parts for key, value in part.items()}
        return self._make_by_type(schema, name, trail)

    def _make_choice(self, schema: Schema, name: str, trail: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON
        for option in [] if name in NULL_FIELDS else list_non_null_options(schema):
            try:
                return self.make(option, name, trail)
            except _SelfReferenceError:
                continue
        return None

    def _make_by_type(self, schema: Schema, name: str, trail: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON
        match schema.get("type"):
            case "object":
                return self._make_object(schema, trail)
            case "array":
                return self._make_array(schema, name, trail)
            case "string":
                return _make_string(schema, name)
            case "integer" | "number":
                return _make_number(schema, name)
            case "boolean":
                return True
            case "null":
                return None
        return {}

    def _make_object(self, schema: Schema, trail: tuple[str, ...]) -> dict[str, Any]:
        required_names = schema.get("required", [])
        properties: Mapping[str, Schema] = schema.get("properties", {})
        included_names = [
            name for name in properties if self._is_complete or name in required_names
        ]
        included_names += [
            name
            for name in properties
            if name not in included_names and _has_example(properties[name])
        ]
        if not self._is_complete:
            # An example of null means that requests usually leave the field out. A former name
            # stands beside the present one, and a request sends one of them.
            included_names = [
                name
                for name in included_names
                if properties[name].get("examples") != [None]
                and not properties[name].get("deprecated")
                and not properties[name].get("deprecated")
            ]
        example: dict[str, Any] = {}
        for name in [key for key in properties if key in included_names] or properties:
            try:
                example[name] = self.make(properties[name], name, trail)
            except _SelfReferenceError:
                if name in required_names:
                    raise
        if {"id", "public_id"} <= example.keys() and not _has_example(properties["public_id"]):
            example["public_id"] = example["id"]
        return example

    def _make_array(self, schema: Schema, name: str, trail: tuple[str, ...]) -> list[Any]:
        if "prefixItems" in schema:
            return [self.make(part, name, trail) for part in schema["prefixItems"]]
        min_length = schema.get("minItems", 0)
        try:
            item = self.make(schema.get("items", {"type": "string"}), name.removesuffix("s"), trail)
        except _SelfReferenceError:
            if min_length:
                raise
            return []
        return [item] * max(1, min_length)


def _find_declared_example(schema: Schema) -> list[Any] | None:
    """Find a schema's example, constant, default or first choice, in a list; None without one."""
    if schema.get("examples"):
        return [schema["examples"][0]]
    if "const" in schema:
        return [schema["const"]]
    if schema.get("default") not in (None, [], {}):
        return [schema["default"]]
    return schema["enum"][:1] if schema.get("enum") else None


def _has_example(schema: Schema) -> bool:
    return any("examples" in option for option in (schema, *list_non_null_options(schema)))


def _make_string(schema: Schema, name: str) -> str:
    example = BY_FORMAT.get(schema.get("format", ""))
    if example is None:
        example = BY_NAME.get(name) or (MOMENT if name.endswith("_at") else SENTENCE)
    min_length, max_length = schema.get("minLength", 0), schema.get("maxLength", len(example))
    return example.ljust(min_length, "x")[: max(min_length, max_length)]


def _make_number(schema: Schema, name: str) -> int | float:
    if name in NUMBERS:
        return NUMBERS[name]
    minimum: int | float = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    maximum: int | float = schema.get("maximum", schema.get("exclusiveMaximum", minimum + 1) - 1)
    step: int | float = schema.get("multipleOf", minimum)
    return min(max(minimum, step), max(minimum, maximum))
