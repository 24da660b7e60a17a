"""Layout of labels on paper: one per page, or four on an A4 sheet."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from typing import Final

from pannier.kit.labels import list_barcode_modules
from pannier.orders.labels.content import Label, LabelParty, LabelPhrase
from pannier.orders.labels.sizes import AREAS, SHEET_SIZE, LabelArea, LabelSize, locate_label
from pannier.proofs.pdf import fonts
from pannier.proofs.pdf.fonts import MONO, SANS
from pannier.proofs.pdf.paper import Paper, Text, TextLine
from pannier.proofs.pdf.styles import BODY, INK, LABEL, Style

MARGIN_MM: Final = 6.0
QR_MM: Final = 26.0
BARCODE_MM: Final = 17.0
# Room at the bottom for the codes and the number.
CODES_MM: Final = QR_MM + 9.0
BRAND: Final = Style(SANS, "B", 12, 5.2)
SERVICE: Final = Style(SANS, "", 9, 5.2)
CAPTION: Final = LABEL._replace(colour=INK)
RECIPIENT: Final = Style(SANS, "B", 17, 7.4)
ADDRESS: Final = Style(SANS, "", 13, 5.8)
NOTES: Final = Style(SANS, "", 9.5, 4.2)
CASH: Final = Style(SANS, "B", 14, 7)
NUMBER: Final = Style(MONO, "", 15, 6)


def render_pdf(
    labels: Sequence[Label],
    size: LabelSize,
    language: str,
    *,
    start: int,
    author: str,
    made_at: datetime,
) -> bytes:
    """Render labels as a PDF."""
    area = AREAS[size]
    page_size = SHEET_SIZE if size == "a4" else (area.width, area.height)
    with (
        fonts.extract_faces() as faces,
        closing(Paper(faces, lambda _: None, language, page_size=page_size)) as paper,
    ):
        for index, label in enumerate(labels):
            x, y, begins_page = locate_label(size, index, start)
            if begins_page:
                paper.begin_page()
            _LabelDrawing(paper, area, x, y).draw(label)
        return paper.to_bytes(title=LabelPhrase("title"), author=author, made_at=made_at)


class _LabelDrawing:
    """One label, at a place on the page."""

    def __init__(self, paper: Paper, area: LabelArea, x: float, y: float) -> None:
        self._paper = paper
        self._x, self._width = x + MARGIN_MM, area.width - 2 * MARGIN_MM
        self._top, self._bottom = y + MARGIN_MM, y + area.height - MARGIN_MM

    def draw(self, label: Label) -> None:
        self._draw_heading(label)
        self._draw_party("from", label.sender, BODY._replace(weight="B"), BODY, 2)
        self._draw_rule()
        self._draw_party("to", label.recipient, RECIPIENT, ADDRESS, 4)
        self._paper.y += 1.5
        self._draw_lines(label.notes, NOTES, self._width, 3)
        if label.cash:
            self._draw_cash(label.cash)
        self._draw_codes(label)

    def _draw_heading(self, label: Label) -> None:
        paper, brand_width = self._paper, self._width * 0.68
        paper.y = self._top
        paper.draw_note(
            label.service, SERVICE, self._x + brand_width, self._width - brand_width,
            align_right=True,
        )  # fmt: skip
        self._draw_lines(label.brand, BRAND, brand_width, 1)
        self._draw_rule()

    def _draw_rule(self) -> None:
        self._paper.y += 1.2
        self._paper.draw_rule(self._x, self._width, INK)
        self._paper.y += 1.6

    def _draw_party(
        self, caption: str, party: LabelParty, name_style: Style, style: Style, max_lines: int
    ) -> None:
        self._draw_lines(LabelPhrase(caption), CAPTION, self._width, 1)
        self._draw_lines(party.name, name_style, self._width, 2 if caption == "to" else 1)
        if party.address != party.name:
            self._draw_lines(party.address, style, self._width, max_lines)

    def _draw_cash(self, cash: str) -> None:
        paper = self._paper
        paper.y += 1
        paper.draw_box(self._x, self._width, CASH.leading + 1.6)
        paper.y += 0.8
        paper.draw_fitted_word(cash, CASH, self._x + 2, self._width - 4)
        paper.y += CASH.leading + 0.8

    def _draw_codes(self, label: Label) -> None:
        """Draw the QR code, the bar code and the number at the bottom, and the details above."""
        paper, top = self._paper, self._bottom - CODES_MM
        paper.y = top
        paper.draw_rule(self._x, self._width, INK)
        paper.y = top + 2
        paper.draw_qr(label.number, self._x, QR_MM)
        x, width = self._x + QR_MM + 4, self._width - QR_MM - 4
        for caption, value in label.details:
            self._draw_detail(caption, value, x, width)
        paper.y = top + 2 + QR_MM - BARCODE_MM + 5.5
        paper.draw_modules([list_barcode_modules(label.number)], x, width, BARCODE_MM - 5.5)
        paper.y = self._bottom - NUMBER.leading + 0.5
        paper.draw_fitted_word(label.number, NUMBER, self._x, self._width)

    def _draw_detail(self, caption: str, value: str, x: float, width: float) -> None:
        paper, caption_width = self._paper, width * 0.32
        paper.draw_note(caption, CAPTION, x, caption_width)
        paper.draw_note(value, BODY, x + caption_width, width - caption_width)
        paper.y += BODY.leading - 0.2

    def _draw_lines(self, text: str, style: Style, width: float, max_lines: int) -> None:
        """Draw a text, cut off after some lines."""
        if not text:
            return
        lines = self._paper.to_lines(Text(text, style), width)
        for line in _cut_lines(lines, max_lines):
            self._paper.draw_line(line, self._x, width)
            self._paper.y += style.leading


def _cut_lines(lines: Sequence[TextLine], max_lines: int) -> Sequence[TextLine]:
    """Return the first lines. The last one ends with an ellipsis if others follow."""
    if len(lines) <= max_lines:
        return lines
    *first_lines, last_line = lines[:max_lines]
    content = last_line.content
    shortened = content[: max(0, len(content) - 2)].rstrip() + "…"
    return [*first_lines, last_line._replace(content=shortened)]
