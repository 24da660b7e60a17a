"""Proofs on a sheet: a block for each, with its details and its hash."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.proofs.pdf.blocks import GAP, Fact, clock, facts, heading, metres, moment, phrase
from pannier.proofs.pdf.paper import (
    AMBER,
    BODY,
    CODE,
    FINE,
    GREEN,
    LABEL,
    LEFT,
    MUTED,
    QUIET,
    RED,
    RIGHT,
    SMALL,
    STRONG,
    TINT,
    WHITE,
    Cell,
    Colour,
    Paper,
    Text,
)
from pannier.proofs.phrases import Phrase
from pannier.proofs.sheet import MOST_PHOTOS, Exhibit, Scan, Spot

INSET: Final = LEFT + 14
FRAME: Final = 40.0


class Frame(NamedTuple):
    """The frame around a picture."""

    height: float
    ground: Colour


PHOTO: Final = Frame(30, TINT)
FRAMES: Final = {"signature": Frame(22, WHITE)}
SCANS: Final = {
    True: (GREEN, "match"),
    False: (RED, "mismatch"),
    None: (MUTED, "nothing_expected"),
}
# A longer value does not fit into two lines of a column, so it has its own lines.
SHORT_SCAN: Final = 40


def draw(paper: Paper, exhibits: Sequence[Exhibit]) -> None:
    """Draw the proofs of a stop, or a note that there are none."""
    heading(paper, "proofs", room=40 if exhibits else 12)
    if not exhibits:
        paper.say(Phrase("no_proofs"), QUIET)
    shown = _shown(exhibits)
    for exhibit in exhibits:
        _exhibit(paper, exhibit, pictured=exhibit.id in shown)
    hidden = sum(one.pictured for one in exhibits) - len(shown)
    if hidden:
        paper.say(Phrase("more_images", hidden), SMALL)


def _shown(exhibits: Sequence[Exhibit]) -> set[str]:
    """Return the ids of the proofs whose pictures are drawn."""
    pictured = [one for one in exhibits if one.pictured]
    signed = [one.id for one in pictured if one.method == "signature"]
    others = [one.id for one in pictured if one.method != "signature"]
    return {*signed[:MOST_PHOTOS], *others[:MOST_PHOTOS]}


def _exhibit(paper: Paper, exhibit: Exhibit, *, pictured: bool) -> None:
    """Draw a proof: its title, picture, details and hash."""
    frame = FRAMES.get(exhibit.method, PHOTO) if pictured else None
    paper.room(22 if frame is None else frame.height + 12)
    paper.note(Phrase("number", exhibit.sequence), QUIET, LEFT, 14)
    paper.note(exhibit.id, FINE, RIGHT - 60, 60, right=True)
    paper.columns([Cell(INSET, 104, [Text(_named(exhibit), STRONG)])])
    paper.y += 0.8
    top, page = paper.y, paper.number
    if frame is not None:
        _framed(paper, frame, exhibit)
        paper.y = top
    x, across = (INSET, 4) if frame is None else (INSET + FRAME + GAP, 3)
    facts(paper, _exhibit_facts(exhibit), across, x=x)
    for fact in _long_facts(exhibit):
        facts(paper, [fact], across=1, x=x)
    if frame is not None and paper.number == page:
        paper.y = max(paper.y, top + frame.height + 1.8)
    paper.room(6)
    paper.note("SHA-256", LABEL, INSET, 14)
    paper.note(exhibit.hash, FINE, INSET + 14, 100)
    paper.note(exhibit.key_id, FINE, RIGHT - 40, 40, right=True)
    paper.y += 4.4
    paper.rule()
    paper.y += 2


def _framed(paper: Paper, frame: Frame, exhibit: Exhibit) -> None:
    """Draw a proof's picture in its frame, or the reason why it is missing."""
    paper.box(INSET, FRAME, frame.height, frame.ground)
    if exhibit.picture is not None:
        paper.y += 1
        paper.picture(exhibit.picture, INSET + 1, FRAME - 2, frame.height - 2)
        return
    paper.y += frame.height / 2 - 4
    words = exhibit.missing or Phrase("no_image")
    for row in paper.rows(Text(words, SMALL), FRAME - 8)[:3]:
        paper.put(row, INSET + 4, FRAME - 8)
        paper.y += row.style.leading


def _named(exhibit: Exhibit) -> str:
    return Phrase("{} · {}", Phrase(exhibit.method), exhibit.subject)


def _exhibit_facts(exhibit: Exhibit) -> list[Fact]:
    received = Phrase("received", clock(exhibit.received_at, seconds=True))
    verified = Phrase("verified") if exhibit.code_verified else None
    return [
        Fact("captured", moment(exhibit.captured_at, seconds=True), CODE, Text(received, SMALL)),
        Fact("captured_by", exhibit.by, more=_quiet(_circumstances(exhibit))),
        _place(exhibit.spot),
        Fact("signed_by", exhibit.signer, more=_quiet(exhibit.relationship)),
        Fact("code", verified, BODY._replace(colour=GREEN)),
        *([] if _is_long(exhibit.scan) else [_scanned(exhibit.scan)]),
        Fact("activity", phrase(exhibit.activity or "")),
    ]


def _long_facts(exhibit: Exhibit) -> list[Fact]:
    return [
        *([_scanned(exhibit.scan)] if _is_long(exhibit.scan) else []),
        Fact("reason", exhibit.reason),
        Fact("remarks", exhibit.remarks),
    ]


def _circumstances(exhibit: Exhibit) -> str:
    told = (
        (exhibit.offline, "offline"),
        (exhibit.late, "late"),
    )
    words = [Phrase(words) for holds, words in told if holds]
    return Phrase(", ".join(["{}"] * len(words)), *words) if words else ""


def _quiet(words: str | None) -> Text | None:
    return Text(words, SMALL) if words else None


def _place(spot: Spot | None) -> Fact:
    if spot is None:
        return Fact("location", Phrase("unknown"), QUIET)
    within = f" ±{spot.accuracy:g} m" if spot.accuracy is not None else ""
    point = Text(f"{spot.latitude:.5f}, {spot.longitude:.5f}{within}", FINE)
    away = metres(spot.distance)
    match spot.verdict:
        case "inside":
            words = Phrase("at_stop", away)
            return Fact("location", words, BODY._replace(colour=GREEN), point)
        case "outside":
            words = Phrase("from_stop", away)
            return Fact("location", words, BODY._replace(colour=AMBER), point)
    return Fact("location", Phrase("not_compared"), QUIET, point)


def _is_long(scan: Scan | None) -> bool:
    return scan is not None and len(scan.value) > SHORT_SCAN


def _scanned(scan: Scan | None) -> Fact:
    if scan is None:
        return Fact("scanned", None)
    colour, verdict = SCANS[scan.match]
    kind = f", {scan.symbology}" if scan.symbology else ""
    told = Phrase("{}{}", Phrase(verdict), kind)
    title = "typed" if scan.entry == "typed" else "scanned"
    return Fact(title, scan.value, CODE, Text(told, SMALL._replace(colour=colour)))
