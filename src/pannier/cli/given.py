"""The values of a command, read as the API reads a body."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from pannier.web import offenders

T = TypeVar("T", bound=msgspec.Struct)


def read_as(kind: type[T], values: Mapping[str, Any]) -> T:
    """Read values as a body of the API, with its bounds; refuse them as a command does."""
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as wrong:
        raise offenders.refusal(wrong, dict(values), kind, strict=False) from None
