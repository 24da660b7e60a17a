"""Layout of a proof sheet's pages."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from math import ceil
from typing import Final, NamedTuple

from pannier.locales.catalogue import find_language
from pannier.proofs.pdf import evidence, fonts
from pannier.proofs.pdf.blocks import (
    GAP_MM,
    SheetField,
    draw_fields,
    draw_heading,
    draw_letterhead,
    format_distance,
    format_moment,
    format_window,
    humanise,
)
from pannier.proofs.pdf.paper import LEFT_MM, RIGHT_MM, WIDTH_MM, Cell, Paper, Text
from pannier.proofs.pdf.styles import (
    BODY,
    CODE,
    FINE,
    GREEN,
    LABEL,
    QUIET,
    RED,
    SMALL,
    STRONG,
    TITLE,
    Colour,
    Style,
    choose_accent_colour,
)
from pannier.proofs.phrases import Phrase, translate_status
from pannier.proofs.sheet import Sheet, SheetItem, SheetStop, TimelineEntry

QR_SIZE_MM: Final = 26.0
# A second column starts only beyond this many rows.
MIN_ROWS_PER_COLUMN: Final = 4
STATUS_COLOURS: Final[dict[str, Colour]] = {"completed": GREEN, "canceled": RED}


def render_pdf(sheet: Sheet) -> bytes:
    """Render a sheet: pages for each stop, then instructions for its verification."""
    language = find_language(sheet.locale)
    with (
        fonts.extract_faces() as faces,
        closing(
            Paper(
                faces,
                lambda page_paper: _draw_header_and_footer(page_paper, sheet),
                language,
            )
        ) as paper,
    ):
        for stop in sheet.stops:
            _draw_stop(paper, sheet, stop)
        _draw_verification(paper, sheet)
        title = Phrase("{} {}", Phrase("proof_of_delivery"), sheet.order_number)
        if sheet.manifest:
            paper.attach_file("manifest.json", sheet.manifest, Phrase("manifest"), sheet.made_at)
        return paper.to_bytes(title=title, author=sheet.company, made_at=sheet.made_at)


def _draw_header_and_footer(paper: Paper, sheet: Sheet) -> None:
    """Draw a page's header and footer."""
    draw_letterhead(paper, sheet.brand or sheet.company, sheet.logo, sheet.color)
    paper.y = 12
    paper.draw_note(Phrase("proof_of_delivery"), QUIET, RIGHT_MM - 60, 60, align_right=True)
    paper.y = 283
    paper.draw_rule()
    paper.y = 285
    paper.draw_note(sheet.order_id, FINE, LEFT_MM, 68)
    paper.draw_note(Phrase("updated", format_moment(sheet.made_at)), LABEL, LEFT_MM + 68, 44)
    paper.draw_note(Phrase("times_in", sheet.zone), LABEL, LEFT_MM + 112, 48)
    paper.draw_page_count(Phrase("page", paper.page_number), LABEL, RIGHT_MM - 14, 20)


def _draw_stop(paper: Paper, sheet: Sheet, stop: SheetStop) -> None:
    paper.begin_page()
    _draw_title(paper, sheet, stop)
    draw_fields(paper, _list_order_fields(sheet))
    _draw_section(
        paper, "pickup_and_dropoff" if stop.pickup else "stop_details", _list_stop_fields(stop)
    )
    _draw_timeline(paper, stop.timeline)
    _draw_items(paper, stop.items)
    evidence.draw_exhibits(paper, stop.exhibits)


def _draw_title(paper: Paper, sheet: Sheet, stop: SheetStop) -> None:
    """Draw the title, with the QR code and the tracking number beside it."""
    top, width = paper.y, WIDTH_MM - QR_SIZE_MM - 12
    paper.draw_qr(sheet.link or sheet.tracking_number, RIGHT_MM - QR_SIZE_MM, QR_SIZE_MM)
    paper.y = top + QR_SIZE_MM + 1.2
    paper.draw_fitted_word(sheet.tracking_number, FINE, RIGHT_MM - QR_SIZE_MM, QR_SIZE_MM)
    paper.y = top
    paper.draw_text(
        stop.heading, STRONG._replace(colour=choose_accent_colour(sheet.color)), width=width
    )
    paper.draw_text(stop.title, TITLE, width=width)
    if stop.address is not None and stop.address != stop.title:
        paper.draw_text(stop.address, BODY, width=width)
    paper.y += 1.5
    paper.draw_dot(LEFT_MM, STATUS_COLOURS.get(sheet.status, choose_accent_colour(sheet.color)))
    paper.draw_text(
        Phrase("order_status", translate_status(sheet.status)), STRONG, x=LEFT_MM + 3.2, width=width
    )
    paper.y = max(paper.y, top + QR_SIZE_MM + 6) + 1


