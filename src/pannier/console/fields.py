"""Fields that several forms and filters share."""

from collections.abc import Sequence
from typing import Final

from pannier.console import region_options
from pannier.console.forms import Field

NAME: Final = Field(name="name", label="Name", required=True, nullable=False)
EMAIL: Final = Field(name="email", label="Email", kind="email")
COUNTRY: Final = Field(
    name="country", label="Country", kind="choice", options=region_options.list_countries()
)
INTERNAL_ID: Final = Field(name="internal_id", label="Internal ID")
DRIVER: Final = Field(
    name="driver", label="Driver", kind="record", resource="drivers", placeholder="Name or phone"
)
VEHICLE: Final = Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles")
FLEET: Final = Field(name="fleet", label="Fleet", kind="record", resource="fleets")
ORDER: Final = Field(name="order", label="Order", kind="record", resource="orders")
TIMES: Final = (
    Field(name="since", label="From", kind="moment"),
    Field(name="until", label="To", kind="moment"),
)
# How long a replaced secret stays valid, in seconds.
GRACE_PERIODS: Final = (
    ("86400", "1 day"),
    ("604800", "1 week"),
    ("3600", "1 hour"),
    ("0", "Immediately (if leaked)"),
)


def make_status_field(options: Sequence[tuple[str, str]], default: str = "active") -> Field:
    return Field(
        name="status", label="Status", kind="choice", options=options, nullable=False,
        default=default,
    )  # fmt: skip


TEMPERATURE_LIMITS: Final = (
    Field(name="min_temperature", label="Lowest temperature (°C)", kind="number"),
    Field(
        name="max_temperature", label="Highest temperature (°C)", kind="number",
        help="Readings outside these limits raise an alert.",
    ),
)  # fmt: skip
