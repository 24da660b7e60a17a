"""Writes the TypeScript client's types, errors and resources."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from generator.model import (
    Api,
    Group,
    Operation,
    Schema,
    find_description,
    is_binary,
    is_time,
    list_options,
    read_name,
)
from generator.naming import to_camel, to_class_name, to_sentence, wrap

NOTE: Final = (
    "// Written by clients/generator from the OpenAPI document. Run `make docs` instead.\n"
)
PLAIN_TYPES: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
WIDTH: Final = 100


def render(api: Api, problems: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the text of each generated file, by its path inside `src`."""
    files = {
        "errors.ts": _render_errors(problems),
        "types.ts": "\n".join(_render_type(api, name) for name in api.names),
        **{_locate(group): _render_group(api, group) for group in api.root.walk()},
    }
    return {name: f"{NOTE}{text}" for name, text in files.items()}


def _render_errors(problems: Sequence[tuple[str, str]]) -> str:
    """Write a class for each code of an error."""
    parts = ['import { ProblemError } from "./problem.js";\n']
    for code, title in problems:
        parts.append(
            f"/** {title} */\nexport class {to_class_name([code])} extends ProblemError {{}}\n"
        )
    entries = "".join(f'  ["{code}", {to_class_name([code])}],\n' for code, _ in problems)
    parts.append(
        "/** The classes by code. */\n"
        f"export const BY_CODE = new Map<string, typeof ProblemError>([\n{entries}]);\n"
    )
    return "\n".join(parts)


def _render_type(api: Api, name: str) -> str:
    schema = api.components[name]
    is_sent = name not in api.received_names
    comment = _render_comment(schema.get("description") or name, "")
    if "properties" not in schema:
        return f"{comment}\nexport type {name} = {to_type(schema, is_sent=is_sent)};\n"
    required = set(schema.get("required", []))
    lines = [comment, f"export interface {name} {{"]
    for field, each in schema["properties"].items():
        description = find_description(each)
        lines += [_render_comment(description, "  ")] if description else []
        lines.append(_render_field(field, each, is_sent=is_sent, is_required=field in required))
    return "\n".join([*lines, "}\n"])


def _render_field(
    name: str, schema: Schema, *, is_sent: bool, is_required: bool, module: str = ""
) -> str:
    kind = to_type(schema, is_sent=is_sent, module=module)
    label = name if name.isidentifier() else json.dumps(name)
    if is_required:
        return _break_union(f"  {label}: {kind};")
    # A request can pass undefined, which JSON leaves out.
    return _break_union(f"  {label}?: {kind}{' | undefined' if is_sent else ''};")


def _break_union(line: str) -> str:
    """Put each alternative on a line of its own if the line would be too long."""
    head, _, kind = line.partition(": ")
    if len(line) <= WIDTH or " | " not in kind or "<" in kind:
        return line
    return f"{head}:\n    | " + "\n    | ".join(kind.split(" | "))


def _render_comment(text: str, indent: str) -> str:
    tidy = to_sentence(text).replace("*/", "* /")
    if len(indent) + len(tidy) + len("/**  */") <= WIDTH:
        return f"{indent}/** {tidy} */"
    return f"{indent}/**\n{indent} * {wrap(tidy, f'{indent} * ', WIDTH)}\n{indent} */"


def to_type(schema: Schema, *, is_sent: bool, module: str = "") -> str:
    """Convert a schema to a type. Requests accept more types than responses contain."""
    if "$ref" in schema:
        return f"{module}{read_name(schema)}"
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
    options = list_options(schema)
    if options is not None:
        kinds = [to_type(option, is_sent=is_sent, module=module) for option in options]
        return "unknown" if "unknown" in kinds else " | ".join(dict.fromkeys(kinds))
    if len(schema.get("allOf", [])) == 1:
        return to_type(schema["allOf"][0], is_sent=is_sent, module=module)
    kind = schema.get("type")
    if kind == "array":
        items = to_type(schema.get("items", {}), is_sent=is_sent, module=module)
        return f"{'ReadonlyArray' if is_sent else 'Array'}<{items}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        inner = "unknown"
        if isinstance(values, Mapping):
            inner = to_type(values, is_sent=is_sent, module=module)
        return f"{{ [name: string]: {inner} }}"
    plain = PLAIN_TYPES.get(str(kind), "unknown")
    if is_sent and is_time(schema):
        return "string | Date"
    return "string | Uint8Array" if is_sent and is_binary(schema) else plain


def _locate(group: Group) -> str:
    """Return the path of a group's module."""
    if not group.words or group.groups:
        return "/".join(["resources", *group.words, "index.ts"])
    return f"{'/'.join(['resources', *group.words])}.ts"


def _name_class(group: Group) -> str:
    return to_class_name(group.words) or "Resources"


