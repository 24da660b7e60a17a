"""Drivers in JSON."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pannier.accounts.tokens.schemas import DeviceProof
from pannier.errors import FieldError, Invalid, parse_field
from pannier.fleet import shifts, skills
from pannier.fleet.costs import Cost, CostCurrency
from pannier.fleet.drivers.hours import ShiftExceptions, Shifts
from pannier.fleet.models import Driver, DriverStatus, Shift, ShiftException, Whereabouts
from pannier.fleet.schemas import (
    DriverId,
    FleetId,
    InternalId,
    MobileChange,
    MobileOut,
    Occurred,
    PlaceId,
    SearchIn,
    Text,
    VehicleId,
    get_sent_columns,
    to_schema_with_position,
)
from pannier.fleet.skills import Skills
from pannier.kit import country, email
from pannier.kit.structs import convert_struct
from pannier.kit.wording import MESSAGE
from pannier.verification.service import CodeTiming
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.documented_types import document_as
from pannier.web.fields import Clearable, Given
from pannier.web.identifiers import AnyOf
from pannier.web.people import Email, Name
from pannier.web.times import Day, Time

Phone = Annotated[
    str,
    Meta(min_length=1, max_length=64, description="With country code.", examples=["+6591234567"]),
]
Country = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{2}\Z",
        description="ISO 3166, two letters.",
        examples=["SG"],
        extra={MESSAGE: "must be a country code of two letters, such as SG."},
    ),
]
License = Annotated[str, Meta(max_length=100, examples=["S1234567D"])]
Expiry = Annotated[Day, Meta(examples=["2028-05-31"])]
Radius = Annotated[
    float, Meta(gt=0, le=21_000_000, description="Metres around `nearby`.", examples=[5000])
]


StartPlace = Annotated[PlaceId, Meta(description="The place where work begins.")]
EndPlace = Annotated[PlaceId, Meta(description="The place where work ends.")]


class DriverOut(MobileOut, kw_only=True):
    """A driver. Positions do not change `version`."""

    id: DriverId
    name: Name
    email: Email | None
    phone: Phone
    drivers_license_number: License | None
    license_expiry: Expiry | None
    status: DriverStatus
    vehicle: VehicleId | None
    country: Country | None
    city: Annotated[Text | None, Meta(examples=["Singapore"])]
    skills: Skills
    shifts: Shifts | None
    shift_exceptions: ShiftExceptions
    start_place: StartPlace | None
    end_place: EndPlace | None
    cost_per_hour: Cost | UnsetType | None
    currency: CostCurrency | UnsetType | None
    distance: Annotated[
        float | UnsetType, Meta(description="Metres from `nearby`.", examples=[412.5])
    ] = UNSET

    @classmethod
    def from_row(cls, row: Driver, position: Whereabouts | None, **extra: object) -> Self:
        return to_schema_with_position(row, cls, position, **extra)

    def without_cost(self) -> Self:
        """Return the driver without cost, which drivers do not see."""
        return msgspec.structs.replace(self, cost_per_hour=UNSET, currency=UNSET)


class DriverChange(MobileChange, kw_only=True):
    """Changes to a driver. Omitted fields stay, and null clears a field."""

    accepts: ClassVar = ACCEPTED["driver"]
    name: Given[Name] = UNSET
    phone: Given[Phone] = UNSET
    email: Clearable[Email] = UNSET
    drivers_license_number: Clearable[License] = UNSET
    license_expiry: Clearable[Expiry] = UNSET
    status: Given[DriverStatus] = UNSET
    vehicle: Clearable[VehicleId] = UNSET
    country: Clearable[Country] = UNSET
    city: Clearable[Text] = UNSET
    skills: Given[Skills] = UNSET
    shifts: Clearable[Shifts] = UNSET
    shift_exceptions: Given[ShiftExceptions] = UNSET
    start_place: Clearable[StartPlace] = UNSET
    end_place: Clearable[EndPlace] = UNSET
    cost_per_hour: Clearable[Cost] = UNSET
    currency: Clearable[CostCurrency] = UNSET


class DriverIn(DriverChange, kw_only=True):
    """A new driver."""

    name: Name
    phone: Phone
    status: DriverStatus = "available"
    online: bool = False


def parse_columns(change: DriverChange, read_phone: Callable[[str], str]) -> dict[str, Any]:
    """Parse the sent fields into columns. The caller resolves references and `location`."""
    columns = get_sent_columns(change)
    for name, parse in {"phone": read_phone, **_PARSERS}.items():
        if columns.get(name) is not None:
            columns[name] = parse_field(name, parse, columns[name])
    errors = shifts.list_faults(columns.get("shifts"), columns.get("shift_exceptions", ()))
    if errors:
        raise Invalid(fields=errors)
    return columns


_PARSERS: Mapping[str, Any] = {
    "email": email.normalise,
    "country": country.normalise,
    "skills": skills.normalise,
    "shifts": lambda fields: msgspec.convert(fields, list[Shift], from_attributes=True),
    "shift_exceptions": lambda fields: msgspec.convert(
        fields, list[ShiftException], from_attributes=True
    ),
}


class DriverFilters(SearchIn, frozen=True, kw_only=True):
    """Filters for the list of drivers. `nearby` returns one page, nearest first."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    id: AnyOf[DriverId] = None
    status: DriverStatus | None = None
    online: bool | None = None
    phone: Phone | None = None
    internal_id: InternalId | None = None
    country: Country | None = None
    city: Annotated[str | None, Meta(examples=["Singapore"])] = None
    vehicle: Annotated[VehicleId | None, Meta(description="Filter by vehicle.")] = None
    fleet: Annotated[FleetId | None, Meta(description="Only members of this fleet.")] = None
    nearby: Annotated[
        str | dict[str, Any] | None,
        Meta(
            description="`latitude,longitude` or GeoJSON. Lists the nearest first. Only online "
            "drivers, unless `online` is sent.",
            examples=["1.3521,103.8198"],
            extra_json_schema=document_as(str),
        ),
    ] = None
    radius: Radius = 10_000.0


