"""Write the pages of docs/ that the code itself can tell: errors, settings, events, endpoints.

It also writes the TypeScript types of the answers that the driver's app reads.

`make docs` runs it; a test compares what it would write with what is committed.
"""

import importlib
import inspect
import pkgutil
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
from pannier.events.catalog import API_VERSION, CATALOG, CatalogEntry
from pannier.settings import PREFIX, Settings
from pannier.web import compatibility
from pannier.web.docs.fields import FieldRow, SchemaTables
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import security
from pannier.web.openapi.schemas import Schemas

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
NOTE: Final = (
    "<!-- Written by scripts/docs.py from the code: change that, then run `make docs`. -->"
)

# The answers that the driver's app reads, for `tsc`.
ANSWERS: Final = (
    "pannier.orders.schemas.OrderOut",
    "pannier.orders.remaining_flow.schemas.FlowOut",
    "pannier.orders.offers.schemas.OfferOut",
    "pannier.orders.captures.schemas.ProofCodeSent",
    "pannier.fleet.drivers.schemas.DriverCodeSent",
    "pannier.fleet.drivers.schemas.DriverSignedIn",
)
TYPES: Final[Mapping[str, str]] = {"integer": "number", "object": "Record<string, unknown>"}

ENVELOPE: Final = (
    "`id` is the event's own. `data` is the subject as it was at that moment. The bytes are fixed "
    "when the event is written: every receiver and every retry gets the same ones. Receivers may "
    "hear of an event more than once and in another order, and tell repeats apart by `id`."
)
# How a router's `security` reads to a person.
CREDENTIALS: Final[Mapping[str, str]] = {
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
# The prefixes, in the order in which a reader looks for them; the last one takes the rest.
AREAS: Final = (
    ("/v1/", "/v1: with an API key"),
    ("/storefront/v1/", "/storefront/v1: with a storefront key"),
    ("/int/v1/", "/int/v1: for operators"),
    ("/", "Outside the prefixes"),
)


def pages() -> dict[Path, str]:
    """Answer every generated page and its text."""
    import_everything()
    return {
        DOCS / "errors.md": errors(),
        DOCS / "settings.md": settings(),
        DOCS / "events.md": events(),
        DOCS / "endpoints.md": endpoints(),
        DOCS / "accepted-names.md": accepted_names(),
        ROOT / "frontend" / "types" / "api.d.ts": answer_types(),
    }


def answer_types() -> str:
    """Declare the answers of `/v1` that our own scripts read."""
    places = (name.rpartition(".") for name in ANSWERS)
    kinds = [getattr(importlib.import_module(module), name) for module, _, name in places]
    schemas = Schemas(kinds)
    for kind in kinds:
        schemas.lookup(kind)
    parts = [f"// {NOTE.removeprefix('<!-- ').removesuffix(' -->')}\n"]
    for name, schema in sorted(schemas.components.items()):
        needed = schema.get("required", [])
        lines = [
            f"  {field}{'' if field in needed else '?'}: {_typescript(each)};"
            for field, each in schema["properties"].items()
        ]
        parts.append("\n".join([f"interface {name} {{", *lines, "}\n"]))
    return "\n".join(parts)


def _typescript(schema: Mapping[str, Any]) -> str:
    """Spell a JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(map(_typescript, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(value).decode() for value in schema["enum"])
    if "items" in schema:
        return f"Array<{_typescript(schema['items'])}>"
    if isinstance(schema.get("additionalProperties"), Mapping):
        return f"Record<string, {_typescript(schema['additionalProperties'])}>"
    kind = str(schema.get("type", "unknown"))
    return TYPES.get(kind, kind)


def accepted_names() -> str:
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
    return _page(
        "Accepted names",
        introduction,
        f"In every body of the table below: {every}.",
        table,
        f"In every query: {query}.",
    )


def import_everything() -> None:
    """Import all of Pannier, so that every refusal is known wherever it is defined."""
    for module in pkgutil.walk_packages(pannier.__path__, "pannier."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _page(title: str, introduction: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", NOTE, introduction, *parts)) + "\n"


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _docstring(thing: object) -> str:
    return " ".join((inspect.getdoc(thing) or "").split())


def refusals() -> list[type[Problem]]:
    """List Pannier's own refusals, by status and code."""
    ours = {kind for kind in list_problems() if kind.__module__.startswith("pannier.")}
    return sorted(ours, key=lambda kind: (kind.status, kind.code))


def errors() -> str:
    """Write the page of refusals."""
    introduction = (
        "Every refusal is `application/problem+json` ([RFC 9457]"
        "(https://www.rfc-editor.org/rfc/rfc9457)) with a stable `code`. Programs decide by `code` "
        "and `status`; the sentences are for people and may change. "
        "[Conventions](guide/conventions.md#errors) shows a whole body. A refusal undoes "
        "everything the request had begun, unless it is marked as remembered."
    )
    parts = []
    for status, kinds in groupby(refusals(), lambda kind: kind.status):
        # Without the phrase, which Python spells differently from version to version.
        parts.append(f"## Status {status}")
        parts += [_refusal(kind) for kind in kinds]
    return _page("Errors", introduction, *parts)


def _refusal(kind: type[Problem]) -> str:
    remembered = (
        "\n\nRemembered: what the request counted stays counted." if kind.keeps_changes else ""
    )
    return f"### {kind.code}\n\n> {kind.title}\n\n{_docstring(kind)} {kind.remedy}{remembered}"


def settings() -> str:
    """Write the page of settings."""
    introduction = (
        "Pannier is configured by environment variables, which are read at startup. All of them "
        "are optional. An empty variable counts as unset. An invalid value stops the startup with "
        "an error that names the variable. `--data` on the command line takes precedence over "
        f"`{PREFIX}DATA`."
    )
    return _page("Settings", introduction, *map(_area, settings_areas()))


def settings_areas() -> list[type[msgspec.Struct]]:
    """List the areas of settings; each extends the one before it."""
    return [kind for kind in reversed(Settings.__mro__) if inspect.get_annotations(kind)]


def _area(area: type[msgspec.Struct]) -> str:
    """Write the settings that an area adds."""
    described = types.type_info(area)
    fields = described.fields if isinstance(described, types.StructType) else ()
    rows = (
        (
            f"`{PREFIX}{field.name.upper()}`",
            _default(field.default),
            _kind(field.type),
            _description(field.type),
        )
        for field in fields
        if field.name in inspect.get_annotations(area)
    )
    title, _, _ = _docstring(area).partition(":")
    table = _table(("Variable", "Default", "Type", "Description"), rows)
    return f"## {title.rstrip('.')}\n\n{table}"


def _default(value: object) -> str:
    if value is None:
        return "unset"
    return "empty" if value == "" else f"`{value}`"


def _kind(kind: types.Type) -> str:
    match kind:
        case types.Metadata():
            return _kind(kind.type)
        case types.UnionType():
            return " or ".join(
                _kind(one) for one in kind.types if not isinstance(one, types.NoneType)
            )
        case types.IntType() | types.FloatType():
            return "integer" + _bounds(kind.ge, kind.le)
        case types.LiteralType():
            return " or ".join(f"`{value}`" for value in kind.values)
        case types.BoolType():
            return "`true` or `false`"
    return "string"


def _bounds(least: float | None, most: float | None) -> str:
    low = "" if least is None else f" from {least}"
    return low + ("" if most is None else f" to {most}")


def _description(kind: types.Type) -> str:
    told = (kind.extra_json_schema or {}) if isinstance(kind, types.Metadata) else {}
    return str(told.get("description", ""))


def events() -> str:
    """Write the page of events."""
    introduction = (
        "An event is a snapshot of what happened. It is written in the same transaction as the "
        "change, so there is an event exactly when there is a change. `GET /int/v1/events` lists "
        "them; `GET /int/v1/event-catalog` answers this page as JSON, with a JSON Schema of each "
        "event's `data`. The names are fixed. The examples are what the operations really tell, "
        "with other identifiers; they lie in [docs/events](events) too."
    )
    envelope = {
        "event": "order.dispatched",
        "api_version": API_VERSION,
        "created_at": "2026-01-31T09:30:00.000Z",
        "data": {},
        "id": "event_2fLk9QdT7wYc3MzA",
    }
    parts = ["## The envelope", _json(msgspec.json.encode(envelope)), ENVELOPE]
    told = importlib.import_module("pannier.app").EVENT_DATA_TYPES
    schemas = Schemas(told.values())
    for group, found in groupby(CATALOG, lambda entry: entry.group):
        entries = list(found)
        parts.append(f"## {group}")
        rows = ((_heading_link(entry.name), entry.meaning) for entry in entries)
        parts.append(_table(("Event", "When"), rows))
        for entry in entries:
            parts += _event(entry, told.get(entry.name), schemas)
    return _page("Events", introduction, *parts)


def _heading_link(name: str) -> str:
    return f"[`{name}`](#{name.replace('.', '')})"


def _json(raw: bytes) -> str:
    return f"```json\n{msgspec.json.format(raw, indent=2).decode()}\n```"


def _event(
    entry: CatalogEntry, kind: type[msgspec.Struct] | None, schemas: Schemas
) -> Iterator[str]:
    """Show an event: when it is told, what it carries, and one that was told."""
    yield f"### {entry.name}"
    if kind is None:
        yield "Nothing tells it yet."
        return
    yield _docstring(kind)
    rows = SchemaTables(schemas.components).rows(schemas.lookup(kind))
    yield _table(("Field", "Type", "Meaning"), map(_event_field, rows))
    example = DOCS / "events" / f"{entry.name}.json"
    if example.exists():
        yield _json(example.read_bytes())


def _event_field(row: FieldRow) -> tuple[str, str, str]:
    values = ", ".join(f"`{value}`" for value in row.values)
    return f"`{row.name}`", row.kind, " ".join(filter(None, (row.description, values)))


def routes() -> Iterator[tuple[str, str, HTTPRouteHandler]]:
    """List path, method and handler of every route, without Litestar's own OPTIONS.

    The pages of the console are for people, and found by following links.
    """
    litestar = importlib.import_module("pannier.app").build_litestar()
    for route in litestar.routes:
        if isinstance(route, HTTPRoute) and not route.path_format.startswith("/console"):
            for method, (handler, _) in route.route_handler_map.items():
                if method != "OPTIONS":
                    yield route.path_format, method, handler


def endpoints() -> str:
    """Write the page of endpoints."""
    introduction = (
        "Every route of this version. `/openapi.json` describes bodies and answers, and `/docs` "
        "shows them on a page that needs no internet. Beside the refusals named here, any request "
        "may meet those of [the conventions](guide/conventions.md#errors)."
    )
    left = sorted(routes(), key=lambda route: (route[0], _order(route[1])))
    parts = []
    for prefix, title in AREAS:
        here = [route for route in left if route[0].startswith(prefix)]
        left = [route for route in left if route not in here]
        if here:
            parts.append(f"## {title}")
            parts.append(_table(("Route", "Who", "What", "Refusals of its own"), map(_route, here)))
    return _page("Endpoints", introduction, *parts)


def _order(method: str) -> int:
    return ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").index(method)


def _route(route: tuple[str, str, HTTPRouteHandler]) -> tuple[str, str, str, str]:
    path, method, handler = route
    problems: list[type[Problem]] = handler.opt.get("problems", [])
    codes = sorted({problem.code for problem in problems})
    return (
        f"`{method} {path}`",
        who(handler, method),
        _docstring(handler.fn),
        ", ".join(f"[`{code}`](errors.md#{code})" for code in codes),
    )


def who(handler: HTTPRouteHandler, method: str) -> str:
    """Say who may call a route: the credential, and the scope or role that its door asks for."""
    demanded = [
        " and ".join(CREDENTIALS.get(name, name) for name in requirement)
        for requirement in handler.resolve_security()
        if requirement
    ]
    if not demanded:
        return "anybody"
    asked = security.read_requirement(handler)
    verb = "read" if method in SAFE_METHODS else "write"
    key = f"API key with scope `{asked.resource}:{verb}`" if asked.resource else "API key"
    credentials = " or ".join(dict.fromkeys(demanded)).replace("API key", key)
    return f"{credentials}, at least {asked.min_role}" if asked.min_role else credentials


def main() -> None:
    """Write the pages that changed."""
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"Wrote {path.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
