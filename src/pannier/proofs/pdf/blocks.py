"""Building blocks of a page: headings, labelled fields and formatted values."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from pannier.proofs.pdf.paper import LEFT_MM, RIGHT_MM, Cell, Paper, Text
from pannier.proofs.pdf.styles import BODY, HEADING, LABEL, STRONG, Style, choose_accent_colour
from pannier.proofs.phrases import Phrase

GAP_MM: Final = 4.0
METRES_PER_KILOMETRE: Final = 1000
LOGO_WIDTH_MM: Final = 20.0


class SheetField(NamedTuple):
    """A label and its value; a field without a value is not drawn."""

    label: str
    content: str | None
    style: Style = BODY
    note: Text | None = None


def format_moment(moment: datetime | None, *, seconds: bool = False) -> str | None:
    """Format a moment with its UTC offset."""
    return (
        None
        if moment is None
        else f"{format_clock(moment, seconds=seconds)} {format_utc_offset(moment)}"
    )


def format_clock(moment: datetime, *, seconds: bool = False) -> str:
    """Format a moment without its UTC offset."""
    return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds else f"{moment:%Y-%m-%d %H:%M}"


def format_utc_offset(moment: datetime) -> str:
    """Format the UTC offset, such as +08 or +05:30."""
    return "UTC" if moment.tzname() == "UTC" else moment.isoformat()[-6:].removesuffix(":00")


def format_window(start: datetime | None, end: datetime | None) -> str | None:
    """Format a time window, which may be open at either end."""
    if start is None or end is None:
        bound = start or end
        pattern = "from" if start else "until"
        return None if bound is None else Phrase(pattern, format_moment(bound))
    if (start.date(), format_utc_offset(start)) != (end.date(), format_utc_offset(end)):
        return Phrase("span", format_moment(start), format_moment(end))
    return f"{format_clock(start)}-{end:%H:%M} {format_utc_offset(start)}"


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


def draw_letterhead(paper: Paper, brand: str, logo: bytes | None, color: str | None) -> None:
    """Draw the top of a page: the logo, the brand's name and a rule in its colour."""
    inset = 0.0 if logo is None else LOGO_WIDTH_MM + 3
    if logo is not None:
        paper.y = 8.5
        paper.draw_picture(logo, LEFT_MM, LOGO_WIDTH_MM, 8)
    paper.y = 12
    paper.draw_note(brand, STRONG, LEFT_MM + inset, 110 - inset)
    paper.y = 17.5
    paper.draw_rule(colour=choose_accent_colour(color))


def draw_heading(paper: Paper, title: str, *, min_height: float = 22) -> None:
    """Start a section, on a new page if less than `min_height` is left."""
    paper.y += 3
    paper.ensure_room(min_height)
    paper.draw_text(title if isinstance(title, Phrase) else Phrase(title), HEADING)
    paper.y += 1
    paper.draw_rule()
    paper.y += 2


def draw_fields(
    paper: Paper, fields: Sequence[SheetField], column_count: int = 4, x: float = LEFT_MM
) -> None:
    """Draw fields in rows of columns."""
    nonempty_fields = [field for field in fields if field.content]
    width = (RIGHT_MM - x - (column_count - 1) * GAP_MM) / column_count
    for start in range(0, len(nonempty_fields), column_count):
        cells = [
            Cell(x + column * (width + GAP_MM), width, make_field_texts(field))
            for column, field in enumerate(nonempty_fields[start : start + column_count])
        ]
        paper.draw_columns(cells)
        paper.y += 1.8


def make_field_texts(field: SheetField) -> list[Text]:
    """Return the texts of a field: its label, its value and its note."""
    label = field.label if isinstance(field.label, Phrase) else Phrase(field.label)
    texts = [Text(label, LABEL), Text(field.content or "", field.style)]
    return texts if field.note is None else [*texts, field.note]
