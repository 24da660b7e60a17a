"""Columns of lists and record pages, and the columns that many resources share."""

from typing import Final, Literal, NamedTuple

ColumnFormat = Literal[
    "text", "mono", "id", "link", "time", "log_time", "ago", "standing", "money", "number",
    "switch", "json", "person", "list", "links", "title", "speed", "words", "phone", "email",
    "address", "distance", "duration", "coordinates", "actor", "scopes",
    "balances", "copy", "weekday",
]  # fmt: skip


class Column(NamedTuple):
    """A value of a record: its label, its path in the record, and its format."""

    label: str
    path: str
    show: ColumnFormat = "text"
    # For `link` and `links`, the linked resource. For `money`, the path of the currency.
    to: str = ""
    # Hidden on narrow screens.
    wide: bool = False
    # Hidden on a record's page if the value is empty.
    quiet: bool = False


NAME: Final = Column("Name", "name", "link")
TITLE: Final = Column("Name", "name", "title")
STATUS: Final = Column("Status", "status", "standing")
PHONE: Final = Column("Phone", "phone", "phone")
EMAIL: Final = Column("Email", "email", "email")
TYPE: Final = Column("Type", "type", "words", wide=True)
COUNTRY: Final = Column("Country", "country", wide=True)
DRIVER: Final = Column("Driver", "driver", "link", to="drivers")
VEHICLE: Final = Column("Vehicle", "vehicle", "link", to="vehicles")
FLEETS: Final = Column("Fleets", "fleets", "links", to="fleets")
ORDER: Final = Column("Order", "order", "link", to="orders")
AMOUNT: Final = Column("Amount", "amount", "money", to="currency")
LAST_SEEN: Final = Column("Last seen", "located_at", "ago")
TEMPERATURE_LIMITS: Final = (
    Column("Lowest temperature (°C)", "min_temperature", "number"),
    Column("Highest temperature (°C)", "max_temperature", "number"),
)
SPEED_LIMIT: Final = Column("Speed limit (km/h)", "speed_limit_kmh", "number")
CENTRE: Final = Column("Center", "center", "coordinates")
TIME: Final = Column("Time", "created_at", "log_time")
CREATED: Final = Column("Created", "created_at", "time", wide=True)
UPDATED: Final = Column("Updated", "updated_at", "time")
