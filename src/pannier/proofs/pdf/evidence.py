"""Proofs on a sheet: a block for each, with its details and its hash."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.proofs.pdf.blocks import (
    GAP_MM,
    SheetField,
    draw_fields,
    draw_heading,
    format_clock,
    format_distance,
    format_moment,
    humanise,
)
from pannier.proofs.pdf.paper import LEFT_MM, RIGHT_MM, Cell, Paper, Text
from pannier.proofs.pdf.styles import (
    AMBER,
    BODY,
    CODE,
    FINE,
    GREEN,
    LABEL,
    MUTED,
    QUIET,
    RED,
    SMALL,
    STRONG,
    TINT,
    WHITE,
    Colour,
)
from pannier.proofs.phrases import Phrase
from pannier.proofs.sheet import MAX_PHOTOS_PER_STOP, CaptureLocation, Exhibit, ScanResult

INSET_MM: Final = LEFT_MM + 14
FRAME_WIDTH_MM: Final = 40.0


class PictureFrame(NamedTuple):
    """The frame around a picture."""

    height: float
    background: Colour


PHOTO_FRAME: Final = PictureFrame(30, TINT)
FRAMES: Final = {"signature": PictureFrame(22, WHITE)}
SCAN_VERDICTS: Final = {
    True: (GREEN, "match"),
    False: (RED, "mismatch"),
    None: (MUTED, "nothing_expected"),
}
# A longer value does not fit into two lines of a column, so it has its own lines.
MAX_SHORT_SCAN_LENGTH: Final = 40


def draw_exhibits(paper: Paper, exhibits: Sequence[Exhibit]) -> None:
    """Draw the proofs of a stop, or a note that there are none."""
    draw_heading(paper, "proofs", min_height=40 if exhibits else 12)
    if not exhibits:
        paper.draw_text(Phrase("no_proofs"), QUIET)
    picture_ids = _choose_pictures(exhibits)
    for exhibit in exhibits:
        _draw_exhibit(paper, exhibit, has_frame=exhibit.id in picture_ids)
    hidden_count = sum(exhibit.has_picture for exhibit in exhibits) - len(picture_ids)
    if hidden_count:
        paper.draw_text(Phrase("more_images", hidden_count), SMALL)


def _choose_pictures(exhibits: Sequence[Exhibit]) -> set[str]:
    """Return the ids of the proofs whose pictures are drawn."""
    with_picture = [exhibit for exhibit in exhibits if exhibit.has_picture]
    signature_ids = [exhibit.id for exhibit in with_picture if exhibit.method == "signature"]
    other_ids = [exhibit.id for exhibit in with_picture if exhibit.method != "signature"]
    return {*signature_ids[:MAX_PHOTOS_PER_STOP], *other_ids[:MAX_PHOTOS_PER_STOP]}


def _draw_exhibit(paper: Paper, exhibit: Exhibit, *, has_frame: bool) -> None:
    """Draw a proof: its title, picture, details and hash."""
    frame = FRAMES.get(exhibit.method, PHOTO_FRAME) if has_frame else None
    paper.ensure_room(22 if frame is None else frame.height + 12)
    paper.draw_note(Phrase("number", exhibit.sequence), QUIET, LEFT_MM, 14)
    paper.draw_note(exhibit.id, FINE, RIGHT_MM - 60, 60, align_right=True)
    paper.draw_columns([Cell(INSET_MM, 104, [Text(_make_title(exhibit), STRONG)])])
    paper.y += 0.8
    top, page = paper.y, paper.page_number
    if frame is not None:
        _draw_frame(paper, frame, exhibit)
        paper.y = top
    x, column_count = (INSET_MM, 4) if frame is None else (INSET_MM + FRAME_WIDTH_MM + GAP_MM, 3)
    draw_fields(paper, _list_fields(exhibit), column_count, x=x)
    for field in _list_long_fields(exhibit):
        draw_fields(paper, [field], column_count=1, x=x)
    if frame is not None and paper.page_number == page:
        paper.y = max(paper.y, top + frame.height + 1.8)
    paper.ensure_room(6)
    paper.draw_note("SHA-256", LABEL, INSET_MM, 14)
    paper.draw_note(exhibit.hash, FINE, INSET_MM + 14, 100)
    paper.draw_note(exhibit.key_id, FINE, RIGHT_MM - 40, 40, align_right=True)
    paper.y += 4.4
    paper.draw_rule()
    paper.y += 2


def _draw_frame(paper: Paper, frame: PictureFrame, exhibit: Exhibit) -> None:
    """Draw a proof's picture in its frame, or the reason why it is missing."""
    paper.draw_box(INSET_MM, FRAME_WIDTH_MM, frame.height, frame.background)
    if exhibit.picture is not None:
        paper.y += 1
        paper.draw_picture(exhibit.picture, INSET_MM + 1, FRAME_WIDTH_MM - 2, frame.height - 2)
        return
    paper.y += frame.height / 2 - 4
    phrase = exhibit.missing or Phrase("no_image")
    for row in paper.to_lines(Text(phrase, SMALL), FRAME_WIDTH_MM - 8)[:3]:
        paper.draw_line(row, INSET_MM + 4, FRAME_WIDTH_MM - 8)
        paper.y += row.style.leading


