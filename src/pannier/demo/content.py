"""Content of the demo company: couriers with vehicles, customers, places, order configurations.

Streets, house numbers and postcodes are real, and lie inside the extract of central Helsinki.
People and companies are invented. Phones are numbers that take a fixed code in test mode.
"""

from typing import Any, Final, NamedTuple

from pannier.maps.folder import Profile
from pannier.orders.activities import Activity
from pannier.orders.configs.schemas import OrderConfigIn
from pannier.orders.default_flow import PICKUP_STEPS

COMPANY: Final = "Demo City"
TIME_ZONE: Final = "Europe/Helsinki"
CURRENCY: Final = "EUR"
COUNTRY: Final = "FI"
CITY: Final = "Helsinki"
ADDRESS_DEFAULTS: Final = {"city": CITY, "country": COUNTRY}


class Courier(NamedTuple):
    """A courier with a vehicle, which may be refrigerated, and the corner where the day starts."""

    name: str
    profile: Profile
    plate: str
    make: str
    model: str
    corner: str
    is_refrigerated: bool = False

    @property
    def is_on_bicycle(self) -> bool:
        return self.profile == "bicycle"


COURIERS: Final = (
    Courier("Aino Virtanen", "bicycle", "BIKE-01", "Urban Arrow", "Cargo XL", "kaivokatu"),
    Courier("Onni Mäkelä", "bicycle", "BIKE-02", "Riese & Müller", "Load 75", "hakaniemi"),
    Courier("Ville Lehtonen", "van", "KLM-482", "Renault", "Kangoo", "erottaja"),
    Courier("Helmi Nieminen", "bicycle", "BIKE-03", "Larry vs Harry", "Bullitt", "kamppi"),
    Courier("Sanna Heikkinen", "van", "CJX-905", "Toyota", "Proace City", "senaatintori",
            is_refrigerated=True),
    Courier("Oskar Lindqvist", "bicycle", "BIKE-04", "Urban Arrow", "Cargo XL", "kluuvi"),
    Courier("Petri Hakala", "van", "ZRA-317", "Citroën", "ë-Berlingo", "kaisaniemi"),
    Courier("Maria Koskinen", "bicycle", "BIKE-05", "Riese & Müller", "Load 75", "bulevardi"),
    Courier("Elias Korhonen", "bicycle", "BIKE-06", "Larry vs Harry", "Bullitt", "esplanadi"),
    Courier("Noora Järvinen", "van", "GTU-264", "Volkswagen", "Caddy", "eteläranta",
            is_refrigerated=True),
    Courier("Juho Laine", "bicycle", "BIKE-07", "Urban Arrow", "Cargo XL", "lasipalatsi"),
    Courier("Antti Rantanen", "van", "NPL-651", "Ford", "Transit Courier", "unioninkatu"),
    Courier("Emilia Salonen", "van", "VEF-138", "Renault", "Kangoo", "pitkäsilta"),
    Courier("Iida Karjalainen", "bicycle", "BIKE-08", "Larry vs Harry", "Bullitt", "töölönlahti"),
)  # fmt: skip
# The last two are inactive: one van is in the workshop, and one courier has the day off.
ACTIVE_COURIERS: Final = len(COURIERS) - 2
# The courier who waits at a locked gate.
HELD_COURIER: Final = 3


def make_phone(number: int) -> str:
    """Make a test phone number."""
    return f"+1555555{number:04}"


def make_driver_phone(courier: int) -> str:
    return make_phone(101 + courier)


def find_courier_number(driver_phone: str) -> int:
    """Find the number of the courier with this phone."""
    return int(driver_phone[-4:]) - 101


CUSTOMERS: Final = (
    "Leena Salminen", "Mikko Hietala", "Katri Ojala", "Saara Lindholm", "Jarno Peltola",
    "Tuula Aaltonen", "Henrik Ekström", "Riikka Savolainen",
)  # fmt: skip


class Address(NamedTuple):
    """A pickup or drop-off address."""

    name: str
    street: str
    postal_code: str
    location: list[float]

    def to_place(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "street1": self.street,
            "postal_code": self.postal_code,
            "location": self.location,
            **ADDRESS_DEFAULTS,
        }


