"""What can be said of a rate, part by part: how its price is found, and what it holds for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from pannier.console.amounts import major
from pannier.console.entries import Entries
from pannier.console.forms import Field

METHOD: Final = "rate_calculation_method"
Options = Sequence[tuple[str, str]]


class Way(NamedTuple):
    """A way to find a price."""

    label: str
    icon: str
    sentence: str


METHODS: Final[Mapping[str, Way]] = {
    "per_meter": Way("Distance", "route", "So much for every kilometre or mile."),
    "fixed_rate": Way("Fixed", "tag", "One price, or one for each distance."),
    "multi_zone_distance": Way("Zones", "land-plot", "Each part of the way by its zone."),
    "per_drop": Way("Stops", "map-pin", "By how many stops there are."),
    "parcel": Way("Parcel", "package", "By the box that each item fits into."),
    "weight": Way("Weight", "weight", "By the kilograms of all items."),
    "volume": Way("Volume", "container", "By the cubic metres of all items."),
    "algorithm": Way("Formula", "code", "By a formula of your own."),
}
UNITS: Final = (
    ("km", "kilometre"), ("m", "metre"), ("mi", "mile"), ("yd", "yard"), ("ft", "foot"),
)  # fmt: skip
LENGTHS: Final = (("mm", "mm"), ("cm", "cm"), ("m", "m"), ("in", "in"), ("ft", "ft"))
WEIGHTS: Final = (("g", "g"), ("kg", "kg"), ("oz", "oz"), ("lb", "lb"))
FLAT: Final = (("flat", "an amount"), ("percentage", "per cent of the price"))
STATUSES: Final = (("active", "Active"), ("inactive", "Switched off"))
SIDES: Final = (
    ("both", "All stops"), ("origin", "The pickup"), ("destination", "All stops after the pickup"),
)  # fmt: skip
DAYS: Final = tuple(
    (day, day.capitalize()) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
)
FEE: Final = Field(name="fee", label="Fee", kind="money", required=True, nullable=False)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the editor: its fields and lists, and when there is something to say in it."""

    title: str = ""
    note: str = ""
    fields: Sequence[Field] = ()
    lists: Sequence[Entries] = ()
    # The methods that go by it; none are all of them.
    methods: Sequence[str] = ()
    # The switch that opens it.
    switch: str = ""

    def holds(self, filled: Mapping[str, str]) -> bool:
        """Tell whether it is open, as the form is filled."""
        chosen = not self.methods or filled.get(METHOD) in self.methods
        return chosen and (not self.switch or filled.get(self.switch) == "on")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What a rate can point at, by id and name."""

    areas: Options = ()
    zones: Options = ()
    order_configs: Options = ()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Go through all of them."""
        yield from (*self.areas, *self.zones, *self.order_configs)


def _bands(name: str, label: str, unit: str, note: str) -> Entries:
    return Entries(
        name=name,
        label=label,
        noun="band",
        help=note,
        columns=(
            Field(name="min", label=f"From ({unit})", kind="decimal", nullable=False),
            Field(name="max", label=f"To ({unit})", kind="decimal", placeholder="no end"),
            FEE,
        ),
    )


