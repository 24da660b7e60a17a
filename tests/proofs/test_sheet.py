"""The proof sheet: everything is on it, wherever it comes from, and always in the same bytes."""

import itertools
import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pymupdf_fonts
import pypdfium2
import pytest
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pannier.proofs import sandbox
from pannier.proofs.models import Method
from pannier.proofs.pdf import blocks, fonts
from pannier.proofs.pdf.paper import Paper
from pannier.proofs.pdf.styles import BODY, CODE, STRONG, TITLE, Style
from pannier.proofs.phrases import Phrase
from pannier.proofs.printing import render_pdf
from pannier.proofs.sandboxed import printing
from pannier.proofs.sheet import (
    CaptureLocation,
    Exhibit,
    ScanResult,
    Sheet,
    SheetItem,
    SheetStop,
    TimelineEntry,
)
from proofs import drawn, printed
from proofs.printed import bare, exhibit, hash_of, sheet, stop

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

A4 = (595.28, 841.89)
# Millimetres in points.
MM = 72 / 25.4
AWAY = CaptureLocation(latitude=-33.86, longitude=151.2, distance=6200, check="outside")
NASTY = (
    "{nb} pages",
    "\x00\x07\x1b[31mred\x7f\x9b",
    "abc\u202etxt.exe\u202c\u2066\u2069",
    "W" * 900,
    "\ud800 half a character",
    "\ufdd0\uffff\U0010ffff\ue000",
    "Z\u0351\u036b\u0343\u036a\u0363a" * 30,
    "\U0001f469\u200d\U0001f680 \U0001f1f8\U0001f1ec \u263a\ufe0f",
    "\r\n\r\n\u2028\u2029",
    "مرحبا (abc) שלום 123" * 20,
    "क्षत्रिय" * 60,
    "中文" * 300,
    "<b>&amp;</b> %PDF-1.7 endstream endobj (\\)",
    "",
)

# Where such a text may come to stand.
SPOKEN: dict[type[msgspec.Struct], set[str]] = {
    Exhibit: {
        "subject", "captured_by", "signer", "relationship", "reason", "remarks", "activity",
        "missing",
    },
    ScanResult: {"value", "symbology"},
    SheetItem: {"name", "kind", "reference", "tracking_number", "measures", "evidence"},
    SheetStop: {"heading", "title", "address", "pickup", "dropoff", "contact", "notes"},
    Sheet: {"company", "order_id", "internal_id", "status", "type", "customer", "driver"},
}  # fmt: skip
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=200),
    st.text(st.characters(min_codepoint=0x0300, max_codepoint=0x10FF), max_size=100),
    st.text("ab 12()\n\u05d0\u0627\u0628\u064b\u0301\u0915\u094d\u200d\u200c\u202e\u2066中"),
)
STYLES = st.sampled_from([TITLE, STRONG, BODY, CODE])
WIDTHS = st.sampled_from([11.0, 38.0, 178.0])


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("UTC", "2026-05-07 09:18 UTC"),
        ("Asia/Singapore", "2026-05-07 17:18 +08"),
        ("Asia/Kolkata", "2026-05-07 14:48 +05:30"),
        ("America/New_York", "2026-05-07 05:18 -04"),
    ],
)
def test_a_sheet_tells_local_times_with_their_zone(zone: str, shown: str) -> None:
    done = stop(exhibit(1), completed_at=printed.MORNING + timedelta(minutes=3))
    page = printed.text(render_pdf(sheet(done, zone=zone)))
    assert bare(shown) in page
    assert bare(f"Time zone: {zone}") in page
    assert (zone == "UTC") == ("UTC" in page)


def test_a_sheet_is_headed_by_the_brand_and_its_logo() -> None:
    plain, marked = sheet(stop(), brand="Acme"), sheet(stop(), brand="Acme", logo=drawn.photo())
    assert "AcmeCouriers" not in printed.text(render_pdf(plain))
    assert "Acme" in printed.text(render_pdf(marked))
    assert len(render_pdf(marked)) > len(render_pdf(plain))
    assert render_pdf(sheet(stop(), brand="Acme", logo=b"no picture")) == render_pdf(plain)


