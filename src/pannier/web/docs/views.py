"""The document in the form that the templates need."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import structs

from pannier.errors import Problem, list_problems
from pannier.web.docs import curl
from pannier.web.docs.fields import FieldRow, SchemaTables
from pannier.web.openapi import ACCESS_KEY, REPEATS_KEY
from pannier.web.openapi.conventions import CONVENTIONS, INTRODUCTION
from pannier.web.problems import MEDIA_TYPE

FIRST_ERROR_STATUS: Final = 400
# Most responses have these; the guide's conventions describe them.
GENERAL_HEADERS: Final = frozenset(
    {"X-Request-Id", "RateLimit", "RateLimit-Policy", "Idempotent-Replayed", "Pannier-Ignored",
     "Deprecation", "Sunset"}
)  # fmt: skip
Refusal = tuple[int, str, str]  # status, code, title


def make_slug(tag: str) -> str:
    """Return the path of a tag's page."""
    return re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-")


class DocumentedBody:
    """The body of a request or response."""

    def __init__(self, media_type: str, content: Mapping[str, Any], fields: SchemaTables) -> None:
        schema, example = content["schema"], content.get("example")
        self.media_type = media_type
        self.rows = fields.list_brief_rows(schema)
        self.kind = fields.describe_type(schema)
        self.example = example if isinstance(example, str) else curl.format_json(example)
        self.is_list = schema.get("type") == "array"
        object_schema = schema.get("items", {}) if self.is_list else schema
        self.component: str = object_schema.get("$ref", "").rpartition("/")[2]
        # Set by the chapter if several of its responses have this body.
        self.shared: SharedObject | None = None
        # The fields that this body has beyond those of the shared object.
        self.added_rows: list[FieldRow] = []

    def abridge_example(self, path: str) -> None:
        """Leave only the id of a nested object that the page describes elsewhere."""
        example = msgspec.json.decode(self.example)
        _abridge(example, path.replace("[]", ".[]").split("."))
        self.example = curl.format_json(example)


def _abridge(node: Any, names: Sequence[str]) -> None:  # noqa: ANN401 - any JSON
    if not names:
        for name in [*node] if isinstance(node, dict) and "id" in node else ():
            if name != "id":
                del node[name]
    elif names[0] == "[]":
        for item in node if isinstance(node, list) else ():
            _abridge(item, names[1:])
    elif isinstance(node, dict):
        _abridge(node.get(names[0]), names[1:])


class SharedObject:
    """An object in several responses of a chapter, described once and linked from each."""

    def __init__(self, body: DocumentedBody) -> None:
        self.title = " ".join(re.findall(r"[A-Z][a-z]*", body.component.removesuffix("Out")))
        self.component = body.component
        self.anchor = f"object-{body.component}"
        self.rows = body.rows
        self.example = body.example


class DocumentedResponse:
    """The response with one status."""

    def __init__(self, status: int, spec: Mapping[str, Any], reference: "ApiReference") -> None:
        self.status, self.phrase = status, HTTPStatus(status).phrase
        content = spec.get("content", {})
        self.bodies = [
            DocumentedBody(media_type, body_content, reference.fields)
            for media_type, body_content in content.items()
            if media_type != MEDIA_TYPE
        ]
        self.refusals = content.get(MEDIA_TYPE, {}).get("examples", {})
        self.headers = [
            (name, reference.resolve(header)["description"])
            for name, header in spec.get("headers", {}).items()
            if name not in GENERAL_HEADERS
        ]


