"""A code in words: one line, the code first so that phones offer it, and no links."""

import re
from datetime import timedelta
from typing import Final

TEMPLATE: Final = "is your code for {brand}. It works for {life}. Do not share it."
NAMELESS: Final = "us"
LONGEST_BRAND: Final = 40
# A dot or slash between letters is what makes a phone turn a name into a link.
_LINKING: Final = re.compile(r"(?<=\S)[./:@](?=\S)|://")
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)


def text(code: str, template: str, *, brand: str, life: timedelta) -> str:
    """Put a code into a sentence; the template continues after the code.

    The template is ours and may name `{brand}` and `{life}`; the brand is a company's own text.
    """
    rest = template.replace("{life}", lasting(life)).replace("{brand}", named(brand))
    return " ".join(f"{code} {rest}".split())


def subject(brand: str) -> str:
    """Head an e-mail; the code is not in it, because subjects are kept."""
    return f"Your code for {named(brand)}" if brand.strip() else "Your code"


def named(brand: str) -> str:
    """Spell a company's name on one line, so that it cannot be a link."""
    printable = "".join(letter if letter.isprintable() else " " for letter in brand)
    line = " ".join(_LINKING.sub(" ", printable).split())
    return line[:LONGEST_BRAND].strip() or NAMELESS


def lasting(life: timedelta) -> str:
    """Spell a life in whole hours or minutes."""
    unit, name = (_HOUR, "hour") if life % _HOUR == timedelta() else (_MINUTE, "minute")
    count = life // unit
    return f"{count} {name}" if count == 1 else f"{count} {name}s"
