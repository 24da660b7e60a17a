"""Drivers: who they are, where they are, what they carry, and where they are signed in."""

from typing import Final

from pannier.console.forms import Field, Form, worded
from pannier.console.records import Action, Column, Records
from pannier.fleet.models import DriverStatus

STATUSES: Final = worded(DriverStatus)
PRESENCE: Final = "/v1/drivers/{driver_id}/toggle-online"
FORM: Final = Form(
    (
        Field(name="name", label="Name", required=True, nullable=False),
        Field(
            name="phone", label="Phone", kind="tel", required=True, nullable=False,
            help="With the country code: +65 … The driver signs in with it.",
        ),
        Field(name="email", label="E-mail", kind="email"),
        Field(name="status", label="Status", kind="choice", options=STATUSES, nullable=False),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="Type a plate; a vehicle has one driver at a time."),
        Field(name="drivers_license_number", label="Licence"),
        Field(name="license_expiry", label="Licence ends", kind="day"),
        Field(name="city", label="City"),
        Field(name="country", label="Country", help="Two letters: SG"),
        Field(name="internal_id", label="Own number"),
    )
)  # fmt: skip
DRIVERS: Final = Records(
    "drivers",
    noun="driver",
    api="/v1/drivers",
    name="driver_id",
    columns=(
        Column("Name", "name", "title"),
        Column("Phone", "phone", "phone"),
        Column("Status", "status", "standing"),
        Column("Online", "online", "switch"),
        Column("Vehicle", "vehicle", "link", to="vehicles"),
        Column("Last seen", "located_at", "ago"),
        Column("City", "city", wide=True),
        Column("Own number", "internal_id", "mono", wide=True),
    ),
    facts=(
        Column("Status", "status", "standing"),
        Column("Online", "online", "switch"),
        Column("Phone", "phone", "phone"),
        Column("E-mail", "email", "email"),
        Column("Vehicle", "vehicle", "link", to="vehicles"),
        Column("Fleets", "fleets", "links", to="fleets"),
        Column("Licence", "drivers_license_number", "mono"),
        Column("Licence ends", "license_expiry"),
        Column("City", "city"),
        Column("Country", "country"),
        Column("Own number", "internal_id", "mono"),
    ),
    filters=(
        Field(name="query", label="Name, phone, e-mail"),
        Field(name="status", label="Status", kind="choice", options=STATUSES),
        Field(name="online", label="Online", kind="choice",
              options=(("true", "Yes"), ("false", "No"))),
        Field(name="fleet", label="Fleet", kind="record", resource="fleets"),
    ),
    form=FORM,
    actions=(
        Action("bring-online", "Bring online", "POST", PRESENCE, "radio", "The driver is online.",
               body={"online": True}, when=lambda driver: not driver["online"]),
        Action("take-offline", "Take offline", "POST", PRESENCE, "wifi-off",
               "The driver is offline.", body={"online": False},
               when=lambda driver: driver["online"]),
    ),
    live="driver.",
    empty="Nobody drives for you yet. A driver needs a name and a phone, and signs in with it.",
)  # fmt: skip
handlers: Final = DRIVERS.handlers()