class DocumentedOperation:
    """One method of one path."""

    def __init__(
        self, method: str, path: str, spec: Mapping[str, Any], reference: "ApiReference"
    ) -> None:
        self.method, self.path = method.upper(), path
        self.id: str = spec["operationId"]
        self.summary: str = spec["summary"]
        text = spec["description"]
        self.description = "" if text == f"{self.summary}." else text
        self.tags: list[str] = spec["tags"]
        self.security: list[Mapping[str, list[str]]] = spec.get(ACCESS_KEY, spec["security"])
        self.repeats: str | None = spec.get(REPEATS_KEY)
        parameters = [reference.resolve(parameter) for parameter in spec["parameters"]]
        self.parameters = [_make_parameter(parameter, reference.fields) for parameter in parameters]
        content = spec.get("requestBody", {}).get("content", {})
        self.bodies = [
            DocumentedBody(name, body_content, reference.fields)
            for name, body_content in content.items()
        ]
        self.curl = curl.make_command(
            reference.server,
            self.method,
            path,
            {**spec, "parameters": parameters},
            reference.fields,
        )
        all_responses = [
            DocumentedResponse(int(status), reference.resolve(response), reference)
            for status, response in spec["responses"].items()
        ]
        self.responses = [
            response
            for response in all_responses
            if response.bodies or response.status < FIRST_ERROR_STATUS
        ]
        self.refusals: list[Refusal] = [
            (response.status, code, example["summary"])
            for response in all_responses
            for code, example in response.refusals.items()
        ]
        self.own_refusals = self.refusals
        self.others: list[DocumentedOperation] = []

    @property
    def full_description(self) -> str:
        """The description, or else the summary."""
        return self.description or f"{self.summary}."

    @property
    def methods(self) -> list["DocumentedOperation"]:
        """The equivalent methods of this path, itself included."""
        return [self, *(operation for operation in self.others if operation.path == self.path)]

    @property
    def aliases(self) -> list["DocumentedOperation"]:
        """The equivalent operations on other paths."""
        return [operation for operation in self.others if operation.path != self.path]

    @property
    def link(self) -> str:
        """The URL of its description."""
        return f"/docs/{make_slug(self.tags[0])}#{self.id}"


def _make_parameter(spec: Mapping[str, Any], fields: SchemaTables) -> tuple[str, FieldRow]:
    description = spec["description"]
    row = fields.make_row(
        spec["name"], spec["schema"], required=spec["required"], description=description
    )
    return spec["in"], row


class Chapter(NamedTuple):
    """The operations of one tag, which share a page."""

    tag: str
    page_path: str
    operations: list[DocumentedOperation]
    objects: list[SharedObject]
    refusals: list[Refusal]


def make_chapter(tag: str, operations: list[DocumentedOperation]) -> Chapter:
    """Make a tag's chapter. A body that several responses have is described only once."""
    bodies: dict[str, list[DocumentedBody]] = {}
    for body in (
        body
        for operation in operations
        for response in operation.responses
        for body in response.bodies
    ):
        if body.component and body.rows:
            bodies.setdefault(body.component, []).append(body)
    objects = []
    for equal_bodies in bodies.values():
        if len(equal_bodies) > 1:
            # The example of a single object reads better than that of a list.
            shared_object = SharedObject(min(equal_bodies, key=lambda body: body.is_list))
            objects.append(shared_object)
            for body in equal_bodies:
                body.shared = shared_object
    for [body] in (group for group in bodies.values() if len(group) == 1):
        _share_fields(body, objects)
    _refer_to_listed_fields(operations, objects)
    return Chapter(tag, make_slug(tag), operations, objects, _share_refusals(operations))


def _share_fields(body: DocumentedBody, objects: list[SharedObject]) -> None:
    """Link a body to a shared object if it has all fields of that object."""
    for shared_object in objects:
        if set(shared_object.rows) < set(body.rows):
            body.shared = shared_object
            body.added_rows = [row for row in body.rows if row not in shared_object.rows]


def _refer_to_listed_fields(
    operations: Sequence[DocumentedOperation], objects: Sequence[SharedObject]
) -> None:
    """List the fields of a nested object once a page, and refer to them elsewhere.

    An object that is a body of its own is listed there; others in the first body with them.
    """
    requests = [(operation.id, body) for operation in operations for body in operation.bodies]
    returned_bodies = [
        (operation.id, body)
        for operation in operations
        for response in operation.responses
        for body in response.bodies
        if body.shared is None
    ]
    for bodies, shared_objects in ((requests, ()), (returned_bodies, objects)):
        listed_fields = {each.component: f"{each.title} object" for each in shared_objects}
        for operation_id, body in bodies:
            listed_fields.setdefault(body.component, operation_id)
        # Readers look for the fields of a record where it is created.
        for operation_id, body in sorted(bodies, key=lambda pair: not pair[0].endswith(".create")):
            listed_fields |= _omit_listed_fields(body, operation_id, listed_fields)


