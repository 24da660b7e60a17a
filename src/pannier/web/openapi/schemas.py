"""JSON schemas of all requests and responses, with readable names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import inspect as types

from pannier.web import compatibility, times
from pannier.web.documented_types import DOCUMENTED_KEY, find_documented_types
from pannier.web.openapi import shared_schemas
from pannier.web.openapi.operations import Kind
from pannier.web.openapi.shared_schemas import refer_to_shared_schemas

Schema = dict[str, Any]

PREFIX: Final = shared_schemas.PREFIX
# Published schema names that differ from the names of our classes.
EXAMPLE_KEYS: Final = shared_schemas.EXAMPLE_KEYS
# What a documented type replaces in the schema of a field.
SHAPE_KEYS: Final = frozenset({"type", "anyOf", "items"})
_PUBLIC_NAMES: Final = {"ProblemOut": "Problem", "ProblemFieldOut": "ProblemField"}


_REFERENCE: Final = re.compile(rf'"{PREFIX}([^"]+)"')


class SchemaNameClashError(Exception):
    """Two Structs in the document have the same name."""


class _SchemaGenerator:
    """Has msgspec generate schemas, also of the types that fields are documented as."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self.sparse_names: set[str] = set()

    def generate(self, kinds: Sequence[Kind]) -> list[Schema]:
        """Generate the schemas of types, and add the components that they refer to."""
        schemas, components = msgspec.json.schema_components(
            kinds, schema_hook=times.schema_hook, ref_template=f"{PREFIX}{{name}}"
        )
        completer = _SchemaCompleter(components)
        completer.complete(zip(schemas, types.multi_type_info(kinds), strict=True))
        self.sparse_names |= completer.sparse_names
        new_components = {
            name: schema for name, schema in components.items() if name not in self.components
        }
        self.components |= new_components
        return [
            self._replace_documented_fields(part) for part in (*schemas, *new_components.values())
        ][: len(schemas)]

    def _replace_documented_fields(self, node: Any) -> Any:  # noqa: ANN401 - any part of a schema
        """Put the schemas of documented types in their places."""
        if isinstance(node, list):
            return [self._replace_documented_fields(part) for part in node]
        if not isinstance(node, dict):
            return node
        for name, part in node.items():
            node[name] = part if name in EXAMPLE_KEYS else self._replace_documented_fields(part)
        key = node.pop(DOCUMENTED_KEY, None)
        if key is not None:
            for name in SHAPE_KEYS & node.keys():
                del node[name]
            options = self.generate(find_documented_types(key))
            node.update(options[0] if len(options) == 1 else {"anyOf": options})
        return node


class Schemas:
    """The schemas of all types, and their shared components."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        # Many operations share types; each is processed once.
        unique_kinds = {id(kind): kind for kind in kinds if not isinstance(kind, Mapping)}
        self._kinds = list(unique_kinds.values())
        generator = _SchemaGenerator()
        kind_schemas = generator.generate(self._kinds)
        shared_components = shared_schemas.make_components()
        clashing_names = [
            name for name in generator.components if "." in name or name in shared_components
        ]
        if clashing_names:
            raise SchemaNameClashError(
                f"Give these Structs different names: {', '.join(sorted(clashing_names))}."
            )
        tidy_components = {
            _shorten_name(name): refer_to_shared_schemas(_tidy_schema(schema))
            for name, schema in generator.components.items()
        }
        # Generators take the names of classes from titles.
        self.components = {
            name: {**schema, "title": name} for name, schema in tidy_components.items()
        }
        # The components that leave out fields with their default.
        self.sparse_names = frozenset(map(_shorten_name, generator.sparse_names))
        pairs = zip(self._kinds, kind_schemas, strict=True)
        self._schemas_by_kind = {
            id(kind): refer_to_shared_schemas(_tidy_schema(schema)) for kind, schema in pairs
        }
        names = {*find_references([self.components, *self._schemas_by_kind.values()])}
        self.components |= {name: shared_components[name] for name in names & {*shared_components}}

    def find_schema(self, kind: Kind) -> Schema:
        """Find the schema of a type; return a schema unchanged."""
        return dict(kind) if isinstance(kind, Mapping) else self._schemas_by_kind[id(kind)]

    def resolve(self, schema: Schema) -> Schema:
        """Resolve a schema if it is a reference."""
        return resolve(schema, self.components)


def find_references(node: object) -> Iterator[str]:
    """Find the names of the components that a part of the document refers to."""
    yield from _REFERENCE.findall(msgspec.json.encode(node).decode())


def resolve(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    """Resolve a schema if it is a reference; its sibling keys take precedence."""
    if "$ref" not in schema:
        return schema
    siblings = {key: value for key, value in schema.items() if key != "$ref"}
    return {**resolve(components[schema["$ref"].removeprefix(PREFIX)], components), **siblings}


def list_non_null_options(schema: Schema) -> list[Schema]:
    """List the alternatives of a schema, without null."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if options is None:
        return [schema]
    return [option for option in options if option.get("type") != "null"]


