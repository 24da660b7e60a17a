"""What one company's most expensive requests do to the response times of another company.

*What.* Another company lists its orders, places orders and receives device reports at a steady
rate. Beside it, each kind of caller of a busy company sends the most expensive requests that it may
send, on eight connections or more and without a pause. The default limits apply. Rejected clients
retry after a tenth of a second. Streams and exports may be opened and never read. Everything runs
against one API process and one worker.

*Floor.* The same response times just before, without the busy company.

*Ratio.* The 95th percentile of the response time with these requests, divided by the percentile
without them, for the request that suffers most. The aim is at most 2.

`BENCH_SECONDS` sets the seconds of each measurement, and `BENCH_ORDERS` the orders of the busy
company. `BENCH_ONLY` selects cases whose name contains a text.
"""

import asyncio
import base64
import gzip
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import count, islice
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

import stand
from devices import BATCH_PATH
from lists import insert_orders
from orders import ApiConnection, create_cycle_records, run_cycle
from pannier import provisioning
from pannier.kit.passwords import Passwords
from pannier.provisioning import CompanyCredentials
from pannier.settings import load
from stand import BenchProcess, Figure, HttpConnection, Stand

SECONDS: Final = stand.read_size("seconds", 5, tiny=0)
ORDERS: Final = stand.read_size("orders", 10_000, tiny=150)
RATES: Final = stand.read_size("rates", 300, tiny=3)
LABELS: Final = stand.read_size("labels", 50, tiny=2)
DRIVERS: Final = stand.read_size("drivers", 50, tiny=2)
PHOTOS: Final = stand.read_size("photos", 8, tiny=1)
BATCH: Final = stand.read_size("batch", 500, tiny=3)
POSITIONS: Final = stand.read_size("positions", 5_000, tiny=10)
ROWS: Final = stand.read_size("rows", 5_000, tiny=3)
MIN_SAMPLES: Final = 200 if not stand.TINY else 2
CONNECTIONS: Final = 8
STREAMS: Final = 40 if not stand.TINY else 3
SETTLING_SECONDS: Final = 1.0 if not stand.TINY else 0.0
PAUSE_SECONDS: Final = 0.02  # between two requests of an ordinary client
RETRY_SECONDS: Final = 0.1  # after a rejection
ONLY: Final = os.environ.get("BENCH_ONLY", "")
AIM: Final = stand.aim_at_most(2)
# Replaced by a number in each request that is sent.
UNIQUE: Final = b"@@@@@@@@"
# The longest formula that a rate may have: 64 operations.
FORMULA: Final = " + ".join(["(distance_km * 0.001)"] * 32)
CENTRE: Final = (1.30, 103.85)


class Request(NamedTuple):
    """A request of the busy company, as it is sent."""

    method: str
    path: str
    token: str = ""
    body: bytes = b""
    content_type: str = "application/json"
    encoding: str = "identity"

    def encode(self) -> bytes:
        """Write the request as a client sends it."""
        credential = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        head = (
            f"{self.method} {self.path} HTTP/1.1\r\nHost: bench\r\n{credential}"
            f"Content-Type: {self.content_type}\r\nContent-Encoding: {self.encoding}\r\n"
            f"Accept-Encoding: gzip\r\nContent-Length: {len(self.body)}\r\n\r\n"
        )
        return head.encode() + self.body


class Case(NamedTuple):
    """Expensive requests of one kind of caller, which all connections send in turns."""

    name: str
    requests: Sequence[Request]
    # The status of a request that is not rejected for being one of too many.
    status: int = 200
    # Whether the client reads the response.
    is_read: bool = True
    connections: int = CONNECTIONS


class BusyCompany(NamedTuple):
    """The credentials and records of the company that sends expensive requests."""

    made: CompanyCredentials
    orders: Sequence[str]
    # An order with photos, and the link to its tracking page.
    proved: str
    tracking: str
    open_orders: Sequence[str]
    plan: str
    device: str
    photo: bytes


