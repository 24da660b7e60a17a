"""Building blocks of a page: headings, labelled fields and formatted values."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from pannier.proofs.pdf.paper import (
    BODY,
    HEADING,
    LABEL,
    LEFT_MM,
    RIGHT_MM,
    Cell,
    Paper,
    Style,
    Text,
)
from pannier.proofs.phrases import Phrase

GAP_MM: Final = 4.0
METRES_PER_KILOMETRE: Final = 1000


class SheetField(NamedTuple):
    """A label and its value; a field without a value is not drawn."""

    label: str
    words: str | None
    style: Style = BODY
    more: Text | None = None


def format_moment(at: datetime | None, *, seconds: bool = False) -> str | None:
    """Format a moment with its UTC offset."""
    return None if at is None else f"{format_clock(at, seconds=seconds)} {utc_offset(at)}"


def format_clock(at: datetime, *, seconds: bool = False) -> str:
    """Format a moment without its UTC offset."""
    return f"{at:%Y-%m-%d %H:%M:%S}" if seconds else f"{at:%Y-%m-%d %H:%M}"


def utc_offset(at: datetime) -> str:
    """Return the UTC offset, such as +08 or +05:30."""
    return "UTC" if at.tzname() == "UTC" else at.isoformat()[-6:].removesuffix(":00")


def format_window(start: datetime | None, end: datetime | None) -> str | None:
    """Format a time window, which may be open at either end."""
    if start is None or end is None:
        bound = start or end
        pattern = "from" if start else "until"
        return None if bound is None else Phrase(pattern, format_moment(bound))
    if (start.date(), utc_offset(start)) != (end.date(), utc_offset(end)):
        return Phrase("span", format_moment(start), format_moment(end))
    return f"{format_clock(start)}-{end:%H:%M} {utc_offset(start)}"


def format_distance(distance: int | None) -> str | None:
    """Format a distance in metres or kilometres."""
    if distance is None:
        return None
    return (
        f"{distance} m"
        if distance < METRES_PER_KILOMETRE
        else f"{distance / METRES_PER_KILOMETRE:.1f} km"
    )


def humanise(code: str) -> str:
    """Turn a code into readable text."""
    return code.replace("_", " ").replace("-", " ").capitalize()


def draw_heading(paper: Paper, title: str, *, min_height: float = 22) -> None:
    """Start a section, on a new page when little more than its heading would fit."""
    paper.y += 3
    paper.ensure_room(min_height)
    paper.draw_text(title if isinstance(title, Phrase) else Phrase(title), HEADING)
    paper.y += 1
    paper.draw_rule()
    paper.y += 2


def draw_fields(
    paper: Paper, fields: Sequence[SheetField], across: int = 4, x: float = LEFT_MM
) -> None:
    """Draw fields in rows of columns."""
    nonempty_fields = [fact for fact in fields if fact.words]
    width = (RIGHT_MM - x - (across - 1) * GAP_MM) / across
    for start in range(0, len(nonempty_fields), across):
        cells = [
            Cell(x + column * (width + GAP_MM), width, field_texts(fact))
            for column, fact in enumerate(nonempty_fields[start : start + across])
        ]
        paper.draw_columns(cells)
        paper.y += 1.8


def field_texts(fact: SheetField) -> list[Text]:
    """Return a field's label with its value below it."""
    texts = [Text(Phrase(fact.label), LABEL), Text(fact.words or "", fact.style)]
    return texts if fact.more is None else [*texts, fact.more]
