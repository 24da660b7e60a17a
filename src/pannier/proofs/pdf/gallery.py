"""Pictures on paper: signatures and photos, each in a box, with who and when below it."""

from collections.abc import Sequence
from io import BytesIO
from typing import Final, NamedTuple

from PIL import Image, UnidentifiedImageError

from pannier.proofs.pdf.blocks import GAP, heading, moment
from pannier.proofs.pdf.paper import (
    LEFT,
    SMALL,
    STRONG,
    TINT,
    WHITE,
    WIDTH,
    Cell,
    Colour,
    Paper,
    Text,
)
from pannier.proofs.sheet import MOST_PHOTOS, Exhibit

# Pixels along the longer edge of a picture: 300 to the inch at the size in which it is printed.
LONG_EDGE: Final = 1000
QUALITY: Final = 82
FORMATS: Final = ("JPEG", "PNG", "WEBP")


class Grid(NamedTuple):
    """Pictures beside each other, and the boxes that they stand in."""

    title: str
    across: int
    height: float
    ground: Colour

    @property
    def width(self) -> float:
        """How wide a box is."""
        return (WIDTH - (self.across - 1) * GAP) / self.across

    def x(self, turn: int) -> float:
        """Tell where a box begins."""
        return LEFT + turn * (self.width + GAP)


SIGNATURES: Final = Grid("Signature", 2, 28, WHITE)
PHOTOS: Final = Grid("Photos", 3, 42, TINT)


def draw(paper: Paper, grid: Grid, exhibits: Sequence[Exhibit]) -> None:
    """Draw pictures beside and below each other, each with who and when."""
    if not exhibits:
        return
    heading(paper, grid.title, room=grid.height + 18)
    for begin in range(0, min(len(exhibits), MOST_PHOTOS), grid.across):
        _line_up(paper, grid, exhibits[begin : min(begin + grid.across, MOST_PHOTOS)])
    if len(exhibits) > MOST_PHOTOS:
        paper.say(f"{len(exhibits) - MOST_PHOTOS} more are not shown here.", SMALL)


def _line_up(paper: Paper, grid: Grid, exhibits: Sequence[Exhibit]) -> None:
    paper.room(grid.height + 6)
    top = paper.y
    for turn, exhibit in enumerate(exhibits):
        paper.y = top
        _framed(paper, grid, grid.x(turn), exhibit)
    paper.y = top + grid.height + 1.2
    captions = enumerate(map(_caption, exhibits))
    paper.columns([Cell(grid.x(turn), grid.width, caption) for turn, caption in captions])
    paper.y += 2


def _framed(paper: Paper, grid: Grid, x: float, exhibit: Exhibit) -> None:
    paper.box(x, grid.width, grid.height, grid.ground)
    data = None if exhibit.picture is None else fit_to_print(exhibit.picture)
    if data is not None:
        paper.y += 1
        paper.picture(data, x + 1, grid.width - 2, grid.height - 2)
        return
    paper.y += grid.height / 2 - 4
    words = exhibit.missing or "The picture cannot be shown."
    for row in paper.rows(Text(words, SMALL), grid.width - 8)[:3]:
        paper.put(row, x + 4, grid.width - 8)
        paper.y += row.style.leading


def _caption(exhibit: Exhibit) -> list[Text]:
    named = [exhibit.signer, f"({exhibit.relationship})" if exhibit.relationship else None]
    signer = " ".join(word for word in named if word)
    captured = Text(f"No. {exhibit.sequence}, {moment(exhibit.captured_at, seconds=True)}", SMALL)
    return [Text(signer, STRONG), captured] if signer else [captured]


def fit_to_print(data: bytes) -> bytes | None:
    """Encode a picture in the size in which it is printed; None when it cannot be read."""
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as opened:
            opened.draft(None, (LONG_EDGE, LONG_EDGE))
            opened.thumbnail((LONG_EDGE, LONG_EDGE))
            made = BytesIO()
            # Strokes stay sharp as they are; a photo has no use for that.
            kind = "PNG" if opened.format == "PNG" else "JPEG"
            _on_white(opened).save(made, kind, quality=QUALITY)
            return made.getvalue()
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError):
        return None


def _on_white(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