async def send_expensive(port: str, file: str, _descriptor: str) -> None:
    """Send the requests of a case until stopped, at a low priority: clients run elsewhere."""
    os.nice(5)
    case = msgspec.json.decode(await asyncio.to_thread(Path(file).read_bytes))
    requests = [base64.b64decode(text) for text in case["requests"]]
    size = case["connections"] if case["is_read"] else STREAMS
    statuses: Counter[str] = Counter()
    numbers = count(10_000_000)
    client = ExpensiveClient(int(port), requests, numbers, statuses, is_read=case["is_read"])
    async with asyncio.TaskGroup() as tasks:
        for number in range(size):
            tasks.create_task(client.run(number))
        tasks.create_task(_write_statuses(Path(f"{file}.statuses"), statuses))


async def _write_statuses(file: Path, statuses: Counter[str]) -> None:
    while True:
        await asyncio.to_thread(_replace_file, file, msgspec.json.encode(statuses))
        await asyncio.sleep(0.2)


def _replace_file(file: Path, content: bytes) -> None:
    new = file.with_suffix(".new")
    new.write_bytes(content)
    new.replace(file)


class ExpensiveClient:
    """Sends expensive requests on several connections, from different addresses."""

    def __init__(
        self,
        port: int,
        requests: Sequence[bytes],
        numbers: Iterator[int],
        statuses: Counter[str],
        *,
        is_read: bool,
    ) -> None:
        self._port, self._requests, self._numbers = port, requests, numbers
        self._statuses, self._is_read = statuses, is_read

    async def send_each(self) -> None:
        """Send each request once, without reading the rest of a stream."""
        for request in self._requests:
            reader, writer = await self._open(0)
            writer.write(request.replace(UNIQUE, b"%d" % next(self._numbers)))
            self._statuses[(await reader.readuntil(b"\r\n\r\n"))[9:12].decode()] += 1
            writer.close()

    async def run(self, number: int) -> None:
        """Send requests on one connection, and open it again when it is closed."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._run_connection(number)
            await asyncio.sleep(RETRY_SECONDS)

    async def _open(self, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        connection = socket.socket()
        connection.bind((f"127.0.0.{2 + number}", 0))
        if not self._is_read:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)  # noqa: FBT003 - the standard library's interface
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self._port))
        return await asyncio.open_connection(sock=connection, limit=2**16)

    async def _run_connection(self, number: int) -> None:
        reader, writer = await self._open(number)
        try:
            for turn in count(number):
                request = self._requests[turn % len(self._requests)]
                writer.write(request.replace(UNIQUE, b"%d" % next(self._numbers)))
                status = await self._read_status(reader, writer)
                self._statuses[status] += 1
                if not status.startswith("2"):
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            writer.close()

    async def _read_status(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """Read a response, and return its status."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = head[9:12].decode()
        if not self._is_read and status == "200":
            self._statuses[status] += 1
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
            await asyncio.Event().wait()
        if b"transfer-encoding: chunked" in head:
            while size := int(await reader.readline(), 16):
                await reader.readexactly(size + 2)
            await reader.readexactly(2)
        elif b"content-length: " in head:
            await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        return status


class OrdinaryTimes(NamedTuple):
    """The response times of the ordinary requests in milliseconds, by request."""

    times: Mapping[str, Sequence[float]]

    def compute_percentiles(self, share: float) -> Mapping[str, float]:
        """Return a percentile of each request's response times."""
        return {name: stand.compute_percentile(each, share) for name, each in self.times.items()}

    def __str__(self) -> str:
        halves, tails = self.compute_percentiles(0.5), self.compute_percentiles(0.95)
        return ", ".join(f"{name} {halves[name]:.1f}/{tails[name]:.1f} ms" for name in self.times)


