"""Parameters of path, query and header."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.web.openapi import headers
from pannier.web.openapi.examples import BY_FORMAT, Examples
from pannier.web.openapi.operations import Operation
from pannier.web.openapi.schemas import Schema, Schemas, options

IDENTIFIER: Final = "UUID or public id"
# What filters mean that do not say it themselves.
TOLD: Final[Mapping[str, str]] = {
    "query": "Words to look for in names and numbers.",
    "since": "Not before this moment.",
    "until": "Before this moment.",
    "scheduled_since": "Scheduled not before this moment.",
    "scheduled_until": "Scheduled before this moment.",
    **dict.fromkeys(
        (
            "customer", "destination", "facilitator", "order", "order_config", "payload", "place",
            "service_area", "subject",
        ),
        "By UUID or public id.",
    ),
}  # fmt: skip
STYLES: Final[Mapping[str, dict[str, Any]]] = {
    "array": {"style": "form", "explode": True},
    "object": {"style": "deepObject", "explode": True},
}


class Parameters:
    """Spells parameters as OpenAPI has them."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._examples = Examples(schemas.components, whole=True)
        self._identifiers = _identifiers(schemas.components)

    def of(self, operation: Operation) -> list[dict[str, Any]]:
        """List an operation's parameters."""
        spelled = [*self._path(operation), *self._query(operation)]
        if operation.method == "POST":
            spelled.append(headers.sent("IdempotencyKey"))
        if operation.refuses_unknown_fields:
            spelled.append(headers.sent("Prefer"))
        if operation.matches:
            spelled.append(headers.sent("IfMatch"))
        if operation.writes and any("operatorSession" in one for one in operation.security):
            spelled.append(headers.sent("CsrfToken"))
        return spelled

    def _path(self, operation: Operation) -> list[dict[str, Any]]:
        return [
            self._part(part.name, self._schema(operation.parameters[part.name]))
            for part in operation.path_parameters
        ]

    def _schema(self, kind: Any) -> Schema:  # noqa: ANN401 - an annotation
        """Spell a part of a path, which is always there, whoever else the handler serves."""
        found = self._schemas.of(kind)
        [schema] = options(found)
        return schema

    def _part(self, name: str, schema: Schema) -> dict[str, Any]:
        words = name.replace("_", " ")
        resource = words.removesuffix("Id").removesuffix(" id").strip().lower()
        named = resource != words.lower() or name == "id"
        example = self._identifiers.get(resource.replace(" ", "_"), BY_FORMAT["uuid"])
        if not named:
            example = self._examples.of(schema, name)
        return {
            "name": name,
            "in": "path",
            "required": True,
            "description": schema.get("description") or (IDENTIFIER if named else f"The {words}"),
            "schema": _bare(schema),
            "example": schema["examples"][0] if "examples" in schema else example,
        }

    def _query(self, operation: Operation) -> list[dict[str, Any]]:
        parts = {part.name for part in operation.path_parameters}
        stray = {
            name: self._schemas.of(kind)
            for name, kind in operation.parameters.items()
            if name not in parts
        }
        filters = (
            self._schemas.resolve(self._schemas.of(operation.query)) if operation.query else {}
        )
        required = {*filters.get("required", ())}
        found = {**filters.get("properties", {}), **stray}
        return [self._filter(name, one, required=name in required) for name, one in found.items()]

    def _filter(self, name: str, given: Schema, *, required: bool) -> dict[str, Any]:
        """Spell a filter; null means that it is left out, so a caller never sends it."""
        choices = options(given)
        schema = _bare(given)
        if "anyOf" in given:
            schema.pop("anyOf")
            schema = {**(choices[0] if len(choices) == 1 else {"anyOf": choices}), **schema}
        if schema.get("default", "") is None:
            schema.pop("default")
        spelled = {
            "name": name,
            "in": "query",
            "required": required,
            "description": given.get("description") or _described(name, schema),
            "schema": _bare(schema),
            "example": self._examples.of(given, name),
        }
        kind = self._schemas.resolve(schema).get("type")
        return {**spelled, **STYLES.get(str(kind), {})}


def _bare(schema: Schema) -> Schema:
    """Leave out what the parameter itself says."""
    return {key: part for key, part in schema.items() if key not in {"description", "examples"}}


def _described(name: str, schema: Schema) -> str:
    words = name.replace("_", " ")
    if schema.get("type") == "boolean":
        return f"Only what is {words}; with `false` only what is not."
    return TOLD.get(name) or f"By {words}."


def _identifiers(components: Mapping[str, Schema]) -> dict[str, str]:
    """Collect public ids that the answers show, by their prefix."""
    shown = [
        example
        for schema in components.values()
        for example in schema.get("properties", {}).get("id", {}).get("examples", [])[:1]
        if isinstance(example, str)
    ]
    return {example.rpartition("_")[0]: example for example in shown}
