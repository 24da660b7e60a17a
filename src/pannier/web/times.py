"""Times as the contract spells them: RFC 3339, UTC, `Z`, milliseconds."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, overload

from msgspec import Meta

Time = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-01-31T09:30:00.000Z"])
]


# A moment that the caller names; without an offset it would be anybody's guess.
Moment = Annotated[
    datetime, Meta(tz=True, description="RFC 3339.", examples=["2026-01-31T09:30:00.000Z"])
]


@overload
def stamp(moment: datetime) -> str: ...
@overload
def stamp(moment: None) -> None: ...
def stamp(moment: datetime | None) -> str | None:
    """Spell a moment."""
    if moment is None:
        return None
    return _spelled(moment)


@lru_cache(maxsize=4096)
def _spelled(moment: datetime) -> str:
    """Spell a moment; a request does so with the same few again and again."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
