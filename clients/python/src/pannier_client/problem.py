"""The errors that all calls can raise. `errors` has a class for each code."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class PannierError(Exception):
    """Any failure of a call."""


class NoResponseError(PannierError):
    """No attempt got a response. The cause is the last attempt's error.

    Whether the server has done the work is unknown. Repeat it with the same idempotency key.
    """

    def __init__(self, attempts: int, idempotency_key: str | None) -> None:
        super().__init__(f"There was no response to {attempts} attempts.")
        self.attempts = attempts
        self.idempotency_key = idempotency_key


class FieldError(NamedTuple):
    """What is wrong with one field of a request."""

    path: str
    message: str


class ProblemError(PannierError):
    """An error response. `code` is stable; the texts are for people and may change."""

    def __init__(
        self, status: int, problem: Mapping[str, Any], retry_after: float | None = None
    ) -> None:
        self.status = status
        self.code = str(problem.get("code") or f"http_{status}")
        self.title = str(problem.get("title") or "The response is not from Pannier.")
        self.detail = str(problem.get("detail") or self.title)
        self.request_id = str(problem.get("request_id") or "")
        self.fields = _read_fields(problem.get("fields"))
        self.retry_after = retry_after
        self.problem = dict(problem)
        super().__init__(f"{self.status} {self.code}: {self.detail}")


def _read_fields(fields: object) -> tuple[FieldError, ...]:
    """Read the errors of a problem's fields. Another server's body may have anything there."""
    entries = fields if isinstance(fields, list) else []
    return tuple(
        FieldError(str(entry.get("path", "")), str(entry.get("message", "")))
        for entry in entries
        if isinstance(entry, Mapping)
    )
