"""Layout of a proof sheet's pages."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from math import ceil
from typing import Final, NamedTuple

from pannier.locales.catalogue import find_language
from pannier.proofs.pdf import evidence, fonts
from pannier.proofs.pdf.blocks import GAP, Fact, facts, heading, metres, moment, phrase, window
from pannier.proofs.pdf.paper import (
    ACCENT,
    BODY,
    CODE,
    FINE,
    GREEN,
    LABEL,
    LEFT,
    QUIET,
    RED,
    RIGHT,
    SMALL,
    STRONG,
    TITLE,
    WIDTH,
    Cell,
    Colour,
    Paper,
    Style,
    Text,
)
from pannier.proofs.phrases import Phrase, name_status
from pannier.proofs.sheet import Item, Moment, Sheet, Stop

QR: Final = 26.0
# A second column starts only beyond this many rows.
MOST_ROWS: Final = 4
LOGO: Final = 20.0
ENDS: Final[dict[str, Colour]] = {"completed": GREEN, "canceled": RED}


def printed(sheet: Sheet) -> bytes:
    """Render a sheet: pages for each stop, and how to verify it at the end."""
    language = find_language(sheet.locale)
    with (
        fonts.faces() as faces,
        closing(Paper(faces, lambda drawn: _furnish(drawn, sheet), language)) as paper,
    ):
        for stop in sheet.stops:
            _stop(paper, sheet, stop)
        _closing(paper, sheet)
        title = Phrase("{} {}", Phrase("proof_of_delivery"), sheet.order_id)
        if sheet.manifest:
            paper.attach("manifest.json", sheet.manifest, Phrase("manifest"), sheet.made_at)
        return paper.finished(title=title, author=sheet.company, made_at=sheet.made_at)


def accent(sheet: Sheet) -> Colour:
    """Return the brand's colour, or the default."""
    if sheet.color is None:
        return ACCENT
    red, green, blue = bytes.fromhex(sheet.color.removeprefix("#"))
    return red, green, blue


def _furnish(paper: Paper, sheet: Sheet) -> None:
    """Draw a page's header and footer."""
    inset = 0.0 if sheet.logo is None else LOGO + 3
    if sheet.logo is not None:
        paper.y = 8.5
        paper.picture(sheet.logo, LEFT, LOGO, 8)
    paper.y = 12
    paper.note(sheet.brand or sheet.company, STRONG, LEFT + inset, 110 - inset)
    paper.note(Phrase("proof_of_delivery"), QUIET, RIGHT - 60, 60, right=True)
    paper.y = 17.5
    paper.rule(colour=accent(sheet))
    paper.y = 283
    paper.rule()
    paper.y = 285
    paper.note(sheet.order_id, FINE, LEFT, 68)
    paper.note(Phrase("updated", moment(sheet.made_at)), LABEL, LEFT + 68, 44)
    paper.note(Phrase("times_in", sheet.zone), LABEL, LEFT + 112, 48)
    paper.count_pages(Phrase("page", paper.number), LABEL, RIGHT - 14, 20)


def _stop(paper: Paper, sheet: Sheet, stop: Stop) -> None:
    paper.new_page()
    _head(paper, sheet, stop)
    facts(paper, _order_facts(sheet))
    _section(paper, "pickup_and_dropoff" if stop.pickup else "stop_details", _stop_facts(stop))
    _timeline(paper, stop.timeline)
    _items(paper, stop.items)
    evidence.draw(paper, stop.exhibits)


def _head(paper: Paper, sheet: Sheet, stop: Stop) -> None:
    """Draw the title; beside it the QR code and the tracking number."""
    top, width = paper.y, WIDTH - QR - 12
    paper.qr(sheet.link or sheet.tracking_number, RIGHT - QR, QR)
    paper.y = top + QR + 1.2
    paper.squeeze(sheet.tracking_number, FINE, RIGHT - QR, QR)
    paper.y = top
    paper.say(stop.heading, STRONG._replace(colour=accent(sheet)), width=width)
    paper.say(stop.title, TITLE, width=width)
    if stop.address is not None and stop.address != stop.title:
        paper.say(stop.address, BODY, width=width)
    paper.y += 1.5
    paper.dot(LEFT, ENDS.get(sheet.status, accent(sheet)))
    paper.say(Phrase("order_status", name_status(sheet.status)), STRONG, x=LEFT + 3.2, width=width)
    paper.y = max(paper.y, top + QR + 6) + 1


