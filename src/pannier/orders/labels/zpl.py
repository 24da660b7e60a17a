"""Labels in ZPL II, the language of label printers, at 203 dpi.

Texts are UTF-8 (`^CI28`), in the printer's scalable font. Letters that this font lacks, such as
Chinese ones, need a font that is installed on the printer.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pannier.orders.labels.content import Label, LabelPhrase
from pannier.orders.labels.sizes import AREAS, DOTS_PER_MM, LabelSize
from pannier.proofs.pdf.fonts import strip_invisible
from pannier.proofs.phrases import translate

MARGIN: Final = 5 * DOTS_PER_MM
RULE_DOTS: Final = 2
BAR_HEIGHT: Final = 18 * DOTS_PER_MM
MAX_MODULE_DOTS: Final = 3
# Width of the QR code, with a gap to the texts beside it.
QR_ROOM: Final = 200
# Commands begin with ^ and ~, and _ introduces the number of a byte.
_SPECIAL: Final = re.compile(r"[\^~_]")
# Letters that a Code 128 command would read as its own.
_CODE_SPECIAL: Final = re.compile(r">")


def render_zpl(labels: Sequence[Label], size: LabelSize, language: str) -> bytes:
    """Render labels, one after the other."""
    return "".join(line for label in labels for line in _draw_label(label, size, language)).encode()


def escape_text(text: str) -> str:
    """Escape a text for `^FH^FD`, so that it contains no commands."""
    plain_text = strip_invisible(text).replace("\n", " ")
    return _SPECIAL.sub(lambda match: f"_{ord(match[0]):02X}", plain_text)


def _draw_label(label: Label, size: LabelSize, language: str) -> Iterator[str]:
    area = AREAS[size]
    width, height = int(area.width * DOTS_PER_MM), int(area.height * DOTS_PER_MM)
    inner_width = width - 2 * MARGIN

    def draw_block(x: int, y: int, size: int, lines: int, text: str, width: int) -> str:
        # In a block, a backslash begins a line break.
        content = escape_text(translate(text, language)).replace("\\", "\\\\")
        return (
            f"^FO{x},{y}^A0N,{size},{size}^FB{width},{lines},2,L,0^FH_^FD{content}^FS\n"
            if content
            else ""
        )

    yield f"^XA^CI28^PW{width}^LL{height}^LH0,0\n"
    yield draw_block(MARGIN, 32, 34, 1, label.brand, inner_width * 2 // 3)
    yield draw_block(MARGIN + inner_width * 2 // 3, 36, 26, 1, label.service, inner_width // 3)
    yield _draw_rule(80, inner_width)
    yield draw_block(MARGIN, 92, 20, 1, LabelPhrase("from"), inner_width)
    yield draw_block(MARGIN, 116, 26, 1, label.sender.name, inner_width)
    yield draw_block(MARGIN, 146, 24, 2, label.sender.address, inner_width)
    yield _draw_rule(206, inner_width)
    yield draw_block(MARGIN, 218, 22, 1, LabelPhrase("to"), inner_width)
    yield draw_block(MARGIN, 246, 52, 2, label.recipient.name, inner_width)
    yield draw_block(MARGIN, 360, 38, 4, label.recipient.address, inner_width)
    yield draw_block(MARGIN, 532, 26, 3, label.notes, inner_width)
    yield draw_block(MARGIN, 630, 44, 1, label.cash, inner_width)
    for index, (caption, value) in enumerate(label.details):
        text = f"{translate(caption, language)}: {value}"
        top = height - 420 + 34 * index
        yield draw_block(MARGIN + QR_ROOM, top, 26, 1, text, inner_width - QR_ROOM)
    yield from _draw_codes(label.number, inner_width, height)
    yield "^XZ\n"


def _draw_rule(y: int, width: int) -> str:
    return f"^FO{MARGIN},{y}^GB{width},{RULE_DOTS},{RULE_DOTS}^FS\n"


def _draw_codes(number: str, width: int, height: int) -> Iterator[str]:
    """Draw the QR code, the bar code below it, and the number."""
    code = escape_text(_CODE_SPECIAL.sub(">0", number))
    # Start, checksum and stop, and quiet zones on both sides.
    modules = 11 * (len(number) + 2) + 13 + 20
    module_dots = max(1, min(MAX_MODULE_DOTS, width // modules))
    yield f"^FO{MARGIN},{height - 430}^BQN,2,6^FH_^FDMA,{escape_text(number)}^FS\n"
    yield (
        f"^FO{MARGIN},{height - BAR_HEIGHT - 80}^BY{module_dots}"
        f"^BCN,{BAR_HEIGHT},N,N,N,A^FH_^FD{code}^FS\n"
    )
    yield f"^FO{MARGIN},{height - 64}^A0N,36,36^FH_^FD{escape_text(number)}^FS\n"