def _list_order_fields(sheet: Sheet) -> list[SheetField]:
    return [
        SheetField("order", sheet.order_id, CODE),
        SheetField("reference", sheet.internal_id),
        SheetField("type", humanise(sheet.type)),
        SheetField("customer", sheet.customer),
        SheetField("driver", sheet.driver),
        SheetField("vehicle", sheet.vehicle),
        SheetField("facilitator", sheet.facilitator),
        SheetField("distance", format_distance(sheet.distance)),
        SheetField("created", format_moment(sheet.placed_at), CODE),
        SheetField("scheduled", format_moment(sheet.scheduled_at), CODE),
        SheetField("time_window", format_window(sheet.window_start, sheet.window_end), CODE),
        SheetField("dispatched", format_moment(sheet.dispatched_at), CODE),
        SheetField("started", format_moment(sheet.started_at), CODE),
        SheetField("completed", format_moment(sheet.completed_at), CODE),
        SheetField("canceled", format_moment(sheet.canceled_at), CODE),
        SheetField("cancel_reason", sheet.cancel_reason),
    ]


def _list_stop_fields(stop: SheetStop) -> list[SheetField]:
    return [
        SheetField("pickup", stop.pickup),
        SheetField("dropoff", stop.dropoff),
        SheetField("contact", stop.contact),
        SheetField("tracking_number", stop.tracking_number, CODE),
        SheetField("time_window", format_window(stop.window_start, stop.window_end), CODE),
        SheetField("arrived", format_moment(stop.arrived_at), CODE),
        SheetField("completed", format_moment(stop.completed_at), CODE),
        SheetField("notes", stop.notes),
    ]


def _draw_timeline(paper: Paper, entries: Sequence[TimelineEntry]) -> None:
    """Draw the history in two columns, the left one first."""
    if not entries:
        return
    draw_heading(paper, "history")
    lines = [Text(f"{format_moment(entry.at)}  {entry.status}", SMALL) for entry in entries]
    rows = max(MIN_ROWS_PER_COLUMN, ceil(len(lines) / 2))
    width = (WIDTH_MM - GAP_MM) / 2 if len(lines) > rows else WIDTH_MM
    columns_of_texts = [lines[:rows], lines[rows:]]
    cells = [
        Cell(LEFT_MM + column * (width + GAP_MM), width, texts)
        for column, texts in enumerate(columns_of_texts)
    ]
    paper.draw_columns([cell for cell in cells if cell.texts])


def _draw_section(paper: Paper, title: str, fields: Sequence[SheetField]) -> None:
    if any(field.content for field in fields):
        draw_heading(paper, title)
        draw_fields(paper, fields)


class ItemColumn(NamedTuple):
    """A column of the table of items."""

    label: str
    field: str
    width: float
    style: Style = BODY


ITEM_COLUMNS: Final = (
    ItemColumn("item", "name", 62),
    ItemColumn("type", "kind", 20, QUIET),
    ItemColumn("reference", "reference", 27),
    ItemColumn("tracking_number", "tracking_number", 31, FINE._replace(leading=BODY.leading)),
    ItemColumn("size_and_weight", "measures", 25, QUIET),
    ItemColumn("proof", "evidence", 13, QUIET),
)


def _draw_items(paper: Paper, items: Sequence[SheetItem]) -> None:
    if not items:
        return
    draw_heading(paper, Phrase("items", len(items)) if len(items) > 1 else Phrase("one_item"))
    first_column, *optional_columns = ITEM_COLUMNS
    columns = [
        first_column,
        *(
            column
            for column in optional_columns
            if any(getattr(item, column.field) for item in items)
        ),
    ]
    _draw_item_header(paper, columns)
    for item in items:
        texts = [[Text(getattr(item, column.field), column.style)] for column in columns]
        paper.draw_columns(
            _lay_out_cells(columns, texts), lambda: _draw_item_header(paper, columns)
        )
        paper.y += 0.8
        paper.draw_rule()
        paper.y += 0.8


def _draw_item_header(paper: Paper, columns: Sequence[ItemColumn]) -> None:
    paper.draw_columns(
        _lay_out_cells(columns, [[Text(Phrase(column.label), LABEL)] for column in columns])
    )
    paper.y += 0.6


def _lay_out_cells(columns: Sequence[ItemColumn], texts: Sequence[Sequence[Text]]) -> list[Cell]:
    """Lay out columns. The first column gets the width of omitted ones."""
    spare_width = WIDTH_MM - sum(column.width for column in columns)
    cells, x = [], LEFT_MM
    for column, column_texts in zip(columns, texts, strict=True):
        width = column.width + (spare_width if column is columns[0] else 0)
        cells.append(Cell(x, width - 2, column_texts))
        x += width
    return cells


def _draw_verification(paper: Paper, sheet: Sheet) -> None:
    """Draw the instructions for verification after the last stop."""
    if not any(stop.exhibits for stop in sheet.stops):
        return
    paper.y += 1
    instructions = [Text(Phrase("verification"), LABEL), Text(Phrase("checking"), SMALL)]
    paper.draw_columns(
        [
            Cell(LEFT_MM, 78, instructions),
            Cell(RIGHT_MM - 94, 94, list(_list_signature_texts(sheet))),
        ]
    )


def _list_signature_texts(sheet: Sheet) -> Iterator[Text]:
    """Yield the chain's head and the keys that signed."""
    if sheet.head is not None:
        yield from (Text(Phrase("chain_head"), LABEL), Text(sheet.head.statement.decode(), FINE))
        yield from (Text(Phrase("chain_signature"), LABEL), Text(sheet.head.signature.hex(), FINE))
    for key in sheet.keys:
        yield from (
            Text(Phrase("public_key", key.key_id), LABEL),
            Text(key.public_key.hex(), FINE),
        )
