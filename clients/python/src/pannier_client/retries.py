"""Decides whether a request is repeated, and when."""

import random
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Final

import httpx

RETRIED_STATUSES: Final = frozenset({408, 429, 502, 503, 504})
# The first request with the same key is still running.
RETRIED_CODES: Final = frozenset({"idempotency_in_progress"})
# Failures after which the same request can succeed. The others are mistakes in the request.
RETRIED_ERRORS: Final = (
    httpx.NetworkError,
    httpx.TimeoutException,
    httpx.RemoteProtocolError,
    httpx.ProxyError,
)


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is repeated, and how long the client waits before.

    The wait doubles from `min_seconds` with each attempt, up to `max_seconds`. A random part of it
    is left out, so that clients do not return at the same time. `Retry-After` of a response takes
    precedence. If it asks for more than `max_retry_after` seconds, the client gives up.
    """

    max_retries: int = 5
    min_seconds: float = 0.2
    max_seconds: float = 8.0
    max_retry_after: float = 60.0

    def find_delay(
        self, retries: int, retry_after: float | None, max_retries: int | None = None
    ) -> float | None:
        """Return the seconds before the next attempt, or None to give up."""
        if retries >= (self.max_retries if max_retries is None else max_retries):
            return None
        if retry_after is not None and retry_after > self.max_retry_after:
            return None
        full = min(self.min_seconds * 2.0 ** min(retries, 30), self.max_seconds)
        delay = full * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
        return max(delay, retry_after or 0.0)


def should_retry(response: httpx.Response) -> bool:
    """Tell whether the same request can get a better response later."""
    return response.status_code in RETRIED_STATUSES or (
        response.status_code == httpx.codes.CONFLICT
        and read_problem(response).get("code") in RETRIED_CODES
    )


def read_problem(response: httpx.Response) -> dict[str, Any]:
    """Read the problem of an error response; empty if it comes from another server."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def read_retry_after(response: httpx.Response) -> float | None:
    """Read `Retry-After`, which is a number of seconds or a date."""
    text = response.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
        # A date without a time zone is one of HTTP, which has only GMT.
        return max(
            0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - time()
        )
    except (ValueError, OverflowError):
        return None
