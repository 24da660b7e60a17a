"""Addresses that an operator chose from suggestions.

A hidden input beside the field holds the address with its point, and the text of the suggestion.
While the field still has that text, the address is sent to the API instead of the text.
"""

from typing import Any, Final

import msgspec

from pannier.kit.json_depth import is_too_deep

JSON_START: Final = "{"


class PickedAddress(msgspec.Struct):
    """A chosen address: the text in the field, and the fields of a place."""

    label: str
    address: dict[str, Any]


def find_address(text: str, picked_json: str) -> str | None:
    """Return the chosen address as JSON, if the field still has its text."""
    if not picked_json.startswith(JSON_START) or is_too_deep(picked_json.encode()):
        return None
    try:
        picked_address = msgspec.json.decode(picked_json, type=PickedAddress)
    except msgspec.DecodeError:
        return None
    return (
        msgspec.json.encode(picked_address.address).decode()
        if picked_address.label.strip() == text
        else None
    )


def parse_record(text: str) -> Any:  # noqa: ANN401 - any JSON
    """Decode a chosen address. Return an identifier or any other text unchanged."""
    if not text.startswith(JSON_START) or is_too_deep(text.encode()):
        return text
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return text
