"""Names in the style of each language, and texts of a bounded width."""

import re
import textwrap
from collections.abc import Sequence

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def to_snake(name: str) -> str:
    """Convert `captureSignature` to `capture_signature`."""
    return "_".join(word.lower() for word in _WORD.findall(name))


def to_camel(name: str) -> str:
    """Convert `order_id` to `orderId`."""
    first, *others = _WORD.findall(name)
    return "".join([first, *(word[:1].upper() + word[1:] for word in others)])


def to_class_name(words: Sequence[str]) -> str:
    """Convert words in any style to `CaptureSignature`."""
    parts = [part for word in words for part in _WORD.findall(word)]
    return "".join(part[:1].upper() + part[1:] for part in parts)


def to_sentence(text: str) -> str:
    """End a text with a full stop."""
    tidy = " ".join(text.split())
    return tidy if tidy.endswith((".", "!", "?")) else f"{tidy}."


def wrap(text: str, indent: str, width: int = 100) -> str:
    """Wrap a text, and indent all lines but the first."""
    lines = textwrap.wrap(text, width - len(indent), break_long_words=False, break_on_hyphens=False)
    return f"\n{indent}".join(lines)
