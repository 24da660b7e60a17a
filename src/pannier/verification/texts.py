"""The text of a code message: one line, the code first so that phones offer it, and no links."""

import re
from datetime import timedelta
from typing import Final, Literal

from pannier.notifications.texts import compose

# The catalogue text that carries the code.
CodeText = Literal["sign_in", "delivery"]
MAX_BRAND_LENGTH: Final = 40
# Phones turn a name into a link when it has a dot or slash between letters.
_LINK_PATTERN: Final = re.compile(r"(?<=\S)[./:@](?=\S)|://")
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


def compose_text(code: str, kind: CodeText, *, brand: str, lifetime: timedelta, locale: str) -> str:
    """Compose the message with a code. The brand comes from the company, so it is sanitised."""
    return compose(
        locale,
        f"code.{kind}",
        code=code,
        brand=sanitise_brand(brand),
        life=format_lifetime(lifetime, locale),
    )


def compose_subject(brand: str, locale: str) -> str:
    """Compose the subject of an email without the code, because subjects are stored."""
    return compose(locale, "code.subject", brand=sanitise_brand(brand))


def sanitise_brand(brand: str) -> str:
    """Put a company's name on one line, in a form that phones do not turn into a link."""
    text = "".join(letter if letter.isprintable() else " " for letter in brand)
    line = " ".join(_LINK_PATTERN.sub(" ", text).split())
    return line[:MAX_BRAND_LENGTH].strip()


def format_lifetime(lifetime: timedelta, locale: str) -> str:
    """Format a code's lifetime in whole hours or minutes."""
    unit, name = (_HOUR, "hour") if lifetime % _HOUR == timedelta() else (_MINUTE, "minute")
    count = lifetime // unit
    return compose(locale, f"code.{name}" if count == 1 else f"code.{name}s", count=count)
