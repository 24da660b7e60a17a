"""What the writers need of the OpenAPI document: groups of operations, and schemas by use."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Document: TypeAlias = Mapping[str, Any]

PREFIXES: Final = ("/v1/", "/storefront/v1/", "/int/v1/")
JSON: Final = "application/json"
# A stream never ends, so it is no ordinary call.
STREAM: Final = "text/event-stream"
# Other methods of an operation have its id with this ending. The clients offer only the first.
ALIAS: Final = re.compile(r"By(Get|Post|Put|Patch|Delete)$")
# What the pages of a list pass themselves.
CURSOR: Final = "cursor"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query."""

    name: str
    schema: Schema
    description: str
    is_required: bool
    example: object

    @property
    def sent_schema(self) -> Schema:
        """Return the schema of a value. A list of one can be sent without the list."""
        items = self.schema.get("items")
        return {"anyOf": [items, self.schema]} if items else self.schema


@dataclass(frozen=True)
class Operation:
    """An operation that the clients offer."""

    id: str
    method: str
    path: str
    summary: str
    tag: str
    schemes: Sequence[str]
    query: Sequence[Parameter]
    body: Schema | None
    body_example: object
    is_body_required: bool
    result: Schema | None
    is_paged: bool

    @property
    def name(self) -> str:
        return self.id.rpartition(".")[2]

    @property
    def path_parameters(self) -> list[str]:
        return re.findall(r"{([^}]+)}", self.path)

    @property
    def is_download(self) -> bool:
        """Tell whether the response is a file."""
        return self.result is None

    @property
    def requires_query(self) -> bool:
        return any(parameter.is_required for parameter in self.query)


@dataclass
class Group:
    """Operations whose ids begin alike, and the groups inside, such as `internal` and `keys`."""

    words: tuple[str, ...]
    operations: list[Operation] = field(default_factory=list)
    groups: dict[str, "Group"] = field(default_factory=dict)

    def find(self, words: Sequence[str]) -> "Group":
        """Find the group of these words, and add it if it is new."""
        if not words:
            return self
        first = words[0]
        group = self.groups.setdefault(first, Group((*self.words, first)))
        return group.find(words[1:])

    def walk(self) -> Iterator["Group"]:
        """List this group and all inside, in alphabetical order."""
        yield self
        for _, group in sorted(self.groups.items()):
            yield from group.walk()


