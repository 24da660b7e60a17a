"""Refusals: a class with a code and a status for each; the edge spells them as RFC 9457 has it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple, TypeVar

Raw = TypeVar("Raw")
Value = TypeVar("Value")


class Field(NamedTuple):
    """One offending part of a body or query."""

    path: str
    message: str


class TroubleError(Exception):
    """One sentence for a person at the machine: what is wrong with it, and the remedy."""


class Problem(Exception):  # noqa: N818 - a refusal is not always an error
    """A refusal with a stable code. Raising one undoes the request's changes.

    `remembered` refusals are committed all the same: what they counted must count. A
    `passing` one holds for a moment only: the request is tried again before its caller hears of it.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something went wrong on our side."
    remembered: ClassVar[bool] = False
    passing: bool = False

    def __init__(
        self,
        detail: str | None = None,
        *,
        fields: Sequence[Field] = (),
        headers: Mapping[str, str] | None = None,
        **extra: Any,  # noqa: ANN401 - further members of the problem, as RFC 9457 allows
    ) -> None:
        self.fields = tuple(fields)
        self.detail = detail or " ".join(self._sentences()) or self.title
        super().__init__(self.detail)
        self.headers = dict(headers or {})
        self.extra = extra

    def _sentences(self) -> list[str]:
        return [f"{field.path}: {field.message}" for field in self.fields]

    def body(self, request_id: str) -> dict[str, Any]:
        """Spell the problem as the contract has it."""
        return {
            "type": f"/docs/errors#{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": self._sentences() or [self.detail],
            "error": self.detail,
            "fields": [field._asdict() for field in self.fields],
            "request_id": request_id,
            **self.extra,
        }


class BodyUnreadable(Problem):
    """The body is not JSON, or nested too deeply to be meant."""

    status, code, title = 400, "body_unreadable", "The body could not be read."


class Malformed(Problem):
    """Something else than the body cannot be read, such as the Host header."""

    status, code, title = 400, "request_malformed", "The request could not be read."


class CursorInvalid(Problem):
    """The cursor was not made by us for this list."""

    status, code, title = 400, "cursor_invalid", "The cursor does not belong to this list."


class Unauthenticated(Problem):
    """The credential is missing, wrong, revoked or expired."""

    status, code, title = 401, "unauthenticated", "A valid credential is required."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class Forbidden(Problem):
    """We know the caller, and the caller may not do this."""

    status, code, title = 403, "forbidden", "This credential may not do that."


class NotFound(Problem):
    """It is not there, or it is another company's, which is the same to the caller."""

    status, code, title = 404, "not_found", "There is nothing by that name here."


class MethodNotAllowed(Problem):
    """The path exists, but not with this method."""

    status, code, title = 405, "method_not_allowed", "This path does not take that method."


class Conflict(Problem):
    """The request does not fit the present state."""

    status, code, title = 409, "conflict", "The request conflicts with the present state."


class TooLarge(Problem):
    """The body is larger than this path takes."""

    status, code, title = 413, "body_too_large", "The body is too large."


class UnsupportedMedia(Problem):
    """The body's content type is not one this path reads."""

    status, code, title = 415, "unsupported_media_type", "The content type is not supported here."


class Invalid(Problem):
    """Understood, but refused: wrong types, missing fields, values out of range."""

    status, code, title = 422, "validation_failed", "Some fields are missing or wrong."


class UnknownField(Invalid):
    """The body has fields that this path does not take; `fields` suggests the right names."""

    code, title = "unknown_field", "The body has unknown fields."


class UnknownParameter(Invalid):
    """The query has parameters that this path does not take; `fields` suggests the right names."""

    code, title = "unknown_parameter", "The query has unknown parameters."


class UnknownValue(Invalid):
    """A filter has a value that nothing can have; `fields` names the values there are."""

    code, title = "unknown_value", "A filter has an unknown value."


def checked(path: str, parse: Callable[[Raw], Value], raw: Raw) -> Value:
    """Parse a field at the edge; its ValueError becomes a refusal that names the field."""
    try:
        return parse(raw)
    except ValueError as wrong:
        raise Invalid(fields=[Field(path, str(wrong))]) from None


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let refusals of what stands under a path name their fields as the caller sent them."""
    try:
        yield
    except (Invalid, NotFound) as wrong:
        if not wrong.fields:
            raise
        fields = [Field(below(path, field.path), field.message) for field in wrong.fields]
        raise type(wrong)(fields=fields) from None


def below(path: str, name: str) -> str:
    """Spell the path of a part."""
    return f"{path}.{name}".strip(".")


class TooManyRequests(Problem):
    """The caller must wait."""

    status, code, title = 429, "too_many_requests", "Too many requests; wait a moment."

    def __init__(self, wait: float, detail: str | None = None) -> None:
        self.wait = wait
        seconds = max(1, int(wait + 0.999))
        super().__init__(
            detail or f"Too many requests; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )


class Internal(Problem):
    """A defect of ours; the request id finds it in the logs."""

    status, code, title = 500, "internal", "Something went wrong on our side."


class Unavailable(Problem):
    """Something we depend on is away for the moment."""

    status, code, title = 503, "unavailable", "Temporarily unavailable; try again soon."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"Retry-After": "2"})


def every_problem(root: type[Problem] = Problem) -> Iterator[type[Problem]]:
    """List the refusals there are; the docs and the tests read them here."""
    for kind in root.__subclasses__():
        yield kind
        yield from every_problem(kind)