def test_a_sheet_shows_the_order_the_stop_and_the_proof_on_one_page() -> None:
    signed = exhibit(
        1,
        "signature",
        picture=drawn.signature(),
        signer="Ada Lovelace",
        relationship="neighbour",
        remarks="Left with the concierge.",
    )
    shown = stop(
        signed,
        window_start=printed.MORNING,
        window_end=printed.MORNING + timedelta(hours=2),
        arrived_at=printed.MORNING + timedelta(minutes=1),
        completed_at=printed.MORNING + timedelta(minutes=3),
        notes="Ring twice.",
        tracking_number="PNR8888888888X",
        timeline=(TimelineEntry(printed.MORNING, "On the way"),),
        items=(
            SheetItem(name="Espresso machine", kind="parcel", measures="12.5 kg", evidence="No. 1"),
        ),
    )
    read = printed.pages(render_pdf(sheet(shown)))
    assert len(read) == 1
    wanted = [
        "Acme Couriers", "Proof of delivery", "Dropoff, stop 1 of 1", "Raffles Place Tower One",
        "1 Raffles Place, Singapore 048616, SG", "PNR7F3K9D2MXQ4", "order_5uJr2EwZ7bQx9KmT",
        "INV-20391", "Order completed", "Transport", "Lovelace & Daughters", "Sam Rider",
        "Toyota HiAce, SGX1234A", "13.4 km", "2026-05-06 09:15 UTC", "2026-05-07 08:15 UTC",
        "Grace Hopper", "2026-05-07 09:15-11:15 UTC", "2026-05-07 09:16 UTC",
        "2026-05-07 09:18 UTC", "Ring twice.", "PNR8888888888X", "On the way", "Espresso machine",
        "12.5 kg", "Ada Lovelace", "neighbour", "Left with the concierge.",
        "2026-05-07 09:15:10 UTC", "2026-05-07 09:15:12", "At the stop, 23 m away",
        "1.28401, 103.85102 ±8 m", hash_of(1), "1f0c9a7be4d25368", hash_of(0), "Page 1 of 1",
    ]  # fmt: skip
    assert [words for words in wanted if words not in read[0]] == []


TELLING: list[tuple[Method, dict[str, Any], list[str]]] = [
    (
        "scan",
        {"scan": ScanResult(value="4006381333931", symbology="EAN-13", match=True)},
        ["Scan", "4006381333931", "Match, EAN-13"],
    ),
    ("scan", {"scan": ScanResult(value="4006381333931", match=False)}, ["No match"]),
    (
        "scan",
        {"scan": ScanResult(value="4006381333931", entry="typed")},
        ["Entered manually", "4006381333931"],
    ),
    ("scan", {"scan": ScanResult(value="9" * 500)}, ["9" * 500, "No code expected"]),
    ("sms", {"code_verified": True}, ["SMS code", "Verified"]),
    (
        "override",
        {"reason": "The scanner broke.", "captured_by": "Nora Admin"},
        ["Proof skipped", "The scanner broke.", "Nora Admin"],
    ),
    (
        "photo",
        {"offline": True, "late": True},
        ["captured offline", "received after the order closed"],
    ),
    ("photo", {"activity": "handed_over"}, ["Photo", "Handed over"]),
    ("photo", {"location": AWAY}, ["6.2 km from the stop", "-33.86000, 151.20000"]),
    (
        "photo",
        {"location": CaptureLocation(latitude=1, longitude=2)},
        ["Distance from the stop unknown"],
    ),
    ("photo", {"location": None}, ["Unknown"]),
    (
        "photo",
        {"missing": "The image is no longer stored."},
        ["The image is no longer stored."],
    ),
    ("photo", {"picture": b"no picture at all"}, ["Image unavailable"]),
]