def _shorten_name(name: str) -> str:
    """Shorten a name of a generic type: msgspec converts `Listed[KeyOut]` to `Listed_KeyOut_`."""
    return _PUBLIC_NAMES.get(name, re.sub(r"__+", "_", name).strip("_"))


def _tidy_schema(node: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Shorten names, add types to enumerations, and make patterns portable."""
    if isinstance(node, list):
        return [_tidy_schema(part) for part in node]
    if isinstance(node, str) and node.startswith(PREFIX):
        return PREFIX + _shorten_name(node.removeprefix(PREFIX))
    if not isinstance(node, dict):
        return node
    schema = {
        key: part if key in EXAMPLE_KEYS else _tidy_schema(part) for key, part in node.items()
    }
    if schema.get("format") == "decimal":
        schema = {
            **{key: part for key, part in schema.items() if key != "format"},
            "type": "number",
        }
    if isinstance(schema.get("pattern"), str):
        schema["pattern"] = schema["pattern"].replace(r"\Z", "$")
    values = schema.get("enum")
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        schema.setdefault("type", "string")
    if schema.get("type") == "array":
        _open_items(schema)
    if schema.get("required") == []:
        del schema["required"]
    if schema.get("type") == "object" and not schema.keys() & {"properties", "$ref"}:
        # A map of anything. Some generators read an object without this as an empty one.
        schema.setdefault("additionalProperties", True)
    return schema


def _open_items(array: Schema) -> None:
    """Replace `items: false`, which not every tool understands, and add missing `items`."""
    if "prefixItems" not in array:
        array.setdefault("items", {})
    elif array.get("items") is False:
        # `maxItems` implies it, and linters want the types of items.
        array["items"] = array["prefixItems"][0]
        array["maxItems"] = len(array["prefixItems"])


class _SchemaCompleter:
    """Adds details that msgspec omits: `date-time` for times without a zone, and `example`."""

    def __init__(self, components: dict[str, Schema]) -> None:
        self._by_title = {schema.get("title", name): schema for name, schema in components.items()}
        self._completed_ids: set[int] = set()
        self.sparse_names: set[str] = set()

    def complete(self, pairs: Iterable[tuple[Schema, types.Type]]) -> None:
        for schema, kind in pairs:
            self._complete_schema(schema, kind)

    def _complete_schema(self, schema: Schema, kind: types.Type) -> None:
        match kind:
            case types.Metadata():
                self._complete_schema(schema, kind.type)
            case types.DateTimeType():
                schema.setdefault("format", "date-time")
            case types.CollectionType():
                self._complete_schema(schema.get("items", {}), kind.item_type)
            case types.DictType():
                self._complete_schema(schema.get("additionalProperties", {}), kind.value_type)
            case types.UnionType():
                self._complete_union(schema, kind)
            case types.StructType():
                self._complete_struct(kind)

    def _complete_union(self, schema: Schema, kind: types.UnionType) -> None:
        """Complete a union.

        The option that is a plain string is the date-time, whatever its position.
        """
        text_option: Schema = next(
            (option for option in schema.get("anyOf", []) if option == {"type": "string"}), {}
        )
        for member in kind.types:
            member_type = member.type if isinstance(member, types.Metadata) else member
            if isinstance(member_type, types.DateTimeType):
                text_option.setdefault("format", "date-time")
            elif isinstance(member_type, types.CollectionType):
                lists = [
                    option for option in schema.get("anyOf", []) if option.get("type") == "array"
                ]
                self._complete_schema(lists[0] if len(lists) == 1 else {}, member_type)
            else:
                self._complete_schema({}, member_type)

    def _complete_struct(self, kind: types.StructType) -> None:
        if id(kind.cls) in self._completed_ids:
            return
        self._completed_ids.add(id(kind.cls))
        schema = self._by_title.get(_get_title(kind.cls), {})
        if getattr(kind.cls, "__origin__", kind.cls).__struct_config__.omit_defaults:
            self.sparse_names.add(_get_title(kind.cls))
        if getattr(kind.cls, compatibility.TAKES_ANY_NAME, False):
            schema["additionalProperties"] = True
        example = getattr(kind.cls, "example", None)
        if isinstance(example, Mapping):
            schema["examples"] = [example]
        for field in kind.fields:
            self._complete_schema(
                schema.get("properties", {}).get(field.encode_name, {}), field.type
            )


def _get_title(cls: Any) -> str:  # noqa: ANN401 - a class or `Listed[…]`
    """Return the name that msgspec gives a class."""
    if not hasattr(cls, "__origin__"):
        return str(cls.__name__)
    names = ", ".join(getattr(part, "__name__", repr(part)) for part in cls.__args__)
    return f"{cls.__origin__.__name__}[{names}]"
