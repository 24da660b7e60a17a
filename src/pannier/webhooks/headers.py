"""The headers that a company adds to its deliveries. Their values are secret."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from pannier.errors import FieldError, Invalid
from pannier.webhooks.requests import MASK

MAX_NAME_LENGTH: Final = 100
MAX_VALUE_LENGTH: Final = 2000
TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
PRINTABLE: Final = re.compile(r"[\x20-\x7e]*")
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
VALUE_NOT_KEPT: Final = (
    "A header's value is not kept for another host. Send it again, or leave the header out."
)


def mask_values(names: list[str]) -> dict[str, str]:
    """Return the headers with masked values."""
    return dict.fromkeys(names, MASK)


def merge_headers(current: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, str]:
    """Return a request's headers. A masked value stands for the current one."""
    values = {name.lower(): value for name, value in current.items()}
    errors = list(_list_errors(values, headers))
    if errors:
        raise Invalid(fields=errors)
    return {
        name: values[name.lower()] if value == MASK else value for name, value in headers.items()
    }


def check_moved_headers(current: Collection[str], headers: Mapping[str, str] | None) -> None:
    """Refuse to send existing values to a new host.

    A person who changes the URL may not know the values, and could learn them this way. If
    `headers` is None, all `current` headers would be sent.
    """
    names = {name.lower() for name in current}
    kept_names = (
        [*current] if headers is None else [name for name in headers if headers[name] == MASK]
    )
    errors = [
        FieldError(f"headers.{name}", VALUE_NOT_KEPT)
        for name in kept_names
        if name.lower() in names
    ]
    if errors:
        raise Invalid(fields=errors)


def _list_errors(current: Mapping[str, str], headers: Mapping[str, str]) -> Iterator[FieldError]:
    names: set[str] = set()
    for name, value in headers.items():
        lower_name = name.lower()
        message = _find_name_error(lower_name) or _find_value_error(value)
        if lower_name in names:
            message = "This header appears twice. Header names are case-insensitive."
        if value == MASK and lower_name not in current:
            message = "There is no such header yet. Send its value."
        names.add(lower_name)
        if message:
            yield FieldError(f"headers.{name[:MAX_NAME_LENGTH]}", message)


def _find_name_error(lower_name: str) -> str | None:
    if len(lower_name) > MAX_NAME_LENGTH or not TOKEN.fullmatch(lower_name):
        return (
            "The name of a header must consist of letters, digits and hyphens, "
            f"at most {MAX_NAME_LENGTH}."
        )
    if lower_name in RESERVED or lower_name.startswith(RESERVED_PREFIXES):
        return "Pannier sets this header itself. Leave it out."
    return None


def _find_value_error(value: str) -> str | None:
    if len(value) > MAX_VALUE_LENGTH or not PRINTABLE.fullmatch(value) or value != value.strip():
        return (
            f"The value of a header must have at most {MAX_VALUE_LENGTH} printable ASCII "
            "characters, without line breaks or surrounding spaces."
        )
    return None