def _order_facts(sheet: Sheet) -> list[Fact]:
    return [
        Fact("order", sheet.order_id, CODE),
        Fact("reference", sheet.internal_id),
        Fact("type", phrase(sheet.type)),
        Fact("customer", sheet.customer),
        Fact("driver", sheet.driver),
        Fact("vehicle", sheet.vehicle),
        Fact("facilitator", sheet.facilitator),
        Fact("distance", metres(sheet.distance)),
        Fact("created", moment(sheet.placed_at), CODE),
        Fact("scheduled", moment(sheet.scheduled_at), CODE),
        Fact("time_window", window(sheet.window_start, sheet.window_end), CODE),
        Fact("dispatched", moment(sheet.dispatched_at), CODE),
        Fact("started", moment(sheet.started_at), CODE),
        Fact("completed", moment(sheet.completed_at), CODE),
        Fact("canceled", moment(sheet.canceled_at), CODE),
        Fact("cancel_reason", sheet.cancel_reason),
    ]


def _stop_facts(stop: Stop) -> list[Fact]:
    return [
        Fact("pickup", stop.pickup),
        Fact("dropoff", stop.dropoff),
        Fact("contact", stop.contact),
        Fact("tracking_number", stop.tracking_number, CODE),
        Fact("time_window", window(stop.window_start, stop.window_end), CODE),
        Fact("arrived", moment(stop.arrived_at), CODE),
        Fact("completed", moment(stop.completed_at), CODE),
        Fact("notes", stop.notes),
    ]


def _timeline(paper: Paper, moments: Sequence[Moment]) -> None:
    """Draw the history over the full width: down the left half, then the right."""
    if not moments:
        return
    heading(paper, "history")
    lines = [Text(f"{moment(each.at)}  {each.status}", SMALL) for each in moments]
    rows = max(MOST_ROWS, ceil(len(lines) / 2))
    width = (WIDTH - GAP) / 2 if len(lines) > rows else WIDTH
    halves = [lines[:rows], lines[rows:]]
    told = [Cell(LEFT + turn * (width + GAP), width, half) for turn, half in enumerate(halves)]
    paper.columns([cell for cell in told if cell.texts])


def _section(paper: Paper, title: str, told: Sequence[Fact]) -> None:
    if any(fact.words for fact in told):
        heading(paper, title)
        facts(paper, told)


class Column(NamedTuple):
    """A column of the table of items."""

    label: str
    field: str
    width: float
    style: Style = BODY


COLUMNS: Final = (
    Column("item", "name", 62),
    Column("type", "kind", 20, QUIET),
    Column("reference", "reference", 27),
    Column("tracking_number", "tracking_number", 31, FINE._replace(leading=BODY.leading)),
    Column("size_and_weight", "measures", 25, QUIET),
    Column("proof", "evidence", 13, QUIET),
)


def _items(paper: Paper, items: Sequence[Item]) -> None:
    if not items:
        return
    heading(paper, Phrase("items", len(items)) if len(items) > 1 else Phrase("one_item"))
    first, *others = COLUMNS
    told = [first, *(each for each in others if any(getattr(item, each.field) for item in items))]
    _item_head(paper, told)
    for item in items:
        texts = [[Text(getattr(item, column.field), column.style)] for column in told]
        paper.columns(_laid(told, texts), lambda: _item_head(paper, told))
        paper.y += 0.8
        paper.rule()
        paper.y += 0.8


def _item_head(paper: Paper, columns: Sequence[Column]) -> None:
    paper.columns(_laid(columns, [[Text(Phrase(column.label), LABEL)] for column in columns]))
    paper.y += 0.6


def _laid(columns: Sequence[Column], texts: Sequence[Sequence[Text]]) -> list[Cell]:
    """Lay out columns; the first takes the width of omitted ones."""
    spare = WIDTH - sum(column.width for column in columns)
    cells, x = [], LEFT
    for column, told in zip(columns, texts, strict=True):
        width = column.width + (spare if column is columns[0] else 0)
        cells.append(Cell(x, width - 2, told))
        x += width
    return cells


def _closing(paper: Paper, sheet: Sheet) -> None:
    """Draw how to verify the sheet, after the last stop."""
    if not any(stop.exhibits for stop in sheet.stops):
        return
    paper.y += 1
    checking = [Text(Phrase("verification"), LABEL), Text(Phrase("checking"), SMALL)]
    paper.columns([Cell(LEFT, 78, checking), Cell(RIGHT - 94, 94, list(_signed(sheet)))])


def _signed(sheet: Sheet) -> Iterator[Text]:
    """Yield the chain's head and the keys that signed."""
    if sheet.head is not None:
        yield from (Text(Phrase("chain_head"), LABEL), Text(sheet.head.statement.decode(), FINE))
        yield from (Text(Phrase("chain_signature"), LABEL), Text(sheet.head.signature.hex(), FINE))
    for key in sheet.keys:
        yield from (
            Text(Phrase("public_key", key.key_id), LABEL),
            Text(key.public_key.hex(), FINE),
        )