class OrdinaryCompany:
    """Another company, which lists orders, places orders and receives device reports."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key

    async def prepare(self) -> None:
        """Create the records that its requests refer to."""
        line = ApiConnection(self._port, self._key)
        records = await create_cycle_records(line, "+6598765432")
        device = await line.request_json("POST", "devices", {"name": "Phone", "kind": "tracker"})
        pickup, dropoff = records.places
        order = {"pickup": pickup, "dropoff": dropoff, "entities": [{"name": "Box"}]}
        self._requests: Mapping[str, tuple[str, str, object]] = {
            "list": ("GET", "/v1/orders", None),
            "place": ("POST", "/v1/orders", order),
            "report": ("GET", f"/ingest/osmand/{device['token']}?lat=1.3&lon=103.8", None),
        }

    async def measure(self) -> OrdinaryTimes:
        """Send requests at a steady rate, on two connections for each request."""
        times: Mapping[str, list[float]] = {name: [] for name in self._requests}
        end = time.perf_counter() + SECONDS
        await asyncio.gather(
            *(
                self._send(request, times[name], end)
                for name, request in self._requests.items()
                for _ in range(2)
            )
        )
        return OrdinaryTimes(times)

    async def _send(self, request: tuple[str, str, object], times: list[float], end: float) -> None:
        line = HttpConnection(self._port, self._key)
        last = end + stand.TIMEOUT_SECONDS / 4
        while (now := time.perf_counter()) < end or (len(times) < MIN_SAMPLES and now < last):
            await line.request(*request)
            times.append((time.perf_counter() - now) * 1000)
            await asyncio.sleep(PAUSE_SECONDS)
        await line.close()


async def provision_companies(url: str) -> tuple[CompanyCredentials, CompanyCredentials]:
    """Create the busy company first, and then the ordinary one."""
    busy = await stand.provision_company(url)
    database = await stand.open_database(url)
    ordinary = await provisioning.provision_company(
        database,
        Passwords(),
        load({}),
        name="Neighbour",
        email="neighbour@pannier.test",
        only_first=False,
    )
    await database.close()
    assert ordinary is not None
    return busy, ordinary


async def prepare_busy_company(url: str, port: int, made: CompanyCredentials) -> BusyCompany:
    """Create the records that make requests expensive."""
    line = ApiConnection(port, made.api_key)
    records = await create_cycle_records(line)
    await run_cycle(line, records)
    proved = await _place_order(line, records.places)
    photo = draw_photo()
    for _ in range(PHOTOS):
        await _capture(line, proved["id"], photo)
    await insert_orders(url, ORDERS)
    orders = [order["id"] for order in await line.request_json("GET", f"orders?limit={LABELS}")]
    rate = {
        "service_type": "standard",
        "currency": "SGD",
        "rate_calculation_method": "algorithm",
        "algorithm": FORMULA,
        "public": True,
    }
    for number in range(RATES):
        await line.request_json("POST", "service-rates", {**rate, "service_name": f"R{number}"})
    for number in range(DRIVERS):
        person = {"name": f"D{number}", "phone": f"+659{number:07}", "online": True}
        await line.request_json("POST", "drivers", person)
    await _draw_zones(line)
    device = await line.request_json("POST", "devices", {"name": "Gateway", "kind": "gateway"})
    await line.request_json(
        "POST", "devices", {"name": "Tracker", "kind": "tracker", "identifier": "imei-1"}
    )
    batch = await line.request_json("POST", "orders/batch", build_batch(BATCH, "first"))
    # A slow machine creates fewer within the time of a batch.
    open_orders = [each["order"]["id"] for each in batch["results"] if each["order"] is not None]
    plan = await line.request_json("POST", "plans", {"orders": open_orders, "max_seconds": 5})
    await line.close()
    return BusyCompany(
        made,
        orders,
        proved["id"],
        proved["tracking_url"],
        open_orders,
        plan["id"],
        device["token"],
        photo,
    )


async def _place_order(line: ApiConnection, places: Sequence[str]) -> dict[str, Any]:
    pickup, dropoff = places
    order: dict[str, Any] = await line.request_json(
        "POST", "orders", {"pickup": pickup, "dropoff": dropoff, "entities": [{"name": "Box"}]}
    )
    return order


async def _capture(line: ApiConnection, order: str, photo: bytes) -> None:
    await line.request_json(
        "POST",
        f"orders/{order}/capture-photo",
        {"photo": "data:image/jpeg;base64," + base64.b64encode(photo).decode()},
    )


async def _draw_zones(line: ApiConnection) -> None:
    """Draw overlapping zones around the center, which the gateway's positions cross."""
    latitude, longitude = CENTRE
    where = f"{latitude},{longitude}"
    area = await line.request_json(
        "POST", "service-areas", {"name": "City", "location": where, "radius": 60000}
    )
    for number in range(60 if not stand.TINY else 2):
        await line.request_json(
            "POST",
            "zones",
            {
                "name": f"Zone {number}",
                "service_area": area["id"],
                "location": where,
                "radius": 1000 + number,
            },
        )


