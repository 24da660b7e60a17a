"""Words and JSON, set for a page."""

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
    """Tell the parts of JSON apart."""
    parts: list[Markup] = []
    end = 0
    for match in _TOKENS.finditer(text):
        kind = "k" if match[2] else "s" if match[1] else "n"
        token = match[1] or match[0]
        coloured_token = Markup('<span class="{}">{}</span>').format(kind, token)
        parts += [escape(text[end : match.start()]), coloured_token, escape(match[2] or "")]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])
