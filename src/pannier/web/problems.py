"""Conversion of exceptions to problems: Litestar's by their type, unknown ones to 500."""

from typing import Any, Final

import asyncpg
import msgspec
from litestar import Request, Response
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    SerializationException,
    ValidationException,
)

from pannier.db.pool import DatabaseAway, passing
from pannier.errors import (
    BodyUnreadable,
    Field,
    Internal,
    Invalid,
    Malformed,
    MethodNotAllowed,
    NotFound,
    Problem,
    TooLarge,
    UnsupportedMedia,
)
from pannier.kit import wording
from pannier.web import lost, offenders
from pannier.web.exchange import ClientLeftError, Exchange, current
from pannier.web.idempotency import Headers
from pannier.web.logs import log

MEDIA_TYPE: Final = "application/problem+json"
UNSUPPORTED: Final = 415
TOO_LARGE: Final = 413
SERVER_ERRORS: Final = 500
# PostgreSQL's errors for values that our fields accept but its columns cannot store.
UNFIT: Final = (
    asyncpg.CharacterNotInRepertoireError,
    asyncpg.UntranslatableCharacterError,
    asyncpg.NumericValueOutOfRangeError,
    asyncpg.DatetimeFieldOverflowError,
)


def of(failure: BaseException) -> Problem:
    """Return the problem of an exception."""
    match failure:
        case Problem():
            return failure
        case ValidationException() | SerializationException():
            return _of_validation(failure)
        case NotFoundException():
            return NotFound("There is no such path. All paths are listed in /openapi.json.")
        case MethodNotAllowedException():
            return MethodNotAllowed(headers={"Allow": _allowed(failure)})
        case HTTPException():
            return _of_litestar(failure)
    if isinstance(failure, UNFIT) or _unsendable(failure):
        return Invalid("A value has characters or numbers that cannot be stored.")
    # A statement exceeded `statement_timeout`. Nothing was changed, so a retry may succeed.
    is_slow = isinstance(failure, asyncpg.QueryCanceledError)
    return DatabaseAway() if is_slow or passing(failure) else Internal()


def _allowed(failure: MethodNotAllowedException) -> str:
    methods = (failure.headers or {}).get("allow", "").split(", ")
    return ", ".join(sorted({*methods, "HEAD"} if "GET" in methods else methods))


def _of_litestar(failure: HTTPException) -> Problem:
    if failure.status_code >= SERVER_ERRORS:
        return Internal()
    if failure.status_code == UNSUPPORTED:
        return UnsupportedMedia()
    return TooLarge() if failure.status_code == TOO_LARGE else Malformed()


def _unsendable(failure: BaseException) -> bool:
    """Tell whether asyncpg could not encode a value: a large number, or a lone surrogate."""
    cause = failure.__cause__
    refused = isinstance(failure, (asyncpg.DataError, asyncpg.InterfaceError))
    return refused and isinstance(cause, (OverflowError, UnicodeEncodeError))


def _of_validation(failure: ValidationException | SerializationException) -> Problem:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, msgspec.ValidationError):
            return offenders.invalid(cause)
        if isinstance(cause, msgspec.DecodeError):
            return BodyUnreadable(wording.describe_json_error(cause))
        cause = cause.__cause__
    extra = getattr(failure, "extra", None) or []
    fields = [Field(str(item.get("key", "")), f"{item.get('message')}.") for item in extra]
    return Invalid(fields=fields)


def render(problem: Problem, request_id: str) -> bytes:
    """Render the body of a problem."""
    return msgspec.json.encode(problem.body(request_id))


def render_headers(problem: Problem) -> Headers:
    """Render the headers of a problem."""
    own = ((name.lower().encode(), value.encode()) for name, value in problem.headers.items())
    return [(b"content-type", MEDIA_TYPE.encode()), *own]


def told(exchange: Exchange, failure: BaseException) -> Problem:
    """Return the problem of an exception; log the exception if the fault is ours."""
    problem = of(failure)
    if isinstance(failure, asyncpg.QueryCanceledError):
        log.error(
            "statement timed out", request_id=exchange.id, path=exchange.path, exc_info=failure
        )
    if isinstance(problem, Internal) and not isinstance(failure, ClientLeftError):
        log.error("request failed", request_id=exchange.id, path=exchange.path, exc_info=failure)
    return problem


def handle(_: Request[Any, Any, Any], failure: Exception) -> Response[bytes] | Response[str]:
    """Respond to an exception. Litestar calls this for all of them."""
    exchange = current.get()
    exchange.failure = failure
    problem = told(exchange, failure)
    if isinstance(failure, NotFoundException) and lost.is_browsing(exchange):
        return lost.page()
    if exchange.method == "OPTIONS" and isinstance(problem, MethodNotAllowed):
        return Response(b"", status_code=204, headers=problem.headers)
    return Response(
        render(problem, exchange.id),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )
