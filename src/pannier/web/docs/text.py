"""Words and JSON, set for a page."""

import html
import re
from typing import Final

from markupsafe import Markup, escape

_CODE: Final = re.compile(r"`([^`]+)`")
_TOKENS: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)')


def prose(text: str) -> Markup:
    """Set what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def breakable(name: str) -> Markup:
    """Let a long name go on in the next line after a dot or an underscore."""
    return Markup(re.sub(r"([._\]]+)", r"\1<wbr>", str(escape(name))))  # noqa: S704 - escaped just before


def coloured(text: str) -> Markup:
    """Mark keys and literals in JSON; quotes need no escape outside of attributes."""
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
