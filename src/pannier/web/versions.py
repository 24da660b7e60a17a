"""Optional optimistic locking: an answer's `ETag`, and `If-Match` on the change that follows."""

from typing import Final

from pannier.errors import Problem
from pannier.web.exchange import Exchange

HEADER: Final = b"if-match"


class PreconditionFailed(Problem):
    """The resource no longer matches `If-Match`."""

    status, code = 412, "precondition_failed"
    title = "The resource has changed since you read it."
    remedy = "Read it again, and send its current `ETag`."


def tag(version: int) -> str:
    """Spell a version as an entity tag."""
    return f'"{version}"'


class Match:
    """Checks a row's version against what the caller expects, when the caller says so."""

    def __init__(self, exchange: Exchange) -> None:
        self._wanted = exchange.headers.get(HEADER)

    def __call__(self, version: int) -> None:
        """Refuse when the caller expects another version."""
        self._require(tag(version))

    def unversioned(self) -> None:
        """Refuse whoever expects a version of what has none: they mean something else."""
        self._require(detail="This has no versions; leave If-Match out.")

    def _require(self, *present: str, detail: str | None = None) -> None:
        if self._wanted is None:
            return
        wanted = {part.strip() for part in self._wanted.decode("latin-1").split(",")}
        if not wanted & {"*", *present}:
            raise PreconditionFailed(detail)