def draw_photo() -> bytes:
    """Draw a photo of twelve megapixels, which takes long to decode."""
    from PIL import Image

    size = (4000, 3000) if not stand.TINY else (400, 300)
    made = BytesIO()
    Image.effect_noise(size, 40).convert("RGB").save(made, "JPEG", quality=80)
    return made.getvalue()


def build_batch(size: int, turn: str) -> dict[str, Any]:
    """Build a batch of orders, each with two new places."""
    latitude, longitude = CENTRE
    return {
        "orders": [
            {
                "internal_id": f"{turn}-{number}",
                "pickup": {
                    "street1": "1 Raffles Place",
                    "latitude": latitude,
                    "longitude": longitude,
                },
                "dropoff": {
                    "street1": f"{number} Mandai Road",
                    "latitude": latitude + number % 50 / 1000,
                    "longitude": longitude + number // 50 / 1000,
                },
                "entities": [{"name": "Box"}],
            }
            for number in range(size)
        ]
    }


def build_positions() -> bytes:
    """Build positions that leave and enter all zones again and again."""
    end = datetime.now(UTC)
    latitude, longitude = CENTRE
    return msgspec.json.encode(
        [
            {
                "device": "imei-1",
                "event_id": f"{UNIQUE.decode()}-{number}",
                "event_type": "position_update",
                "timestamp": (end - timedelta(seconds=(POSITIONS - number) / 100)).isoformat(),
                "location": {
                    "latitude": latitude + number % 2 / 10,
                    "longitude": longitude,
                },
                "data": {"speed": 20},
            }
            for number in range(POSITIONS)
        ]
    )


