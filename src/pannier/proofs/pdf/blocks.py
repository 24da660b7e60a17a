"""Building blocks of a page: headings, labelled fields and formatted values."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from pannier.proofs.pdf.paper import (
    BODY,
    HEADING,
    LABEL,
    LEFT,
    RIGHT,
    Cell,
    Paper,
    Style,
    Text,
)
from pannier.proofs.phrases import Phrase

GAP: Final = 4.0
KILOMETRE: Final = 1000


class Fact(NamedTuple):
    """A label and its value; a field without a value is not drawn."""

    label: str
    words: str | None
    style: Style = BODY
    more: Text | None = None


def moment(at: datetime | None, *, seconds: bool = False) -> str | None:
    """Format a moment with its UTC offset."""
    return None if at is None else f"{clock(at, seconds=seconds)} {offset(at)}"


def clock(at: datetime, *, seconds: bool = False) -> str:
    """Format a moment without its UTC offset."""
    return f"{at:%Y-%m-%d %H:%M:%S}" if seconds else f"{at:%Y-%m-%d %H:%M}"


def offset(at: datetime) -> str:
    """Return the UTC offset, such as +08 or +05:30."""
    return "UTC" if at.tzname() == "UTC" else at.isoformat()[-6:].removesuffix(":00")


def window(start: datetime | None, end: datetime | None) -> str | None:
    """Format a time window, which may be open at either end."""
    if start is None or end is None:
        known = start or end
        pattern = "from" if start else "until"
        return None if known is None else Phrase(pattern, moment(known))
    if (start.date(), offset(start)) != (end.date(), offset(end)):
        return Phrase("span", moment(start), moment(end))
    return f"{clock(start)}-{end:%H:%M} {offset(start)}"


def metres(distance: int | None) -> str | None:
    """Format a distance in metres or kilometres."""
    if distance is None:
        return None
    return f"{distance} m" if distance < KILOMETRE else f"{distance / KILOMETRE:.1f} km"


def phrase(code: str) -> str:
    """Turn a code into readable text."""
    return code.replace("_", " ").replace("-", " ").capitalize()


def heading(paper: Paper, title: str, *, room: float = 22) -> None:
    """Start a section, on a new page when little more than its heading would fit."""
    paper.y += 3
    paper.room(room)
    paper.say(title if isinstance(title, Phrase) else Phrase(title), HEADING)
    paper.y += 1
    paper.rule()
    paper.y += 2


def facts(paper: Paper, told: Sequence[Fact], across: int = 4, x: float = LEFT) -> None:
    """Draw fields in rows of columns."""
    known = [fact for fact in told if fact.words]
    width = (RIGHT - x - (across - 1) * GAP) / across
    for begin in range(0, len(known), across):
        cells = [
            Cell(x + turn * (width + GAP), width, texts(fact))
            for turn, fact in enumerate(known[begin : begin + across])
        ]
        paper.columns(cells)
        paper.y += 1.8


def texts(fact: Fact) -> list[Text]:
    """Return a field's label with its value below it."""
    told = [Text(Phrase(fact.label), LABEL), Text(fact.words or "", fact.style)]
    return told if fact.more is None else [*told, fact.more]
