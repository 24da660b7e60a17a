"""Capturing a photo as proof of delivery, against plain decoding and encoding with Pillow.

*What.* The *picture* is the image work alone: check, rotate, shrink, encode and make a thumbnail.
The *capture* is a whole request: credentials, form, picture, hash chain, files and response. The
figure is the CPU time of all threads.

*Floors.* *Re-encoding* decodes and encodes the photo with Pillow. *Shrinking* also reduces it to
2048 pixels. The photo has four megapixels, in two shapes: one fits into 2048 pixels, the other has
to be shrunk.

*Ratio.* How many times the floor's CPU time Pannier takes. The aim applies to re-encoding.
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
from stand import BenchProcess, Figure, Stand

ROUNDS = stand.read_size("rounds", 7, tiny=1)
PHOTOS = stand.read_size("photos", 12, tiny=1)
REPEATS = stand.read_size("repeats", 3, tiny=1)
# Four megapixels: one shape fits into 2048 pixels, the other does not.
SHAPES = ((2048, 1953), (2309, 1732))
REENCODING_AIM = stand.aim_at_most(1.20)
PICKUP = {"street1": "1 Raffles Place", "city": "Singapore", "latitude": 1.284, "longitude": 103.85}
DROPOFF = {"street1": "80 Mandai Road", "city": "Singapore", "latitude": 1.404, "longitude": 103.79}

Work = Callable[[bytes], object]
Times = Mapping[str, list[float]]


def draw_noise(width: int, height: int, layers: Mapping[int, float]) -> Image.Image:
    """Overlay noise of several grain sizes, similar to the light of a real scene."""
    drawn = Image.new("L", (width, height), 128)
    for coarse, strength in layers.items():
        size = -(-width // coarse), -(-height // coarse)
        noise = Image.effect_noise(size, strength).resize(drawn.size)
        drawn = ImageChops.add(drawn, noise, offset=-128)
    return drawn


def draw_photos(width: int, height: int) -> Iterator[bytes]:
    """Draw different photos with fine structure and sensor noise, encoded as a phone does."""
    brightness = draw_noise(width, height, {64: 40, 16: 25, 4: 15, 1: 6})
    hues = [draw_noise(width, height, {128: 20, 32: 10, 2: 2}) for _ in range(2)]
    drawn = Image.merge("YCbCr", (brightness, *hues)).convert("RGB")
    while True:
        drawn = ImageChops.offset(drawn, 17)
        yield encode_jpeg(drawn, quality=92)


def reencode(data: bytes) -> bytes:
    image = Image.open(BytesIO(data))
    image.load()
    return encode_jpeg(image)


def shrink_and_encode(data: bytes) -> bytes:
    image = Image.open(BytesIO(data))
    image.thumbnail((pictures.MAX_EDGE_PIXELS, pictures.MAX_EDGE_PIXELS), reducing_gap=None)
    return encode_jpeg(image)


def encode_jpeg(image: Image.Image, quality: int = pictures.JPEG_QUALITY) -> bytes:
    made = BytesIO()
    image.save(made, "JPEG", quality=quality)
    return made.getvalue()


def measure_cpu_seconds(work: Work, data: bytes) -> float:
    """Measure the last of several runs; the first ones allocate memory again."""
    for _ in range(REPEATS):
        before = time.process_time()
        work(data)
        taken = time.process_time() - before
    return taken


def measure_picture_times(data: bytes) -> Times:
    """Measure in turns, so that other load on the machine affects all alike."""
    works: Mapping[str, Work] = {
        "re-encoding": reencode,
        "shrinking": shrink_and_encode,
        "picture": pictures.convert_photo,
    }
    taken: Times = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            taken[name].append(measure_cpu_seconds(work, data))
    return taken


class DriverApp:
    """Captures photos as the driver's app does."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.key = key

    def place_order(self) -> str:
        """Place an order, which accepts fifty photos."""
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
        """Create a record, and return it."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": kind}
        self.connection.request("POST", path, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        assert answer.status == http.HTTPStatus.CREATED, content
        answered: dict[str, Any] = json.loads(content)
        return answered


def measure_capture_times(process: BenchProcess, key: str, photos: Iterator[bytes]) -> list[float]:
    """Measure the server's CPU time per capture, in groups of a dozen."""
    driver = DriverApp(process.port, key)
    taken = []
    for turn in range(1 + ROUNDS):
        order, pictures = driver.place_order(), [next(photos) for _ in range(PHOTOS)]
        before = process.read_cpu_seconds()
        for picture in pictures:
            driver.capture(order, picture)
        if turn:  # the first is a warm-up
            taken.append((process.read_cpu_seconds() - before) / PHOTOS)
    return taken


def record_figures(test_stand: Stand, shape: str, times: Times) -> None:
    """Compare the picture and the capture with both floors."""
    for name, below in product(("picture", "capture"), ("re-encoding", "shrinking")):
        measured, floor = min(times[name]), min(times[below])
        test_stand.record(
            Figure(
                what=f"{name.capitalize()} against {below}, {shape}",
                measured=f"{1e3 * measured:.1f} ms of CPU",
                floor=f"{1e3 * floor:.1f} ms",
                ratio=measured / floor,
                aim=REENCODING_AIM if below == "re-encoding" else None,
            )
        )


def measure(test_stand: Stand) -> None:
    key = asyncio.run(stand.provision_company(test_stand.url)).api_key
    process = test_stand.start_api(test_stand.url)
    for width, height in SHAPES:
        photos = draw_photos(width, height)
        data = next(photos)
        shape = f"{width} by {height}, {len(data) // 1024} KiB"
        captures = measure_capture_times(process, key, photos)
        record_figures(test_stand, shape, {**measure_picture_times(data), "capture": captures})


if __name__ == "__main__":
    stand.run(measure)
