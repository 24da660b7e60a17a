"""`get`, `post`, …: Litestar's decorators with our own injection of arguments.

A handler declares what it needs: `db`, `key`, `caller`, … (see SOURCES). These come from the
exchange; `filters`, `data` and path parameters come from the caller. Litestar's own injection would
start a task for each of them at every request, so Litestar only routes.

`problems` lists a handler's own errors. `deprecated` marks a path as the former name of another.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    cast,
    get_origin,
    get_type_hints,
)

import msgspec
from litestar import Litestar, MediaType, Request, Response, Router
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, PathParameter
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, Scope
from litestar.utils import normalize_path

from pannier.web import bodies, lists, versions
from pannier.web.buffered_response import BufferedResponse
from pannier.web.encoded_slashes import protect_slashes, restore_slashes
from pannier.web.exchange import Exchange
from pannier.web.former_names import FormerUse
from pannier.web.serialization import encode

Handler = Callable[..., Awaitable[Any]]
Source = Callable[[Exchange], Any]

# The annotation of nearly all path parameters, made once because comparing it is slow.
PATH_TEXT: Final = Annotated[str, PathParameter()]
# A HEAD is a GET whose body is not sent. OPTIONS is routed as a method that no path has: the
# resulting problem lists all methods of the path. Litestar's own response would list only some.
ROUTED_METHODS: Final[Mapping[str, str]] = {"HEAD": "GET", "OPTIONS": "*"}
BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
JSON_HEADERS: Final = [(b"content-type", b"application/json")]
# Litestar matches whole parts of a path, so the route `/invoices/{invoice_id:str}/.pdf` has its
# suffix as a part. Everybody else knows it as `/invoices/{invoice_id}.pdf`.
SUFFIX_MARK: Final = "}/."
# Arguments from the exchange, by the name of the parameter.
SOURCES: Final[Mapping[str, Source]] = {
    "exchange": lambda exchange: exchange,
    "db": lambda exchange: exchange.db,
    "key": lambda exchange: exchange.caller,
    "caller": lambda exchange: exchange.caller,
    "company": lambda exchange: exchange.caller.company,
    "match": versions.IfMatch,
    "app": lambda exchange: exchange.edge.app,
    "settings": lambda exchange: exchange.edge.settings,
    "hasher": lambda exchange: exchange.edge.services["hasher"],
    "storage": lambda exchange: exchange.edge.services["storage"],
    "gateway": lambda exchange: exchange.edge.services["gateway"],
    "providers": lambda exchange: exchange.edge.services["providers"],
    "webhook_client": lambda exchange: exchange.edge.services["webhook_client"],
    "router": lambda exchange: exchange.edge.services["router"],
    "geocoder": lambda exchange: exchange.edge.services["geocoder"],
    "devices": lambda exchange: exchange.edge.services["devices"],
}


class RouteHandler(HTTPRouteHandler):
    """A handler that the decorators of this module made."""


class RequestRouter:
    """Finds the handler of a request and calls it.

    Litestar keeps the map of paths, and renders responses that are not plain JSON. Its other work
    for a request (objects, injection, layers for exceptions) would cost more than most handlers.
    """

    def __init__(self, app: Litestar) -> None:
        self._app, self._find = app, app.asgi_router.handle_routing
        self._suffixes = frozenset(map(_split_suffix, filter(_has_suffix, app.routes)))

    async def serve(self, exchange: Exchange, scope: Scope, reply: BufferedResponse) -> None:
        """Authorize the caller, call the handler, and collect its response or problem."""
        handler: Any = None
        try:
            path = self._mark_suffix(normalize_path(protect_slashes(scope)))
            _, handler, _, path_params, exchange.route = self._find(
                path, _get_routed_method(exchange)
            )
            path_params = restore_slashes(path_params)
            if "deprecated" in handler.opt:
                exchange.former_uses.append(FormerUse(handler.opt["deprecated"]))
            authorize = handler.resolve_before_request()
            if authorize is not None:
                await authorize(None)
            result = await handler.fn.call(exchange, path_params)
            if isinstance(result, (msgspec.Struct, list)):
                _set_json(reply, handler, result)
                return
            request = self._make_request(exchange, scope)
            respond = await handler.to_response(self._app, result, request)
        except Exception as failure:  # noqa: BLE001 - every exception becomes a problem
            request = self._make_request(exchange, scope)
            respond = self._respond_to_failure(handler, request, failure)
        await respond(request.scope, request.receive, reply.collect)

    def _mark_suffix(self, path: str) -> str:
        """Make the suffix of a path a part of its own, if there are routes with it."""
        parent, _, name = path.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        return f"{parent}/{stem}/.{suffix}" if dot and (parent, suffix) in self._suffixes else path

    def _make_request(self, exchange: Exchange, scope: Scope) -> Request[Any, Any, Any]:
        """Make the request object that Litestar's responses need."""
        request_scope = {
            **scope,
            "method": _get_routed_method(exchange),
            "state": {},
            "app": self._app,
            "litestar_app": self._app,
        }
        return Request(cast("Any", request_scope), bodies.make_receive(exchange))

    def _respond_to_failure(
        self,
        handler: HTTPRouteHandler | None,
        request: Request[Any, Any, Any],
        failure: Exception,
    ) -> ASGIApp:
        """Respond to an exception with the nearest handler that is registered for its type."""
        handlers: Any = (
            self._app.exception_handlers
            if handler is None
            else handler.resolve_exception_handlers()
        )
        kind = next(kind for kind in type(failure).__mro__ if kind in handlers)
        response = handlers[kind](request, failure)
        return cast("ASGIApp", response.to_asgi_response(app=None, request=request))