SHOPS: Final = (
    Address("Kaisaniemi depot", "Kaisaniemenkatu 6", "00100", [24.947928, 60.172376]),
    Address("Vanamo flowers", "Pohjoisesplanadi 27", "00100", [24.948949, 60.167922]),
    Address("Haka pharmacy", "Siltasaarenkatu 10", "00530", [24.949606, 60.177876]),
    Address("Lumo bookshop", "Lönnrotinkatu 7", "00100", [24.938192, 60.16641]),
)
HOMES: Final = (
    Address("Annankatu dentist", "Annankatu 23", "00100", [24.936799, 60.167113]),
    Address("Torkkeli reception", "John Stenbergin ranta 2", "00530", [24.950954, 60.176985]),
    Address("Kauppatori café", "Pohjoisesplanadi 15", "00170", [24.951972, 60.167988]),
    Address("Uudenmaankatu 9 B 14", "Uudenmaankatu 9", "00120", [24.941706, 60.164917]),
    Address("Kaisa reading room", "Vuorikatu 5", "00100", [24.947844, 60.17083]),
    Address("Simonkatu 8 A 21", "Simonkatu 8", "00100", [24.936492, 60.168957]),
    Address("Kruunu archive", "Unioninkatu 38", "00170", [24.950391, 60.172017]),
    Address("Korkeavuori studio", "Korkeavuorenkatu 36", "00130", [24.945559, 60.166753]),
    Address("Bulevardi clinic", "Bulevardi 14", "00120", [24.939891, 60.165155]),
    Address("Paasi office", "Paasivuorenkatu 3", "00530", [24.948457, 60.1786]),
    Address("Postitalo, goods entrance", "Postikatu 1", "00100", [24.937713, 60.171026]),
    Address("Yrjönkatu 18 C 7", "Yrjönkatu 18", "00120", [24.941847, 60.165645]),
    Address("Siltavuori laboratory", "Unioninkatu 45", "00170", [24.950614, 60.175449]),
    Address("Eteläranta reception", "Eteläranta 14", "00130", [24.952282, 60.166111]),
    Address("Kalevankatu salon", "Kalevankatu 14", "00100", [24.936621, 60.166687]),
    Address("Mikonkatu café", "Mikonkatu 21", "00100", [24.945427, 60.172213]),
    Address("Ludviginkatu press room", "Ludviginkatu 6", "00130", [24.945154, 60.165691]),
    Address("Kaisaniemi music shop", "Kaisaniemenkatu 10", "00100", [24.948585, 60.172992]),
    Address("Hakaniemi bakery", "Hakaniemenranta 1", "00530", [24.950486, 60.177889]),
    Address("Pikku-Robert 9 A 3", "Pieni Roobertinkatu 9", "00120", [24.945472, 60.164282]),
)
PARCELS: Final = (
    ("Coffee machine", "CM-200-BLK"), ("Potted ferns (2)", "FERN-2"), ("Suitcase", "SC-75"),
    ("Orchids", "ORC-12"), ("Books (1 carton)", "BK-20"), ("Wedding cake", "CAKE-3"),
    ("Prescription glasses", "SPEC-1"), ("Violin", "VLN-44"), ("Desk lamp", "LMP-9"),
    ("Printer paper (5 reams)", "PAP-A4"),
    ("Telescope", "TEL-80"), ("Tea set", "TEA-6"),
)  # fmt: skip
# The recipients of medicines.
CLINICS: Final = tuple(
    home for home in HOMES if home.name.endswith(("dentist", "clinic", "laboratory"))
)
MEDICINES: Final = (("Insulin", "MED-INS"), ("Vaccines", "MED-VAC"), ("Antibiotics", "MED-ANT"))

SIGNED, DOORSTEP, SCANNED, PHARMACY = "signed-delivery", "leave-at-the-door", "scanned", "pharmacy"
_EN_ROUTE: Final = "En route"
CONFIGS: Final = (
    OrderConfigIn(
        name="Signed delivery", key=SIGNED, description="Requires the recipient's signature.",
        flow=[
            *PICKUP_STEPS,
            Activity(code="enroute", status=_EN_ROUTE, next=("handed_over", "refused")),
            Activity(code="handed_over", status="Handed over", complete=True, require_pod=True,
                     pod_method="signature"),
            Activity(code="refused", status="Refused", complete=True, require_pod=True,
                     pod_method="photo"),
        ],
    ),
    OrderConfigIn(
        name="Leave at the door", key=DOORSTEP, description="Requires a photo.",
        flow=[
            *PICKUP_STEPS,
            Activity(code="enroute", status=_EN_ROUTE, next=("left_at_door",)),
            Activity(code="left_at_door", status="Left at the door", complete=True,
                     require_pod=True, pod_method="photo"),
        ],
    ),
    OrderConfigIn(
        name="Scanned parcels", key=SCANNED, description="Requires a scan of each item.",
        flow=[
            *PICKUP_STEPS,
            Activity(code="enroute", status=_EN_ROUTE, next=("delivered",)),
            Activity(code="delivered", status="Delivered", complete=True, require_pod=True,
                     pod_method="scan", pod_scope="entity"),
        ],
    ),
    OrderConfigIn(
        name="Pharmacy", key=PHARMACY, description="Requires an SMS code and a signature.",
        flow=[
            *PICKUP_STEPS,
            Activity(code="enroute", status=_EN_ROUTE, next=("identified",)),
            Activity(code="identified", status="Recipient identified", next=("handed_over",),
                     require_pod=True, pod_method="sms"),
            Activity(code="handed_over", status="Handed over", complete=True, require_pod=True,
                     pod_method="signature"),
        ],
    ),
)  # fmt: skip
