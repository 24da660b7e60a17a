"""Temperature limits of vehicles and devices."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta

from pannier.errors import FieldError, Invalid

MinTemperature = Annotated[
    float,
    Meta(
        ge=-273.15,
        le=2000,
        description="°C. A lower reading raises an alert. Limits of a device override those of "
        "its vehicle.",
        examples=[2],
    ),
]
MaxTemperature = Annotated[
    float,
    Meta(
        ge=-273.15,
        le=2000,
        description="°C. A higher reading raises an alert.",
        examples=[8],
    ),
]
CONTRADICTION: Final = "This is below `min_temperature`."


def check_limits(columns: Mapping[str, Any], row: object | None) -> None:
    """Reject limits that no temperature can meet."""
    low, high = (
        columns.get(name, getattr(row, name, None))
        for name in ("min_temperature", "max_temperature")
    )
    if low is not None and high is not None and high < low:
        name = "max_temperature" if "max_temperature" in columns else "min_temperature"
        raise Invalid(fields=[FieldError(name, CONTRADICTION)])
