"""Validation of a command's values, as the API validates a body."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from pannier.web import validation_errors

T = TypeVar("T", bound=msgspec.Struct)


def parse_as(kind: type[T], values: Mapping[str, Any]) -> T:
    """Validate values as a body of the API; raise an error that the command prints."""
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise validation_errors.from_value(error, dict(values), kind, strict=False) from None
