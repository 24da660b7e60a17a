"""Proofs on paper: a block for each, with all that it says and what proves it."""

from collections.abc import Sequence
from typing import Final

from pannier.proofs.pdf.blocks import Fact, clock, facts, heading, metres, moment, texts
from pannier.proofs.pdf.paper import (
    AMBER,
    BODY,
    CODE,
    FINE,
    GREEN,
    LEFT,
    MUTED,
    QUIET,
    RED,
    RIGHT,
    SMALL,
    STRONG,
    Cell,
    Paper,
    Text,
)
from pannier.proofs.sheet import Exhibit, Scan, Spot

INSET: Final = LEFT + 14
METHODS: Final = {
    "scan": "Scan",
    "signature": "Signature",
    "photo": "Photo",
    "sms": "Code by SMS",
    "override": "Override by an operator",
}
SCANS: Final = {
    True: (GREEN, "As expected"),
    False: (RED, "Not what was expected"),
    None: (MUTED, "Nothing was expected"),
}
# What is longer than two lines of a column gets lines of its own.
SHORT_SCAN: Final = 40


def draw(paper: Paper, exhibits: Sequence[Exhibit]) -> None:
    """Draw the proofs of a stop, or say that there are none."""
    heading(paper, "Evidence", room=40 if exhibits else 12)
    if not exhibits:
        paper.say("No proofs were captured here.", QUIET)
    for exhibit in exhibits:
        _exhibit(paper, exhibit)


def _exhibit(paper: Paper, exhibit: Exhibit) -> None:
    paper.room(28)
    paper.note(f"No. {exhibit.sequence}", QUIET, LEFT, 14)
    paper.note(exhibit.id, FINE, RIGHT - 60, 60, right=True)
    paper.columns([Cell(INSET, 104, [Text(_named(exhibit), STRONG)])])
    paper.y += 0.8
    facts(paper, _exhibit_facts(exhibit), x=INSET)
    for fact in _long_facts(exhibit):
        facts(paper, [fact], across=1, x=INSET)
    hashed, key = Fact("SHA-256", exhibit.hash, FINE), Fact("Key", exhibit.key_id, FINE)
    paper.columns([Cell(INSET, 108, texts(hashed)), Cell(RIGHT - 38, 38, texts(key))])
    paper.y += 1.6
    paper.rule()
    paper.y += 2


def _named(exhibit: Exhibit) -> str:
    rejected = ", rejected" if exhibit.rejected else ""
    return f"{METHODS[exhibit.method]}{rejected} · {exhibit.subject}"


def _exhibit_facts(exhibit: Exhibit) -> list[Fact]:
    received = f"received {clock(exhibit.received_at, seconds=True)}"
    return [
        Fact("Captured", moment(exhibit.captured_at, seconds=True), CODE, Text(received, SMALL)),
        Fact("Captured by", exhibit.by, more=_quiet(_circumstances(exhibit))),
        _place(exhibit.spot),
        Fact("Signed by", exhibit.signer, more=_quiet(exhibit.relationship)),
        Fact("Code", "Verified" if exhibit.code_verified else None, BODY._replace(colour=GREEN)),
        *([] if _is_long(exhibit.scan) else [_scanned(exhibit.scan)]),
        Fact("For the activity", exhibit.activity),
    ]


def _long_facts(exhibit: Exhibit) -> list[Fact]:
    return [
        *([_scanned(exhibit.scan)] if _is_long(exhibit.scan) else []),
        Fact("Reason", exhibit.reason),
        Fact("Remarks", exhibit.remarks),
    ]


def _circumstances(exhibit: Exhibit) -> str:
    told = (
        (exhibit.offline, "sent later, without reception"),
        (exhibit.late, "came in after the order was over"),
    )
    return ", ".join(words for holds, words in told if holds)


def _quiet(words: str | None) -> Text | None:
    return Text(words, SMALL) if words else None


def _place(spot: Spot | None) -> Fact:
    if spot is None:
        return Fact("Place", "Unknown", QUIET)
    within = f" ±{spot.accuracy:g} m" if spot.accuracy is not None else ""
    point = Text(f"{spot.latitude:.5f}, {spot.longitude:.5f}{within}", FINE)
    away = metres(spot.distance)
    match spot.verdict:
        case "inside":
            return Fact("Place", f"At the stop, {away} off", BODY._replace(colour=GREEN), point)
        case "outside":
            return Fact("Place", f"{away} from the stop", BODY._replace(colour=AMBER), point)
    return Fact("Place", "Not compared with the stop", QUIET, point)


def _is_long(scan: Scan | None) -> bool:
    return scan is not None and len(scan.value) > SHORT_SCAN


def _scanned(scan: Scan | None) -> Fact:
    if scan is None:
        return Fact("Scanned", None)
    colour, verdict = SCANS[scan.match]
    kind = f", {scan.symbology}" if scan.symbology else ""
    return Fact("Scanned", scan.value, CODE, Text(verdict + kind, SMALL._replace(colour=colour)))