def _has_suffix(route: Any) -> bool:  # noqa: ANN401 - Litestar's routes are of several kinds
    return SUFFIX_MARK in route.path


def _split_suffix(route: Any) -> tuple[str, str]:  # noqa: ANN401 - Litestar's routes are of several kinds
    """Return the path above a route's last parameter, and its suffix."""
    path, _, suffix = route.path.rpartition(SUFFIX_MARK)
    return path.rpartition("/")[0], suffix


def _get_routed_method(exchange: Exchange) -> Any:  # noqa: ANN401 - one of Litestar's methods, or none of them
    return ROUTED_METHODS.get(exchange.method, exchange.method)


def _set_json(reply: BufferedResponse, handler: HTTPRouteHandler, value: Any) -> None:  # noqa: ANN401 - a Struct, or a list of them
    """Set a plain JSON response."""
    version = getattr(value, "version", None)
    # A result may have its own status, such as 202.
    reply.status = getattr(value, "http_status", handler.status_code)
    reply.headers = JSON_HEADERS
    if version is not None:
        reply.headers = [*JSON_HEADERS, (b"etag", versions.to_etag(version).encode())]
    reply.body = encode(value)


class RoutingApp(Litestar):
    """Litestar reduced to routing: it maps paths to handlers, but does not call them.

    Its usual preparation of handlers would take half of the startup time; a test runs it for every
    handler. A router can belong to one instance only, and no two routers may share a path.
    """

    def __init__(self, routers: Sequence[Router], **options: Any) -> None:  # noqa: ANN401 - Litestar's options
        super().__init__([], openapi_config=None, logging_config=None, **options)
        for router in routers:
            router.owner = self
            self.routes.extend(map(_map_methods, router.routes))
        self.asgi_router.construct_routing_trie()

    @staticmethod
    def _get_default_plugins(plugins: list[Any]) -> list[Any]:
        """Return no default plugins: they prepare handlers' arguments and are slow to import."""
        return plugins


def _map_methods(route: Any) -> HTTPRoute:  # noqa: ANN401 - Litestar's routes are of several kinds
    """Map the methods of a route to its handlers, and return the route."""
    if not isinstance(route, HTTPRoute):
        raise TypeError(f"{route.path} is not for HTTP.")
    no_value = cast("Any", None)
    route.path_format = route.path_format.replace(SUFFIX_MARK, "}.")
    for handler in route.route_handlers:
        handler.resolve_opts()
        route.route_handler_map.update(dict.fromkeys(handler.http_methods, (handler, no_value)))
    return route


def _make_filters_source(kind: type[msgspec.Struct]) -> Source:
    def source(exchange: Exchange) -> msgspec.Struct:
        return lists.read(exchange, kind)

    return source