def _make_title(exhibit: Exhibit) -> str:
    return Phrase("{} · {}", Phrase(exhibit.method), exhibit.subject)


def _list_fields(exhibit: Exhibit) -> list[SheetField]:
    received = Phrase("received", format_clock(exhibit.received_at, seconds=True))
    verified = Phrase("verified") if exhibit.code_verified else None
    return [
        SheetField(
            "captured",
            format_moment(exhibit.captured_at, seconds=True),
            CODE,
            Text(received, SMALL),
        ),
        SheetField(
            "captured_by",
            exhibit.captured_by,
            note=_make_small_text(_describe_circumstances(exhibit)),
        ),
        _make_location_field(exhibit.location),
        SheetField("signed_by", exhibit.signer, note=_make_small_text(exhibit.relationship)),
        SheetField("code", verified, BODY._replace(colour=GREEN)),
        *([] if _is_long_scan(exhibit.scan) else [_make_scan_field(exhibit.scan)]),
        SheetField("activity", humanise(exhibit.activity or "")),
    ]


def _list_long_fields(exhibit: Exhibit) -> list[SheetField]:
    return [
        *([_make_scan_field(exhibit.scan)] if _is_long_scan(exhibit.scan) else []),
        SheetField("reason", exhibit.reason),
        SheetField("mismatch_reason", exhibit.scan.reason if exhibit.scan else None),
        SheetField("remarks", exhibit.remarks),
    ]


def _describe_circumstances(exhibit: Exhibit) -> str:
    circumstances = (
        (exhibit.offline, "offline"),
        (exhibit.late, "late"),
    )
    phrases = [Phrase(key) for applies, key in circumstances if applies]
    return Phrase(", ".join(["{}"] * len(phrases)), *phrases) if phrases else ""


def _make_small_text(text: str | None) -> Text | None:
    return Text(text, SMALL) if text else None


def _make_location_field(location: CaptureLocation | None) -> SheetField:
    if location is None:
        return SheetField("location", Phrase("unknown"), QUIET)
    accuracy = f" ±{location.accuracy:g} m" if location.accuracy is not None else ""
    point = Text(f"{location.latitude:.5f}, {location.longitude:.5f}{accuracy}", FINE)
    distance = format_distance(location.distance)
    match location.check:
        case "inside":
            phrase = Phrase("at_stop", distance)
            return SheetField("location", phrase, BODY._replace(colour=GREEN), point)
        case "outside":
            phrase = Phrase("from_stop", distance)
            return SheetField("location", phrase, BODY._replace(colour=AMBER), point)
    return SheetField("location", Phrase("not_compared"), QUIET, point)


def _is_long_scan(scan: ScanResult | None) -> bool:
    return scan is not None and len(scan.value) > MAX_SHORT_SCAN_LENGTH


def _make_scan_field(scan: ScanResult | None) -> SheetField:
    if scan is None:
        return SheetField("scanned", None)
    colour, verdict = SCAN_VERDICTS[scan.match]
    kind = f", {scan.symbology}" if scan.symbology else ""
    result = Phrase("{}{}", Phrase(verdict), kind)
    title = "typed" if scan.entry == "typed" else "scanned"
    return SheetField(title, scan.value, CODE, Text(result, SMALL._replace(colour=colour)))