class Api:
    """The operations and schemas of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.components: Mapping[str, Schema] = document["components"]["schemas"]
        self.operations = sorted(self._list_operations(), key=lambda operation: operation.id)
        self.root = Group(())
        for operation in self.operations:
            self.root.find(operation.id.split(".")[:-1]).operations.append(operation)
        sent = [schema for operation in self.operations for schema in _list_sent(operation)]
        received = [operation.result for operation in self.operations if operation.result]
        self.received_names = frozenset(self._find_names(received))
        self.names = sorted(self.received_names | self._find_names(sent))

    def resolve(self, schema: Schema) -> Schema:
        """Resolve a schema if it is a reference."""
        return self.components[read_name(schema)] if "$ref" in schema else schema

    def is_object(self, schema: Schema) -> bool:
        """Tell whether a schema has fields of its own."""
        return "properties" in self.resolve(schema)

    def find_item(self, operation: Operation) -> Schema:
        """Return the schema of a list's items."""
        result = self.resolve(operation.result or {})
        rows = result if "items" in result else self.resolve(result["properties"]["data"])
        items: Schema = rows["items"]
        return items

    def _list_operations(self) -> Iterator[Operation]:
        for path, item in self.document["paths"].items():
            for method, spec in item.items():
                is_ours = path.startswith(PREFIXES) and not ALIAS.search(spec["operationId"])
                if is_ours and STREAM not in _list_media(spec):
                    yield self._read_operation(method.upper(), path, spec)

    def _read_operation(self, method: str, path: str, spec: Mapping[str, Any]) -> Operation:
        parameters = [self._find_parameter(each) for each in spec.get("parameters", [])]
        query = [_read_parameter(each) for each in parameters if each["in"] == "query"]
        body = spec.get("requestBody", {})
        media = body.get("content", {}).get(JSON)
        results = [
            response["content"][JSON]["schema"]
            for status, response in spec["responses"].items()
            if status < "3" and JSON in response.get("content", {})
        ]
        result = _unite(results)
        is_paged = any(each.name == CURSOR for each in query) and self._is_list(result)
        return Operation(
            spec["operationId"],
            method,
            path,
            spec["summary"],
            spec["tags"][0],
            [name for requirement in spec.get("security", []) for name in requirement],
            [each for each in query if not (is_paged and each.name == CURSOR)],
            media and media["schema"],
            media and media.get("example"),
            bool(body.get("required")),
            result,
            is_paged,
        )

    def _is_list(self, result: Schema | None) -> bool:
        """Tell whether a response is an array, or an object with `data` and `meta`."""
        schema = self.resolve(result or {})
        return "items" in schema or schema.get("properties", {}).keys() == {"data", "meta"}

    def _find_parameter(self, parameter: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in parameter:
            return parameter
        found: Mapping[str, Any] = self.document["components"]["parameters"][read_name(parameter)]
        return found

    def _find_names(self, schemas: Sequence[Schema]) -> set[str]:
        """Find the names of all components that schemas refer to, directly or not."""
        names: set[str] = set()
        left: list[Schema] = list(schemas)
        while left:
            for name in _list_references(left.pop()):
                if name not in names:
                    names.add(name)
                    left.append(self.components[name])
        return names


def _list_media(spec: Mapping[str, Any]) -> set[str]:
    """List the content types of the successful responses."""
    responses = spec["responses"].items()
    return {kind for code, each in responses if code < "3" for kind in each.get("content", {})}


def _read_parameter(parameter: Mapping[str, Any]) -> Parameter:
    return Parameter(
        parameter["name"],
        parameter["schema"],
        parameter.get("description", ""),
        bool(parameter.get("required")),
        parameter.get("example", ""),
    )


def _unite(schemas: Sequence[Schema]) -> Schema | None:
    """Return a schema for any of several; None for none."""
    different = [each for index, each in enumerate(schemas) if each not in schemas[:index]]
    if not different:
        return None
    return different[0] if len(different) == 1 else {"anyOf": different}


def _list_sent(operation: Operation) -> list[Schema]:
    query = [parameter.schema for parameter in operation.query]
    return query if operation.body is None else [*query, operation.body]


def _list_references(node: object) -> Iterator[str]:
    """List the names that a schema refers to. Examples refer to nothing."""
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield read_name(node)
        for key, part in node.items():
            if key not in {"example", "examples"}:
                yield from _list_references(part)
    elif isinstance(node, list):
        for part in node:
            yield from _list_references(part)


def read_name(schema: Schema) -> str:
    """Return the name of the component that a schema refers to."""
    return str(schema["$ref"]).rpartition("/")[2]


def list_options(schema: Schema) -> list[Schema] | None:
    """List the alternatives of a schema, or None if it has none."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return list(options)
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return [{**schema, "type": kind} for kind in kinds]
    return None


def is_binary(schema: Schema) -> bool:
    """Tell whether a text is the content of a file, so that bytes can be sent in its place."""
    examples = schema.get("examples", [])
    return any(str(example).startswith("data:") for example in examples)


def is_time(schema: Schema) -> bool:
    return schema.get("format") == "date-time"


def find_description(schema: Schema) -> str:
    """Return the description of a field, or of the only alternative besides null."""
    options = [option for option in list_options(schema) or [] if option.get("type") != "null"]
    inner = options[0].get("description", "") if len(options) == 1 else ""
    return str(schema.get("description") or inner)
