"""Paper: A4 pages, drawn from top to bottom, with room looked for before something is drawn."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import segno
from fpdf import FPDF
from fpdf.enums import Align
from fpdf.fonts import TTFFont

from pannier.proofs.pdf import fonts
from pannier.proofs.pdf.fonts import MONO, SANS, SYMBOLS, Face
from pannier.proofs.phrases import translate

Colour = tuple[int, int, int]
INK: Final = (20, 26, 35)
MUTED: Final = (95, 107, 124)
LINE: Final = (214, 220, 228)
TINT: Final = (246, 247, 249)
WHITE: Final = (255, 255, 255)
ACCENT: Final = (36, 87, 230)
GREEN: Final = (21, 128, 61)
AMBER: Final = (180, 83, 9)
RED: Final = (198, 40, 40)

# Millimetres.
LEFT, TOP, BOTTOM = 16.0, 24.0, 278.0
WIDTH: Final = 178.0
RIGHT: Final = LEFT + WIDTH
HAIR: Final = 0.2
PAGES: Final = "{nb}"
LAYOUT: Final = ("GDEF", "GPOS", "GSUB")


class Style(NamedTuple):
    """How a text looks; the leading is in millimetres."""

    family: str
    weight: str
    size: float
    leading: float
    colour: Colour = INK


TITLE: Final = Style(SANS, "B", 15, 6.4)
HEADING: Final = Style(SANS, "B", 10, 5)
STRONG: Final = Style(SANS, "B", 8.5, 4)
BODY: Final = Style(SANS, "", 8.5, 4)
QUIET: Final = Style(SANS, "", 8.5, 4, MUTED)
LABEL: Final = Style(SANS, "", 6.8, 3.3, MUTED)
SMALL: Final = Style(SANS, "", 7.4, 3.6, MUTED)
CODE: Final = Style(MONO, "", 8.6, 4)
FINE: Final = Style(MONO, "", 7.4, 3.4)


class Text(NamedTuple):
    """Some words and how they look."""

    words: str
    style: Style = BODY


class Cell(NamedTuple):
    """Texts below each other in a column."""

    x: float
    width: float
    texts: Sequence[Text]


class Row(NamedTuple):
    """A line of text that fits, and the faces that help out where its own has no letter."""

    words: str
    style: Style
    backing: tuple[str, ...]


class _Document(FPDF):
    """fpdf2's document, whose every page is furnished when it is full."""

    furnish: Callable[[], None]

    def footer(self) -> None:
        self.furnish()