def _annotate_parameter(path: str, name: str, hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Annotate a parameter with its source in the request."""
    if name == "data":
        return Annotated[hint, BodyKwarg(media_type=RequestEncodingType.JSON)]
    if not _is_path_parameter(path, name):
        return hint
    return PATH_TEXT if hint is str else Annotated[hint, PathParameter()]


def _is_path_parameter(path: str, name: str) -> bool:
    return f"{{{name}:" in path


def _adapt_handler(
    path: str, function: Handler, hints: Mapping[str, Any], *, is_delete: bool, has_body: bool
) -> Handler:
    """Make a function for Litestar with only the caller's parameters, and attach the real call.

    No delete ignores an `If-Match`: if the handler does not check it, the record has no versions,
    and the request is rejected.
    """
    parameters_by_name = inspect.signature(function).parameters
    # A parameter with a default is a path parameter if the path has it, because two paths may share
    # a handler. `**path_params` takes all path parameters.
    names = [
        name
        for name, parameter in parameters_by_name.items()
        if parameter.kind is not parameter.VAR_KEYWORD
        and (parameter.default is parameter.empty or _is_path_parameter(path, name))
    ]
    sources = {name: SOURCES[name] for name in names if name in SOURCES}
    caller_hints = {name: hints[name] for name in names if name not in {*sources, "filters"}}
    if "filters" in names:
        sources["filters"] = _make_filters_source(hints["filters"])
    body_type = hints["data"] if "data" in names else None
    argument_sources = tuple(sources.items())
    lacks_version = is_delete and "match" not in sources
    expects_no_body = has_body and body_type is None

    async def call(exchange: Exchange, path_parameters: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the handler's result
        if lacks_version:
            versions.IfMatch(exchange).reject_version()
        if body_type is not None:
            await bodies.load(exchange)
        elif expects_no_body:
            await bodies.reject_body_fields(exchange)
        if "filters" not in sources:
            lists.check_parameters(exchange)
        arguments = {name: source(exchange) for name, source in argument_sources}
        if body_type is not None:
            arguments["data"] = await bodies.process_body(
                exchange, lambda: bodies.read(exchange, body_type)
            )
        return await function(**arguments, **path_parameters)

    async def signature_stub(**_: Any) -> None:  # noqa: ANN401 - Litestar reads its signature, and never calls it
        raise NotImplementedError

    annotations = {
        name: _annotate_parameter(path, name, hint) for name, hint in caller_hints.items()
    }
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
        for name, annotation in annotations.items()
    ]
    signature = inspect.Signature(parameters, return_annotation=hints["return"])
    signature_stub.__annotations__ = {**annotations, "return": hints["return"]}
    signature_stub.__name__, signature_stub.__doc__ = function.__name__, function.__doc__
    signature_stub.__module__, signature_stub.__qualname__ = (
        function.__module__,
        function.__qualname__,
    )
    vars(signature_stub).update(__signature__=signature, call=call)
    return signature_stub


def _choose_media_type(annotation: Any) -> MediaType | None:  # noqa: ANN401 - an annotation
    """Choose JSON as media type, unless the return type is a Response, which has its own."""
    kind = get_origin(annotation) or annotation
    has_own_type = inspect.isclass(kind) and issubclass(kind, Response)
    return None if has_own_type else MediaType.JSON


def _make_route_decorator(
    *methods: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
) -> Callable[..., Callable[[Handler], Any]]:
    def make_decorator(path: str, **options: Any) -> Callable[[Handler], Any]:  # noqa: ANN401 - Litestar's options
        def decorate(function: Handler) -> Any:  # noqa: ANN401 - Litestar's handler
            hints = get_type_hints(function, include_extras=True)
            opt = {
                "query": hints.get("filters"),
                "injected_names": SOURCES.keys() & hints.keys(),
                **options.pop("opt", {}),
                "problems": options.pop("problems", []),
            }
            if deprecation := options.pop("deprecated", None):
                opt["deprecated"] = deprecation
            options.setdefault("media_type", _choose_media_type(hints["return"]))
            handler = RouteHandler(path, http_method=list(methods), opt=opt, **options)
            is_delete, has_body = "DELETE" in methods, bool(BODY_METHODS & set(methods))
            return handler(
                _adapt_handler(path, function, hints, is_delete=is_delete, has_body=has_body)
            )

        return decorate

    return make_decorator


get = _make_route_decorator("GET")
post = _make_route_decorator("POST")
put = _make_route_decorator("PUT")
patch = _make_route_decorator("PATCH")
delete = _make_route_decorator("DELETE")
# Existing clients use either method for changes and for actions.
change = _make_route_decorator("PUT", "PATCH")
act = _make_route_decorator("POST", "PATCH")
report = _make_route_decorator("POST", "PUT", "PATCH")
