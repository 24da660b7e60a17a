"""Builds the document from the operations."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

import msgspec
from litestar import Litestar

from pannier.web.openapi import (
    conventions,
    directions,
    headers,
    operations,
    parameters,
    problems,
    webhooks,
)
from pannier.web.openapi.examples import Examples
from pannier.web.openapi.operations import ApiOperation, Content, Kind
from pannier.web.openapi.schemas import Schema, Schemas, find_references
from pannier.web.openapi.security import SCHEMES, Requirement
from pannier.web.openapi.tags import describe_tag
from pannier.web.openapi.webhooks import WebhookEvent

AREAS: Final = (
    ("/storefront/v1", "Customer API"),
    ("/v1", "Fleet API"),
    ("/int/v1", "Internal API"),
    ("/", "Installation"),
)
# Extensions of OpenAPI: the scopes and roles that an operation requires, and the operation that one
# with another method repeats.
ACCESS_KEY: Final = "x-required-access"
REPEATS_KEY: Final = "x-repeats"


class Document(msgspec.Struct, frozen=True):
    """The document, as an object and encoded."""

    content: dict[str, Any]
    encoded: bytes


@lru_cache(maxsize=8)
def build_document(app: Litestar, base_url: str) -> Document:
    """Build the document of an application; cached."""
    content = _make_writer(app).write(base_url)
    return Document(content, msgspec.json.encode(content))


@lru_cache(maxsize=8)
def _make_writer(app: Litestar) -> "_DocumentWriter":
    """Make the writer of an application, once for all base URLs."""
    return _DocumentWriter(operations.read(app), app.opt.get(webhooks.EVENTS_KEY, ()))


class _DocumentWriter:
    """Converts operations to OpenAPI."""

    def __init__(self, operations: Sequence[ApiOperation], events: Sequence[WebhookEvent]) -> None:
        self.operations, self.events = operations, events
        kinds = [kind for operation in operations for kind in operation.kinds]
        data_types = [event.data_type for event in events]
        self.schemas = Schemas([*kinds, problems.ProblemOut, *data_types])
        self.components = self._adapt_components()
        self.response_examples = Examples(self.components, is_complete=True)
        self.request_examples = Examples(self.components, is_complete=False)
        self.parameters = parameters.Parameters(self.schemas)
        self.responses: dict[str, Any] = {}

    def write(self, base_url: str) -> dict[str, Any]:
        paths: dict[str, Any] = {}
        for operation in self.operations:
            paths.setdefault(operation.path, {})[operation.method.lower()] = self._to_spec(
                operation
            )
        event_requests = {
            event.name: webhooks.make_path_item(event, self.response_examples)
            for event in self.events
        }
        areas = _group_tags(self.operations)
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "Pannier",
                "version": version("pannier"),
                "summary": "The HTTP interface of this installation.",
                "description": conventions.to_markdown(),
                "contact": {"name": "Documentation", "url": f"{base_url.rstrip('/')}/docs"},
                "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{"url": base_url, "description": "This installation."}],
            "tags": [
                {"name": tag, "description": describe_tag(tag)} for _, tags in areas for tag in tags
            ],
            "x-tagGroups": [{"name": name, "tags": tags} for name, tags in areas],
            "paths": paths,
            "webhooks": event_requests,
            "components": self._make_components({**paths, **event_requests}),
        }

    def _to_spec(self, operation: ApiOperation) -> dict[str, Any]:
        spec: dict[str, Any] = {
            "operationId": operation.id,
            "summary": operation.summary,
            "description": operation.description or f"{operation.summary}.",
            "tags": list(operation.tags),
            "security": _strip_access(operation.security),
            "parameters": self.parameters.list_parameters(operation),
        }
        if any(needs for requirement in operation.security for needs in requirement.values()):
            spec[ACCESS_KEY] = operation.security
        if operation.repeats is not None:
            spec[REPEATS_KEY] = operation.repeats
            spec["description"] += f" {self._describe_repeat(operation)}"
        if operation.deprecation is not None:
            spec["deprecated"] = True
            spec["description"] += f" Deprecated: use `{operation.deprecation.replacement}`."
        if operation.bodies:
            spec["requestBody"] = {
                "required": operation.body_required,
                "content": self._make_content(operation.bodies, self.request_examples),
            }
        spec["responses"] = self._make_responses(operation)
        return spec

    def _describe_repeat(self, operation: ApiOperation) -> str:
        """Describe an operation that repeats another one with another method."""
        schemas = [self.schemas.resolve(self.schemas.find_schema(kind))
                   for kind in operation.bodies.values()]  # fmt: skip
        has_meta = any("meta" in schema.get("properties", ()) for schema in schemas)
        if operation.method == "PUT" and has_meta:
            return f"The same as `{operation.repeats}`, but `meta` is replaced as a whole."
        return f"The same as `{operation.repeats}`, for existing clients."

    def _make_responses(self, operation: ApiOperation) -> dict[str, Any]:
        problem_kinds = problems.group_by_status(operation)
        responses = {
            str(status): self._refer_to_problem_response(status, kinds)
            for status, kinds in problem_kinds.items()
        }
        for status, content in operation.responses.items():
            response = self._make_response(operation, status, content)
            if status in problem_kinds:
                problem_response = problems.make_response(status, problem_kinds[status])
                response["content"] |= problem_response["content"]
                response[problems.CODES_KEY] = problem_response[problems.CODES_KEY]
                response["headers"] |= problem_response["headers"]
            responses[str(status)] = {key: part for key, part in response.items() if part}
        return dict(sorted(responses.items()))

    def _refer_to_problem_response(self, status: int, kinds: problems.Kinds) -> dict[str, Any]:
        """Refer to the response that operations with the same problems share."""
        name = "Or".join(kind.code.title().replace("_", "") for kind in kinds)
        self.responses.setdefault(name, problems.make_response(status, kinds))
        return {"$ref": f"#/components/responses/{name}"}

    def _make_response(
        self, operation: ApiOperation, status: int, content: Content
    ) -> dict[str, Any]:
        media = self._make_content(content, self.response_examples)
        header_names = ["RequestId"]
        if operation.security:
            header_names += headers.RATE_LIMITS
        if operation.method == "POST":
            header_names.append("IdempotentReplayed")
        if operation.refuses_unknown_fields:
            header_names.append("PannierIgnored")
        if operation.has_former_names:
            header_names += ["Deprecation", "Sunset"]
        schemas = [self.schemas.find_schema(kind) for kind in content.values()]
        if operation.is_paged and any(schema.get("type") == "array" for schema in schemas):
            header_names.append("Link")
        if any("version" in getattr(kind, "__struct_fields__", ()) for kind in content.values()):
            header_names.append("ETag")
        return {
            "description": f"{HTTPStatus(status).phrase}.",
            "headers": headers.refer_to_response_headers(header_names),
            "content": media,
        }

    def _make_content(self, content: Content, examples: Examples) -> dict[str, Any]:
        schemas = {
            media_type: self.schemas.find_schema(kind) for media_type, kind in content.items()
        }
        return {
            media_type: {"schema": schema, "example": examples.make(schema)}
            for media_type, schema in schemas.items()
        }

    def _make_components(self, paths: dict[str, Any]) -> dict[str, Any]:
        scheme_names = {
            name
            for operation in self.operations
            for requirement in operation.security
            for name in requirement
        }
        return {
            "schemas": self._list_schemas(paths),
            "responses": dict(sorted(self.responses.items())),
            "parameters": {
                name: header.parameter for name, header in headers.REQUEST_HEADERS.items()
            },
            "headers": {name: header.spec for name, header in headers.RESPONSE_HEADERS.items()},
            "securitySchemes": {
                name: scheme.spec for name, scheme in SCHEMES.items() if name in scheme_names
            },
        }

    def _adapt_components(self) -> dict[str, Schema]:
        """Adapt schemas to their use. Those of strict bodies forbid other fields."""
        bodies = [
            (operation.refuses_unknown_fields, kind)
            for operation in self.operations
            for kind in operation.bodies.values()
        ]
        parameters = [kind for operation in self.operations for kind in operation.parameter_kinds]
        responses = [kind for operation in self.operations for kind in operation.response_kinds]
        request_names = self._find_components([*parameters, *(kind for _, kind in bodies)])
        data_types = [event.data_type for event in self.events]
        response_names = self._find_components([*responses, problems.ProblemOut, *data_types])
        lenient_kinds = [kind for is_strict, kind in bodies if not is_strict]
        lenient_names = self._find_components(lenient_kinds)
        components = {}
        for name, schema in self.schemas.components.items():
            adapt = directions.choose(
                is_sent=name in request_names,
                is_returned=name in response_names,
                omits_defaults=name in self.schemas.sparse_names,
            )
            is_body_only = "properties" in schema and name not in response_names
            openness = {"additionalProperties": name in lenient_names} if is_body_only else {}
            components[name] = adapt({**openness, **schema})
        event_schemas = {
            event.component: webhooks.make_schema(event, self.schemas) for event in self.events
        }
        return components | event_schemas

    def _find_components(self, kinds: Sequence[Kind]) -> set[str]:
        """Find the names of the components that types refer to."""
        schemas = [self.schemas.find_schema(kind) for kind in kinds]
        return _find_reachable_components(schemas, self.schemas.components)

    def _list_schemas(self, paths: dict[str, Any]) -> dict[str, Schema]:
        """List the schemas in use."""
        names = _find_reachable_components([paths, self.responses], self.components)
        return {name: self.components[name] for name in sorted(names)}


def _strip_access(security: Sequence[Requirement]) -> list[Requirement]:
    """Remove scopes and roles, which linters accept only for OAuth 2."""
    requirements: list[Requirement] = []
    for requirement in security:
        bare_requirement: Requirement = {name: [] for name in requirement}
        if bare_requirement not in requirements:
            requirements.append(bare_requirement)
    return requirements


def _group_tags(operations: Iterable[ApiOperation]) -> list[tuple[str, list[str]]]:
    """Group the tags by API. A tag belongs to the API of its first operation."""
    areas: dict[str, list[str]] = {name: [] for _, name in AREAS}
    assigned_tags: set[str] = set()
    for operation in operations:
        name = next(name for prefix, name in AREAS if operation.path.startswith(prefix))
        areas[name] += [tag for tag in operation.tags if tag not in assigned_tags]
        assigned_tags.update(operation.tags)
    return [(name, tags) for name, tags in areas.items() if tags]


def _find_reachable_components(root: object, components: dict[str, Schema]) -> set[str]:
    """Return the names of the components that the root refers to, directly or indirectly."""
    reachable_components: set[str] = set()
    pending_names = list(find_references(root))
    while pending_names:
        name = pending_names.pop()
        if name not in reachable_components:
            reachable_components.add(name)
            pending_names += find_references(components[name])
    return reachable_components
