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

from pannier.db.database import DatabaseUnavailable, is_transient
from pannier.errors import (
    BodyUnreadable,
    FieldError,
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
from pannier.web import former_names, not_found, validation_errors
from pannier.web.exchange import ClientDisconnectedError, Exchange, current
from pannier.web.idempotency import Headers
from pannier.web.logs import log

MEDIA_TYPE: Final = "application/problem+json"
UNSUPPORTED_STATUS: Final = 415
TOO_LARGE_STATUS: Final = 413
FIRST_SERVER_ERROR_STATUS: Final = 500
# PostgreSQL's errors for values that our fields accept but its columns cannot store.
UNSTORABLE_ERRORS: Final = (
    asyncpg.CharacterNotInRepertoireError,
    asyncpg.UntranslatableCharacterError,
    asyncpg.NumericValueOutOfRangeError,
    asyncpg.DatetimeFieldOverflowError,
)


def from_exception(failure: BaseException) -> Problem:
    """Convert an exception to a problem."""
    match failure:
        case Problem():
            return failure
        case ValidationException() | SerializationException():
            return _from_validation(failure)
        case NotFoundException():
            return NotFound("There is no such path. All paths are listed in /openapi.json.")
        case MethodNotAllowedException():
            return MethodNotAllowed(headers={"Allow": _format_allowed_methods(failure)})
        case HTTPException():
            return _from_litestar(failure)
    if isinstance(failure, UNSTORABLE_ERRORS) or _is_unencodable(failure):
        return Invalid("A value has characters or numbers that cannot be stored.")
    # A statement exceeded `statement_timeout`. Nothing was changed, so a retry may succeed.
    is_slow = isinstance(failure, asyncpg.QueryCanceledError)
    return DatabaseUnavailable() if is_slow or is_transient(failure) else Internal()


def _format_allowed_methods(failure: MethodNotAllowedException) -> str:
    methods = (failure.headers or {}).get("allow", "").split(", ")
    return ", ".join(sorted({*methods, "HEAD"} if "GET" in methods else methods))


def _from_litestar(failure: HTTPException) -> Problem:
    if failure.status_code >= FIRST_SERVER_ERROR_STATUS:
        return Internal()
    if failure.status_code == UNSUPPORTED_STATUS:
        return UnsupportedMedia()
    return TooLarge() if failure.status_code == TOO_LARGE_STATUS else Malformed()


def _is_unencodable(failure: BaseException) -> bool:
    """Tell whether asyncpg could not encode a value: a large number, or a lone surrogate."""
    cause = failure.__cause__
    is_encoding_error = isinstance(failure, (asyncpg.DataError, asyncpg.InterfaceError))
    return is_encoding_error and isinstance(cause, (OverflowError, UnicodeEncodeError))


def _from_validation(failure: ValidationException | SerializationException) -> Problem:
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, msgspec.ValidationError):
            return validation_errors.from_msgspec(cause)
        if isinstance(cause, msgspec.DecodeError):
            return BodyUnreadable(wording.describe_json_error(cause))
        cause = cause.__cause__
    extra = getattr(failure, "extra", None) or []
    fields = [FieldError(str(item.get("key", "")), f"{item.get('message')}.") for item in extra]
    return Invalid(fields=fields)


def render(problem: Problem, request_id: str) -> bytes:
    """Render the body of a problem."""
    return msgspec.json.encode(problem.to_body(request_id))


def render_headers(problem: Problem) -> Headers:
    """Render the headers of a problem."""
    problem_headers = (
        (name.lower().encode(), value.encode()) for name, value in problem.headers.items()
    )
    return [(b"content-type", MEDIA_TYPE.encode()), *problem_headers]


def to_problem(exchange: Exchange, failure: BaseException) -> Problem:
    """Convert an exception to a problem; log the exception if the fault is ours."""
    problem = from_exception(failure)
    if exchange.former_uses:
        former_names.restore_sent_names(problem, exchange.former_uses)
    if isinstance(failure, asyncpg.QueryCanceledError):
        log.error(
            "statement timed out", request_id=exchange.id, path=exchange.path, exc_info=failure
        )
    if isinstance(problem, Internal) and not isinstance(failure, ClientDisconnectedError):
        log.error("request failed", request_id=exchange.id, path=exchange.path, exc_info=failure)
    return problem


def handle_exception(
    _: Request[Any, Any, Any], failure: Exception
) -> Response[bytes] | Response[str]:
    """Respond to an exception. Litestar calls this for all of them."""
    exchange = current.get()
    exchange.failure = failure
    problem = to_problem(exchange, failure)
    if isinstance(failure, NotFoundException) and not_found.is_browsing(exchange):
        return not_found.render_page()
    if exchange.method == "OPTIONS" and isinstance(problem, MethodNotAllowed):
        return Response(b"", status_code=204, headers=problem.headers)
    return Response(
        render(problem, exchange.id),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )
