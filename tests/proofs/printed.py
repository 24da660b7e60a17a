"""Proof sheets that tests print, and how they read them back."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from pannier.proofs.printing import render_pdf
from pannier.proofs.sheet import CaptureLocation, Exhibit, Sheet, SheetItem, SheetStop
from pannier.proofs.signing import PublicKey
from proofs.drawn import photo, signature

MORNING = datetime(2026, 5, 7, 9, 15, tzinfo=UTC)
AT_THE_STOP = CaptureLocation(
    latitude=1.28401, longitude=103.85102, accuracy=8, distance=23, check="inside"
)


def hash_of(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


KEY = PublicKey(key_id="1f0c9a7be4d25368", public_key=bytes.fromhex(hash_of(0)), began_at=MORNING)


def exhibit(number: int = 1, method: Any = "photo", **more: Any) -> Exhibit:
    captured = MORNING + timedelta(seconds=10 * number)
    told = {
        "id": f"proof_{number:016}",
        "sequence": number,
        "method": method,
        "subject": "this stop",
        "captured_at": captured,
        "received_at": captured + timedelta(seconds=2),
        "captured_by": "Sam Rider",
        "location": AT_THE_STOP,
        "has_picture": "picture" in more or "missing" in more,
        "hash": hash_of(number),
        "key_id": "1f0c9a7be4d25368",
    }
    return Exhibit(**{**told, **more})


def stop(*exhibits: Exhibit, **more: Any) -> SheetStop:
    told = {
        "heading": "Dropoff, stop 1 of 1",
        "title": "Raffles Place Tower One",
        "address": "1 Raffles Place, Singapore 048616, SG",
        "contact": "Grace Hopper",
        "exhibits": exhibits,
    }
    return SheetStop(**{**told, **more})


def sheet(*stops: SheetStop, **more: Any) -> Sheet:
    told = {
        "company": "Acme Couriers",
        "order_id": "order_5uJr2EwZ7bQx9KmT",
        "internal_id": "INV-20391",
        "tracking_number": "PNR7F3K9D2MXQ4",
        "status": "completed",
        "type": "transport",
        "made_at": MORNING + timedelta(minutes=5),
        "placed_at": MORNING - timedelta(days=1),
        "customer": "Lovelace & Daughters",
        "driver": "Sam Rider",
        "vehicle": "Toyota HiAce, SGX1234A",
        "started_at": MORNING - timedelta(hours=1),
        "completed_at": MORNING,
        "distance": 13_400,
        "keys": (KEY,),
        "stops": stops,
    }
    return Sheet(**{**told, **more})


def items(count: int) -> tuple[SheetItem, ...]:
    return tuple(
        SheetItem(name=f"Parcel {number:03}", kind="parcel", reference=f"SKU-{number:03}")
        for number in range(1, count + 1)
    )


def pages(printed: bytes) -> list[str]:
    """Read the text of every page, each on one line."""
    document = pypdfium2.PdfDocument(printed)
    texts = [page.get_textpage().get_text_range() for page in document]
    return [" ".join(text.split()) for text in texts]


def text(printed: bytes) -> str:
    """Read all of the text, as if it had neither lines nor pages: long words may be broken."""
    return "".join("".join(page.split()) for page in pages(printed))


def bare(words: str) -> str:
    """Spell words as they are looked for in such a text."""
    return "".join(words.split())


def drawn(printed: bytes, kind: int) -> list[tuple[int, tuple[float, float, float, float]]]:
    """List what is drawn: on which page, and from where to where, in points."""
    document = pypdfium2.PdfDocument(printed)
    return [
        (number, thing.get_bounds())
        for number, page in enumerate(document, start=1)
        for thing in page.get_objects(filter=[kind])
    ]


def images(printed: bytes) -> list[tuple[int, tuple[float, float, float, float]]]:
    return drawn(printed, pdfium.FPDF_PAGEOBJ_IMAGE)


def letters(printed: bytes) -> list[tuple[int, tuple[float, float, float, float]]]:
    return drawn(printed, pdfium.FPDF_PAGEOBJ_TEXT)


def crowded() -> bytes:
    """Print a sheet with something of everything."""
    return render_pdf(
        sheet(
            stop(
                exhibit(1, "signature", picture=signature(), signer="محمد 李小龙"),
                exhibit(2, picture=photo()),
                exhibit(3, picture=photo(2), remarks="\U0001f4e6 \u2713"),
                items=items(60),
            ),
            stop(exhibit(4, picture=photo())),
        )
    )