def test_a_proof_tells_all_that_was_captured() -> None:
    stops = [stop(exhibit(1, method, **told)) for method, told, _ in TELLING]
    read = printed.pages(render_pdf(sheet(*stops)))
    for page, (_, _, words) in zip(read, TELLING, strict=True):
        assert [each for each in words if bare(each) not in bare(page)] == []


def test_every_stop_begins_a_page_of_its_own() -> None:
    stops = [
        stop(exhibit(turn), title=f"Place {turn}", heading=f"Dropoff, stop {turn} of 3")
        for turn in (1, 2, 3)
    ]
    read = printed.pages(render_pdf(sheet(*stops)))
    assert len(read) == 3
    for turn, page in enumerate(read, start=1):
        assert f"Place {turn}" in page
        assert hash_of(turn) in page
        assert f"Page {turn} of 3" in page
        assert "order_5uJr2EwZ7bQx9KmT" in page


def test_an_order_without_stops_has_a_page_from_pickup_to_dropoff() -> None:
    way = stop(
        heading="Delivery", title="Zoo", address=None, pickup="1 Raffles Place", dropoff="80 Mandai"
    )
    read = printed.pages(render_pdf(sheet(way, status="canceled", cancel_reason="Closed.")))
    assert len(read) == 1
    wanted = ("Delivery", "1 Raffles Place", "80 Mandai", "No proofs captured",
              "Order canceled", "Closed.")  # fmt: skip
    assert [words for words in wanted if words not in read[0]] == []


LINK = "https://pannier.example.com/verify/order_5uJr2EwZ7bQx9KmT/3-9f86d081884c7d65"


@pytest.mark.parametrize(("link", "text"), [(LINK, LINK), (None, "PNR7F3K9D2MXQ4")])
def test_the_qr_code_leads_to_the_check_or_tells_the_tracking_number(
    link: str | None, text: str
) -> None:
    page = pypdfium2.PdfDocument(render_pdf(sheet(stop(), link=link)))[0]
    seen = zxingcpp.read_barcodes(page.render(scale=3).to_pil())
    assert [(found.text, str(found.format)) for found in seen] == [(text, "QR Code")]


@pytest.mark.parametrize("number", ["PNR7F3K9D2MXQ4", "PNR7F3K9D2MXQ4PNR7F3K9D2MXQ4"])
def test_the_number_below_the_qr_code_is_no_wider_than_it(number: str) -> None:
    made = render_pdf(sheet(stop(), tracking_number=number))
    page = pypdfium2.PdfDocument(made)[0].get_textpage()
    at, count = page.search(number).get_next()
    boxes = [page.get_charbox(index) for index in range(at, at + count)]
    right = A4[0] - 16 * MM
    assert min(box[0] for box in boxes) > right - 26.2 * MM
    assert max(box[2] for box in boxes) < right + 0.2 * MM


def test_what_happened_takes_the_whole_width() -> None:
    moments = [
        TimelineEntry(printed.MORNING, f"Driver was seen at corner {turn}") for turn in range(6)
    ]
    made = render_pdf(sheet(stop(timeline=tuple(moments))))
    page = pypdfium2.PdfDocument(made)[0].get_textpage()
    found = [page.search(f"corner {turn}").get_next() for turn in range(6)]
    heights = [round(page.get_charbox(at)[1]) for at, _ in found]
    assert heights[:2] == heights[4:]  # the last two stand beside the first two
    assert len(set(heights)) == 4  # and none of them needs a second line


def test_a_few_proofs_stand_with_their_stop_on_one_page() -> None:
    proofs = [
        exhibit(1, "signature", picture=drawn.signature(), signer="Ada Lovelace", remarks="Left."),
        exhibit(2, picture=drawn.photo()),
        exhibit(3, "scan", scan=ScanResult(value="4006381333931", match=True)),
    ]
    first, *_ = printed.pages(render_pdf(sheet(stop(*proofs, items=printed.items(3)))))
    assert [turn for turn in (1, 2, 3) if hash_of(turn) not in first] == []


