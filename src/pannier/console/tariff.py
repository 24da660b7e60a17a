"""The sections of the rate editor: pricing methods, fees, surcharges and conditions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from pannier.console.field_rows import FieldRows
from pannier.console.forms import Field

METHOD: Final = "rate_calculation_method"
Options = Sequence[tuple[str, str]]


class PricingMethod(NamedTuple):
    """A pricing method in the editor."""

    label: str
    icon: str
    sentence: str


METHODS: Final[Mapping[str, PricingMethod]] = {
    "per_meter": PricingMethod("Distance-based", "route", "A fee per unit of distance."),
    "fixed_rate": PricingMethod("Fixed", "tag", "One price, or one per distance band."),
    "multi_zone_distance": PricingMethod(
        "Zones", "land-plot", "A fee per unit of distance, by zone."
    ),
    "per_drop": PricingMethod("Stops", "map-pin", "A fee based on the number of stops."),
    "parcel": PricingMethod("Parcel", "package", "A fee based on the box size of each item."),
    "weight": PricingMethod("Weight", "weight", "A fee based on the total weight."),
    "volume": PricingMethod("Volume", "container", "A fee based on the total volume."),
    "algorithm": PricingMethod("Formula", "code", "A custom formula."),
}
UNITS: Final = (
    ("km", "Kilometer"), ("m", "Meter"), ("mi", "Mile"), ("yd", "Yard"), ("ft", "Foot"),
)  # fmt: skip
LENGTHS: Final = (("mm", "mm"), ("cm", "cm"), ("m", "m"), ("in", "in"), ("ft", "ft"))
WEIGHTS: Final = (("g", "g"), ("kg", "kg"), ("oz", "oz"), ("lb", "lb"))
SURCHARGE_TYPES: Final = (("flat", "Fixed amount"), ("percentage", "Percentage of the price"))
STATUSES: Final = (("active", "Active"), ("inactive", "Inactive"))
SIDES: Final = (
    ("both", "All stops"), ("origin", "Pickup only"), ("destination", "Drop-offs only"),
)  # fmt: skip
DAYS: Final = tuple(
    (day, day.capitalize()) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
)
BAND_HELP: Final = "The upper limit is exclusive."
FEE: Final = Field(name="fee", label="Fee", kind="money", required=True, nullable=False)


class RateSection(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the editor: its fields and lists, and the condition that opens it."""

    title: str = ""
    note: str = ""
    fields: Sequence[Field] = ()
    lists: Sequence[FieldRows] = ()
    # The pricing methods that use the section. Empty means all of them.
    methods: Sequence[str] = ()
    # The name of the switch that opens the section.
    switch: str = ""

    def is_open(self, values: Mapping[str, str]) -> bool:
        """Return whether the section is open for these values."""
        is_selected = not self.methods or values.get(METHOD) in self.methods
        return is_selected and (not self.switch or values.get(self.switch) == "on")


class RateReferences(msgspec.Struct, frozen=True, kw_only=True):
    """The areas, zones and order flows that a rate can refer to, as options."""

    areas: Options = ()
    zones: Options = ()
    order_configs: Options = ()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        yield from (*self.areas, *self.zones, *self.order_configs)


def _make_bands(name: str, label: str, unit: str, note: str) -> FieldRows:
    return FieldRows(
        name=name,
        label=label,
        noun="band",
        help=note,
        columns=(
            Field(name="min", label=f"From ({unit})", kind="decimal", nullable=False),
            Field(name="max", label=f"To ({unit})", kind="decimal", placeholder="No limit"),
            FEE,
        ),
    )