NAMES: Final = Part(
    title="What it is",
    fields=(
        Field(name="service_name", label="Name", required=True, nullable=False,
              placeholder="Same day"),
        Field(name="service_type", label="Service", required=True, nullable=False,
              placeholder="express", help="What integrators ask for."),
        Field(name="currency", label="Currency", required=True, nullable=False, placeholder="SGD"),
        Field(name="status", label="Standing", kind="choice", options=STATUSES, required=True),
        Field(name="public", label="Shops show it", kind="switch"),
        Field(name="duration_terms", label="How long it takes", placeholder="Within three hours"),
        Field(name="estimated_days", label="Days", kind="number"),
        Field(name="quote_life", label="Quotes live for (seconds)", kind="number",
              placeholder="the company's"),
    ),
)  # fmt: skip
FIRST_FEE: Final = Part(
    fields=(Field(name="base_fee", label="Base fee", kind="money", nullable=False),)
)
PRICES: Final = (
    Part(
        methods=("per_meter", "multi_zone_distance"),
        fields=(
            Field(name="per_meter_unit", label="Unit", kind="choice", options=UNITS, required=True),
            Field(name="distance_rounding", label="A unit that is begun", kind="choice",
                  required=True,
                  options=(("exact", "counts in part"), ("started_unit", "counts whole"))),
        ),
    ),
    Part(
        methods=("per_meter",),
        fields=(Field(name="per_meter_flat_rate_fee", label="Fee for each unit", kind="price",
                      required=True),),
    ),
    Part(
        methods=("fixed_rate",),
        fields=(Field(name="max_distance_unit", label="Distances are in", kind="choice",
                      options=UNITS, required=True),),
        lists=(Entries(
            name="meter_fees", label="Distances", noun="distance",
            help="The first that is long enough counts. Without any, the base fee is the price.",
            columns=(Field(name="distance", label="Up to", kind="decimal", nullable=False), FEE),
        ),),
    ),
    Part(
        methods=("per_drop",),
        lists=(_bands("drop_fees", "Stops", "stops", "All stops count, the pickup too."),),
    ),
    Part(
        methods=("weight",),
        fields=(Field(name="volumetric_divisor", label="Cubic centimetres a kilogram",
                      kind="number", placeholder="5000",
                      help="With it, whatever is bulky weighs more."),),
        lists=(_bands("weight_fees", "Weights", "kg", "The end belongs to the next band."),),
    ),
    Part(
        methods=("volume",),
        lists=(_bands("volume_fees", "Volumes", "m³", "The end belongs to the next band."),),
    ),
    Part(
        methods=("fixed_rate", "weight", "volume"),
        fields=(Field(name="open_ended", label="The last one goes on for ever", kind="switch"),),
    ),
    Part(
        methods=("parcel",),
        lists=(Entries(
            name="parcel_fees", label="Boxes", noun="box",
            help="Each item goes into the smallest box that it fits, turned as it may be.",
            columns=(
                Field(name="size", label="Name", nullable=False, placeholder="Small"),
                Field(name="length", label="Length", kind="decimal", nullable=False),
                Field(name="width", label="Width", kind="decimal", nullable=False),
                Field(name="height", label="Height", kind="decimal", nullable=False),
                Field(name="dimensions_unit", label="in", kind="choice", options=LENGTHS,
                      required=True),
                Field(name="weight", label="Up to", kind="decimal", placeholder="any weight"),
                Field(name="weight_unit", label="in", kind="choice", options=WEIGHTS,
                      required=True),
                FEE,
            ),
        ),),
    ),
    Part(
        methods=("algorithm",),
        fields=(Field(name="algorithm", label="Formula", kind="area",
                      placeholder="max(300, distance_km * 80)",
                      help="In minor units (cents). Of distance_km, time_min, stops, weight_kg, "
                           "volume_m3, items and base_fee, with + - * /, comparisons, and "
                           "min max ceil floor round if."),),
    ),
)  # fmt: skip
BOUNDS: Final = Part(
    fields=(
        Field(name="minimum_fee", label="At least", kind="money"),
        Field(name="maximum_fee", label="At most", kind="money"),
    )
)
EXTRAS: Final = (
    Part(
        title="On top",
        fields=(Field(name="has_cod_fee", label="Cash on delivery costs more", kind="switch"),),
    ),
    Part(
        switch="has_cod_fee",
        fields=(
            Field(name="cod_calculation_method", label="It costs", kind="choice", options=FLAT),
            Field(name="cod_flat_fee", label="Amount", kind="money"),
            Field(name="cod_percent", label="Per cent", kind="decimal"),
        ),
    ),
    Part(
        fields=(Field(name="has_peak_hours_fee", label="Peak hours cost more", kind="switch"),),
    ),
    Part(
        switch="has_peak_hours_fee",
        fields=(
            Field(name="peak_hours_calculation_method", label="They cost", kind="choice",
                  options=FLAT),
            Field(name="peak_hours_flat_fee", label="Amount", kind="money"),
            Field(name="peak_hours_percent", label="Per cent", kind="decimal"),
            Field(name="peak_hours_start", label="Every day from", kind="time"),
            Field(name="peak_hours_end", label="to", kind="time"),
            Field(name="timezone", label="By the clocks of", placeholder="the company's zone"),
        ),
        lists=(Entries(
            name="peak_windows", label="Windows", noun="window",
            help="On chosen days; none are all. What a window does not say, the fields above say.",
            columns=(
                Field(name="days", label="Days", kind="choices", options=DAYS),
                Field(name="start", label="From", kind="time", nullable=False),
                Field(name="end", label="To", kind="time", nullable=False),
                Field(name="method", label="Costs", kind="choice", options=FLAT),
                Field(name="flat_fee", label="Amount", kind="money"),
                Field(name="percent", label="Per cent", kind="decimal"),
            ),
        ),),
    ),
)  # fmt: skip


