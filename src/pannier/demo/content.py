"""Content of the demo company: vans with drivers, customers, places, order configurations.

Phones are numbers that take a fixed code in test mode.
"""

from typing import Any, Final, NamedTuple

from pannier.orders.configs.schemas import OrderConfigIn
from pannier.orders.flow import Activity

COMPANY: Final = "Demo City"
TIME_ZONE: Final = "Asia/Singapore"
CURRENCY: Final = "SGD"
ADDRESS_DEFAULTS: Final = {"city": "Singapore", "country": "SG"}


class Van(NamedTuple):
    """A van, its driver, the crossing where it starts, and whether it is refrigerated."""

    plate: str
    make: str
    model: str
    driver: str
    crossing: str
    cold: bool = False


VANS: Final = (
    Van("GBA 1843 A", "Toyota", "HiAce", "Ahmad Rahim", "raffles"),
    Van("GBB 1912 T", "Nissan", "NV350", "Tan Wei Jie", "mandai"),
    Van("GBC 1930 D", "Renault", "Kangoo", "Priya Nair", "bishan"),
    Van("GBD 1882 N", "Toyota", "HiAce", "Daniel Lim", "tampines"),
    Van("GBE 1918 J", "Isuzu", "NLR", "Nur Aisyah Hassan", "jurong_east", cold=True),
    Van("GBF 1707 E", "Nissan", "NV200", "Marcus Chua", "paya_lebar"),
    Van("GBG 1850 K", "Citroën", "Berlingo", "Siti Zulaikha", "buona_vista"),
    Van("GBH 1815 B", "Toyota", "HiAce", "Kumar Selvam", "woodlands"),
    Van("GBJ 1914 L", "Maxus", "eDeliver 3", "Goh Hui Min", "orchard"),
    Van("GBK 1777 G", "Isuzu", "NLR", "Jason Ng", "clementi", cold=True),
    Van("GBL 1780 S", "Renault", "Kangoo", "Rachel Lee", "raffles"),
    Van("GBM 1811 V", "BYD", "T3", "Arjun Menon", "punggol"),
    Van("GBN 1802 A", "Nissan", "NV350", "Benjamin Koh", "bedok", cold=True),
    Van("GBP 1776 G", "Citroën", "Berlingo", "Fatimah Yusof", "tuas"),
)
# The last two are inactive: one van is in the workshop, and one driver has the day off.
ACTIVE_VANS: Final = len(VANS) - 2


def make_phone(number: int) -> str:
    """Return a test phone number."""
    return f"+1555555{number:04}"


def make_driver_phone(van: int) -> str:
    return make_phone(101 + van)


def find_van(driver_phone: str) -> int:
    """Return the number of the van whose driver has this phone."""
    return int(driver_phone[-4:]) - 101


CUSTOMERS: Final = (
    "Grace Wong", "Michael Tan", "Sharifah Osman", "Emily Chen", "Vikram Rao",
    "Joanne Teo", "David Pereira", "Ho Li Ting",
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
    Address("Raffles Place store", "1 Raffles Place", "048616", [103.851, 1.284]),
    Address("Woodlands warehouse", "30 Woodlands Avenue 2", "738343", [103.7875, 1.4355]),
    Address("Jurong cold storage", "2 Jurong East Street 21", "609601", [103.7415, 1.3335]),
    Address("Tampines florist", "1 Tampines Walk", "528523", [103.9395, 1.3535]),
)
HOMES: Final = (
    Address("Mandai visitor centre", "80 Mandai Lake Road", "729826", [103.7884, 1.4043]),
    Address("Marina Gardens café", "18 Marina Gardens Drive", "018953", [103.8636, 1.2816]),
    Address("Changi Airport T3, arrivals", "65 Airport Boulevard", "819663", [103.987, 1.3555]),
    Address("Botanic Gardens, Tanglin Gate", "1 Cluny Road", "259569", [103.8159, 1.3138]),
    Address("Tiong Bahru #05-12", "55 Tiong Bahru Road", "160055", [103.8325, 1.2858]),
    Address("Katong shophouse", "112 East Coast Road", "428802", [103.9048, 1.3052]),
    Address("Bishan clinic", "9 Bishan Place", "579837", [103.8485, 1.3502]),
    Address("Serangoon office tower", "23 Serangoon Central", "556083", [103.8727, 1.3506]),
    Address("Punggol #11-204", "83 Punggol Central", "828761", [103.9022, 1.4052]),
    Address("Yishun #08-33", "930 Yishun Avenue 2", "769098", [103.8357, 1.4294]),
    Address("Holland bookshop", "211 Holland Avenue", "278967", [103.7962, 1.3111]),
    Address("Fusionopolis reception", "1 Fusionopolis Way", "138632", [103.7875, 1.2993]),
    Address("Jurong West lab", "60 Jurong West Central 3", "648346", [103.7062, 1.3397]),
    Address("Choa Chu Kang school", "21 Choa Chu Kang Avenue 4", "689812", [103.7449, 1.3854]),
    Address("Bedok bakery", "311 New Upper Changi Road", "467360", [103.9293, 1.3246]),
    Address("Kallang studio", "1 Stadium Place", "397628", [103.8735, 1.3025]),
    Address("Sengkang clinic", "1 Sengkang Square", "545078", [103.8951, 1.392]),
    Address("Orchard salon", "290 Orchard Road", "238859", [103.8354, 1.3036]),
)
PARCELS: Final = (
    ("Coffee machine", "CM-200-BLK"), ("Potted ferns (2)", "FERN-2"), ("Suitcase", "SC-75"),
    ("Orchids", "ORC-12"), ("Books (1 carton)", "BK-20"), ("Wedding cake", "CAKE-3"),
    ("Prescription glasses", "SPEC-1"), ("Violin", "VLN-44"), ("Floor lamp", "LMP-9"),
    ("Printer paper (5 reams)", "PAP-A4"),
    ("Telescope", "TEL-80"), ("Tea set", "TEA-6"),
)  # fmt: skip
MEDICINES: Final = (("Insulin", "MED-INS"), ("Vaccines", "MED-VAC"), ("Antibiotics", "MED-ANT"))

SIGNED, DOORSTEP, SCANNED, PHARMACY = "signed-delivery", "leave-at-the-door", "scanned", "pharmacy"
_EN_ROUTE: Final = "En route"
CONFIGS: Final = (
    OrderConfigIn(
        name="Signed delivery", key=SIGNED, description="Requires the recipient's signature.",
        flow=[
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
            Activity(code="enroute", status=_EN_ROUTE, next=("left_at_door",)),
            Activity(code="left_at_door", status="Left at the door", complete=True,
                     require_pod=True, pod_method="photo"),
        ],
    ),
    OrderConfigIn(
        name="Scanned parcels", key=SCANNED, description="Requires a scan of each item.",
        flow=[
            Activity(code="enroute", status=_EN_ROUTE, next=("delivered",)),
            Activity(code="delivered", status="Delivered", complete=True, require_pod=True,
                     pod_method="scan", pod_scope="entity"),
        ],
    ),
    OrderConfigIn(
        name="Pharmacy", key=PHARMACY, description="Requires an SMS code and a signature.",
        flow=[
            Activity(code="enroute", status=_EN_ROUTE, next=("identified",)),
            Activity(code="identified", status="Recipient identified", next=("handed_over",),
                     require_pod=True, pod_method="sms"),
            Activity(code="handed_over", status="Handed over", complete=True, require_pod=True,
                     pod_method="signature"),
        ],
    ),
)  # fmt: skip
