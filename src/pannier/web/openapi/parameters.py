"""Parameters of path, query and header."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.web.idempotency import accepts_key
from pannier.web.openapi import headers
from pannier.web.openapi.examples import BY_FORMAT, Examples
from pannier.web.openapi.operations import ApiOperation
from pannier.web.openapi.schemas import Schema, Schemas, list_non_null_options

IDENTIFIER: Final = "UUID or public id."
# Filters that need more than the default description, "Filter by" and the name.
DESCRIPTIONS: Final[Mapping[str, str]] = {
    "accuracy": "Accuracy of the position in meters.",
    "adhoc": "Return only ad-hoc orders; `false` returns the others.",
    "alarm": "Alarm that the device reports, such as `sos`.",
    "altitude": "Altitude in meters.",
    "batt": "Battery level in percent.",
    "bbox": "Area as `west,south,east,north` in degrees.",
    "bearing": "Direction of travel in degrees clockwise from north.",
    "charge": "Whether the device is charging.",
    "cod": "Cash to collect on delivery, in minor units, or `true` for any amount.",
    "currency": "Three-letter ISO 4217 code.",
    "customer": "Customer, by UUID or public id.",
    "destination": "Destination waypoint, by UUID or public id.",
    "dispatched": "Return only dispatched orders; `false` returns the others.",
    "distance": "Distance in meters, instead of a measured one.",
    "dropoff": "Drop-off place: an id, `latitude,longitude`, or an address.",
    "entities": "Items to ship.",
    "facilitator": "Facilitator, by UUID or public id.",
    "lat": "Latitude in degrees.",
    "location": "Return only those that contain this point, as `latitude,longitude`.",
    "lon": "Longitude in degrees.",
    "online": "Return only those online; `false` returns the others.",
    "order": "Order, by UUID or public id.",
    "order_config": "Order configuration, by UUID or public id.",
    "payload": "Payload, by UUID or public id.",
    "pickup": "Pickup place: an id, `latitude,longitude`, or an address.",
    "place": "Place, by UUID or public id.",
    "pod_required": "Return only orders that require proof; `false` returns the others.",
    "public": "Return only rates that storefronts can see; `false` returns the others.",
    "query": "Search text, matched against the beginnings of words in names and numbers.",
    "revoked": "Return only revoked keys; `false` returns active ones.",
    "scheduled_at": "Time of the shipment. Defaults to now.",
    "scheduled_since": "Return only those scheduled at or after this time.",
    "scheduled_until": "Return only those scheduled before this time.",
    "service_area": "Service area, by UUID or public id.",
    "since": "Return only those at or after this time.",
    "sku": "Filter by SKU.",
    "started": "Return only started orders; `false` returns the others.",
    "subject": "Subject, by UUID or public id.",
    "time": "Duration in seconds, instead of an estimate.",
    "tracking": "Tracking number.",
    "until": "Return only those before this time.",
    "vin": "Filter by VIN.",
    "waypoints": "Stops, each as a place: an id, `latitude,longitude`, or an address.",
    "zone": "Zone, by UUID or public id.",
}
STYLES: Final[Mapping[str, dict[str, Any]]] = {
    "array": {"style": "form", "explode": True},
    "object": {"style": "deepObject", "explode": True},
}


class Parameters:
    """Converts parameters to OpenAPI."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._examples = Examples(schemas.components, is_complete=True)
        self._identifiers = _collect_identifiers(schemas.components)

    def list_parameters(self, operation: ApiOperation) -> list[dict[str, Any]]:
        """List the parameters of an operation: path, query and headers."""
        parameters = [
            *self._list_path_parameters(operation),
            *self._list_query_parameters(operation),
        ]
        if accepts_key(operation.method, has_condition=operation.accepts_if_match):
            parameters.append(headers.refer_to_request_header("IdempotencyKey"))
        if operation.refuses_unknown_fields:
            parameters.append(headers.refer_to_request_header("Prefer"))
        if operation.accepts_if_match:
            parameters.append(headers.refer_to_request_header("IfMatch"))
        if operation.can_write and any(
            "operatorSession" in requirement for requirement in operation.security
        ):
            parameters.append(headers.refer_to_request_header("CsrfToken"))
        return parameters

    def _list_path_parameters(self, operation: ApiOperation) -> list[dict[str, Any]]:
        return [
            self._make_path_parameter(
                part.name, self._find_path_schema(operation.parameters[part.name])
            )
            for part in operation.path_parameters
        ]

    def _find_path_schema(self, kind: Any) -> Schema:  # noqa: ANN401 - an annotation
        """Return the schema of a path parameter. It excludes null, because a path always has it."""
        schema_or_union = self._schemas.find_schema(kind)
        [schema] = list_non_null_options(schema_or_union)
        return schema

    def _make_path_parameter(self, name: str, schema: Schema) -> dict[str, Any]:
        label = name.replace("_", " ")
        resource = label.removesuffix("Id").removesuffix(" id").strip().lower()
        is_identifier = resource != label.lower() or name == "id"
        example = self._identifiers.get(resource.replace(" ", "_"), BY_FORMAT["uuid"])
        if not is_identifier:
            example = self._examples.make(schema, name)
        return {
            "name": name,
            "in": "path",
            "required": True,
            "description": schema.get("description")
            or (IDENTIFIER if is_identifier else f"The {label}."),
            "schema": _strip_documentation(schema),
            "example": schema["examples"][0] if "examples" in schema else example,
        }

    def _list_query_parameters(self, operation: ApiOperation) -> list[dict[str, Any]]:
        path_names = {part.name for part in operation.path_parameters}
        signature_schemas = {
            name: self._schemas.find_schema(kind)
            for name, kind in operation.parameters.items()
            if name not in path_names
        }
        filters = (
            self._schemas.resolve(self._schemas.find_schema(operation.query))
            if operation.query
            else {}
        )
        required_names = {*filters.get("required", ())}
        schemas = {**filters.get("properties", {}), **signature_schemas}
        sort_columns = getattr(operation.query, "sortable", None)
        if sort_columns:
            schemas["sort"] = _add_sort_columns(schemas["sort"], sort_columns)
        elif sort_columns is not None:
            schemas = {
                name: schema for name, schema in schemas.items() if name not in {"sort", "cursor"}
            }
        return [
            self._make_filter(name, schema, required=name in required_names)
            for name, schema in schemas.items()
        ]

    def _make_filter(self, name: str, filter_schema: Schema, *, required: bool) -> dict[str, Any]:
        """Convert a filter. Its schema excludes null: callers leave the filter out instead."""
        choices = list_non_null_options(filter_schema)
        schema = _strip_documentation(filter_schema)
        if "anyOf" in filter_schema:
            schema.pop("anyOf")
            schema = {**(choices[0] if len(choices) == 1 else {"anyOf": choices}), **schema}
        if schema.get("default", "") is None:
            schema.pop("default")
        parameter = {
            "name": name,
            "in": "query",
            "required": required,
            "description": _find_description(filter_schema, choices)
            or describe_filter(name, schema),
            "schema": _strip_documentation(schema),
            "example": self._examples.make(filter_schema, name),
        }
        if parameter["schema"].pop("deprecated", False):
            parameter["deprecated"] = True
        kind = self._schemas.resolve(schema).get("type")
        return {**parameter, **STYLES.get(str(kind), {})}


