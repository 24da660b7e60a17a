"""Optional optimistic locking: `ETag` in a response, and `If-Match` in the next change."""

import hashlib
import re
from typing import Final

from pannier.errors import Problem
from pannier.web.exchange import Exchange

HEADER: Final = b"if-match"
# A version, and the digest of a representation that the caller has chosen.
_REPRESENTATION_ETAG: Final = re.compile(r'"(\d{1,10})-[0-9a-f]{16}"')


class PreconditionFailed(Problem):
    """The resource no longer matches `If-Match`."""

    status, code = 412, "precondition_failed"
    title = "The resource has changed since you read it."
    remedy = "Read it again, and send its current `ETag`."


def to_etag(version: int) -> str:
    """Format a version as an entity tag."""
    return f'"{version}"'


def to_representation_etag(version: int, body: bytes) -> str:
    """Format the entity tag of a chosen representation, such as some of a record's fields.

    It differs from that of other representations. `If-Match` accepts it as the record's version.
    """
    return f'"{version}-{hashlib.sha256(body).hexdigest()[:16]}"'


class IfMatch:
    """Checks a row's version against the request's `If-Match`, if there is one."""

    def __init__(self, exchange: Exchange) -> None:
        self._header = exchange.headers.get(HEADER)

    def __call__(self, version: int) -> None:
        """Raise PreconditionFailed if the caller expects a different version."""
        self._require(to_etag(version))

    def reject_version(self) -> None:
        """Raise PreconditionFailed if the caller expects a version of an unversioned record."""
        self._require(detail="This record has no versions. Leave out `If-Match`.")

    def _require(self, *current_tags: str, detail: str | None = None) -> None:
        if self._header is None:
            return
        parts = self._header.decode("latin-1").split(",")
        requested_tags = {_REPRESENTATION_ETAG.sub(r'"\1"', part.strip()) for part in parts}
        if not requested_tags & {"*", *current_tags}:
            raise PreconditionFailed(detail)
