"""Drivers: who they are, where they are, what they carry, and where they are signed in."""

from typing import Any, Final

from pannier.console import columns, fields, maps, sign_ins, units
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form, worded
from pannier.console.records import Action, Records, zone_of
from pannier.fleet.models import DriverStatus

STATUSES: Final = worded(DriverStatus)
TOKENS: Final = "/int/v1/drivers/{driver_id}/tokens"
PRESENCE: Final = "/v1/drivers/{driver_id}/toggle-online"
FORM: Final = Form(
    (
        fields.NAME,
        Field(
            name="phone", label="Phone", kind="tel", required=True, nullable=False,
            help="With the country code: +65 … The driver signs in with it.",
        ),
        fields.EMAIL,
        fields.status(STATUSES),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="Type a plate; a vehicle has one driver at a time."),
        Field(name="drivers_license_number", label="Licence"),
        Field(name="license_expiry", label="Licence ends", kind="day"),
        Field(name="city", label="City"),
        fields.COUNTRY,
        fields.OWN_NUMBER,
    )
)  # fmt: skip


async def beside(desk: Desk, driver: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Show where a driver is, the day of the vehicle, the orders of today, and sign-ins."""
    identifier, vehicle = driver["id"], driver["vehicle"]
    day = await units.day(desk, vehicle) if vehicle else None
    unit = await units.present(desk, vehicle or identifier)
    ways = maps.ways(day.trips) if day else [await _trail(desk, identifier)]
    return {
        "unit": unit,
        "day": day,
        "features": units.drawn(driver, unit, ways),
        "devices": await units.devices(desk, "driver", identifier),
        "orders": await _orders(desk, identifier),
        "issues": await units.issues(desk, "driver", identifier),
        **await sign_ins.shown(desk, TOKENS, driver_id=identifier),
    }


async def _orders(desk: Desk, driver: str) -> list[Any]:
    """List what a driver carries now, and what else was for today."""
    zone = await zone_of(desk)
    today = desk.exchange.db.now.astimezone(zone).date().isoformat()
    asked = ({"active": "true"}, {"on": today})
    found = [
        row
        for one in asked
        for row in (await desk.rows("/v1/orders", {"driver": driver, "limit": "20", **one})).rows
    ]
    return list({row["id"]: row for row in found}.values())


async def _trail(desk: Desk, driver: str) -> Any:  # noqa: ANN401 - JSON
    """Draw where a driver without a vehicle was last."""
    door = "/v1/drivers/{driver_id}/positions"
    rows = (await desk.rows(door, {"limit": "100"}, driver_id=driver)).rows
    way = [row["location"]["coordinates"] for row in reversed(rows)]
    return maps.line(f"{driver}-trail", "", way)


DRIVERS: Final = Records(
    "/v1/drivers",
    columns=(
        columns.TITLE,
        columns.PHONE,
        columns.STATUS,
        Column("Online", "online", "switch"),
        columns.VEHICLE,
        columns.LAST_SEEN,
        Column("City", "city", wide=True),
        Column("Own number", "internal_id", "mono", wide=True),
    ),
    facts=(
        "status",
        "online",
        "phone",
        columns.EMAIL,
        "vehicle",
        columns.FLEETS,
        Column("Licence", "drivers_license_number", "mono"),
        Column("Licence ends", "license_expiry"),
        "city",
        Column("Country", "country"),
        "internal_id",
    ),
    filters=(
        Field(name="query", label="Name, phone, e-mail"),
        fields.status(STATUSES),
        Field(name="online", label="Online", kind="choice",
              options=(("true", "Yes"), ("false", "No"))),
        fields.FLEET,
    ),
    form=FORM,
    actions=(
        Action("bring-online", "Bring online", "POST", PRESENCE, "radio", "The driver is online.",
               body={"online": True}, when=lambda driver: not driver["online"]),
        Action("take-offline", "Take offline", "POST", PRESENCE, "wifi-off",
               "The driver is offline.", body={"online": False},
               when=lambda driver: driver["online"]),
    ),
    reading="drivers/record.html",
    beside=beside,
    live="driver.",
    empty="Nobody drives for you yet. A driver needs a name and a phone, and signs in with it.",
)  # fmt: skip


handlers: Final = [*DRIVERS.handlers(), sign_ins.ending(DRIVERS, TOKENS)]
