"""Sizes of labels, in millimetres."""

from typing import Final, Literal, NamedTuple

LabelSize = Literal["a6", "4x6", "a4"]
DOTS_PER_MM: Final = 8  # 203 dpi
LABELS_PER_SHEET: Final = 4


class LabelArea(NamedTuple):
    """The width and height of one label."""

    width: float
    height: float


AREAS: Final[dict[LabelSize, LabelArea]] = {
    "a6": LabelArea(105.0, 148.0),
    "4x6": LabelArea(101.6, 152.4),
    # A quarter of a sheet.
    "a4": LabelArea(105.0, 148.5),
}
SHEET_SIZE: Final = (210.0, 297.0)


def locate_label(size: LabelSize, index: int, start: int) -> tuple[float, float, bool]:
    """Return where a label begins on its page, and whether a new page begins with it.

    On a sheet, the first label takes the position `start`, from 1. Positions go from left to right.
    """
    if size != "a4":
        return 0.0, 0.0, True
    position = (index + start - 1) % LABELS_PER_SHEET
    row, column = divmod(position, 2)
    area = AREAS[size]
    return column * area.width, row * area.height, index == 0 or position == 0
