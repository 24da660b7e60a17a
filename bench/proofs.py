"""A photo as it becomes evidence, against Pillow's bare decoding and encoding in the same run.

Two things are measured: the work on the picture alone (checked, turned, shrunk, encoded, with a
thumbnail), and a whole capture over loopback (credentials, form, picture, chain, files, answer).

The photo has four megapixels, in two shapes: one fits into 2048 pixels and is only encoded anew,
the other has to be shrunk, which bare decoding and encoding does not do; so Pillow's decoding,
shrinking and encoding stands beside it. The figure is CPU time, of all threads of a process.
"""

import asyncio
import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from itertools import product
from typing import Any

from PIL import Image, ImageChops

import stand
from pannier.proofs.sandboxed import pictures
from stand import Figure, Process, Stand

ROUNDS = stand.size("rounds", 7, tiny=1)
PHOTOS = stand.size("photos", 12, tiny=1)
REPEATS = stand.size("repeats", 3, tiny=1)
# Four megapixels: one shape fits into 2048 pixels, the other does not.
SHAPES = ((2048, 1953), (2309, 1732))
AIM = stand.at_most(1.20)
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
    image.thumbnail((pictures.MAX_EDGE_PIXELS, pictures.MAX_EDGE_PIXELS), reducing_gap=None)
    return encoded(image)


def encoded(image: Image.Image, quality: int = pictures.JPEG_QUALITY) -> bytes:
    made = BytesIO()
    image.save(made, "JPEG", quality=quality)
    return made.getvalue()


def cpu(work: Work, data: bytes) -> float:
    """Measure the last of some: the first ones fetch the memory that another work gave back."""
    for _ in range(REPEATS):
        before = time.process_time()
        work(data)
        taken = time.process_time() - before
    return taken


def picture_times(data: bytes) -> Times:
    """Take turns, so that whatever else the machine does falls on all alike."""
    works: Mapping[str, Work] = {
        "bare": bare,
        "shrinking": shrinking,
        "picture": pictures.convert_photo,
    }
    taken: Times = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            taken[name].append(cpu(work, data))
    return taken


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


def capture_times(process: Process, key: str, sent: Iterator[bytes]) -> list[float]:
    """Measure the server's CPU time of a capture, a dozen captures at a time."""
    driver = Driver(process.port, key)
    taken = []
    for turn in range(1 + ROUNDS):
        order, pictures = driver.order(), [next(sent) for _ in range(PHOTOS)]
        before = process.cpu()
        for picture in pictures:
            driver.capture(order, picture)
        if turn:  # the first is for warming up
            taken.append((process.cpu() - before) / PHOTOS)
    return taken


def told(here: Stand, shape: str, times: Times) -> None:
    """Compare the work on the picture and the whole capture with both floors."""
    for name, below in product(("picture", "capture"), ("bare", "shrinking")):
        measured, floor = min(times[name]), min(times[below])
        here.tell(
            Figure(
                what=f"The {name} against {below}, {shape}",
                measured=f"{1e3 * measured:.1f} ms of CPU",
                floor=f"{1e3 * floor:.1f} ms",
                ratio=measured / floor,
                aim=AIM if below == "bare" else None,
            )
        )


def measure(here: Stand) -> None:
    key = asyncio.run(stand.found(here.url)).api_key
    process = here.api(here.url)
    for width, height in SHAPES:
        sent = photos(width, height)
        data = next(sent)
        shape = f"{width} by {height}, {len(data) // 1024} KiB"
        captures = capture_times(process, key, sent)
        told(here, shape, {**picture_times(data), "capture": captures})


if __name__ == "__main__":
    stand.run(measure)