def _find_description(filter_schema: Schema, choices: list[Schema]) -> str | None:
    return next(
        (
            option["description"]
            for option in (filter_schema, *choices)
            if option.get("description")
        ),
        None,
    )


def _add_sort_columns(sort: Schema, columns: tuple[str, ...]) -> Schema:
    """Add the fields that a list can be sorted by."""
    names = ", ".join(f"`{name}`" for name in columns)
    return {**sort, "description": f"{sort['description']} One of {names}."}


def _strip_documentation(schema: Schema) -> Schema:
    """Remove the parts of a schema that the parameter repeats."""
    return {key: part for key, part in schema.items() if key not in {"description", "examples"}}


def describe_filter(name: str, schema: Schema) -> str:
    """Describe a filter without a declared description."""
    label = name.replace("_", " ")
    if name not in DESCRIPTIONS and schema.get("type") == "boolean":
        return f"Filter by whether `{name}` is true."
    return DESCRIPTIONS.get(name) or f"Filter by {label}."


def _collect_identifiers(components: Mapping[str, Schema]) -> dict[str, str]:
    """Collect public ids from the examples of responses, by their prefix."""
    examples = [
        example
        for schema in components.values()
        for example in schema.get("properties", {}).get("id", {}).get("examples", [])[:1]
        if isinstance(example, str)
    ]
    return {example.rpartition("_")[0]: example for example in examples}
