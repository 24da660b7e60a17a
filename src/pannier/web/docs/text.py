"""Markup of text and JSON for pages."""

import html
import re
from typing import Final

from markupsafe import Markup, escape

_CODE: Final = re.compile(r"`([^`]+)`")
_TOKENS: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)')


def mark_code(text: str) -> Markup:
    """Mark text between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def add_line_breaks(name: str) -> Markup:
    """Allow line breaks in a long name after dots and underscores."""
    return Markup(re.sub(r"([._\]]+)", r"\1<wbr>", str(escape(name))))  # noqa: S704 - escaped just before


def highlight_json(text: str) -> Markup:
    """Mark keys and literals in JSON. Outside of attributes, quotes need no escaping."""
    parts: list[str] = []
    end = 0
    for match in _TOKENS.finditer(text):
        tag = "b" if match[2] else "u" if match[1] else "i"
        parts += [
            _escape(text[end : match.start()]),
            f"<{tag}>{_escape(match[1] or match[0])}</{tag}>",
        ]
        parts.append(match[2] or "")
        end = match.end()
    return Markup("".join([*parts, _escape(text[end:])]))  # noqa: S704 - escaped part by part


def _escape(text: str) -> str:
    return html.escape(text, quote=False)
