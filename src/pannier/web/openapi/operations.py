"""The operations, read from the routes."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec
from litestar import Litestar, MediaType, Response
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg
from litestar.routes import HTTPRoute
from litestar.types.internal_types import PathParameterDefinition

from pannier.errors import Problem
from pannier.web import former_names
from pannier.web.exchange import SAFE_METHODS
from pannier.web.former_names import Deprecation
from pannier.web.lists import Listed
from pannier.web.openapi.operation_ids import make_operation_id
from pannier.web.openapi.security import Requirement, list_requirements
from pannier.web.unknown_names import STRICT_PREFIXES

# A type that msgspec knows, or a JSON schema.
Kind = Any
Content = Mapping[str, Kind]

JSON: Final = "application/json"
METHODS: Final = ("GET", "POST", "PATCH", "PUT", "DELETE")
# Of several methods of one handler, the first in this order is the main one.
MAIN_METHODS: Final = ("POST", "PATCH", "PUT", "GET", "DELETE")
# Parameters that Litestar provides; all others come from the caller.
INJECTED_NAMES: Final = frozenset(
    {"request", "state", "scope", "headers", "cookies", "query", "body"}
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_PLAIN: Final[Mapping[Any, str]] = {str: "text/plain", bytes: "application/octet-stream"}


@dataclass(frozen=True)
class ApiOperation:
    """One method of one path."""

    id: str
    path: str
    method: str
    summary: str
    description: str
    tags: tuple[str, ...]
    security: list[Requirement]
    path_parameters: tuple[PathParameterDefinition, ...]
    parameters: Mapping[str, Any]
    query: type[msgspec.Struct] | None
    bodies: Content
    body_required: bool
    responses: Mapping[int, Content]
    problems: tuple[type[Problem], ...]
    injected_names: frozenset[str]
    deprecation: Deprecation | None
    # The id of the operation that this one repeats with another method.
    repeats: str | None

    @property
    def is_secured(self) -> bool:
        """Whether a credential is required."""
        return bool(self.security)

    @property
    def can_write(self) -> bool:
        """Whether it may change data."""
        return self.method not in SAFE_METHODS

    @property
    def accepts_if_match(self) -> bool:
        """Whether it accepts an `If-Match` header."""
        return "match" in self.injected_names or self.method == "DELETE"

    @property
    def refuses_unknown_fields(self) -> bool:
        """Whether unknown body fields are rejected, unless the caller prefers otherwise."""
        return bool(self.bodies) and self.path.startswith(STRICT_PREFIXES)

    @property
    def has_former_names(self) -> bool:
        """Whether its path is a former name, or a parameter or body field of it can be one.

        The parameter `fields` names fields, also by their former names.
        """
        bodies = [kind for kind in self.bodies.values() if not isinstance(kind, Mapping)]
        sent_kinds = [self.query, *bodies]
        return (
            self.deprecation is not None
            or (self.query is not None and "fields" in self.query.__struct_fields__)
            or any(map(former_names.has_former_names, sent_kinds))
        )

    @property
    def is_paged(self) -> bool:
        """Whether it returns pages of a list."""
        return self.query is not None and "cursor" in self.query.__struct_fields__

    @property
    def parameter_kinds(self) -> list[Kind]:
        """The types of its parameters."""
        return [*self.parameters.values(), *([] if self.query is None else [self.query])]

    @property
    def response_kinds(self) -> list[Kind]:
        """The types of its responses."""
        return [kind for content in self.responses.values() for kind in content.values()]

    @property
    def kinds(self) -> list[Kind]:
        """All types of its parameters, bodies and responses."""
        return [*self.parameter_kinds, *self.bodies.values(), *self.response_kinds]


def read(app: Litestar) -> list[ApiOperation]:
    """List the operations in the order of their registration."""
    return [
        _make_operation(route, handler, method) for route, handler, method in list_handlers(app)
    ]


def list_handlers(app: Litestar) -> Iterator[tuple[HTTPRoute, HTTPRouteHandler, str]]:
    """List the handlers that the document includes, with their routes and methods."""
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            handlers = {method: handler for method, (handler, _) in route.route_handler_map.items()}
            for method in METHODS:
                if method in handlers and handlers[method].resolve_include_in_schema():
                    yield route, handlers[method], method


def _make_operation(route: HTTPRoute, handler: HTTPRouteHandler, method: str) -> ApiOperation:
    docstring = inspect.cleandoc(handler.fn.__doc__ or "")
    summary, *sentences = _SENTENCE.split(docstring, maxsplit=1)
    bodies, required = _read_bodies(handler)
    main_method = find_main_method(handler)
    operation_id = make_operation_id(main_method, route.path_format, is_list=_returns_list(handler))
    return ApiOperation(
        id=operation_id if method == main_method else f"{operation_id}By{method.capitalize()}",
        path=route.path_format,
        method=method,
        summary=" ".join(summary.split()).removesuffix("."),
        description=sentences[0] if sentences else "",
        tags=tuple(dict.fromkeys(handler.resolve_tags())),
        security=list_requirements(handler, method),
        path_parameters=tuple(route.path_parameters.values()),
        parameters=_list_parameters(route, handler),
        query=handler.opt.get("query"),
        bodies=bodies,
        body_required=required,
        responses={
            handler.status_code: _read_response(handler),
            **handler.opt.get("responses", {}),
        },
        problems=tuple(handler.opt.get("problems", ())),
        injected_names=frozenset(handler.opt.get("injected_names", ())),
        deprecation=handler.opt.get("deprecated"),
        repeats=None if method == main_method else operation_id,
    )


def find_main_method(handler: HTTPRouteHandler) -> str:
    """Find the method of a handler that its other methods repeat, for existing clients."""
    return next(method for method in MAIN_METHODS if method in handler.http_methods)


def _returns_list(handler: HTTPRouteHandler) -> bool:
    kind = handler.parsed_fn_signature.return_type.raw
    origin = get_origin(kind)
    if inspect.isclass(origin) and issubclass(origin, Response):
        origin = get_origin(get_args(kind)[0])
    return origin in {list, Listed}


def _list_parameters(route: HTTPRoute, handler: HTTPRouteHandler) -> dict[str, Any]:
    """List the path parameters, and query parameters in the handler's own signature."""
    fields = handler.parsed_fn_signature.parameters
    injected_names = {*INJECTED_NAMES, "data"}
    annotations = {name: field.raw for name, field in fields.items() if name not in injected_names}
    return {name: str for name in route.path_parameters if name not in annotations} | annotations


