"""Fields of partners in the one form in which they are kept."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from pannier.errors import Field, Invalid
from pannier.kit import email, phone

LARGEST_META: Final = 16 * 1024
# What ISO 3166 has beside libphonenumber's regions: lands without a phone plan of their own.
_WITHOUT_PHONES: Final = frozenset({"AQ", "BV", "GS", "HM", "PN", "TF", "UM"})
_VISIBLE: Final = re.compile(r"[^\s\x00-\x1f\x7f<>\"\\^`{|}]+")


def country(text: str) -> str:
    """Read a country's code of two letters (ISO 3166)."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    code = text.upper()
    if code not in phonenumbers.SUPPORTED_REGIONS and code not in _WITHOUT_PHONES:
        raise ValueError("must be a country's code of two letters (ISO 3166), such as SG.")
    return code


def web_address(text: str) -> str:
    """Read the address of a web site; nothing but http and https is ever offered as a link."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username is not None or not _VISIBLE.fullmatch(text):
        raise ValueError("must be the address of a web site, such as https://example.com.")
    return text


def bounded(meta: dict[str, Any]) -> dict[str, Any]:
    """Take an object of the caller's own, within a limit."""
    if len(msgspec.json.encode(meta)) > LARGEST_META:
        raise ValueError(f"must not take more than {LARGEST_META // 1024} KiB.")
    return meta


RULES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "email": email.normalise,
    "phone": phone.normalise,
    "website_url": web_address,
    "country": country,
    "meta": bounded,
}
NEVER_EMPTY: Final = frozenset({"name", "type"})


def settled(given: Mapping[str, Any]) -> dict[str, Any]:
    """Bring the given fields into their form, or refuse, naming each that has none."""
    kept: dict[str, Any] = {}
    wrong: list[Field] = []
    for name, value in given.items():
        try:
            kept[name] = _settled(name, value)
        except ValueError as refusal:
            wrong.append(Field(name, str(refusal)))
    if wrong:
        raise Invalid(fields=wrong)
    return kept


def _settled(name: str, value: Any) -> Any:  # noqa: ANN401 - any field
    """Settle one field; an empty text says as much as null."""
    plain = (value.strip() or None) if isinstance(value, str) else value
    if plain is None and name in NEVER_EMPTY:
        raise ValueError("must not be empty.")
    rule = RULES.get(name)
    return plain if plain is None or rule is None else rule(plain)