def test_a_sheet_speaks_the_companys_language() -> None:
    told = stop(
        exhibit(1, "signature", picture=drawn.signature(), signer="Ada"),
        exhibit(
            2, "scan", scan=ScanResult(value="4006381333931", match=True), offline=True, late=True
        ),
        exhibit(
            3, "sms", code_verified=True, location=None, activity="handed_over", remarks="Photo"
        ),
        heading=Phrase("stop_of", Phrase("dropoff"), 1, 2),
        timeline=(TimelineEntry(printed.MORNING, "Photo"),),
        items=printed.items(2),
        window_start=printed.MORNING,
        notes="Evidence",
    )
    german = " ".join(printed.pages(render_pdf(sheet(told, locale="de-AT", cancel_reason="Zu."))))
    wanted = [
        "Zustellnachweis", "Zustellung · Stopp 1 von 2", "Auftrag abgeschlossen", "Verlauf",
        "2 Artikel", "Unterschrift · this stop", "Erfasst von", "Am Stopp, 23 m entfernt",
        "offline erfasst, nach Abschluss des Auftrags eingegangen", "Stimmt überein",
        "Seite 1 von 2", "Zeitzone: UTC", "So wird geprüft", "ab 2026-05-07 09:15 UTC",
    ]  # fmt: skip
    assert [words for words in wanted if bare(words) not in bare(german)] == []
    # What people wrote stays as they wrote it, also when we have a word for it.
    assert german.count("Photo") == 2
    assert german.count("Evidence") == 1
    ours = ("Captured", "Customer", "Created", "How to verify", "Signed", "Reference", "Page ")
    assert [words for words in ours if words in german] == []
    assert "Captured by" in " ".join(printed.pages(render_pdf(sheet(told, locale="xx"))))


def test_a_brand_has_its_colour() -> None:
    page = pypdfium2.PdfDocument(render_pdf(sheet(stop(), color="#b4341c", brand="Acme")))[0]
    line = page.render(scale=4).to_pil().getpixel((300, round(17.5 * MM * 4)))
    assert line[0] > line[1] + 60


def test_every_face_is_embedded_as_what_it_is() -> None:
    # A face with other outlines than its type says makes PDF readers warn.
    for (family, style), name in fonts.FACES.items():
        if family != fonts.SYMBOLS:
            assert pymupdf_fonts.fontbuffers[name]()[:4] == b"\0\1\0\0", (family, style)


def test_a_sheet_holds_what_was_signed_as_a_file() -> None:
    made = render_pdf(sheet(stop(), manifest=b'{"format": "pannier proofs 1"}'))
    [attached] = [
        pypdfium2.PdfDocument(made).get_attachment(index)
        for index in range(pypdfium2.PdfDocument(made).count_attachments())
    ]
    assert attached.get_name() == "manifest.json"
    assert bytes(attached.get_data()) == b'{"format": "pannier proofs 1"}'


def test_six_photos_are_shown_and_the_others_are_counted() -> None:
    photos = [exhibit(turn, picture=drawn.photo(turn)) for turn in range(1, 10)]
    made = render_pdf(sheet(stop(exhibit(10, "signature", picture=drawn.signature()), *photos)))
    assert len(printed.images(made)) == 1 + 6
    assert bare("Images not shown: 3") in printed.text(made)
    assert [turn for turn in range(1, 11) if hash_of(turn) not in printed.text(made)] == []


def test_pictures_keep_their_shape_and_stay_in_their_boxes() -> None:
    made = render_pdf(sheet(stop(exhibit(1, picture=drawn.photo()))))
    [(_, (left, bottom, right, top))] = printed.images(made)
    assert (right - left) / (top - bottom) == pytest.approx(320 / 240, rel=0.01)
    assert left > 16 * MM
    assert top - bottom < 42 * MM


