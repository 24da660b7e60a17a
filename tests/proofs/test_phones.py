"""Photos as phones write them are decoded in the sandbox, which opens no file for a module."""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import httpx
import pytest
from PIL import Image

from pannier.kit import labels
from pannier.proofs import images, sandbox
from pannier.proofs.sandboxed.pictures import MEGAPIXEL
from program import PATIENCE, Serving
from proofs import drawn, making, phones
from proofs.hostile import HARMLESS, HOSTILE
from proofs.making import CORNERS, four_corners, saved
from proofs.phones import PHOTOS
from proofs.test_images import COLOURS, SIGNED, alike, corners

pytestmark = pytest.mark.slow

LABEL = "W1129082649-1"
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
AUDITED = """
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from pannier.proofs.sandboxed import fork_server, program
program.preload_modules()
touched = set()
def note(event, given):
    if event in {"import", "open", "ctypes.dlopen"}:
        touched.add((event, str(given[0])))
jobs = [(job, base64.b64decode(part)) for job, part in json.load(sys.stdin)]
sys.addaudithook(note)
for job, part in jobs:
    try:
        list(program.JOBS[job]([part], 10**9))
    except program.ImageRefused:
        pass
found = sorted(touched)
print(json.dumps(found))
"""


def with_label() -> bytes:
    """Photograph a label as a phone does."""
    picture = Image.open(BytesIO(labels.render_qr(LABEL, "png"))).convert("RGB")
    block = phones.exif("<", [], phones.details("<", b"note"), orientation=1)
    return saved(picture, "JPEG", quality=95, exif=block)


def signed() -> bytes:
    """Sign on paper and photograph it."""
    picture = Image.open(BytesIO(drawn.signature())).convert("RGB")
    block = phones.exif(">", [], phones.details(">", b"note"), orientation=1)
    return phones.further_picture(saved(picture, "JPEG", exif=block), making.jpeg())


def large(kind: str) -> bytes:
    """Photograph larger than what is stored, so that it is shrunk."""
    block = phones.exif("<", [], phones.details("<", b"note"), orientation=6)
    return saved(four_corners(2200, 1650), kind, exif=block)


def with_huge_second_picture() -> bytes:
    """Put a second picture behind a photo that says it has four thousand megapixels."""
    huge = bytearray(making.jpeg())
    size = huge.index(b"\xff\xc0") + 5
    huge[size : size + 4] = b"\xff\xdc" * 2
    return phones.further_picture(phones.android(), bytes(huge))


def everything() -> Iterator[tuple[str, bytes]]:
    """List pictures of every kind, good and hostile, each for every job."""
    made = [make() for table in (PHOTOS, COLOURS, SIGNED, HARMLESS) for make in table.values()]
    small = [hostile.make() for hostile in HOSTILE if not hostile.name.endswith("bomb")]
    made += [one for one in small if len(one) < 2**20]
    made += [with_label(), signed(), HEIC, with_huge_second_picture()]
    made += [large(kind) for kind in ("JPEG", "PNG", "WEBP")]
    for job in ("photos", "signatures", "codes", "prints"):
        yield from ((job, one) for one in made)


def test_decoding_imports_and_opens_nothing_once_the_sandbox_is_closed() -> None:
    jobs = [(job, base64.b64encode(part).decode()) for job, part in everything()]
    done = subprocess.run(
        [sys.executable, "-I", "-c", AUDITED, sandbox.SOURCE_ROOT],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    touched = json.loads(done.stdout)
    assert not touched, touched


@pytest.mark.parametrize("kind", PHOTOS)
def test_a_phones_photo_is_decoded_in_the_sandbox(kind: str) -> None:
    told, made = images.check_output(
        sandbox.run("photos", [PHOTOS[kind]()], seconds=6, max_pixels=MEGAPIXEL)
    )[0]
    assert (told.width, told.height) == (64, 48)
    assert alike(corners(Image.open(BytesIO(made[0]))), CORNERS)
    assert told.exif.gps == phones.SEEN["gps"]
    assert told.exif.taken_at == phones.SEEN["taken_at"]
    for stored in made:
        assert not any(word in stored for word in (b"Exif", b"EXIF", b"Apple", b"samsung", b"MPF"))


def test_the_size_of_a_second_picture_does_not_matter() -> None:
    jobs: tuple[sandbox.Job, ...] = ("photos", "prints", "codes")
    for job in jobs:
        sent = [with_huge_second_picture()]
        assert images.check_output(sandbox.run(job, sent, seconds=6, max_pixels=MEGAPIXEL))


@pytest.mark.parametrize("kind", PHOTOS)
def test_a_phones_photo_is_printed_and_searched_for_codes(kind: str) -> None:
    [printed] = images.check_output(sandbox.run("prints", [PHOTOS[kind]()], seconds=6))
    assert printed.report.readable
    assert images.check_output(sandbox.run("codes", [PHOTOS[kind]()], seconds=6))


@pytest.mark.parametrize("brand", ["heic", "heix", "hevc", "mif1", "msf1", "avif"])
def test_a_picture_of_a_phones_other_format_is_refused_in_a_sentence(brand: str) -> None:
    sent = b"\0\0\0\x18ftyp" + brand.encode() + b"\0\0\0\0mif1miaf" + bytes(100)
    with pytest.raises(images.ImageUnsupported) as refused:
        images.check_output(sandbox.run("photos", [sent], seconds=6, max_pixels=MEGAPIXEL))
    assert ("AVIF" if brand == "avif" else "HEIC") in refused.value.detail
    assert "JPEG" in refused.value.detail


@pytest.fixture
def client(served: Serving) -> Iterator[httpx.Client]:
    """Call the real program with its API key."""
    headers = {"Authorization": f"Bearer {served.said('API key')}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=PATIENCE) as client:
        yield client


@pytest.mark.timeout(300)
def test_the_served_program_takes_photos_as_phones_write_them(client: httpx.Client) -> None:
    body = {"pickup": "1 Road", "dropoff": "2 Road"}
    order = client.post("/v1/orders", json=body).raise_for_status().json()["id"]

    def capture(action: str, **more: Any) -> httpx.Response:
        return client.post(f"/v1/orders/{order}/{action}", json=more)

    for kind, make in PHOTOS.items():
        answer = capture("capture-photo", photo=drawn.text(make()))
        assert answer.status_code == 201, (kind, answer.text)
        assert answer.json()["data"]["image"]["exif"]["gps"] == phones.SEEN["gps"]
    assert capture("capture-signature", signature=drawn.text(signed())).status_code == 201
    scanned = capture("capture-qr", photo=drawn.text(with_label()))
    assert scanned.status_code == 201, scanned.text
    assert scanned.json()["raw_data"] == LABEL
    issue = client.post("/v1/issues", json={"report": "A dent", "order": order}).json()["id"]
    photographed = client.post(
        f"/v1/issues/{issue}/photos", json={"photo": drawn.text(phones.iphone())}
    )
    assert photographed.status_code in {200, 201}, photographed.text
    refused = capture("capture-photo", photo=drawn.text(HEIC))
    assert (refused.status_code, refused.json()["code"]) == (415, "image_unsupported")
    assert "HEIC" in refused.json()["detail"]
