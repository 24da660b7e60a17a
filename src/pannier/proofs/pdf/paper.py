"""Paper: A4 pages, filled from top to bottom, with page breaks before content that does not fit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import segno
from fpdf import FPDF
from fpdf.enums import Align
from fpdf.fonts import TTFFont

from pannier.proofs.pdf import fonts
from pannier.proofs.pdf.fonts import MONO, SANS, SYMBOLS, FontFace
from pannier.proofs.pdf.styles import BODY, INK, LINE, TINT, Colour, Style
from pannier.proofs.phrases import translate

# Millimetres.
A4_MM: Final = (210.0, 297.0)
LEFT_MM, TOP_MM, BOTTOM_MM = 16.0, 24.0, 278.0
WIDTH_MM: Final = 178.0
RIGHT_MM: Final = LEFT_MM + WIDTH_MM
HAIRLINE_MM: Final = 0.2
MAX_KNOWN_TEXTS: Final = 1000
PAGE_COUNT_PLACEHOLDER: Final = "{nb}"
CREATOR: Final = "Pannier"
ARCHIVAL_STANDARD: Final = "PDF/A-3B"
LAYOUT_TABLES: Final = ("GDEF", "GPOS", "GSUB")


class Text(NamedTuple):
    """A text and its style."""

    content: str
    style: Style = BODY


class Cell(NamedTuple):
    """Texts below each other in a column."""

    x: float
    width: float
    texts: Sequence[Text]
    align_right: bool = False


class TextLine(NamedTuple):
    """A line that fits, and fallback faces for letters that its face lacks."""

    content: str
    style: Style
    fallback_faces: tuple[str, ...]


class _PdfDocument(FPDF):
    """An fpdf2 document that draws the page furniture when a page is complete."""

    draw_furniture: Callable[[], None]

    def footer(self) -> None:
        self.draw_furniture()


class Paper:
    """A document. `draw_furniture` draws the header and footer of every page.

    An archival document follows PDF/A-3: it has all fonts and an XML description of itself.
    """

    def __init__(
        self,
        faces: Mapping[tuple[str, str], FontFace],
        draw_furniture: Callable[["Paper"], None],
        language: str = "en",
        *,
        archival: bool = False,
        page_size: tuple[float, float] = A4_MM,
    ) -> None:
        self._faces = faces
        self._language = language
        self._widths: dict[tuple[Style, tuple[str, ...]], dict[str, float]] = {}
        # Texts are measured before they are drawn, and columns repeat their texts.
        self._lines: dict[tuple[Text, float], list[TextLine]] = {}
        self._pdf = _PdfDocument(
            format=page_size, unit="mm", enforce_compliance=ARCHIVAL_STANDARD if archival else None
        )
        self._pdf.draw_furniture = lambda: draw_furniture(self)
        self._pdf.set_auto_page_break(auto=False)
        self._pdf.c_margin = 0
        for family, weight in ((SANS, ""), (SANS, "B"), (MONO, "")):
            self._load_face(family, weight)

    @property
    def y(self) -> float:
        """The current height in millimetres, from the top."""
        return self._pdf.y

    @y.setter
    def y(self, height: float) -> None:
        self._pdf.y = height

    @property
    def page_number(self) -> int:
        """The current page's number."""
        return self._pdf.page_no()

    def begin_page(self) -> None:
        """Begin a page, below its header."""
        self._pdf.add_page()
        # Only the furniture uses the placeholder: other text may contain the same characters.
        self._pdf.str_alias_nb_pages = ""
        self.y = TOP_MM

    def ensure_room(self, height: float) -> bool:
        """Begin a new page if the height does not fit. Return True if it began one."""
        if self.y + height <= BOTTOM_MM:
            return False
        self.begin_page()
        return True

    def measure_height(self, cells: Sequence[Cell]) -> float:
        """Return the height of columns."""
        return max(
            sum(_sum_heights(self.to_lines(text, cell.width)) for text in cell.texts)
            for cell in cells
        )

    def to_lines(self, text: Text, width: float) -> list[TextLine]:
        """Translate a text and break it into lines that fit."""
        key = (text, width)
        if (known_lines := self._lines.get(key)) is not None:
            return known_lines
        if len(self._lines) >= MAX_KNOWN_TEXTS:
            self._lines.clear()
        lines = self._lines[key] = self._break_into_lines(text, width)
        return lines

    def _break_into_lines(self, text: Text, width: float) -> list[TextLine]:
        drawable_text, fallback_faces = self._substitute_missing_letters(
            text._replace(content=translate(text.content, self._language))
        )
        measure = self._make_text_measure(TextLine(drawable_text, text.style, fallback_faces))
        lines = fonts.wrap_text(drawable_text, width, measure)
        return [TextLine(line, text.style, fallback_faces) for line in lines]

    def draw_line(
        self, line: TextLine, x: float, width: float, *, align_right: bool = False
    ) -> None:
        """Draw a line of text at the current height."""
        is_plain = not (line.fallback_faces or fonts.needs_shaping(line.content))
        if is_plain and not self._pdf.str_alias_nb_pages:
            self._draw_plain_line(line, x, width, align_right=align_right)
            return
        self._apply_style(line)
        self._pdf.x = x
        align = Align.R if align_right else Align.L
        self._pdf.cell(width, line.style.leading, line.content, align=align)

    def _draw_plain_line(
        self, line: TextLine, x: float, width: float, *, align_right: bool
    ) -> None:
        """Draw a line in one face without shaping, which takes a third of a cell's time."""
        if not line.content:
            return
        if align_right:
            x += width - self._make_text_measure(line)(line.content)
        self._apply_style(line)
        # The baseline of a cell.
        baseline = self.y + 0.5 * line.style.leading + 0.3 * self._pdf.font_size
        self._pdf.text(x, baseline, line.content)

    def draw_text(
        self, text: str, style: Style, x: float = LEFT_MM, width: float = WIDTH_MM
    ) -> None:
        """Draw a text, over several pages if needed."""
        self.draw_columns([Cell(x, width, [Text(text, style)])])

    def draw_note(
        self, text: str, style: Style, x: float, width: float, *, align_right: bool = False
    ) -> None:
        """Draw the first line of a text without moving down."""
        top = self.y
        self.draw_line(
            self.to_lines(Text(text, style), width)[0], x, width, align_right=align_right
        )
        self.y = top

    def draw_fitted_word(self, text: str, style: Style, x: float, width: float) -> None:
        """Draw a word within a width, in a smaller size if needed."""
        drawable_text, fallback_faces = self._substitute_missing_letters(Text(text, style))
        text_width = self._make_text_measure(TextLine(drawable_text, style, fallback_faces))(
            drawable_text
        )
        size = style.size * min(1.0, width / max(text_width, 0.1))
        # A little extra width, so that a text that just fits is not broken into two lines.
        self.draw_note(text, style._replace(size=size), x, width + 0.1)

    def draw_page_count(self, prefix: str, style: Style, x: float, width: float) -> None:
        """Draw a text that ends with the number of pages. Call it last in `draw_furniture`."""
        self._pdf.str_alias_nb_pages = PAGE_COUNT_PLACEHOLDER
        self.draw_line(
            TextLine(translate(prefix, self._language) + PAGE_COUNT_PLACEHOLDER, style, ()),
            x,
            width,
        )

    def draw_columns(
        self, cells: Sequence[Cell], on_page_begin: Callable[[], None] = lambda: None
    ) -> None:
        """Draw columns from the current height. Content of up to half a page is not divided."""
        remaining_rows = [
            [row for text in cell.texts for row in self.to_lines(text, cell.width)]
            for cell in cells
        ]
        if self.ensure_room(min(max(map(_sum_heights, remaining_rows)), (BOTTOM_MM - TOP_MM) / 2)):
            on_page_begin()
        while any(remaining_rows):
            remaining_rows = self._draw_fitting_lines(cells, remaining_rows)
            if any(remaining_rows):
                self.begin_page()
                on_page_begin()

    def _draw_fitting_lines(
        self, cells: Sequence[Cell], remaining_rows: Sequence[list[TextLine]]
    ) -> list[list[TextLine]]:
        """Draw the lines that fit on this page, and return the others."""
        top = bottom = self.y
        undrawn_rows = []
        for cell, rows in zip(cells, remaining_rows, strict=True):
            self.y = top
            index = 0
            while index < len(rows) and self.y + rows[index].style.leading <= BOTTOM_MM:
                self.draw_line(rows[index], cell.x, cell.width, align_right=cell.align_right)
                self.y += rows[index].style.leading
                index += 1
            bottom = max(bottom, self.y)
            undrawn_rows.append(rows[index:])
        self.y = bottom
        return undrawn_rows

    def draw_rule(self, x: float = LEFT_MM, width: float = WIDTH_MM, colour: Colour = LINE) -> None:
        """Draw a hairline at the current height."""
        self._pdf.set_draw_color(*colour)
        self._pdf.set_line_width(HAIRLINE_MM)
        self._pdf.line(x, self.y, x + width, self.y)

    def draw_box(self, x: float, width: float, height: float, fill: Colour = TINT) -> None:
        """Draw a box with its top at the current height."""
        self._pdf.set_draw_color(*LINE)
        self._pdf.set_line_width(HAIRLINE_MM)
        self._pdf.set_fill_color(*fill)
        self._pdf.rect(x, self.y, width, height, style="DF")

    def draw_dot(self, x: float, colour: Colour) -> None:
        """Draw a dot in the middle of the current line."""
        self._pdf.set_fill_color(*colour)
        self._pdf.circle(x + 0.9, self.y + BODY.leading / 2, 0.9, style="F")

    def draw_qr(self, text: str, x: float, size: float) -> None:
        """Draw a QR code as vector squares, sharp at any size."""
        self.draw_modules(segno.make_qr(text, error="m", encoding="utf-8").matrix, x, size, size)

    def draw_modules(
        self, matrix: Sequence[Sequence[int]], x: float, width: float, height: float
    ) -> None:
        """Draw the dark modules of a code as rectangles."""
        step, row_height = width / len(matrix[0]), height / len(matrix)
        self._pdf.set_fill_color(*INK)
        for row_number, modules in enumerate(matrix):
            for start, length in _find_dark_runs(modules):
                # Slightly taller than a row, so that no seam shows.
                self._pdf.rect(
                    x + start * step,
                    self.y + row_number * row_height,
                    length * step,
                    row_height + 0.02,
                    style="F",
                )

    def draw_picture(self, data: bytes, x: float, width: float, height: float) -> None:
        """Draw a picture centred in a box, as large as possible."""
        self._pdf.image(data, x, self.y, width, height, keep_aspect_ratio=True)

    def attach_file(
        self,
        name: str,
        data: bytes,
        description: str,
        created_at: datetime,
        *,
        content_type: str = "application/json",
        relationship: str | None = None,
    ) -> None:
        """Embed a file in the document. An archival one states their relationship."""
        self._pdf.embed_file(
            bytes=data,
            basename=name,
            desc=translate(description, self._language),
            creation_date=created_at,
            modification_date=created_at,
            compress=True,
            mime_type=content_type,
            associated_file_relationship=relationship,
        )

    def to_bytes(
        self, *, title: str, author: str, made_at: datetime, metadata: str | None = None
    ) -> bytes:
        """Return the PDF's bytes. Archival documents have metadata in XML."""
        if metadata is not None:
            self._pdf.set_xmp_metadata(metadata)
            self._pdf.set_producer(CREATOR)
        self._pdf.set_title(fonts.strip_invisible(translate(title, self._language)))
        self._pdf.set_author(fonts.strip_invisible(author))
        self._pdf.set_creator(CREATOR)
        self._pdf.set_lang(self._language)
        self._pdf.set_creation_date(made_at)
        return bytes(self._pdf.output())

    def close(self) -> None:
        """Close the font files."""
        for font in self._pdf.fonts.values():
            if isinstance(font, TTFFont):
                font.ttfont.close()

    def _load_face(self, family: str, weight: str = "") -> None:
        if f"{family}{weight}" in self._pdf.fonts:
            return
        face = self._faces[family, weight]
        self._pdf.add_font(family, weight, face.path, collection_font_number=face.number)
        font = self._pdf.fonts[f"{family}{weight}"]
        if isinstance(font, TTFFont):
            font.ttfont.recalcBBoxes = False
        for table in LAYOUT_TABLES:
            # HarfBuzz reads these tables from the file. The document does not need them, and
            # subsetting them takes half of a sheet's time.
            if isinstance(font, TTFFont) and table in font.ttfont:
                del font.ttfont[table]

    def _substitute_missing_letters(self, text: Text) -> tuple[str, tuple[str, ...]]:
        """Replace letters that no face has. Return the text and its fallback faces."""
        visible_text = fonts.strip_invisible(text.content)
        if self._has_letters([text.style.family], visible_text):
            return visible_text, ()
        asian_face = fonts.find_east_asian_face(visible_text)
        fallback_faces = (SANS, SYMBOLS) if asian_face is None else (SANS, SYMBOLS, asian_face)
        for family in fallback_faces:
            self._load_face(family)
        drawable_characters = [
            character
            if self._has_letters(fallback_faces, character)
            else fonts.substitute_letter(character)
            for character in visible_text
        ]
        return "".join(drawable_characters), fallback_faces

    def _has_letters(self, families: Iterable[str], text: str) -> bool:
        faces = [self._pdf.fonts[family] for family in families]
        character_maps = [face.cmap for face in faces if isinstance(face, TTFFont)]
        return all(
            any(code in letters for letters in character_maps)
            for code in {*map(ord, text)} - {ord("\n")}
        )

    def _make_text_measure(self, row: TextLine) -> Callable[[str], float]:
        """Return a function that measures parts of a line. Widths of unshaped letters are added."""
        if fonts.needs_shaping(row.content):
            self._apply_style(row)
            return self._pdf.get_string_width
        widths = self._widths.setdefault((row.style, row.fallback_faces), {})
        if new_characters := {*row.content, " "} - widths.keys():
            self._apply_style(row)
            widths |= {each: self._pdf.get_string_width(each) for each in new_characters}
        return lambda text: sum(map(widths.__getitem__, text))

    def _apply_style(self, row: TextLine) -> None:
        self._pdf.set_font(row.style.family, row.style.weight, row.style.size)
        self._pdf.set_text_color(*row.style.colour)
        self._pdf.set_text_shaping(use_shaping_engine=fonts.needs_shaping(row.content))
        self._pdf.set_fallback_fonts(row.fallback_faces, exact_match=False)


def _sum_heights(rows: Iterable[TextLine]) -> float:
    return sum(row.style.leading for row in rows)


def _find_dark_runs(modules: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and length of each dark run in a row."""
    start = None
    for index, is_dark in enumerate([*modules, 0]):
        if is_dark and start is None:
            start = index
        elif not is_dark and start is not None:
            yield start, index - start
            start = None