def test_two_hundred_items_and_fifty_proofs_fill_pages_and_none_is_lost() -> None:
    exhibits = [
        exhibit(turn, "scan", remarks=f"Remark {turn:03}", scan=ScanResult(value=f"CODE{turn:03}"))
        for turn in range(1, 51)
    ]
    made = render_pdf(sheet(stop(*exhibits, items=printed.items(200))))
    read = printed.text(made)
    wanted = [f"Parcel{turn:03}" for turn in range(1, 201)]
    wanted += [hash_of(turn) for turn in range(1, 51)]
    wanted += [f"Remark{turn:03}" for turn in range(1, 51)]
    assert [words for words in wanted if words not in read] == []
    count = len(printed.pages(made))
    assert 8 <= count <= 20
    assert f"Page{count}of{count}" in read
    assert "200items" in read


def test_nothing_is_drawn_beyond_the_margins() -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 8
    crowded = stop(
        exhibit(1, "signature", picture=drawn.signature(), signer=long, remarks=long),
        exhibit(2, "scan", scan=ScanResult(value=long), subject=long, captured_by=long),
        title=long,
        contact=long,
        items=(
            SheetItem(name=long, kind=long, reference=long, tracking_number=long, measures=long),
        ),
    )
    made = render_pdf(sheet(crowded, company=long, order_id=long, customer=long, vehicle=long))
    for _, (left, bottom, right, top) in [*printed.letters(made), *printed.images(made)]:
        assert left > 15 * MM
        assert right < A4[0] - 12 * MM
        assert bottom > 6 * MM
        assert top < A4[1] - 8 * MM


def test_names_of_many_scripts_are_printed() -> None:
    names = [
        "Zoë Łukasz Nguyễn Ærøskøbing", "Ελένη Παπαδοπούλου", "Юрий Гагарин", "ქართული",
        "李小龙", "山田 太郎さん", "김철수", "שלום עולם",
    ]  # fmt: skip
    signed = [
        exhibit(turn, "signature", picture=drawn.signature(), signer=name, remarks=name)
        for turn, name in enumerate(names, start=1)
    ]
    items = tuple(SheetItem(name=name) for name in names)
    read = printed.text(render_pdf(sheet(stop(*signed, items=items))))
    assert [read.count(bare(name)) for name in names] == [3] * 8


def test_letters_that_join_are_printed() -> None:
    # What letters become when they are joined is not read back one by one.
    items = [SheetItem(name=name) for name in ("محمد بن عبد الله", "สวัสดีครับ", "नमस्ते")]
    read = printed.text(render_pdf(sheet(stop(items=tuple(items)))))
    assert [letters for letters in ("محمد", "ส", "न") if letters not in read] == []


def strokes(title: str) -> int:
    """Count the pieces of a title that stand apart from each other."""
    page = (
        pypdfium2.PdfDocument(render_pdf(sheet(stop(title=title))))[0]
        .render(scale=3)
        .to_pil()
        .convert("L")
    )
    left, top, right, bottom = (round(edge * 3 * MM) for edge in (16, 28.5, 60, 34))
    columns = [page.crop((x, top, x + 1, bottom)) for x in range(left, right)]
    inked = [column.getextrema()[0] < 128 for column in columns]
    return sum(now and not before for before, now in itertools.pairwise([False, *inked]))


def test_letters_that_join_are_drawn_joined() -> None:
    assert strokes("محمد") == 1
    assert strokes("م\u200cح\u200cم\u200cد") == 4
    assert strokes("abcd") == 4


def test_a_pictogram_that_no_face_has_is_spelled_by_its_name() -> None:
    read = printed.pages(
        render_pdf(sheet(stop(notes="\U0001f69a \U0001f600 \ue000 \U0001f1f8\U0001f1ec")))
    )
    assert "[delivery truck] [grinning face] [U+E000] SG" in read[0]


def test_what_cannot_be_seen_is_left_out_and_marks_do_not_turn_text_around() -> None:
    read = printed.pages(render_pdf(sheet(stop(title="{nb} a\x00b\u202ec\u200bd\x1be"))))
    assert "{nb} abcde" in read[0]