GENERAL: Final = RateSection(
    title="General",
    fields=(
        Field(name="service_name", label="Name", required=True, nullable=False,
              placeholder="Same day"),
        Field(name="service_type", label="Service code", required=True, nullable=False,
              placeholder="express", help="In the API: service_type."),
        Field(name="currency", label="Currency", required=True, nullable=False, placeholder="SGD"),
        Field(name="status", label="Status", kind="choice", options=STATUSES, required=True),
        Field(name="public", label="Visible in storefronts", kind="switch"),
        Field(name="duration_terms", label="Delivery time", placeholder="Within three hours"),
        Field(name="estimated_days", label="Estimated delivery (days)", kind="number"),
        Field(name="quote_life", label="Quote validity (seconds)", kind="number",
              placeholder="Company default"),
    ),
)  # fmt: skip
FIRST_FEE: Final = RateSection(
    fields=(Field(name="base_fee", label="Base fee", kind="money", nullable=False),)
)
PRICES: Final = (
    RateSection(
        methods=("per_meter", "multi_zone_distance"),
        fields=(
            Field(name="per_meter_unit", label="Unit", kind="choice", options=UNITS, required=True),
            Field(name="distance_rounding", label="Partial units", kind="choice",
                  required=True,
                  options=(("exact", "Charge proportionally"), ("started_unit", "Round up"))),
        ),
    ),
    RateSection(
        methods=("per_meter",),
        fields=(Field(name="per_meter_flat_rate_fee", label="Fee per unit", kind="price",
                      required=True),),
    ),
    RateSection(
        methods=("fixed_rate",),
        fields=(Field(name="max_distance_unit", label="Distance unit", kind="choice",
                      options=UNITS, required=True),),
        lists=(FieldRows(
            name="meter_fees", label="Distance bands", noun="band",
            help="The first band that covers the distance applies; without bands, the base fee.",
            columns=(Field(name="distance", label="Up to", kind="decimal", nullable=False), FEE),
        ),),
    ),
    RateSection(
        methods=("per_drop",),
        lists=(_make_bands("drop_fees", "Stops", "stops", "Includes the pickup."),),
    ),
    RateSection(
        methods=("weight",),
        fields=(Field(name="volumetric_divisor", label="Volumetric divisor (cm³/kg)",
                      kind="number", placeholder="5000",
                      help="Bulky items are priced by volume instead of weight."),),
        lists=(_make_bands("weight_fees", "Weights", "kg", BAND_HELP),),
    ),
    RateSection(
        methods=("volume",),
        lists=(_make_bands("volume_fees", "Volumes", "m³", BAND_HELP),),
    ),
    RateSection(
        methods=("fixed_rate", "weight", "volume"),
        fields=(Field(name="open_ended", label="No upper limit for the last band", kind="switch"),),
    ),
    RateSection(
        methods=("parcel",),
        lists=(FieldRows(
            name="parcel_fees", label="Boxes", noun="box",
            help="Each item is priced by the smallest box it fits, in any orientation.",
            columns=(
                Field(name="size", label="Name", nullable=False, placeholder="Small"),
                Field(name="length", label="Length", kind="decimal", nullable=False),
                Field(name="width", label="Width", kind="decimal", nullable=False),
                Field(name="height", label="Height", kind="decimal", nullable=False),
                Field(name="dimensions_unit", label="Unit", kind="choice", options=LENGTHS,
                      required=True),
                Field(name="weight", label="Max. weight", kind="decimal", placeholder="Any"),
                Field(name="weight_unit", label="Weight unit", kind="choice", options=WEIGHTS,
                      required=True),
                FEE,
            ),
        ),),
    ),
    RateSection(
        methods=("algorithm",),
        fields=(Field(name="algorithm", label="Formula", kind="area",
                      placeholder="max(300, distance_km * 80)",
                      help="In the smallest currency unit, such as cents. Variables: distance_km, "
                           "time_min, stops, weight_kg, volume_m3, items, base_fee. Operators: "
                           "+ - * / and comparisons. Functions: min, max, ceil, floor, round, "
                           "if."),),
    ),
)  # fmt: skip
BOUNDS: Final = RateSection(
    fields=(
        Field(name="minimum_fee", label="Minimum fee", kind="money"),
        Field(name="maximum_fee", label="Maximum fee", kind="money"),
        Field(
            name="tax_rate",
            label="Tax rate (%)",
            kind="decimal",
            placeholder="Default",
            help="Defaults to the tax rate of the service area or the company.",
        ),
    )
)
EXTRAS: Final = (
    RateSection(
        title="Surcharges",
        fields=(Field(name="has_cod_fee", label="Cash-on-delivery surcharge", kind="switch"),),
    ),
    RateSection(
        switch="has_cod_fee",
        fields=(
            Field(
                name="cod_calculation_method",
                label="Surcharge type",
                kind="choice",
                options=SURCHARGE_TYPES,
            ),
            Field(name="cod_flat_fee", label="Amount", kind="money"),
            Field(name="cod_percent", label="Percentage", kind="decimal"),
        ),
    ),
    RateSection(
        fields=(Field(name="has_peak_hours_fee", label="Peak-hour surcharge", kind="switch"),),
    ),
    RateSection(
        switch="has_peak_hours_fee",
        fields=(
            Field(
                name="peak_hours_calculation_method",
                label="Surcharge type",
                kind="choice",
                options=SURCHARGE_TYPES,
            ),
            Field(name="peak_hours_flat_fee", label="Amount", kind="money"),
            Field(name="peak_hours_percent", label="Percentage", kind="decimal"),
            Field(name="peak_hours_start", label="Daily from", kind="time"),
            Field(name="peak_hours_end", label="Daily to", kind="time"),
            Field(name="timezone", label="Time zone", placeholder="Company default"),
        ),
        lists=(
            FieldRows(
                name="peak_windows",
                label="Peak windows",
                noun="window",
                help=(
                    "Without days, a window applies every day. "
                    "Windows without a surcharge use the one above."
                ),
                columns=(
                    Field(name="days", label="Days", kind="choices", options=DAYS),
                    Field(name="start", label="From", kind="time", nullable=False),
                    Field(name="end", label="To", kind="time", nullable=False),
                    Field(
                        name="method",
                        label="Surcharge type",
                        kind="choice",
                        options=SURCHARGE_TYPES,
                        placeholder="As above",
                    ),
                    Field(name="flat_fee", label="Amount", kind="money"),
                    Field(name="percent", label="Percentage", kind="decimal"),
                ),
            ),
        ),
    ),
)