class ToggleIn(msgspec.Struct):
    """Presence. Without a value it is toggled."""

    online: bool | None = None
    occurred_at: Occurred | None = None


class SosIn(msgspec.Struct, kw_only=True):
    """A call for help."""

    occurred_at: Occurred | None = None


class SosOut(msgspec.Struct):
    """A call for help that has reached dispatch."""

    driver: DriverId
    received_at: Time


class DriverLoginIn(msgspec.Struct):
    """A driver's request for a code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone


class DriverCodeSent(msgspec.Struct):
    """The sent code. The response is the same for an unknown phone."""

    status: Annotated[str, Meta(examples=["ok"])]
    method: Annotated[str, Meta(examples=["sms"])]
    expires_in: Annotated[int, Meta(description="Seconds.", examples=[300])]
    resend_after: Annotated[int, Meta(description="Seconds.", examples=[30])]

    @classmethod
    def from_request(cls, code_timing: CodeTiming) -> Self:
        """Build the response, which is the same for an unknown phone."""
        return cls("ok", "sms", code_timing.expires_in, code_timing.resend_after)


class DriverCodeIn(msgspec.Struct):
    """The code, and its phone as `identity` or `phone`."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    code: Annotated[str, Meta(min_length=1, max_length=64, examples=["482913"])]
    identity: Phone | None = None
    phone: Phone | None = None

    @property
    def number(self) -> str:
        """The phone, by either name."""
        number = self.identity or self.phone
        if number is None:
            raise Invalid(fields=[FieldError("identity", "This field is required.")])
        return number


class DriverSignedIn(DriverOut, kw_only=True):
    """A signed-in driver with the token. The driver's fields are also at the top level."""

    token: Annotated[str, Meta(description="Shown once.", examples=["drv_live_8sKf…"])]
    driver: DriverOut
    device_proof: DeviceProof

    @classmethod
    def from_driver(cls, driver: DriverOut, token: str, proof: str) -> Self:
        driver_out = driver.without_cost()
        return convert_struct(driver_out, cls, token=token, driver=driver_out, device_proof=proof)


accept_response_fields(DriverChange, DriverOut)