def fill_json(size: int, lists: int) -> bytes:
    """Build an order of almost `size` bytes, with nested lists and many values."""
    unit = b"[" * 25 + b"]" * 25
    place = b'{"latitude":1.3,"longitude":103.8}'
    head = b'{"pickup":%b,"dropoff":%b,"meta":{"x":[' % (place, place)
    nested = b",".join([unit] * (lists // 25))
    return head + nested + b",0" * ((size - len(head) - len(nested) - 8) // 2) + b"]}}"


def fill_text(size: int) -> bytes:
    """Build a sign-in of almost `size` bytes, with as many values as allowed."""
    values = b",".join([b"0"] * 900)
    head = b'{"email":[%b],"password":"' % values
    return head + b"x" * (size - len(head) - 2) + b'"}'


def compress(body: bytes) -> bytes:
    """Compress a body no further than the server accepts."""
    packed = gzip.compress(body, 9)
    padding = b"\0" * max(0, len(body) // 90 - len(packed))
    # A comment in the gzip header enlarges it without changing the content.
    return packed[:3] + b"\x10" + packed[4:10] + b"x" * len(padding) + b"\0" + packed[10:]


def build_quote_path(stops: int) -> str:
    """Build a query for quotes through many stops."""
    latitude, longitude = CENTRE
    waypoints = "&".join(
        f"waypoints[]={latitude + number / 1000:.4f},{longitude}" for number in range(stops)
    )
    return f"/service-quotes?{waypoints}"


def list_cases(busy: BusyCompany) -> list[Case]:
    """List the most expensive requests that each kind of caller may send."""
    return [
        *_list_stranger_cases(busy),
        *_list_shop_cases(busy),
        *_list_key_cases(busy),
        *_list_document_cases(busy),
        *_list_stream_cases(busy),
    ]


def _list_stranger_cases(busy: BusyCompany) -> list[Case]:
    page = "/t/" + busy.tracking.partition("/t/")[2]
    login = msgspec.json.encode({"email": busy.made.operator_email, "password": UNIQUE.decode()})
    return [
        Case("Stranger: the OpenAPI document", [Request("GET", "/openapi.json")]),
        Case(
            "Stranger: documentation pages",
            [Request("GET", path) for path in ("/docs", "/docs/errors", "/docs/events")],
        ),
        Case("Stranger: sign-ins with a wrong password", [
            Request("POST", "/int/v1/login", body=login)
        ], 401),
        Case("Stranger: JSON of 64 kB without a credential", [
            Request("POST", "/int/v1/login", body=fill_text(64 * 1024))
        ], 422),
        Case("Tracking page: page, data and proof", [
            Request("GET", page),
            Request("GET", page.replace("?", ".json?")),
            Request("GET", page.replace("?", "/proof?")),
        ]),
    ]  # fmt: skip


def _list_shop_cases(busy: BusyCompany) -> list[Case]:
    key = busy.made.storefront_key
    shop = "/storefront/v1"
    return [
        Case("Storefront: quotes with 20 stops", [
            Request("GET", shop + build_quote_path(20), key)
        ]),
        Case("Storefront: nested JSON of 256 kB", [
            Request("POST", f"{shop}/customers/login-with-email", key, fill_json(2**18, 4_900))
        ], 422),
    ]  # fmt: skip


def _list_key_cases(busy: BusyCompany) -> list[Case]:
    key = busy.made.api_key
    large, batch = (
        fill_json(2**20, 49_000),
        msgspec.json.encode(build_batch(BATCH, UNIQUE.decode())),
    )
    photo = msgspec.json.encode(
        {"photo": "data:image/jpeg;base64," + base64.b64encode(busy.photo).decode()}
    )
    csv = "name,street1,latitude,longitude\n" + "".join(
        f"Place {UNIQUE.decode()} {row},{row} Mandai Road,1.3,103.8\n" for row in range(ROWS)
    )
    data = "data:text/csv;base64," + base64.b64encode(csv.encode()).decode()
    plan = {"orders": list(busy.open_orders), "max_seconds": 10}
    days = "from=2025-12-01&to=2026-11-19"
    reports = ("volume", "on-time", "drivers", "revenue", "margin", "devices", "webhooks")
    return [
        Case("API key: nested JSON of 1 MB", [Request("POST", "/v1/orders", key, large)], 422),
        Case("API key: nested JSON of 1 MB, compressed", [
            Request("POST", "/v1/orders", key, compress(large), encoding="gzip")
        ], 422),
        Case(f"API key: batches of {BATCH} orders", [
            Request("POST", "/v1/orders/batch", key, batch)
        ]),
        Case("API key: the longest lists", [
            Request("GET", f"/v1/{name}?limit=100", key)
            for name in ("orders", "payloads", "places", "tracking-statuses", "events")
        ]),
        Case("Operator: searches", [
            Request("GET", f"/v1/orders?query={quote(text)}", key)
            for text in ("raffles", "ben", "1234", "mandai road", "+65912")
        ]),
        Case(f"Operator: searches on {8 * CONNECTIONS} connections", [
            Request("GET", "/v1/orders?query=mandai+road", key)
        ], connections=8 * CONNECTIONS),
        Case("Operator: reports of a year", [
            Request("GET", f"/v1/reports/{name}?{days}", key) for name in reports
        ]),
        Case("API key: quotes with 100 stops", [
            Request("GET", "/v1" + build_quote_path(100), key)
        ]),
        Case("API key: best drivers", [
            Request("POST", f"/v1/orders/{order}/best-drivers", key, b"{}")
            for order in islice(busy.open_orders, 20)
        ]),
        Case(f"API key: route plans of {BATCH} orders", [
            Request("POST", "/v1/plans", key, msgspec.json.encode(plan))
        ], 201),
        Case("API key: plans and their lines", [
            Request("GET", f"/v1/plans/{busy.plan}", key),
            Request("GET", f"/v1/plans/{busy.plan}/lines", key),
        ]),
        Case(f"API key: imports of {ROWS:,} rows", [
            Request(
                "POST", "/v1/imports", key,
                msgspec.json.encode({"resource": "places", "name": "places.csv", "data": data}),
            )
        ], 201),
        Case("Driver: photos of twelve megapixels", [
            Request("POST", f"/v1/orders/{order}/capture-photo", key, photo)
            for order in islice(busy.open_orders, 20)
        ], 201),
        Case(f"Device: batches of {POSITIONS:,} positions across 60 zones", [
            Request("POST", BATCH_PATH, busy.device, build_positions())
        ]),
    ]  # fmt: skip


def _list_document_cases(busy: BusyCompany) -> list[Case]:
    key = busy.made.api_key
    labels = msgspec.json.encode({"orders": list(busy.orders)})
    return [
        Case(f"API key: labels of {len(busy.orders)} orders", [
            Request("POST", "/v1/labels", key, labels)
        ]),
        Case(f"API key: proof sheets and archives with {PHOTOS} photos", [
            Request("GET", f"/v1/orders/{busy.proved}/proof-sheet.pdf", key),
            Request("GET", f"/v1/orders/{busy.proved}/proofs.zip", key),
        ]),
        Case("API key: barcodes", [
            Request("GET", f"/v1/orders/{order}/label?format=png", key) for order in busy.orders
        ]),
    ]  # fmt: skip


def _list_stream_cases(busy: BusyCompany) -> list[Case]:
    operator = busy.made.operator_token
    events = "/int/v1/fleet-module/device-events"
    exports = [
        Request("GET", f"{events}/export?format={name}", operator) for name in ("csv", "ndjson")
    ]
    audit = Request("GET", "/int/v1/audit/export?format=csv", operator)
    streams = [
        Request("GET", path, operator)
        for path in ("/int/v1/events/stream?after=beginning", f"{events}/stream?after=beginning")
    ]
    return [
        Case("Operator: exports", [*exports, audit]),
        Case("Operator: exports that nobody reads", exports, is_read=False),
        Case("Operator: streams that nobody reads", streams, is_read=False),
    ]


def describe_statuses(file: Path) -> str:
    """Describe how the expensive requests were answered."""
    statuses: dict[str, int] = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    return (
        ", ".join(f"{number} with {status}" for status, number in sorted(statuses.items()))
        or "none"
    )


def check_case(test_stand: Stand, api: BenchProcess, case: Case) -> None:
    """Check that the server does what the requests of a case ask for."""
    requests = [request.encode() for request in case.requests]
    statuses: Counter[str] = Counter()
    client = ExpensiveClient(api.port, requests, count(20_000_000), statuses, is_read=case.is_read)
    asyncio.run(client.send_each())
    assert statuses.keys() == {str(case.status)}, f"{case.name}: {statuses}"
    if stand.TINY:
        test_stand.record(Figure(what=case.name, measured=f"{len(requests)} requests"))


def measure_case(
    test_stand: Stand, api: BenchProcess, ordinary: OrdinaryCompany, case: Case
) -> None:
    """Measure the ordinary company before and during the expensive requests."""
    file = test_stand.folder / "case.json"
    requests = [base64.b64encode(request.encode()).decode() for request in case.requests]
    details = {"is_read": case.is_read, "connections": case.connections}
    file.write_bytes(msgspec.json.encode({"requests": requests, **details}))
    answered = Path(f"{file}.statuses")
    answered.unlink(missing_ok=True)
    quiet = asyncio.run(ordinary.measure())
    crowd = test_stand.start_part("expensive", api.port, file)
    time.sleep(SETTLING_SECONDS)
    beside = asyncio.run(ordinary.measure())
    crowd.stop()
    floors, tails = quiet.compute_percentiles(0.95), beside.compute_percentiles(0.95)
    ratio = max(tails[name] / floors[name] for name in tails)
    print(f"  {case.name}: {describe_statuses(answered)}", flush=True)
    test_stand.record(
        Figure(what=case.name, measured=str(beside), floor=str(quiet), ratio=ratio, aim=AIM)
    )
    time.sleep(SETTLING_SECONDS)


def measure(test_stand: Stand) -> None:
    url = test_stand.create_database()
    made, neighbour = asyncio.run(provision_companies(url))
    settings = {"credential_rate": "6000", "address_rate": "6000", "picture_rate": "240"}
    api = test_stand.start_api(url, **settings)
    test_stand.start_worker(url)
    busy = asyncio.run(prepare_busy_company(url, api.port, made))
    ordinary = OrdinaryCompany(api.port, neighbour.api_key)
    asyncio.run(ordinary.prepare())
    asyncio.run(ordinary.measure())  # warm-up
    for case in list_cases(busy):
        if ONLY in case.name:
            check_case(test_stand, api, case)
            # Starting a process for each case takes longer than the rest of a tiny run.
            if not stand.TINY or not case.is_read:
                measure_case(test_stand, api, ordinary, case)


if __name__ == "__main__":
    stand.run(measure, expensive=send_expensive)