def parts(known: Known) -> list[Part]:
    """List the parts of the editor, with what can be chosen in them."""
    zone_fees = Entries(
        name="zone_fees",
        label="Zones",
        noun="zone",
        help="Where several hold, the highest priority does.",
        columns=(
            Field(name="label", label="Called", placeholder="Centre"),
            Field(name="where", label="Where", kind="choice", options=_places(known)),
            Field(name="priority", label="Priority", kind="number", nullable=False),
            Field(name="fee", label="Fee for each unit", kind="price", nullable=False),
        ),
    )
    zones = Part(methods=("multi_zone_distance",), lists=(zone_fees,))
    return [NAMES, FIRST_FEE, *PRICES, zones, BOUNDS, *EXTRAS, *_holds(known)]


def _places(known: Known) -> Options:
    return [*((key, f"Area: {name}") for key, name in known.areas), *known.zones]


def _holds(known: Known) -> list[Part]:
    return [
        Part(
            title="What it holds for",
            note="What is left empty holds for everything.",
            fields=(
                Field(name="service_area", label="Service area", kind="choice",
                      options=known.areas),
                Field(name="zone", label="Zone", kind="choice", options=known.zones),
                Field(name="zone_applies_to", label="Of which stops", kind="choice", options=SIDES,
                      required=True),
                Field(name="order_config", label="Order type", kind="choice",
                      options=known.order_configs),
                Field(name="facilitator", label="Vendor", kind="record",
                      resource="vendors contacts", placeholder="Type a name"),
                Field(name="valid_from", label="From", kind="moment"),
                Field(name="valid_until", label="Until", kind="moment"),
            ),
        ),
        Part(
            fields=(
                Field(name="min_distance", label="Metres at least", kind="number"),
                Field(name="max_distance", label="Way at most", kind="decimal",
                      help="In kilometres, unless distances above are in something else."),
                Field(name="min_weight", label="Kilograms at least", kind="decimal"),
                Field(name="max_weight", label="Kilograms at most", kind="decimal"),
                Field(name="min_volume", label="Cubic metres at least", kind="decimal"),
                Field(name="max_volume", label="Cubic metres at most", kind="decimal"),
                Field(name="min_stops", label="Stops at least", kind="number"),
                Field(name="max_stops", label="Stops at most", kind="number"),
                Field(name="min_cod", label="Cash at least", kind="money"),
                Field(name="max_cod", label="Cash at most", kind="money"),
            )
        ),
    ]  # fmt: skip


def summary(rate: Any) -> str:  # noqa: ANN401 - JSON
    """Say in a few words how a rate finds its price."""
    told = list(filter(None, [_base(rate), *_said(rate)]))
    return " + ".join(told) or "nothing"


def _base(rate: Any) -> str:  # noqa: ANN401 - JSON
    return major(rate["base_fee"], rate["currency"]) if rate["base_fee"] else ""


def _said(rate: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    currency, method = rate["currency"], rate[METHOD]
    if method == "per_meter":
        fee = major(rate["per_meter_flat_rate_fee"], currency)
        yield f"{fee} a {rate['per_meter_unit']}"
    elif method == "algorithm":
        yield str(rate["algorithm"])
    else:
        lists = {"fixed_rate": "meter_fees", "per_drop": "drop_fees", "parcel": "parcel_fees",
                 "weight": "weight_fees", "volume": "volume_fees"}  # fmt: skip
        fees = [row["fee"] for row in rate[lists.get(method, "zone_fees")]]
        if fees:
            least, most = (major(one, currency) for one in (min(fees), max(fees)))
            yield least if least == most else f"{least} to {most}"


def spoken(rate: Any) -> list[Entries]:  # noqa: ANN401 - JSON
    """List the lists by which a rate finds its price."""
    return [
        one
        for part in parts(Known())
        for one in part.lists
        if rate[one.name] and (not part.methods or rate[METHOD] in part.methods)
    ]
