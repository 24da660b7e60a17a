"""What the camera sees: labels, held a little askew before a lens that is not quite sharp."""

from io import BytesIO
from pathlib import Path
from typing import Any, Final

import segno
import zxingcpp
from PIL import Image, ImageFilter

SIZE: Final = (640, 480)
# How many pictures a label stays before the camera; it shows thirty in a second.
FRAMES: Final = 45
FLAGS: Final = ("--use-fake-device-for-media-stream",)


def qr(text: str, scale: int = 8) -> Image.Image:
    """Print a QR code."""
    made = BytesIO()
    segno.make_qr(text, error="m").save(made, kind="png", scale=scale, border=4)
    return Image.open(made).convert("L")


def code128(text: str) -> Image.Image:
    """Print a bar code."""
    made = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128)
    pixels: Any = zxingcpp.write_barcode_to_image(made, scale=3)
    bars = Image.fromarray(pixels).convert("L")
    return bars.resize((bars.width, 140), Image.Resampling.NEAREST)


def seen(label: Image.Image, turn: float) -> bytes:
    """Photograph a label on a grey table."""
    table = Image.new("L", SIZE, 150)
    paper = Image.new("L", (label.width + 40, label.height + 40), 255)
    paper.paste(label, (20, 20))
    askew = paper.rotate(turn, expand=True, fillcolor=150, resample=Image.Resampling.BICUBIC)
    table.paste(askew, ((SIZE[0] - askew.width) // 2, (SIZE[1] - askew.height) // 2))
    made = BytesIO()
    table.filter(ImageFilter.GaussianBlur(0.7)).convert("RGB").save(made, "JPEG", quality=80)
    return made.getvalue()


def film(folder: Path, *labels: Image.Image) -> str:
    """Film labels one after another, over and over, and tell how a browser is given the film."""
    frames = [seen(label, 5.0) * FRAMES for label in labels]
    file = folder / "labels.mjpeg"
    file.write_bytes(b"".join(frames))
    return f"--use-file-for-fake-video-capture={file}"


def photo(width: int, height: int) -> bytes:
    """Take a photo as large as one likes."""
    made = BytesIO()
    small = Image.effect_noise((64, 48), 60).convert("RGB").resize((width, height))
    small.save(made, "JPEG", quality=70)
    return made.getvalue()
