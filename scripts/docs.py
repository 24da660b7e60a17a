"""Write the pages of docs/ that are generated from the code: errors, settings, events, endpoints.

It also writes the TypeScript types of the responses that the driver's app reads, and the generated
parts of the clients. `make docs` runs it. A test compares its output with the committed files.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute
from msgspec import inspect as types

import pannier
from pannier.errors import Problem, list_problems
from pannier.events.catalog import API_VERSION, CatalogEntry, list_entries
from pannier.settings import PREFIX, Settings
from pannier.web import compatibility
from pannier.web.docs.fields import FieldRow, SchemaTables
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import build_document, operations, security
from pannier.web.openapi.schemas import Schemas

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "clients"))
DOCS: Final = ROOT / "docs"
GENERATED_NOTE: Final = (
    "<!-- Written by scripts/docs.py from the code: change that, then run `make docs`. -->"
)

# The responses that the driver's app reads, for `tsc`.
ANSWER_TYPES: Final = (
    "pannier.orders.schemas.OrderOut",
    "pannier.orders.remaining_flow.schemas.FlowOut",
    "pannier.orders.driver_days.history.DriverActivityOut",
    "pannier.orders.driver_days.schemas.DriverStopsOut",
    "pannier.cash.schemas.DriverCashOut",
    "pannier.conversations.schemas.DriverMessageOut",
    "pannier.orders.offers.schemas.OfferOut",
    "pannier.orders.captures.schemas.ProofCodeSent",
    "pannier.fleet.drivers.schemas.DriverCodeSent",
    "pannier.fleet.drivers.schemas.DriverSignedIn",
)
TYPESCRIPT_TYPES: Final[Mapping[str, str]] = {
    "integer": "number",
    "object": "Record<string, unknown>",
}

ENVELOPE_TEXT: Final = (
    "`id` identifies the event. `data` is a snapshot of the subject. The body is fixed when the "
    "event is written, so every receiver and every retry gets the same bytes. Events can arrive "
    "more than once and out of order. Use `id` to detect repeats."
)
MAX_PLACES: Final = 12
# What people read for the entries of a router's `security`.
CREDENTIAL_NAMES: Final[Mapping[str, str]] = {
    "apiKey": "API key",
    "storefrontKey": "storefront key",
    "appKey": "app key",
    "customerToken": "customer token",
    "driverToken": "driver token",
    "deviceToken": "device token",
    "metricsToken": "metrics token",
    "operator": "operator",
    "operatorSession": "operator's session",
}
# The prefixes in reading order; the last one takes all other routes.
ENDPOINT_GROUPS: Final = (
    ("/v1/", "/v1: with an API key"),
    ("/storefront/v1/", "/storefront/v1: with a storefront key"),
    ("/int/v1/", "/int/v1: for operators"),
    ("/", "Other routes"),
)


def render_pages() -> dict[Path, str]:
    """Return the text of every generated file."""
    import_everything()
    return {
        DOCS / "errors.md": render_errors(),
        DOCS / "settings.md": render_settings(),
        DOCS / "events.md": render_events(),
        DOCS / "endpoints.md": render_endpoints(),
        DOCS / "accepted-names.md": render_accepted_names(),
        DOCS / "operation-ids.txt": render_operation_ids(),
        ROOT / "frontend" / "types" / "api.d.ts": render_answer_types(),
        **render_clients(),
    }


def render_operation_ids() -> str:
    """List the ids of all operations, and those that the file already has: none may disappear."""
    known_lines = (DOCS / "operation-ids.txt").read_text().splitlines()
    litestar = importlib.import_module("pannier.app").build_litestar()
    lines = [f"{each.id} {each.method} {each.path}" for each in operations.read(litestar)]
    return "\n".join(sorted({*known_lines, *lines})) + "\n"


def render_clients() -> dict[Path, str]:
    """Render the generated parts of the Python and TypeScript clients."""
    generator = importlib.import_module("generator")
    app = importlib.import_module("pannier.app").build_litestar()
    document = build_document(app, "http://127.0.0.1:8000").content
    problems = sorted({(kind.code, kind.title) for kind in list_problem_types()})
    files: dict[Path, str] = generator.render_clients(document, problems)
    return files


def render_answer_types() -> str:
    """Declare the types of the `/v1` responses that our own scripts read."""
    places = (name.rpartition(".") for name in ANSWER_TYPES)
    kinds = [getattr(importlib.import_module(module), name) for module, _, name in places]
    schemas = Schemas(kinds)
    for kind in kinds:
        schemas.find_schema(kind)
    parts = [f"// {GENERATED_NOTE.removeprefix('<!-- ').removesuffix(' -->')}\n"]
    for name, schema in sorted(schemas.components.items()):
        if "properties" not in schema:
            parts.append(f"type {name} = {_to_typescript(schema)};\n")
            continue
        needed = schema.get("required", [])
        lines = [
            f"  {field}{'' if field in needed else '?'}: {_to_typescript(each)};"
            for field, each in schema["properties"].items()
        ]
        parts.append("\n".join([f"interface {name} {{", *lines, "}\n"]))
    return "\n".join(parts)


def _to_typescript(schema: Mapping[str, Any]) -> str:
    """Convert a JSON schema to a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(map(_to_typescript, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(value).decode() for value in schema["enum"])
    if "items" in schema:
        return f"Array<{_to_typescript(schema['items'])}>"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return f"Record<string, {_to_typescript(schema['additionalProperties'])}>"
    kind = str(schema.get("type", "unknown"))
    return TYPESCRIPT_TYPES.get(kind, kind)


def render_accepted_names() -> str:
    """List the names that are accepted for existing clients and ignored."""
    rows = [
        f"| {resource} | "
        f"{', '.join(f'`{name}`' for name in sorted(names - compatibility.RECORD_NAMES))} |"
        for resource, names in compatibility.ACCEPTED.items()
        if names - compatibility.RECORD_NAMES
    ]
    introduction = (
        "Existing clients of comparable products send these fields. Pannier accepts and ignores "
        "them. Every other unknown name is "
        "[refused](guide/conventions.md#unknown-names)."
    )
    every = ", ".join(f"`{name}`" for name in sorted(compatibility.RECORD_NAMES))
    query = ", ".join(
        f"`{name}`" for name in sorted(compatibility.QUERY_NAMES - {compatibility.SINGLE})
    )
    table = "\n".join(("| Body of | Fields |", "|---|---|", *rows))
    return _render_page(
        "Accepted names",
        introduction,
        f"In every body of the table below: {every}.",
        table,
        f"In every query: {query}.",
        render_former_names(),
    )


def render_former_names() -> str:
    """List the former names of fields, parameters and paths, with their replacements."""
    litestar = importlib.import_module("pannier.app").build_litestar()
    document = build_document(litestar, "").content
    places: dict[tuple[str, str], list[str]] = {}
    for place, fields in _list_fields(document):
        for name, field in fields.items():
            if field.get("deprecated"):
                places.setdefault((name, field["description"].split("`")[1]), []).append(place)
    rows = (
        (f"`{name}`", f"`{replacement}`", _summarize(named_places))
        for (name, replacement), named_places in sorted(places.items())
    )
    paths = (
        (f"`{method.upper()} {path}`", f"`{operation['description'].split('`')[-2]}`")
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if operation.get("deprecated")
    )
    introduction = (
        "These names have a replacement. Responses have both, and requests accept either; see "
        "[versions](guide/versions.md#former-names)."
    )
    return "\n\n".join(
        (
            "## Former names",
            introduction,
            _render_table(("Former name", "Name", "Where"), rows),
            _render_table(("Former path", "Path"), paths),
        )
    )


def _list_fields(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """List the schemas and operations with their fields and query parameters."""
    for name, schema in document["components"]["schemas"].items():
        yield f"`{name}`", schema.get("properties", {})
    for path, item in document["paths"].items():
        for method, operation in item.items():
            parameters = operation["parameters"]
            named = {each["name"]: each for each in parameters if each.get("in") == "query"}
            yield f"`{method.upper()} {path}`", named


def _summarize(places: list[str]) -> str:
    return ", ".join(places) if len(places) <= MAX_PLACES else f"{len(places)} objects"


def import_everything() -> None:
    """Import all modules of Pannier, so that every error type is registered."""
    for module in pkgutil.walk_packages(pannier.__path__, "pannier."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _render_page(title: str, introduction: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", GENERATED_NOTE, introduction, *parts)) + "\n"


def _render_table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _read_docstring(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").split())


def list_problem_types() -> list[type[Problem]]:
    """List Pannier's own errors, by status and code."""
    ours = {kind for kind in list_problems() if kind.__module__.startswith("pannier.")}
    return sorted(ours, key=lambda kind: (kind.status, kind.code))


def render_errors() -> str:
    """Render the page of errors."""
    introduction = (
        "Every error is `application/problem+json` ([RFC 9457]"
        "(https://www.rfc-editor.org/rfc/rfc9457)) with a stable `code`. Programs should use "
        "`code` and `status`. The texts are for people and may change. "
        "[Conventions](guide/conventions.md#errors) shows a complete body. A failed request "
        "changes nothing, unless its entry says otherwise."
    )
    parts = []
    for status, kinds in groupby(list_problem_types(), lambda kind: kind.status):
        # Without the phrase, which differs between versions of Python.
        parts.append(f"## Status {status}")
        parts += [_render_problem(kind) for kind in kinds]
    return _render_page("Errors", introduction, *parts)


def _render_problem(kind: type[Problem]) -> str:
    remembered = "\n\nThe request still counts towards rate limits." if kind.keeps_changes else ""
    return f"### {kind.code}\n\n> {kind.title}\n\n{_read_docstring(kind)} {kind.remedy}{remembered}"


def render_settings() -> str:
    """Render the page of settings."""
    introduction = (
        "Pannier is configured by environment variables, which are read at startup. All of them "
        "are optional. An empty variable counts as unset. An invalid value stops the startup with "
        "an error that names the variable. `--data` on the command line takes precedence over "
        f"`{PREFIX}DATA`."
    )
    return _render_page("Settings", introduction, *map(_render_area, list_setting_areas()))


def list_setting_areas() -> list[type[msgspec.Struct]]:
    """List the areas of settings; each extends the previous one."""
    return [kind for kind in reversed(Settings.__mro__) if inspect.get_annotations(kind)]


def _render_area(area: type[msgspec.Struct]) -> str:
    """Render the settings that an area adds."""
    described = types.type_info(area)
    fields = described.fields if isinstance(described, types.StructType) else ()
    rows = (
        (
            f"`{PREFIX}{field.name.upper()}`",
            _render_default(field.default),
            _render_kind(field.type),
            _read_description(field.type),
        )
        for field in fields
        if field.name in inspect.get_annotations(area)
    )
    title, _, _ = _read_docstring(area).partition(":")
    table = _render_table(("Variable", "Default", "Type", "Description"), rows)
    return f"## {title.rstrip('.')}\n\n{table}"


def _render_default(value: object) -> str:
    if value is None:
        return "unset"
    return "empty" if value == "" else f"`{value}`"


def _render_kind(kind: types.Type) -> str:
    match kind:
        case types.Metadata():
            return _render_kind(kind.type)
        case types.UnionType():
            return " or ".join(
                _render_kind(one) for one in kind.types if not isinstance(one, types.NoneType)
            )
        case types.IntType() | types.FloatType():
            return "integer" + _render_bounds(kind.ge, kind.le)
        case types.LiteralType():
            return " or ".join(f"`{value}`" for value in kind.values)
        case types.BoolType():
            return "`true` or `false`"
    return "string"


def _render_bounds(least: float | None, most: float | None) -> str:
    low = "" if least is None else f" from {least}"
    return low + ("" if most is None else f" to {most}")


def _read_description(kind: types.Type) -> str:
    schema = (kind.extra_json_schema or {}) if isinstance(kind, types.Metadata) else {}
    return str(schema.get("description", ""))


def render_events() -> str:
    """Render the page of events."""
    introduction = (
        "An event describes a change. It is written in the same transaction as the change, so "
        "neither exists without the other. `GET /int/v1/events` lists events. "
        "`GET /int/v1/event-catalog` returns this page as JSON, with a JSON Schema of each event's "
        "`data`. The names are fixed. The examples come from real operations, with other "
        "identifiers. They are also in [docs/events](events)."
    )
    envelope = {
        "event": "order.dispatched",
        "api_version": API_VERSION,
        "created_at": "2026-01-31T09:30:00.000Z",
        "data": {},
        "id": "event_2fLk9QdT7wYc3MzA",
    }
    parts = ["## The envelope", _render_json(msgspec.json.encode(envelope)), ENVELOPE_TEXT]
    data_types = importlib.import_module("pannier.app").EVENT_DATA_TYPES
    schemas = Schemas(data_types.values())
    for group, found in groupby(list_entries(data_types), lambda entry: entry.group):
        entries = list(found)
        parts.append(f"## {group}")
        rows = ((_render_heading_link(entry.name), entry.meaning) for entry in entries)
        parts.append(_render_table(("Event", "When"), rows))
        for entry in entries:
            parts += _render_event(entry, data_types.get(entry.name), schemas)
    return _render_page("Events", introduction, *parts)


def _render_heading_link(name: str) -> str:
    return f"[`{name}`](#{name.replace('.', '')})"


def _render_json(raw: bytes) -> str:
    return f"```json\n{msgspec.json.format(raw, indent=2).decode()}\n```"


def _render_event(
    entry: CatalogEntry, kind: type[msgspec.Struct] | None, schemas: Schemas
) -> Iterator[str]:
    """Render an event: when it is emitted, its fields and an example."""
    yield f"### {entry.name}"
    if kind is None:
        yield "No operation emits it yet."
        return
    yield _read_docstring(kind)
    rows = SchemaTables(schemas.components).list_rows(schemas.find_schema(kind))
    yield _render_table(("Field", "Type", "Meaning"), map(_render_event_field, rows))
    example = DOCS / "events" / f"{entry.name}.json"
    if example.exists():
        yield _render_json(example.read_bytes())


def _render_event_field(row: FieldRow) -> tuple[str, str, str]:
    values = ", ".join(f"`{value}`" for value in row.values)
    return f"`{row.name}`", row.kind, " ".join(filter(None, (row.description, values)))


def list_routes() -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """List path, method and handler of every route, without Litestar's own OPTIONS.

    The console's pages are left out: people find them by following links.
    """
    litestar = importlib.import_module("pannier.app").build_litestar()
    for route in litestar.routes:
        if isinstance(route, HTTPRoute) and not route.path_format.startswith("/console"):
            for method, (handler, _) in route.route_handler_map.items():
                if method != "OPTIONS":
                    yield route.path_format, method, handler


def render_endpoints() -> str:
    """Render the page of endpoints."""
    introduction = (
        "All routes of this version. `/openapi.json` describes request and response bodies, and "
        "`/docs` shows them on a page that works offline. Besides the errors listed here, any "
        "request can return the errors in [the conventions](guide/conventions.md#errors)."
    )
    left = sorted(list_routes(), key=lambda route: (route[0], _rank_method(route[1])))
    parts = []
    for prefix, title in ENDPOINT_GROUPS:
        here = [route for route in left if route[0].startswith(prefix)]
        left = [route for route in left if route not in here]
        if here:
            parts.append(f"## {title}")
            parts.append(
                _render_table(
                    ("Route", "Access", "Description", "Specific errors"), map(_render_route, here)
                )
            )
    return _render_page("Endpoints", introduction, *parts)


def _rank_method(method: str) -> int:
    return ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").index(method)


def _render_route(route: tuple[str, str, HTTPRouteHandler]) -> tuple[str, str, str, str]:
    path, method, handler = route
    problems: list[type[Problem]] = handler.opt.get("problems", [])
    codes = sorted({problem.code for problem in problems})
    return (
        f"`{method} {path}`",
        describe_access(handler, method),
        _read_docstring(handler.fn),
        ", ".join(f"[`{code}`](errors.md#{code})" for code in codes),
    )


def describe_access(handler: HTTPRouteHandler, method: str) -> str:
    """Describe a route's credential, and the scope or role that it requires."""
    demanded = [
        " and ".join(CREDENTIAL_NAMES.get(name, name) for name in requirement)
        for requirement in handler.resolve_security()
        if requirement
    ]
    if not demanded:
        return "public"
    asked = security.read_requirement(handler)
    verb = "read" if method in SAFE_METHODS else "write"
    scopes = [f"{asked.resource}:{verb}"] if asked.resource else []
    scopes += [f"{resource}:read" for resource in asked.also_reads]
    named_scopes = " and ".join(f"`{scope}`" for scope in scopes)
    plural = "s" if scopes[1:] else ""
    key = f"API key with scope{plural} {named_scopes}" if scopes else "API key"
    credentials = " or ".join(dict.fromkeys(demanded)).replace("API key", key)
    roles = " or ".join(asked.min_roles)
    return f"{credentials}, at least {roles}" if roles else credentials


def main() -> None:
    """Write the pages that changed, and remove the clients' files that are no longer generated."""
    pages = render_pages()
    for path in importlib.import_module("generator").find_stale_files(pages):
        path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"Wrote {path.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
