"""Writes the Python client's types, errors and resources."""

import keyword
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from generator.model import Api, Group, Operation, read_name
from generator.naming import to_class_name, to_snake
from generator.python_types import is_identifier, render_docstring, render_type, to_type

NOTE: Final = "# Written by clients/generator from the OpenAPI document. Run `make docs` instead."
# Where the generated modules get their names from.
IMPORTS: Final = {
    "collections.abc": ("Mapping", "Sequence"),
    "datetime": ("datetime",),
    "functools": ("cached_property",),
    "typing": (
        *("TYPE_CHECKING", "Any", "Final", "Literal", "NotRequired", "Required", "TypeAlias"),
        *("TypedDict", "Unpack"),
    ),
    "pannier_client.pages": ("AsyncPages", "Pages"),
    "pannier_client.problem": ("ProblemError",),
    "pannier_client.requests": ("OMITTED", "Omitted", "Options", "fill_path"),
    "pannier_client.transport": ("AsyncTransport", "Transport"),
}


def render(api: Api, problems: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the text of each generated file, by its path inside the package."""
    files = {
        "errors.py": _render_errors(problems),
        "types.py": _render_types(api),
        **{_locate(group): _render_group(api, group) for group in api.root.walk()},
    }
    return format_files({name: _render_module(module) for name, module in files.items()})


class _Module(NamedTuple):
    """The parts of a module."""

    docstring: str
    body: str
    imports: Sequence[str] = ()


def _render_module(module: _Module) -> str:
    """Write a module with the imports that its body uses."""
    docstring, body, imports = module
    used = ["import builtins"] if "builtins." in body else []
    used += [
        f"from {source} import {', '.join(found)}"
        for source, names in IMPORTS.items()
        if (found := [name for name in names if re.search(rf"\b{name}\b", body)])
    ]
    types = []
    if re.search(r"\btypes\.", body):
        used.append("from typing import TYPE_CHECKING")
        types = ["if TYPE_CHECKING:\n    from pannier_client import types\n"]
    head = [NOTE, f'"""{docstring}"""', "from __future__ import annotations"]
    return "\n".join([*head, *used, *imports, *types, body])


def format_files(files: Mapping[str, str]) -> dict[str, str]:
    """Format Python files as `make lint` requires."""
    ruff = str(Path(sys.executable).parent / "ruff")
    fix = ("check", "--isolated", "--select", "I", "--fix", "--quiet", "--no-cache")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        known = "lint.isort.known-first-party=['pannier_client']"
        length = "line-length=100"
        target = "target-version='py311'"
        settings = [part for text in (known, length, target) for part in ("--config", text)]
        subprocess.run([ruff, *fix, *settings, folder], check=True)
        format_settings = ("--isolated", "--quiet", "--no-cache", *settings[2:])
        subprocess.run([ruff, "format", *format_settings, folder], check=True)
        return {name: Path(folder, name).read_text() for name in files}


def _render_errors(problems: Sequence[tuple[str, str]]) -> _Module:
    """Write a class for each code of an error."""
    parts = []
    for code, title in problems:
        name = to_class_name([code])
        parts.append(f'class {name}(ProblemError):\n    """{title}"""\n')
    entries = "".join(f'    "{code}": {to_class_name([code])},\n' for code, _ in problems)
    parts.append(f"BY_CODE: Final[dict[str, type[ProblemError]]] = {{\n{entries}}}\n")
    docstring = "The errors of the API, by their codes. docs/errors.md explains them."
    return _Module(docstring, "\n".join(parts))


def _render_types(api: Api) -> _Module:
    docstring = "The bodies of requests and responses, by their names in the OpenAPI document."
    return _Module(docstring, "\n\n".join(render_type(api, name) for name in api.names))


def _locate(group: Group) -> str:
    """Return the path of a group's module."""
    words = [to_snake(word) for word in group.words]
    if not words or group.groups:
        return "/".join(["resources", *words, "__init__.py"])
    return f"{'/'.join(['resources', *words])}.py"


def _name_class(group: Group) -> str:
    return to_class_name(group.words) or "Resources"


def _render_group(api: Api, group: Group) -> _Module:
    """Write the module of a group: the types of its queries, and both classes."""
    title = ".".join(to_snake(word) for word in group.words)
    what = f"`client.{title}`" if title else "the clients"
    imports = []
    for inner in group.groups.values():
        module = ".".join(["pannier_client", "resources", *map(to_snake, inner.words)])
        name = _name_class(inner)
        imports.append(f"from {module} import {name}, Async{name}")
    parts = [_render_query(group, operation) for operation in group.operations if operation.query]
    parts += ["\n".join(_render_class(api, group, prefix)) for prefix in ("", "Async")]
    return _Module(f"The resources of {what}.", "\n".join(parts), imports)


def _name_query(group: Group, operation: Operation) -> str:
    return f"{_name_class(group)}{to_class_name([operation.name])}Query"


def _render_query(group: Group, operation: Operation) -> str:
    lines = [f"class {_name_query(group, operation)}(TypedDict, total=False):"]
    lines.append(f'    """Parameters of `{to_snake(operation.name)}`."""\n')
    for each in operation.query:
        if is_identifier(each.name):
            kind = to_type(each.sent_schema, is_sent=True, module="types.")
            lines.append(f"    {each.name}: {f'Required[{kind}]' if each.is_required else kind}")
            lines += [render_docstring(each.description, "    ")] if each.description else []
    return "\n".join(lines)


def _render_class(api: Api, group: Group, prefix: str) -> Iterator[str]:
    """Write the class of a group for one of the clients."""
    yield f"class {prefix}{_name_class(group)}:"
    yield f"    def __init__(self, transport: {prefix}Transport) -> None:"
    yield "        self._transport = transport\n"
    for word, inner in sorted(group.groups.items()):
        name = f"{prefix}{_name_class(inner)}"
        yield f"    @cached_property\n    def {to_snake(word)}(self) -> {name}:"
        yield f"        return {name}(self._transport)\n"
    for operation in group.operations:
        yield _render_method(api, group, operation, is_async=bool(prefix))


def _render_method(api: Api, group: Group, operation: Operation, *, is_async: bool) -> str:
    signature, arguments = _render_parameters(api, group, operation)
    result, call = _render_call(api, operation, is_async=is_async)
    values = ", ".join([_render_path(operation), *arguments, "options=options"])
    name = to_snake(operation.name)
    name = f"{name}_" if keyword.iskeyword(name) else name
    is_awaited = is_async and not operation.is_paged
    return "\n".join(
        [
            f"    {'async ' if is_awaited else ''}def {name}({signature}) -> {result}:",
            render_docstring(operation.summary, "        "),
            f"        return {'await ' if is_awaited else ''}self._transport.{call}{values})\n",
        ]
    )


def _render_path(operation: Operation) -> str:
    if not operation.path_parameters:
        return f'"{operation.path}"'
    return f'fill_path("{operation.path}", {", ".join(operation.path_parameters)})'


def _render_call(api: Api, operation: Operation, *, is_async: bool) -> tuple[str, str]:
    """Return the type of a method's result, and the beginning of its call."""
    if operation.is_paged:
        item = to_type(api.find_item(operation), is_sent=False, module="types.")
        return f"{'Async' if is_async else ''}Pages[{item}]", "list_pages("
    if operation.result is None:
        return "bytes", "download("
    kind = to_type(operation.result, is_sent=False, module="types.")
    return kind, f'call("{operation.method}", '


def _render_parameters(api: Api, group: Group, operation: Operation) -> tuple[str, list[str]]:
    """Return the signature of a method, and the arguments of its call."""
    ids = [f"{name}: str" for name in operation.path_parameters]
    query, body = _render_query_fields(group, operation), _render_body_fields(api, operation)
    positional = ["self", *ids, *body.positional]
    slash = ["/"] if len(positional) > 1 else []
    keywords = [*query.keywords, *body.keywords, "options: Options | None = None"]
    unpacked = [*query.unpacked, *body.unpacked]
    signature = ", ".join([*positional, *slash, "*", *keywords, *unpacked])
    return signature, [*query.arguments, *body.arguments]


class _Fields(NamedTuple):
    """The part of a method's signature that is for its query or its body."""

    positional: Sequence[str] = ()
    keywords: Sequence[str] = ()
    unpacked: Sequence[str] = ()
    arguments: Sequence[str] = ()


def _render_query_fields(group: Group, operation: Operation) -> _Fields:
    if not operation.query:
        return _Fields(arguments=["query={}"] if operation.is_paged else [])
    odd = [each for each in operation.query if not is_identifier(each.name)]
    kinds = [to_type(each.sent_schema, is_sent=True, module="types.") for each in odd]
    return _Fields(
        keywords=[
            f"{each.name}_: {kind} | None = None" for each, kind in zip(odd, kinds, strict=True)
        ],
        unpacked=[f"**query: Unpack[{_name_query(group, operation)}]"],
        arguments=[f"query={_join_fields('query', [each.name for each in odd])}"],
    )


def _render_body_fields(api: Api, operation: Operation) -> _Fields:
    if operation.body is None:
        return _Fields()
    if "$ref" not in operation.body or not api.is_object(operation.body):
        kind = to_type(operation.body, is_sent=True, module="types.")
        return _Fields(positional=[f"body: {kind}"], arguments=["body=body"])
    name = read_name(operation.body)
    properties = api.components[name]["properties"]
    odd = [field for field in properties if not is_identifier(field)]
    is_sent = name not in api.received_names
    kinds = [to_type(properties[field], is_sent=is_sent, module="types.") for field in odd]
    return _Fields(
        keywords=[
            f"{field}_: {kind} | Omitted = OMITTED" for field, kind in zip(odd, kinds, strict=True)
        ],
        unpacked=[f"**fields: Unpack[types.{name}]"],
        arguments=[f"body={_join_fields('fields', odd)}"],
    )


def _join_fields(mapping: str, odd: Sequence[str]) -> str:
    """Return the mapping with the fields that are keywords of Python, such as `return`."""
    entries = "".join(f', "{field}": {field}_' for field in odd)
    return f"{{**{mapping}{entries}}}" if odd else mapping
