"""Problems: error responses as classes. The edge renders them as RFC 9457."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple, TypeVar

Raw = TypeVar("Raw")
Value = TypeVar("Value")


class FieldError(NamedTuple):
    """A validation error of one part of a body or query."""

    path: str
    message: str


class SetupError(Exception):
    """An error of the installation. One sentence says what is wrong and how to fix it."""


class Problem(Exception):  # noqa: N818 - a problem is not always an error
    """An error response with a stable code. Raising it rolls the request's changes back.

    `title` says what is wrong, in at most ten words, and `remedy` what to do about it.

    With `keeps_changes`, changes such as counts of wrong attempts are committed nevertheless.
    With `is_transient`, the request is retried before its caller gets the problem.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something went wrong on our side."
    remedy: ClassVar[str] = "Try again. If the problem persists, report the `request_id`."
    keeps_changes: ClassVar[bool] = False
    is_transient: bool = False

    def __init__(
        self,
        detail: str | None = None,
        *,
        fields: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        **extra: Any,  # noqa: ANN401 - further members of the problem, as RFC 9457 allows
    ) -> None:
        self.set_fields(fields, detail)
        super().__init__(self.detail)
        self.headers = dict(headers or {})
        self.extra = extra

    def set_fields(self, fields: Sequence[FieldError], detail: str | None = None) -> None:
        """Set the invalid fields, and the detail that describes them."""
        self.fields = tuple(fields)
        self.detail = detail or " ".join(self._list_sentences()) or self.explain()

    @classmethod
    def explain(cls) -> str:
        """Return the title and the remedy."""
        return f"{cls.title} {cls.remedy}"

    def _list_sentences(self) -> list[str]:
        return [f"{field.path}: {field.message}" for field in self.fields]

    def to_body(self, request_id: str) -> dict[str, Any]:
        """Return the JSON object of the response."""
        return {
            "type": f"/docs/errors#{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": self._list_sentences() or [self.detail],
            "error": self.detail,
            "fields": [field._asdict() for field in self.fields],
            "request_id": request_id,
            **self.extra,
        }


class BodyUnreadable(Problem):
    """The body is not valid JSON, or is nested too deeply."""

    status, code, title = 400, "body_unreadable", "The request body could not be read."
    remedy = "Send a single JSON value, encoded in UTF-8."


class Malformed(Problem):
    """A part of the request other than the body, such as the `Host` header, is malformed."""

    status, code, title = 400, "request_malformed", "The request could not be read."
    remedy = "Check the request's headers."


class CursorInvalid(Problem):
    """The cursor is malformed, or comes from another list."""

    status, code, title = 400, "cursor_invalid", "The cursor does not belong to this list."
    remedy = "Send a cursor from the same list with the same filters, or omit `cursor`."


class Unauthenticated(Problem):
    """The credential is missing, wrong, revoked or expired, or is of the wrong kind."""

    status, code, title = 401, "unauthenticated", "A valid credential is required."
    remedy = "Send it as `Authorization: Bearer …`."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    """The credential is valid but lacks a scope or role."""

    status, code, title = 403, "forbidden", "This credential is not allowed to do that."
    remedy = "Use a credential with the required scope or role."


class NotFound(Problem):
    """The resource does not exist, or belongs to another company."""

    status, code, title = 404, "not_found", "The resource was not found."
    remedy = "Check the id, and use a credential of the company that owns the resource."


class MethodNotAllowed(Problem):
    """The path exists, but only with other methods."""

    status, code, title = 405, "method_not_allowed", "This path does not support that method."
    remedy = "See the `Allow` header for the supported methods."


class Conflict(Problem):
    """The resource's current state does not allow the request."""

    status, code, title = 409, "conflict", "The request conflicts with the current state."
    remedy = "Read the resource again, then retry."


class TooLarge(Problem):
    """The body exceeds the limit for this path."""

    status, code, title = 413, "body_too_large", "The request body is too large."
    remedy = "Send a smaller one."


class UnsupportedMedia(Problem):
    """This path does not accept this content type."""

    status, code, title = 415, "unsupported_media_type", "The content type is not supported."
    remedy = "Send `application/json`."


class Invalid(Problem):
    """Fields are missing, have the wrong type or are out of range."""

    status, code, title = 422, "validation_failed", "Some fields are missing or invalid."
    remedy = "See `fields` for each error."


class UnknownField(Invalid):
    """This path does not accept these fields."""

    code, title = "unknown_field", "The body has unknown fields."
    remedy = "See `fields` for suggested names."


class UnknownParameter(Invalid):
    """This path does not accept these parameters."""

    code, title = "unknown_parameter", "The query has unknown parameters."
    remedy = "See `fields` for suggested names."


class UnknownValue(Invalid):
    """The filter accepts only certain values."""

    code, title = "unknown_value", "A filter has an unknown value."
    remedy = "See `fields` for the valid values."


def parse_field(path: str, parse: Callable[[Raw], Value], raw: Raw) -> Value:
    """Parse a field; convert a ValueError to an Invalid that names the field."""
    try:
        return parse(raw)
    except ValueError as error:
        raise Invalid(fields=[FieldError(path, str(error))]) from None


@contextmanager
def prefix_fields(path: str) -> Iterator[None]:
    """Prefix the fields of problems raised in this block with `path`."""
    try:
        yield
    except (Invalid, NotFound) as error:
        if not error.fields:
            raise
        fields = [FieldError(join_path(path, field.path), field.message) for field in error.fields]
        raise type(error)(fields=fields) from None


def join_path(path: str, name: str) -> str:
    """Join the path of an object and the name of its field."""
    return f"{path}.{name}".strip(".")


class TooManyRequests(Problem):
    """The caller exceeds a rate limit."""

    status, code, title = 429, "too_many_requests", "Too many requests."
    remedy = "Retry after the time in `Retry-After`."

    def __init__(self, wait: float, detail: str | None = None) -> None:
        self.wait = wait
        seconds = max(1, int(wait + 0.999))
        super().__init__(
            detail or f"{self.title} Try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )


class Internal(Problem):
    """Pannier failed to process the request. Use `request_id` to find the error in the logs."""

    status, code, title = 500, "internal", "Something went wrong on our side."
    remedy = "Try again. If the problem persists, report the `request_id`."


class Unavailable(Problem):
    """A service that Pannier depends on is unavailable."""

    status, code, title = 503, "unavailable", "The service is temporarily unavailable."
    remedy = "Retry after the time in `Retry-After`."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"Retry-After": "2"})


def list_problems(root: type[Problem] = Problem) -> Iterator[type[Problem]]:
    """List all problem classes, for the documentation and tests."""
    for kind in root.__subclasses__():
        yield kind
        yield from list_problems(kind)