CUSTOMER_ROWS: Final = FieldRows(
    name="customers",
    label="Customers",
    noun="customer",
    columns=(
        Field(name="customer", label="Customer", kind="record",
              resource="contacts vendors customers", nullable=False,
              placeholder="Type to search"),
    ),
)  # fmt: skip
CUSTOMERS: Final = RateSection(
    title="Customers",
    note="Without customers and price groups, the rate is for everyone.",
    fields=(Field(name="price_groups", label="Price groups", kind="list", help="One per line."),),
    lists=(CUSTOMER_ROWS,),
)


SURCHARGE_KINDS: Final = (
    ("fuel", "Fuel"),
    ("holiday", "Holiday"),
    ("remote_area", "Remote area"),
    ("oversize", "Large items"),
    ("insured_value", "Insured value"),
    ("other", "Other"),
)


def list_sections(references: RateReferences) -> list[RateSection]:
    """List the sections of the editor, with the options of their fields."""
    zone_fees = FieldRows(
        name="zone_fees",
        label="Zones",
        noun="zone",
        help="If zones overlap, the highest priority applies.",
        columns=(
            Field(name="label", label="Label", placeholder="Center"),
            Field(
                name="where",
                label="Zone",
                kind="choice",
                options=_list_place_options(references),
                placeholder="Everywhere else",
            ),
            Field(name="priority", label="Priority", kind="number", nullable=False),
            Field(name="fee", label="Fee per unit", kind="price", nullable=False),
        ),
    )
    surcharges = FieldRows(
        name="surcharges",
        label="Other surcharges",
        noun="surcharge",
        help="On top of the price. A surcharge applies if all its conditions are met.",
        columns=(
            Field(name="kind", label="Type", kind="choice", options=SURCHARGE_KINDS, required=True),
            Field(name="name", label="Name", nullable=False, placeholder="Fuel surcharge"),
            Field(name="percent", label="Percentage", kind="decimal"),
            Field(name="flat_fee", label="Amount", kind="money"),
            Field(
                name="where",
                label="Zone",
                kind="choice",
                options=_list_place_options(references),
                placeholder="Anywhere",
            ),
            Field(name="dates", label="Dates", kind="list", placeholder="2026-12-25"),
            Field(name="over_length", label="Items over (cm)", kind="decimal"),
            Field(name="over_weight", label="Items over (kg)", kind="decimal"),
        ),
    )
    zones = RateSection(methods=("multi_zone_distance",), lists=(zone_fees,))
    return [
        GENERAL,
        FIRST_FEE,
        *PRICES,
        zones,
        BOUNDS,
        *EXTRAS,
        RateSection(lists=(surcharges,)),
        *_list_condition_sections(references),
    ]


def _list_place_options(references: RateReferences) -> Options:
    return [*((key, f"Area: {name}") for key, name in references.areas), *references.zones]


def _list_condition_sections(references: RateReferences) -> list[RateSection]:
    return [
        RateSection(
            title="Conditions",
            note="Empty fields set no condition.",
            fields=(
                Field(name="service_area", label="Service area", kind="choice",
                      options=references.areas, placeholder="Any"),
                Field(name="zone", label="Zone", kind="choice", options=references.zones,
                      placeholder="Any"),
                Field(name="zone_applies_to", label="Stops inside the area or zone", kind="choice",
                      options=SIDES, required=True),
                Field(name="order_config", label="Order flow", kind="choice",
                      options=references.order_configs, placeholder="Any"),
                Field(name="facilitator", label="Vendor", kind="record",
                      resource="vendors contacts", placeholder="Type to search"),
                Field(name="valid_from", label="Valid from", kind="moment"),
                Field(name="valid_until", label="Valid until", kind="moment"),
            ),
        ),
        CUSTOMERS,
        RateSection(
            title="Limits",
            fields=(
                Field(name="min_distance", label="Minimum distance (m)", kind="number"),
                Field(name="max_distance", label="Maximum distance", kind="decimal",
                      help="In the unit of the pricing method, otherwise in kilometers."),
                Field(name="min_weight", label="Minimum weight (kg)", kind="decimal"),
                Field(name="max_weight", label="Maximum weight (kg)", kind="decimal"),
                Field(name="min_volume", label="Minimum volume (m³)", kind="decimal"),
                Field(name="max_volume", label="Maximum volume (m³)", kind="decimal"),
                Field(name="min_stops", label="Minimum stops", kind="number"),
                Field(name="max_stops", label="Maximum stops", kind="number"),
                Field(name="min_cod", label="Minimum cash on delivery", kind="money"),
                Field(name="max_cod", label="Maximum cash on delivery", kind="money"),
            )
        ),
    ]  # fmt: skip


def list_fee_rows(rate: Any) -> list[FieldRows]:  # noqa: ANN401 - JSON
    """List the lists of fees that the rate uses."""
    return [
        fee_rows
        for section in list_sections(RateReferences())
        if section is not CUSTOMERS
        for fee_rows in section.lists
        if rate[fee_rows.name] and (not section.methods or rate[METHOD] in section.methods)
    ]
