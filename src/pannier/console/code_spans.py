"""Code in sentences: texts of the API mark field names and values with backticks."""

import re
from typing import Final

from markupsafe import Markup, escape

_SPAN: Final = re.compile(r"`([^`\n]+)`")
_CODE: Final = Markup("<code>{}</code>")


def render_code_spans(text: object) -> Markup:
    """Escape a text, and render what is between backticks as code."""
    parts = _SPAN.split(str(text))
    return Markup("").join(
        _CODE.format(part) if position % 2 else escape(part) for position, part in enumerate(parts)
    )