def test_a_remark_keeps_its_lines() -> None:
    told = stop(exhibit(1, remarks="First line.\r\nSecond line."))
    document = pypdfium2.PdfDocument(render_pdf(sheet(told)))
    assert "First line.\r\nSecond line." in document[0].get_textpage().get_text_range()


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(3))
def test_no_text_breaks_a_sheet(turn: int) -> None:
    texts = itertools.cycle(NASTY[turn::3])
    told = {
        kind: {name: next(texts) for name in kind.__struct_fields__ if name in SPOKEN[kind]}
        for kind in SPOKEN
    }
    nasty = stop(
        exhibit(1, "scan", **told[Exhibit], scan=ScanResult(**told[ScanResult])),
        **told[SheetStop],
        items=(SheetItem(**told[SheetItem]), SheetItem(name="")),
        timeline=(TimelineEntry(printed.MORNING, next(texts)),),
    )
    assert hash_of(1) in printed.text(render_pdf(sheet(nasty, **told[Sheet])))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(ANY_TEXT, STYLES, WIDTHS), max_size=40))
def test_any_text_can_be_printed(texts: list[tuple[str, Style, float]]) -> None:
    with fonts.extract_faces() as faces, closing(Paper(faces, lambda _: None)) as paper:
        paper.begin_page()
        for words, style, width in texts:
            paper.draw_text(words, style, width=width)
        title = "".join(words for words, _, _ in texts)
        made = paper.to_bytes(title=title, author=title, made_at=printed.MORNING)
    assert made.startswith(b"%PDF-")


@pytest.mark.slow
def test_every_process_prints_the_same_sheet_in_the_same_bytes() -> None:
    made = printed.crowded()
    assert printed.crowded() == made
    tests = str(Path(__file__).resolve().parents[1])
    script = "import sys; from proofs import printed; sys.stdout.buffer.write(printed.crowded())"
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": f"{tests}:{sandbox.SOURCE_ROOT}",
            "TZ": "Asia/Tokyo",
        }
        elsewhere = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, check=True
        )
        assert elsewhere.stdout == made


def test_the_document_says_what_it_is_and_when_the_order_changed_last() -> None:
    told = pypdfium2.PdfDocument(render_pdf(sheet(stop()))).get_metadata_dict()
    assert told["Title"] == "Proof of delivery INV-20391"
    assert told["Author"] == "Acme Couriers"
    assert told["CreationDate"].startswith("D:20260507092000")


def test_a_picture_is_made_as_small_as_it_is_printed() -> None:
    large = BytesIO()
    Image.new("RGB", (2048, 1536), "teal").save(large, "JPEG")
    small = printing.shrink_picture(large.getvalue())
    assert small is not None
    with Image.open(BytesIO(small)) as opened:
        assert opened.size == (1000, 750)
    assert printing.shrink_picture(large.getvalue()[:200]) is None
    assert printing.shrink_picture(b"GIF89a") is None


def test_what_can_be_seen_through_is_printed_on_white() -> None:
    glass = BytesIO()
    Image.new("RGBA", (40, 20), (0, 0, 0, 0)).save(glass, "PNG")
    made = printing.shrink_picture(glass.getvalue())
    assert made is not None
    with Image.open(BytesIO(made)) as opened:
        assert opened.getpixel((20, 10)) == (255, 255, 255)


def test_a_plain_start_does_not_load_what_only_printing_needs() -> None:
    code = (
        "import sys, pannier.app;"
        "sys.exit(bool({'fpdf', 'fontTools', 'pymupdf_fonts', 'uharfbuzz'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (None, None, None),
        (printed.MORNING, None, "from 2026-05-07 09:15 UTC"),
        (None, printed.MORNING, "by 2026-05-07 09:15 UTC"),
        (printed.MORNING, datetime(2026, 5, 8, 9, tzinfo=UTC),
         "2026-05-07 09:15 UTC to 2026-05-08 09:00 UTC"),
    ],
)  # fmt: skip
def test_a_time_window_may_be_open(
    start: datetime | None, end: datetime | None, words: str | None
) -> None:
    assert blocks.format_window(start, end) == words
