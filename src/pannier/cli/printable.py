"""Text of strangers, made safe for a terminal."""

import json


def to_printable(value: object) -> str:
    """Format a value for a terminal, with control characters escaped."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return "".join(
        letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text
    )
