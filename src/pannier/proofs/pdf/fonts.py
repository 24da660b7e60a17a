"""Fonts: the faces with their letters, and substitutes for letters that no face has.

FiraGO has Latin, Greek, Cyrillic, Georgian, Arabic, Hebrew, Devanagari and Thai; Noto Sans CJK has
Chinese, Japanese and Korean; Noto Sans Symbols has many pictograms. All are installed as packages,
so that a sheet has the same bytes on every machine.
"""

import logging
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, NamedTuple

import pymupdf_fonts

MAX_TEXT_LENGTH: Final = 4000
SANS, MONO, SYMBOLS = "sans", "mono", "symbols"
# Names of the faces in the pymupdf_fonts package.
FACES: Final = {
    (SANS, ""): "figo",
    (SANS, "B"): "figbo",
    (MONO, ""): "ubuntm",
    (SYMBOLS, ""): "symbol2",
}
# Faces of the CJK collection, by the script that identifies them; Han alone means Chinese.
EAST_ASIAN: Final = (
    ("japanese", 0, re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")),
    ("korean", 1, re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    (
        "chinese",
        2,
        re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"),
    ),
)
# Letters that join, reorder or carry marks need shaping, which is slow; others do not.
_NEEDS_SHAPING: Final = re.compile(r"[\u0300-\u036f\u0590-\u109f\ufb1d-\ufdff\ufe70-\ufefc]")
_JOINING_LETTERS: Final = re.compile(r"[\u0600-\u0dff]")
_JOINERS: Final = frozenset("\u200c\u200d")
_FLAG_A, _FLAG_Z = 0x1F1E6, 0x1F1FF
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_LINE_BREAKS: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")


class FontFace(NamedTuple):
    """A font file, and the face's number in a collection."""

    path: Path
    number: int = 0


@contextmanager
def extract_faces() -> Iterator[dict[tuple[str, str], FontFace]]:
    """Write the faces to temporary files, because fpdf2 reads files."""
    # fontTools warns about details of the faces, which Pannier cannot change.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    collection = files("noto_cjk_sans_otc").joinpath("NotoSansCJK-Regular.ttc")
    with tempfile.TemporaryDirectory(prefix="pannier-") as folder, as_file(collection) as cjk_file:
        faces = {(name, ""): FontFace(cjk_file, number) for name, number, _ in EAST_ASIAN}
        for (family, style), name in FACES.items():
            path = Path(folder) / f"{name}.ttf"
            path.write_bytes(pymupdf_fonts.fontbuffers[name]())
            faces[family, style] = FontFace(path)
        yield faces


def find_east_asian_face(text: str) -> str | None:
    """Return the East Asian face that a text needs, if any."""
    return next((name for name, _, letters in EAST_ASIAN if letters.search(text)), None)


def needs_shaping(text: str) -> bool:
    """Return whether a text has letters that need shaping."""
    return _NEEDS_SHAPING.search(text) is not None


def strip_invisible(text: str) -> str:
    """Keep visible characters and line breaks; drop direction marks and control characters."""
    if text.isascii() and text.isprintable() and len(text) <= MAX_TEXT_LENGTH:
        return text.strip()
    composed_text = unicodedata.normalize("NFC", _LINE_BREAKS.sub("\n", text)).replace("\t", " ")
    previous_characters = ["", *composed_text]
    visible_text = "".join(
        character
        for previous_character, character in zip(previous_characters, composed_text, strict=False)
        if _is_visible(character, previous_character)
    ).strip()
    return (
        visible_text
        if len(visible_text) <= MAX_TEXT_LENGTH
        else visible_text[: MAX_TEXT_LENGTH - 1] + "…"
    )


def _is_visible(character: str, previous: str) -> bool:
    if character == "\n":
        return True
    if character in _JOINERS:
        return _JOINING_LETTERS.match(previous) is not None
    return (
        unicodedata.category(character) not in {"Cc", "Cf", "Cs"}
        and ord(character) not in _SKIN_TONES
    )


def substitute_letter(character: str) -> str:
    """Return a substitute for a character that no face has: its name or its number."""
    code, category = ord(character), unicodedata.category(character)
    if _FLAG_A <= code <= _FLAG_Z:
        return chr(code - _FLAG_A + ord("A"))
    if category.startswith("M"):
        return ""
    if category.startswith("Z"):
        return " "
    name = unicodedata.name(character, "") if category == "So" else ""
    return f"[{name.lower()}]" if name else f"[U+{code:04X}]"


def wrap_text(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Break a text into lines that fit: between words if possible, else within a word."""
    lines = []
    space = measure(" ")
    for paragraph in text.split("\n"):
        line: list[str] = []
        line_width = 0.0
        for word in paragraph.split():
            word_width = measure(word)
            if line and line_width + space + word_width <= width:
                line.append(word)
                line_width += space + word_width
                continue
            if line:
                lines.append(" ".join(line))
            *full_lines, last_line = _split_word(word, word_width, width, measure)
            lines += full_lines
            line, line_width = [last_line], measure(last_line) if full_lines else word_width
        lines.append(" ".join(line))
    return lines


def _split_word(
    word: str, word_width: float, width: float, measure: Callable[[str], float]
) -> list[str]:
    """Break a word into pieces that fit, of at least one letter each."""
    if word_width <= width:
        return [word]
    estimate = int(2 * len(word) * width / word_width) + 1
    pieces = []
    while len(word) > 1 and measure(word[:estimate]) > width:
        min_length, max_length = 1, min(estimate, len(word)) - 1
        while min_length < max_length:
            middle = (min_length + max_length + 1) // 2
            if measure(word[:middle]) <= width:
                min_length = middle
            else:
                max_length = middle - 1
        pieces.append(word[:min_length])
        word = word[min_length:]
    return [*pieces, word]
