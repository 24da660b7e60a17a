"""Addresses that an operator chose from suggestions.

A hidden input beside the field holds the address with its point, and the text that the field had
then. While the field still has that text, the address is sent to the API instead of the text.
"""

from typing import Any, Final

import msgspec

from pannier.kit.json_depth import is_too_deep

MARK: Final = "{"


class PickedAddress(msgspec.Struct):
    """A chosen address: the fields of a place, and the text that stands for them."""

    label: str
    address: dict[str, Any]


def find_address(text: str, picked: str) -> str | None:
    """Return the chosen address as JSON, if the field still has its text."""
    if not picked.startswith(MARK) or is_too_deep(picked.encode()):
        return None
    try:
        pick = msgspec.json.decode(picked, type=PickedAddress)
    except msgspec.DecodeError:
        return None
    return msgspec.json.encode(pick.address).decode() if pick.label.strip() == text else None


def parse_record(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Return a chosen address as the API takes it, or an identifier or a text unchanged."""
    if not text.startswith(MARK) or is_too_deep(text.encode()):
        return text
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return text
