"""`get`, `post`, …: Litestar's decorators, with what the house itself gives a handler filled in.

A handler names what it needs: `db`, `key`, `caller`, `filters`, … (see SOURCES). Those come
straight from the exchange; path parameters and `data` come from the caller through Litestar. Its
own injection would start a task for each of them at every request.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_type_hints

import msgspec
from litestar import Request
from litestar.enums import RequestEncodingType
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, PathParameter

from pannier.db import PageIn
from pannier.web import bodies, lists, versions
from pannier.web.exchange import Exchange, current

Handler = Callable[..., Awaitable[Any]]
Source = Callable[[Exchange], Any]

encode: Final = msgspec.json.Encoder().encode
JSON_HEADERS: Final = [(b"content-type", b"application/json")]
# What the house gives, by the parameter's name.
SOURCES: Final[Mapping[str, Source]] = {
    "exchange": lambda exchange: exchange,
    "db": lambda exchange: exchange.db,
    "key": lambda exchange: exchange.caller,
    "caller": lambda exchange: exchange.caller,
    "company": lambda exchange: exchange.caller.company,
    "match": versions.Match,
    "settings": lambda exchange: exchange.edge.settings,
    "hasher": lambda exchange: exchange.edge.services["hasher"],
    "storage": lambda exchange: exchange.edge.services["storage"],
}


class _Encoded:
    """Sends an encoded body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, answer: Any) -> None:  # noqa: ANN401 - what a handler answered
        self.body, self.status = encode(answer), 200
        self.headers = JSON_HEADERS
        version = getattr(answer, "version", None)
        if version is not None:
            self.headers = [*JSON_HEADERS, (b"etag", versions.tag(version).encode())]

    async def __call__(self, _scope: object, _receive: object, send: Any) -> None:  # noqa: ANN401 - ASGI
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


class _JsonRequest(Request[Any, Any, Any]):
    """Reads a JSON body as the house does; Litestar's own way takes "1" for a number."""

    async def body(self) -> bytes:
        """Answer a body in any case, so that Litestar always asks for its JSON."""
        await bodies.load(current.get())
        return current.get().body or b"{}"

    async def json(self) -> Any:  # noqa: ANN401 - a value of the handler's kind
        """Answer what the handler asks for."""
        await bodies.load(current.get())
        return bodies.read(current.get(), self.route_handler.opt["data"])


class Door(HTTPRouteHandler):
    """A route whose ordinary answers go out as they are, without a general response's detours."""

    async def to_response(self, app: Any, data: Any, request: Any) -> Any:  # noqa: ANN401 - Litestar's signature
        """Let an encoded answer pass."""
        if isinstance(data, _Encoded):
            data.status = self.status_code
            return data
        return await super().to_response(app, data, request)


def _filters(kind: type[PageIn]) -> Source:
    def source(exchange: Exchange) -> PageIn:
        return lists.read(exchange.query, kind)

    return source


def _outside(path: str, name: str, hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Mark where a parameter that the caller sends comes from."""
    if name == "data" and not _marked(hint):
        return Annotated[hint, BodyKwarg(media_type=RequestEncodingType.JSON)]
    return Annotated[hint, PathParameter()] if f"{{{name}:" in path else hint


def _marked(hint: Any) -> bool:  # noqa: ANN401 - an annotation
    """Tell whether a handler itself says in which encoding it takes its body."""
    return any(isinstance(part, BodyKwarg) for part in get_args(hint)[1:])


def _fitted(path: str, function: Handler) -> tuple[Handler, type[PageIn] | None]:
    """Wrap a handler so that Litestar sees only what the caller sends."""
    hints = get_type_hints(function, include_extras=True)
    names = list(inspect.signature(function).parameters)
    filters: type[PageIn] | None = hints.get("filters")
    given = [(name, SOURCES[name]) for name in names if name in SOURCES]
    if filters is not None:
        given.append(("filters", _filters(filters)))
    inside = {name for name, _ in given}

    async def handler(**sent: Any) -> Any:  # noqa: ANN401 - the handler's own answer
        exchange = current.get()
        for name, source in given:
            sent[name] = source(exchange)
        answer = await function(**sent)
        return _Encoded(answer) if isinstance(answer, (msgspec.Struct, list)) else answer

    outside = {name: _outside(path, name, hints[name]) for name in names if name not in inside}
    annotations = {**outside, "return": hints["return"]}
    kind = inspect.Parameter.KEYWORD_ONLY
    handler.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # inspect reads it when it is there
        [
            inspect.Parameter(name, kind, annotation=annotation)
            for name, annotation in annotations.items()
            if name != "return"
        ],
        return_annotation=hints["return"],
    )
    handler.__annotations__ = annotations
    handler.__name__, handler.__doc__ = function.__name__, function.__doc__
    handler.__module__, handler.__qualname__ = function.__module__, function.__qualname__
    return handler, filters


def _decorator(
    *methods: Literal["GET", "POST", "PUT", "PATCH", "DELETE"],
) -> Callable[..., Callable[[Handler], Any]]:
    def with_options(path: str, **options: Any) -> Callable[[Handler], Any]:  # noqa: ANN401 - Litestar's options
        def decorate(function: Handler) -> Any:  # noqa: ANN401 - Litestar's handler
            handler, filters = _fitted(path, function)
            data = get_type_hints(function, include_extras=True).get("data")
            if data is not None and not _marked(data):
                options["request_class"] = _JsonRequest
            opt = {
                "query": filters,
                "data": data,
                "given": SOURCES.keys() & inspect.signature(function).parameters.keys(),
                **options.pop("opt", {}),
                "problems": options.pop("problems", []),
            }
            # The edge has read the body already, within its own limit.
            options.setdefault("request_max_body_size", None)
            return Door(path, http_method=list(methods), opt=opt, **options)(handler)

        return decorate

    return with_options


get = _decorator("GET")
post = _decorator("POST")
put = _decorator("PUT")
patch = _decorator("PATCH")
delete = _decorator("DELETE")
# Existing clients send either method for a change, and either for an action on something.
change = _decorator("PUT", "PATCH")
act = _decorator("POST", "PATCH")
