"""A photo as it becomes evidence, against Pillow's bare decoding and encoding in the same run.

Two things are measured: the work on the picture alone (checked, turned, shrunk, encoded, with a
thumbnail), and a whole capture over loopback (credentials, form, picture, chain, files, answer).

The photo has four megapixels, in two shapes: one fits into 2048 pixels and is only encoded anew,
the other has to be shrunk, which bare decoding and encoding does not do; so Pillow's decoding,
shrinking and encoding stands beside it. The figure is CPU time, of all threads of a process.
"""

import asyncio
import gc
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from PIL import Image, ImageChops

import floor
from pannier.db.embedded import Server
from pannier.proofs import images

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
PHOTOS = int(os.environ.get("BENCH_PHOTOS", "12"))
SHAPES = ((2048, 1953), (2309, 1732))
AIM = 1.20
SECRET = "x" * 40
PICKUP = {"street1": "1 Raffles Place", "city": "Singapore", "latitude": 1.284, "longitude": 103.85}
DROPOFF = {"street1": "80 Mandai Road", "city": "Singapore", "latitude": 1.404, "longitude": 103.79}

Work = Callable[[bytes], object]
Times = Mapping[str, list[float]]


def clouds(width: int, height: int, layers: Mapping[int, float]) -> Image.Image:
    """Lay noise of several coarsenesses over each other, as the light of a real scene is."""
    drawn = Image.new("L", (width, height), 128)
    for coarse, strength in layers.items():
        size = -(-width // coarse), -(-height // coarse)
        noise = Image.effect_noise(size, strength).resize(drawn.size)
        drawn = ImageChops.add(drawn, noise, offset=-128)
    return drawn


def photos(width: int, height: int) -> Iterator[bytes]:
    """Draw shapes, fine structure and a sensor's noise, coded as a phone does; no two alike."""
    brightness = clouds(width, height, {64: 40, 16: 25, 4: 15, 1: 6})
    hues = [clouds(width, height, {128: 20, 32: 10, 2: 2}) for _ in range(2)]
    drawn = Image.merge("YCbCr", (brightness, *hues)).convert("RGB")
    while True:
        drawn = ImageChops.offset(drawn, 17)
        yield encoded(drawn, quality=92)


def bare(data: bytes) -> bytes:
    image = Image.open(BytesIO(data))
    image.load()
    return encoded(image)


def shrinking(data: bytes) -> bytes:
    image = Image.open(BytesIO(data))
    image.thumbnail((images.LONG_EDGE, images.LONG_EDGE), reducing_gap=None)
    return encoded(image)


def encoded(image: Image.Image, quality: int = images.QUALITY) -> bytes:
    made = BytesIO()
    image.save(made, "JPEG", quality=quality)
    return made.getvalue()


def cpu(work: Work, data: bytes) -> float:
    """Measure the third of three: the first ones fetch the memory that another work gave back."""
    for _ in range(3):
        before = time.process_time()
        work(data)
        taken = time.process_time() - before
    return taken


def picture_times(data: bytes) -> Times:
    """Take turns, so that whatever else the machine does falls on all alike."""
    loop = asyncio.new_event_loop()
    works: Mapping[str, Work] = {
        "bare": bare,
        "shrinking": shrinking,
        "picture": lambda data: loop.run_until_complete(images.photo(data)),
    }
    taken: Times = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            taken[name].append(cpu(work, data))
    loop.close()
    return taken


async def prepare(url: str) -> str:
    """Found a company, and give its key."""
    from pannier.accounts import service
    from pannier.accounts.audit import Actor
    from pannier.db import connect
    from pannier.db.migrate import migrate
    from pannier.installation import create_company
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring

    await migrate(url)
    database = await connect(url, clock=SystemClock(), keys=Keyring(SECRET))
    async with database.transaction() as db:
        company = await create_company(db, "Bench", "live")
        actor = Actor.command(company.uuid)
        key = await service.create_key(db, actor, kind="api", name="Bench", scopes=["*"])
    await database.close()
    return key.text


async def app(url: str, folder: str) -> Any:  # noqa: ANN401 - an ASGI application
    from pannier.app import create
    from pannier.db import connect
    from pannier.kit.clock import SystemClock
    from pannier.kit.crypto import Keyring
    from pannier.kit.passwords import Passwords
    from pannier.settings import load
    from pannier.web import logs
    from pannier.web.limits import Limiter

    logs.configure("info")
    rates = {"credential_rate": "10000000", "address_rate": "10000000"}
    settings = load({}, secret=SECRET, data=folder, **rates)
    database = await connect(url, clock=SystemClock(), keys=Keyring(SECRET))
    return create(settings, database, Limiter(Path(folder) / "limits"), Passwords())


async def serve(url: str, folder: str, descriptor: int) -> None:
    application = await app(url, folder)
    gc.collect()
    gc.freeze()  # as `pannier serve` does
    config = uvicorn.Config(
        application,
        http="httptools",
        access_log=False,
        lifespan="off",
        log_level="error",
        proxy_headers=False,
        server_header=False,
    )
    await uvicorn.Server(config).serve(sockets=[socket.socket(fileno=descriptor)])


def start(url: str, folder: str) -> tuple[subprocess.Popen[bytes], int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = subprocess.Popen(  # noqa: S603 - this very file
            [sys.executable, __file__, url, folder, str(listener.fileno())],
            pass_fds=[listener.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port: int = listener.getsockname()[1]
        return process, port


class Driver:
    """Captures photos as a driver's application does."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.key = key

    def order(self) -> str:
        """Place an order, which takes fifty photos."""
        body = json.dumps({"pickup": PICKUP, "dropoff": DROPOFF}).encode()
        made: str = self.post("/v1/orders", body, "application/json")["id"]
        return made

    def capture(self, order: str, photo: bytes) -> None:
        """Send a photo as a form."""
        head = b'Content-Disposition: form-data; name="photo"; filename="photo.jpg"\r\n\r\n'
        form = b"--cut\r\n" + head + photo + b"\r\n--cut--\r\n"
        path = f"/v1/orders/{order}/capture-photo"
        self.post(path, form, "multipart/form-data; boundary=cut")

    def post(self, path: str, body: bytes, kind: str) -> dict[str, Any]:
        """Send something from which something is made."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": kind}
        self.connection.request("POST", path, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == http.HTTPStatus.CREATED, content
        told: dict[str, Any] = json.loads(content)
        return told


def capture_times(server: Server, folder: str, key: str, sent: Iterator[bytes]) -> list[float]:
    """Measure the server's CPU time of a capture, a dozen captures at a time."""
    process, port = start(server.url, folder)
    try:
        driver = Driver(port, key)
        taken = []
        for turn in range(1 + ROUNDS):
            order, pictures = driver.order(), [next(sent) for _ in range(PHOTOS)]
            before = floor.cpu_seconds(process.pid)
            for picture in pictures:
                driver.capture(order, picture)
            if turn:  # the first is for warming up
                taken.append((floor.cpu_seconds(process.pid) - before) / PHOTOS)
        return taken
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def report(times: Times) -> None:
    for name, taken in times.items():
        best, median = min(taken), statistics.median(taken)
        print(f"{name:>10}: {best * 1e3:6.1f} ms at best, {median * 1e3:6.1f} ms in the middle")
    for name in ("picture", "capture"):
        for below in ("bare", "shrinking"):
            best = min(times[name]) / min(times[below])
            median = statistics.median(times[name]) / statistics.median(times[below])
            print(f"{name:>10}: {best:.2f} of {below} at best, {median:.2f} in the middle")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        server = Server.open(Path(folder) / "data")
        try:
            key = asyncio.run(prepare(server.url))
            for shape in SHAPES:
                sent = photos(*shape)
                data = next(sent)
                print(f"{shape[0]} x {shape[1]}, {len(data) // 1024} KiB (aim: {AIM:.2f} of bare)")
                captures = capture_times(server, folder, key, sent)
                report({**picture_times(data), "capture": captures})
        finally:
            server.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        uvloop.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    else:
        main()
