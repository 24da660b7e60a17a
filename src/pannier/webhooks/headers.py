"""The headers that a company adds to its deliveries. Their values are secret."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pannier.errors import Field, Invalid
from pannier.webhooks.requests import HIDDEN

LONGEST_NAME: Final = 100
LONGEST_VALUE: Final = 2000
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VISIBLE: Final = re.compile(r"[\x20-\x7e]*")
# Headers of the request, the connection and the delivery, which Pannier sets.
RESERVED: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
RESERVED_PREFIXES: Final = ("proxy-", "webhook-", "x-service-")
MOVED: Final = (
    "A header's value is not kept for another host. Send it again, or leave the header out."
)


def hidden(names: list[str]) -> dict[str, str]:
    """Return the headers with masked values."""
    return dict.fromkeys(names, HIDDEN)


def merged(kept: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the given headers. A masked value stands for the current one."""
    known = {name.lower(): value for name, value in kept.items()}
    wrong = list(_offenders(known, given))
    if wrong:
        raise Invalid(fields=wrong)
    return {
        name: known[name.lower()] if value == HIDDEN else value for name, value in given.items()
    }


def check_moved(kept: Collection[str], given: Mapping[str, str] | None) -> None:
    """Refuse to send existing values to a new host.

    A person who changes the URL may not know the values, and could learn them this way. If `given`
    is None, all `kept` headers would be sent.
    """
    names = {name.lower() for name in kept}
    staying = [*kept] if given is None else [name for name in given if given[name] == HIDDEN]
    wrong = [Field(f"headers.{name}", MOVED) for name in staying if name.lower() in names]
    if wrong:
        raise Invalid(fields=wrong)


def _offenders(known: Mapping[str, str], given: Mapping[str, str]) -> Iterator[Field]:
    seen: set[str] = set()
    for name, value in given.items():
        small = name.lower()
        sentence = _about_name(small) or _about_value(value)
        if small in seen:
            sentence = "This header is in the list twice. Capital letters make no difference."
        if value == HIDDEN and small not in known:
            sentence = "There is no such header yet. Send its value."
        seen.add(small)
        if sentence:
            yield Field(f"headers.{name[:LONGEST_NAME]}", sentence)


def _about_name(small: str) -> str | None:
    if len(small) > LONGEST_NAME or not TOKEN.fullmatch(small):
        return (
            f"The name of a header is letters, digits and hyphens, at most {LONGEST_NAME} of them."
        )
    if small in RESERVED or small.startswith(RESERVED_PREFIXES):
        return "This header is set by the delivery itself."
    return None


def _about_value(value: str) -> str | None:
    if len(value) > LONGEST_VALUE or not VISIBLE.fullmatch(value) or value != value.strip():
        return (
            f"The value of a header is at most {LONGEST_VALUE} printable ASCII characters, "
            "without a line break and without spaces around it."
        )
    return None
