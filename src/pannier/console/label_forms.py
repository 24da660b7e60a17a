"""The forms of labels that the console offers."""

from typing import Final

# Format and size, and their name.
LABEL_FORMS: Final = (
    ("pdf a6", "PDF, A6"),
    ("pdf 4x6", "PDF, 4 x 6 in"),
    ("pdf a4", "PDF, A4 sheets"),
    ("zpl a6", "ZPL, A6"),
    ("zpl 4x6", "ZPL, 4 x 6 in"),
)