def _read_bodies(handler: HTTPRouteHandler) -> tuple[Content, bool]:
    declared_bodies: Content | None = handler.opt.get("request_bodies")
    if declared_bodies is not None:
        return declared_bodies, True
    data = handler.parsed_fn_signature.parameters.get("data")
    if data is None:
        return {}, False
    definition = data.kwarg_definition
    media_type = definition.media_type if isinstance(definition, BodyKwarg) else JSON
    return {str(getattr(media_type, "value", media_type)): data.raw}, not data.is_optional


def _read_response(handler: HTTPRouteHandler) -> Content:
    """Read the content of the response from the return annotation; empty for None."""
    kind = handler.parsed_fn_signature.return_type.raw
    if inspect.isclass(get_origin(kind)) and issubclass(get_origin(kind), Response):
        kind = get_args(kind)[0]
    if kind in {None, type(None)}:
        return {}
    if inspect.isclass(kind) and issubclass(kind, Response):
        kind = bytes
    media_type = handler.media_type
    text = str(getattr(media_type, "value", media_type) or "")
    default_type = _PLAIN.get(kind)
    if default_type is None:
        return {JSON: kind}
    content_type = (
        text if text not in {"", MediaType.JSON.value, MediaType.TEXT.value} else default_type
    )
    return {content_type: Annotated[str, msgspec.Meta(examples=["…"])]}