def _omit_listed_fields(
    body: DocumentedBody, operation_id: str, listed_fields: Mapping[str, str]
) -> dict[str, str]:
    """Omit fields that are listed elsewhere, and return where the other nested ones are listed."""
    rows: list[FieldRow] = []
    new_fields: dict[str, str] = {}
    omitted_prefixes: tuple[str, ...] = ()
    for row in body.rows:
        if row.name.startswith(omitted_prefixes):
            continue
        listed_field = listed_fields.get(row.component, "") if row.component else ""
        if listed_field:
            omitted_prefixes += (f"{row.name}.", f"{row.name}[].")
        elif row.component and not row.same_as:
            new_fields.setdefault(row.component, f"{row.name} in {operation_id}")
        if listed_field.endswith(" object"):
            body.abridge_example(row.name)
        rows.append(structs.replace(row, same_as=listed_field or row.same_as))
    body.rows = rows
    return new_fields


def _share_refusals(operations: list[DocumentedOperation]) -> list[Refusal]:
    """Return the problems that most operations share, and remove them from each operation."""
    counts = Counter(problem for operation in operations for problem in operation.refusals)
    common_problems = {
        problem for problem, count in counts.items() if count * 2 > len(operations) > 1
    }
    for operation in operations:
        operation.own_refusals = [
            problem for problem in operation.refusals if problem not in common_problems
        ]
    return [problem for problem in counts if problem in common_problems]


class ApiReference:
    """The content of all reference pages."""

    conventions = CONVENTIONS
    introduction = INTRODUCTION

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.version: str = content["info"]["version"]
        self.server: str = content["servers"][0]["url"].rstrip("/")
        self.fields = SchemaTables(content["components"]["schemas"])
        self.schemes: Mapping[str, Any] = content["components"]["securitySchemes"]

    def resolve(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        """Resolve a part of the document if it is a reference."""
        if "$ref" not in part:
            return part
        _, _, section, name = part["$ref"].split("/")
        component: Mapping[str, Any] = self.content["components"][section][name]
        return component

    @cached_property
    def operations(self) -> list[DocumentedOperation]:
        """All operations."""
        return [
            DocumentedOperation(method, path, spec, self)
            for path, item in self.content["paths"].items()
            for method, spec in item.items()
        ]

    @cached_property
    def areas(self) -> list[tuple[str, list[Chapter]]]:
        """The chapters by API."""
        return [
            (area["name"], [make_chapter(tag, self._list_operations(tag)) for tag in area["tags"]])
            for area in self.content["x-tagGroups"]
        ]

    @cached_property
    def chapters(self) -> Mapping[str, Chapter]:
        """The chapters by the paths of their pages."""
        return {chapter.page_path: chapter for _, chapters in self.areas for chapter in chapters}

    def _list_operations(self, tag: str) -> list[DocumentedOperation]:
        """List a tag's operations. The first of several with the same texts contains the others."""
        primary_by_texts: dict[tuple[str, str], DocumentedOperation] = {}
        primary_by_id: dict[str, DocumentedOperation] = {}
        for operation in self.operations:
            if operation.tags[:1] == [tag]:
                texts = operation.summary, operation.full_description
                primary = primary_by_id.get(operation.repeats or "")
                primary = primary or primary_by_texts.setdefault(texts, operation)
                primary_by_id[operation.id] = primary
                primary.others += [operation][: operation is not primary]
        return list(primary_by_texts.values())

    @cached_property
    def refusals(self) -> list[type[Problem]]:
        """All problems, by status and code."""
        kinds = {kind.code: kind for kind in list_problems()}.values()
        return sorted(kinds, key=lambda kind: (kind.status, kind.code))