class Paper:
    """A document; `furnish` draws what every page has."""

    def __init__(
        self,
        faces: Mapping[tuple[str, str], Face],
        furnish: Callable[["Paper"], None],
        language: str = "en",
    ) -> None:
        self._faces = faces
        self._language = language
        self._widths: dict[tuple[Style, tuple[str, ...]], dict[str, float]] = {}
        self._pdf = _Document(format="A4", unit="mm")
        self._pdf.furnish = lambda: furnish(self)
        self._pdf.set_auto_page_break(auto=False)
        self._pdf.c_margin = 0
        for family, weight in ((SANS, ""), (SANS, "B"), (MONO, "")):
            self._load(family, weight)

    @property
    def y(self) -> float:
        """The height at which is drawn, from the top."""
        return self._pdf.y

    @y.setter
    def y(self, height: float) -> None:
        """Go there."""
        self._pdf.y = height

    @property
    def number(self) -> int:
        """The number of this page."""
        return self._pdf.page_no()

    def new_page(self) -> None:
        """Begin a page below its head."""
        self._pdf.add_page()
        # Only the furniture counts pages: a name may be spelled like the mark for their number.
        self._pdf.str_alias_nb_pages = ""
        self.y = TOP

    def room(self, height: float) -> bool:
        """Begin a new page when this one has no such room, and tell whether that was so."""
        if self.y + height <= BOTTOM:
            return False
        self.new_page()
        return True

    def rows(self, text: Text, width: float) -> list[Row]:
        """Break a text into lines that fit; our own words in the language of the document."""
        words, backing = self._spelled(text._replace(words=translate(text.words, self._language)))
        measure = self._measure(Row(words, text.style, backing))
        lines = fonts.wrapped(words, width, measure)
        return [Row(line, text.style, backing) for line in lines]

    def put(self, row: Row, x: float, width: float, *, right: bool = False) -> None:
        """Draw a line of text at this height."""
        self._dress(row)
        self._pdf.x = x
        align = Align.R if right else Align.L
        self._pdf.cell(width, row.style.leading, row.words, align=align)

    def say(self, words: str, style: Style, x: float = LEFT, width: float = WIDTH) -> None:
        """Draw a text, over several pages if it must be."""
        self.columns([Cell(x, width, [Text(words, style)])])

    def note(
        self, words: str, style: Style, x: float, width: float, *, right: bool = False
    ) -> None:
        """Draw the first line of a text at this height, and stay there."""
        top = self.y
        self.put(self.rows(Text(words, style), width)[0], x, width, right=right)
        self.y = top

    def squeeze(self, words: str, style: Style, x: float, width: float) -> None:
        """Draw a word that is no wider than this, in smaller letters if it must be."""
        spelled, backing = self._spelled(Text(words, style))
        taken = self._measure(Row(spelled, style, backing))(spelled)
        size = style.size * min(1.0, width / max(taken, 0.1))
        # A hair more room, so that what just fits is not broken into two lines.
        self.note(words, style._replace(size=size), x, width + 0.1)

    def count_pages(self, before: str, style: Style, x: float, width: float) -> None:
        """Draw a text that ends with the number of all pages, as the last of the furniture."""
        self._pdf.str_alias_nb_pages = PAGES
        self.put(Row(translate(before, self._language) + PAGES, style, ()), x, width)

    def columns(
        self, cells: Sequence[Cell], on_new_page: Callable[[], None] = lambda: None
    ) -> None:
        """Draw columns that begin at this height; what fits on half a page stays together."""
        left = [
            [row for text in cell.texts for row in self.rows(text, cell.width)] for cell in cells
        ]
        if self.room(min(max(map(_height, left)), (BOTTOM - TOP) / 2)):
            on_new_page()
        while any(left):
            left = self._drawn(cells, left)
            if any(left):
                self.new_page()
                on_new_page()

    def _drawn(self, cells: Sequence[Cell], left: Sequence[list[Row]]) -> list[list[Row]]:
        """Draw what fits on this page, and answer the rest."""
        top = lowest = self.y
        rest = []
        for cell, rows in zip(cells, left, strict=True):
            self.y = top
            number = 0
            while number < len(rows) and self.y + rows[number].style.leading <= BOTTOM:
                self.put(rows[number], cell.x, cell.width)
                self.y += rows[number].style.leading
                number += 1
            lowest = max(lowest, self.y)
            rest.append(rows[number:])
        self.y = lowest
        return rest

    def rule(self, x: float = LEFT, width: float = WIDTH, colour: Colour = LINE) -> None:
        """Draw a hairline at this height."""
        self._pdf.set_draw_color(*colour)
        self._pdf.set_line_width(HAIR)
        self._pdf.line(x, self.y, x + width, self.y)

    def box(self, x: float, width: float, height: float, fill: Colour = TINT) -> None:
        """Draw a box whose top is at this height."""
        self._pdf.set_draw_color(*LINE)
        self._pdf.set_line_width(HAIR)
        self._pdf.set_fill_color(*fill)
        self._pdf.rect(x, self.y, width, height, style="DF")

    def dot(self, x: float, colour: Colour) -> None:
        """Draw a dot in the middle of a line at this height."""
        self._pdf.set_fill_color(*colour)
        self._pdf.circle(x + 0.9, self.y + BODY.leading / 2, 0.9, style="F")

    def qr(self, text: str, x: float, size: float) -> None:
        """Draw a QR code, as squares that stay sharp in any size."""
        matrix = segno.make_qr(text, error="m").matrix
        step = size / len(matrix)
        self._pdf.set_fill_color(*INK)
        for number, modules in enumerate(matrix):
            for start, length in _runs(modules):
                # A hair too high, so that no seam shows between two lines.
                self._pdf.rect(
                    x + start * step, self.y + number * step, length * step, step + 0.02, style="F"
                )

    def picture(self, data: bytes, x: float, width: float, height: float) -> None:
        """Draw a picture in the middle of a box of this size, as large as it fits."""
        self._pdf.image(data, x, self.y, width, height, keep_aspect_ratio=True)

    def attach(self, name: str, data: bytes, words: str, at: datetime) -> None:
        """Put a file into the document."""
        self._pdf.embed_file(
            bytes=data,
            basename=name,
            desc=translate(words, self._language),
            creation_date=at,
            modification_date=at,
            compress=True,
        )

    def finished(self, *, title: str, author: str, made_at: datetime) -> bytes:
        """Answer the document's bytes."""
        self._pdf.set_title(fonts.plain(translate(title, self._language)))
        self._pdf.set_author(fonts.plain(author))
        self._pdf.set_creator("Pannier")
        self._pdf.set_lang(self._language)
        self._pdf.set_creation_date(made_at)
        return bytes(self._pdf.output())

    def close(self) -> None:
        """Close the faces' files."""
        for font in self._pdf.fonts.values():
            if isinstance(font, TTFFont):
                font.ttfont.close()

    def _load(self, family: str, weight: str = "") -> None:
        if f"{family}{weight}" in self._pdf.fonts:
            return
        face = self._faces[family, weight]
        self._pdf.add_font(family, weight, face.path, collection_font_number=face.number)
        font = self._pdf.fonts[f"{family}{weight}"]
        for table in LAYOUT:
            # HarfBuzz reads these from the file; in the document nobody does, and to look through
            # them takes half of the time of a whole sheet.
            if isinstance(font, TTFFont) and table in font.ttfont:
                del font.ttfont[table]

    def _spelled(self, text: Text) -> tuple[str, tuple[str, ...]]:
        """Spell what no face has, and name the faces that are needed beside the text's own."""
        words = fonts.plain(text.words)
        if self._has([text.style.family], words):
            return words, ()
        east = fonts.east_asian(words)
        backing = (SANS, SYMBOLS) if east is None else (SANS, SYMBOLS, east)
        for family in backing:
            self._load(family)
        known = [mark if self._has(backing, mark) else fonts.stand_in(mark) for mark in words]
        return "".join(known), backing

    def _has(self, families: Iterable[str], text: str) -> bool:
        fonts = [self._pdf.fonts[family] for family in families]
        maps = [font.cmap for font in fonts if isinstance(font, TTFFont)]
        return all(mark == "\n" or any(ord(mark) in known for known in maps) for mark in text)

    def _measure(self, row: Row) -> Callable[[str], float]:
        """Answer what measures parts of a line; letters that are not shaped add up."""
        self._dress(row)
        if fonts.shaped(row.words):
            return self._pdf.get_string_width
        known = self._widths.setdefault((row.style, row.backing), {})
        for mark in {*row.words, " "} - known.keys():
            known[mark] = self._pdf.get_string_width(mark)
        return lambda words: sum(known[mark] for mark in words)

    def _dress(self, row: Row) -> None:
        self._pdf.set_font(row.style.family, row.style.weight, row.style.size)
        self._pdf.set_text_color(*row.style.colour)
        self._pdf.set_text_shaping(use_shaping_engine=fonts.shaped(row.words))
        self._pdf.set_fallback_fonts(row.backing, exact_match=False)


def _height(rows: Iterable[Row]) -> float:
    return sum(row.style.leading for row in rows)


def _runs(modules: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Find the dark stretches of a line: where each begins, and how long it is."""
    start = None
    for number, dark in enumerate([*modules, 0]):
        if dark and start is None:
            start = number
        elif not dark and start is not None:
            yield start, number - start
            start = None
