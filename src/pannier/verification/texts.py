"""The text of a code message: one line, the code first so that phones offer it, and no links."""

import re
from datetime import timedelta
from typing import Final, Literal

from pannier.notifications.texts import compose

# The catalogue text that carries the code.
CodeText = Literal["sign_in", "delivery"]
LONGEST_BRAND: Final = 40
# Phones turn a name into a link when it has a dot or slash between letters.
_LINKING: Final = re.compile(r"(?<=\S)[./:@](?=\S)|://")
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


def text(code: str, kind: CodeText, *, brand: str, life: timedelta, locale: str) -> str:
    """Compose the message that carries a code; the brand is a company's own text."""
    return compose(
        locale, f"code.{kind}", code=code, brand=named(brand), life=format_life(life, locale)
    )


def subject(brand: str, locale: str) -> str:
    """Compose the subject of an email without the code, because subjects are kept."""
    return compose(locale, "code.subject", brand=named(brand))


def named(brand: str) -> str:
    """Return a company's name on one line, in a form that phones do not turn into a link."""
    printable = "".join(letter if letter.isprintable() else " " for letter in brand)
    line = " ".join(_LINKING.sub(" ", printable).split())
    return line[:LONGEST_BRAND].strip()


def format_life(life: timedelta, locale: str) -> str:
    """Format how long a code works, in whole hours or minutes."""
    unit, name = (_HOUR, "hour") if life % _HOUR == timedelta() else (_MINUTE, "minute")
    count = life // unit
    return compose(locale, f"code.{name}" if count == 1 else f"code.{name}s", count=count)