def _render_group(api: Api, group: Group) -> str:
    """Write the module of a group: its imports, the types of its queries, and its class."""
    body = "\n".join(
        [
            *(_render_query(group, each) for each in group.operations if each.query),
            *_render_class(api, group),
        ]
    )
    up = "../" * _locate(group).count("/")
    names = ["Transport"]
    imports = []
    if "Pages<" in body:
        imports.append(f'import type {{ Pages }} from "{up}pages.js";')
    if "Options" in body and "segment(" in body:
        imports.append(f'import {{ type Options, segment }} from "{up}requests.js";')
    elif "Options" in body:
        imports.append(f'import type {{ Options }} from "{up}requests.js";')
    imports.append(f'import type {{ {", ".join(names)} }} from "{up}transport.js";')
    if "types." in body:
        imports.append(f'import type * as types from "{up}types.js";')
    for word, inner in sorted(group.groups.items()):
        path = f"./{word}/index.js" if inner.groups else f"./{word}.js"
        imports.append(f'import {{ {_name_class(inner)} }} from "{path}";')
    return "\n".join([*imports, "", body])


def _name_query(group: Group, operation: Operation) -> str:
    return f"{_name_class(group)}{to_class_name([operation.name])}Query"


def _render_query(group: Group, operation: Operation) -> str:
    lines = [
        f"/** Parameters of `{operation.name}`. */",
        f"export interface {_name_query(group, operation)} {{",
    ]
    for each in operation.query:
        lines += [_render_comment(each.description, "  ")] if each.description else []
        lines.append(
            _render_field(
                each.name,
                each.sent_schema,
                is_sent=True,
                is_required=each.is_required,
                module="types.",
            )
        )
    return "\n".join([*lines, "}\n"])


def _render_class(api: Api, group: Group) -> Iterator[str]:
    yield f"export class {_name_class(group)} {{"
    groups = sorted(group.groups.items())
    for word, inner in groups:
        yield f"  readonly {word}: {_name_class(inner)};"
    if group.operations:
        yield "  readonly #transport: Transport;"
    yield "\n  constructor(transport: Transport) {"
    if group.operations:
        yield "    this.#transport = transport;"
    for word, inner in groups:
        yield f"    this.{word} = new {_name_class(inner)}(transport);"
    yield "  }"
    for operation in group.operations:
        yield _render_method(api, group, operation)
    yield "}\n"


def _render_method(api: Api, group: Group, operation: Operation) -> str:
    parameters = [f"{to_camel(name)}: string" for name in operation.path_parameters]
    parts = []
    if operation.body is not None:
        kind = to_type(operation.body, is_sent=True, module="types.")
        needs_body = bool(api.resolve(operation.body).get("required")) or not api.is_object(
            operation.body
        )
        parameters.append(f"body: {kind}{'' if needs_body else ' = {}'}")
        parts.append("body")
    if operation.query:
        default = "" if operation.requires_query else " = {}"
        parameters.append(f"query: {_name_query(group, operation)}{default}")
        parts.append("query")
    parameters.append("options?: Options")
    result, call = _render_call(api, operation, [*parts, "options"])
    signature = f"  {operation.name}({', '.join(parameters)}): {result} {{"
    if len(signature) > WIDTH:
        lines = "".join(f"    {parameter},\n" for parameter in parameters)
        signature = f"  {operation.name}(\n{lines}  ): {result} {{"
    return "\n".join(["", _render_comment(operation.summary, "  "), signature, call, "  }"])


def _render_call(api: Api, operation: Operation, parts: Sequence[str]) -> tuple[str, str]:
    """Return the type of a method's result, and the statement that returns it."""
    path = _render_path(operation)
    if operation.is_paged:
        item = to_type(api.find_item(operation), is_sent=False, module="types.")
        query = "query" if operation.query else "{}"
        return f"Pages<{item}>", _break_call("list", [path, query, "options"])
    passed = f"{{ {', '.join(parts)} }}"
    if operation.result is None:
        return "Promise<Uint8Array>", _break_call("download", [path, passed])
    result = to_type(operation.result, is_sent=False, module="types.")
    return f"Promise<{result}>", _break_call("call", [f'"{operation.method}"', path, passed])


def _break_call(method: str, arguments: Sequence[str]) -> str:
    line = f"    return this.#transport.{method}({', '.join(arguments)});"
    if len(line) <= WIDTH:
        return line
    lines = "".join(f"      {argument},\n" for argument in arguments)
    return f"    return this.#transport.{method}(\n{lines}    );"


def _render_path(operation: Operation) -> str:
    if not operation.path_parameters:
        return f'"{operation.path}"'
    path = operation.path
    for name in operation.path_parameters:
        path = path.replace(f"{{{name}}}", f"${{segment({to_camel(name)})}}")
    return f"`{path}`"
