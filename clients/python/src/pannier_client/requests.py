"""Builds requests and reads responses, without sending anything."""

import base64
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypedDict
from urllib.parse import quote, urlencode

import httpx

from pannier_client.errors import BY_CODE
from pannier_client.problem import ProblemError
from pannier_client.retries import read_problem, read_retry_after

FIRST_ERROR_STATUS: Final = 300


class Omitted:
    """The value of a parameter that is not sent. `None` is sent as null."""


OMITTED: Final = Omitted()


class Options(TypedDict, total=False):
    """Options of one call."""

    idempotency_key: str
    """Identifies a change over several calls. By default each call gets its own key."""
    if_version: int
    """Refuse the change if the record no longer has this `version`."""
    timeout: float
    """Seconds to wait for the connection, and for each part of the response."""
    max_retries: int
    """How often to repeat the request."""
    headers: Mapping[str, str]
    """Further headers."""


@dataclass(frozen=True)
class Request:
    """A request, which is the same in every attempt."""

    method: str
    path: str
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    max_retries: int | None = None

    @property
    def idempotency_key(self) -> str | None:
        return self.headers.get("Idempotency-Key")


def build_request(
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    body: object = OMITTED,
    options: Options | None = None,
) -> Request:
    """Build a request. If it needs an idempotency key, all its attempts share the key."""
    given = options or {}
    headers: dict[str, str] = {}
    if _needs_key(method, given):
        headers["Idempotency-Key"] = given.get("idempotency_key") or str(uuid.uuid4())
    if "if_version" in given:
        headers["If-Match"] = f'"{given["if_version"]}"'
    content = None
    if not isinstance(body, Omitted):
        content = encode_body(body)
        headers["Content-Type"] = "application/json"
    pairs = urlencode(list(list_query_pairs(query or {})))
    return Request(
        method,
        f"{path}?{pairs}" if pairs else path,
        content,
        {**headers, **given.get("headers", {})},
        given.get("timeout"),
        given.get("max_retries"),
    )


def _needs_key(method: str, given: Options) -> bool:
    """Tell whether a repeated request would be done twice, or refused after its own success."""
    if method in {"GET", "POST", "DELETE"}:
        return method != "GET"
    has_condition = any(name.lower() == "if-match" for name in given.get("headers", {}))
    return has_condition or "if_version" in given


def fill_path(template: str, *values: str) -> str:
    """Fill the parameters of a path. A value cannot leave its segment."""
    for value in values:
        if value in {"", ".", ".."}:
            raise ValueError(f"{value!r} is not an identifier.")
        start, end = template.index("{"), template.index("}")
        template = f"{template[:start]}{quote(value, safe=':')}{template[end + 1 :]}"
    return template


def encode_body(body: object) -> bytes:
    """Encode a body as JSON. Bytes become base64, and times RFC 3339."""
    if isinstance(body, Mapping):
        body = {name: value for name, value in body.items() if not isinstance(value, Omitted)}
    return json.dumps(
        body, default=_encode_value, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode()


def _encode_value(value: object) -> object:
    match value:
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode()
        case date():
            return format_time(value)
        case Mapping():
            return dict(value)
        case Sequence() | set() | frozenset():
            return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON.")


def format_time(moment: date) -> str:
    """Format a date, or a time, which must have a time zone."""
    if isinstance(moment, datetime) and moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone.")
    return moment.isoformat()


def list_query_pairs(query: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """List the parameters of a query. Lists repeat their name; None and OMITTED are left out."""
    for name, value in query.items():
        if isinstance(value, list | tuple | set | frozenset):
            yield from ((name, _format_query_value(item)) for item in value)
        elif value is not None and not isinstance(value, Omitted):
            yield name, _format_query_value(value)


def _format_query_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return format_time(value)
    if isinstance(value, Mapping | list | tuple):
        return encode_body(value).decode()
    return str(value)


def raise_problem(response: httpx.Response) -> None:
    """Raise the class of the response's code, or ProblemError if the code is unknown."""
    if response.status_code < FIRST_ERROR_STATUS:
        return
    problem = read_problem(response)
    kind = BY_CODE.get(str(problem.get("code")), ProblemError)
    request_id = response.headers.get("x-request-id", "")
    body = {"request_id": request_id, **problem}
    raise kind(response.status_code, body, read_retry_after(response))


def read_json(response: httpx.Response) -> Any:  # noqa: ANN401 - any JSON value
    """Read the JSON of a successful response."""
    raise_problem(response)
    try:
        return response.json()
    except ValueError as error:
        problem = {"code": "response_unreadable", "title": "The response is not JSON."}
        raise ProblemError(response.status_code, problem) from error


def describe_client() -> str:
    """Return the `User-Agent` of this client."""
    try:
        release = version("pannier-client")
    except PackageNotFoundError:
        release = "unreleased"
    return f"pannier-client-python/{release}"
