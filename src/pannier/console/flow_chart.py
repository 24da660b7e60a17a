"""The layout of a flow chart: the positions of activities, and the arrows between them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

WIDTH, HEIGHT = 168, 46
COLUMN_GAP, ROW_GAP = 38, 16
MARGIN: Final = 12
# How far an arrow bends away from the activities that it passes.
SWING: Final = 26
MAX_LABEL_LENGTH: Final = 20
HEAD_CODES: Final = frozenset({"created", "dispatched", "started"})
PROOF_ICONS: Final[Mapping[str, str]] = {
    "scan": "scan-line",
    "signature": "signature",
    "photo": "camera",
    "sms": "message-square",
}


class ChartNode(NamedTuple):
    """An activity in the chart."""

    x: int
    y: int
    label: str
    code: str
    kind: str  # head, plain or end
    sign: str  # icon of the proof; empty without one
    required: bool


class Chart(NamedTuple):
    """A laid-out flow chart."""

    width: int
    height: int
    top: int
    nodes: Sequence[ChartNode]
    arrows: Sequence[str]
    description: str


Activities = Sequence[Mapping[str, Any]]


def draw(activities: Activities) -> Chart:
    """Lay out a flow from left to right."""
    by_code = {activity["code"]: activity for activity in activities}
    following = {code: [to for to in one["next"] if to in by_code] for code, one in by_code.items()}
    layers = _assign_layers(following)
    columns: dict[int, list[str]] = {}
    for code in by_code:
        columns.setdefault(layers[code], []).append(code)
    tallest = max(map(len, columns.values()), default=0)
    height = 2 * MARGIN + tallest * (HEIGHT + ROW_GAP) - ROW_GAP
    places = {
        code: (MARGIN + layer * (WIDTH + COLUMN_GAP), _row_y(number, len(codes), height))
        for layer, codes in columns.items()
        for number, code in enumerate(codes)
    }
    links = [(code, to) for code, followed in following.items() for to in followed]
    swings = [(a, b, _arrow_swing(layers[a], layers[b])) for a, b in links]
    above = max((swing for a, b, swing in swings if layers[b] > layers[a]), default=0)
    level = [swing for a, b, swing in swings if layers[b] <= layers[a] and _is_level(places, a, b)]
    below = max(level, default=0)
    return Chart(
        width=2 * MARGIN + len(columns) * (WIDTH + COLUMN_GAP) - COLUMN_GAP,
        height=height + above + below,
        top=-above,
        nodes=[_make_node(one, *places[code]) for code, one in by_code.items()],
        arrows=[_arrow_path(places[a], places[b], swing) for a, b, swing in swings],
        description=describe(activities),
    )


def describe(activities: Activities) -> str:
    """Describe a flow in words, for screen readers."""
    names = {activity["code"]: activity["status"] or activity["code"] for activity in activities}
    sentences = []
    for activity in activities:
        after = [names[code] for code in activity["next"] if code in names]
        proof = f" with {activity['pod_method']} proof" if activity["require_pod"] else ""
        continuation = f", then {' or '.join(after)}" if after else ", end"
        sentences.append(f"{names[activity['code']]}{proof}{continuation}")
    return "; ".join(sentences) + "."


def _assign_layers(following: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return each activity's layer: the longest path to it, without backward arrows."""
    forward_links = _list_forward_links(following)
    layers = dict.fromkeys(following, 0)
    for _ in following:
        for code, to in forward_links:
            layers[to] = max(layers[to], layers[code] + 1)
    return layers


def _list_forward_links(following: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """List the arrows that do not lead back to an earlier activity."""
    target_codes = {to for code, followed in following.items() for to in followed if to != code}
    forward_links: list[tuple[str, str]] = []
    visited: set[str] = set()

    def visit(code: str, behind: frozenset[str]) -> None:
        visited.add(code)
        for to in following[code]:
            if to not in behind and to != code:
                forward_links.append((code, to))
                if to not in visited:
                    visit(to, behind | {code})

    for code in sorted(following, key=lambda one: one in target_codes):
        if code not in visited:
            visit(code, frozenset())
    return forward_links


def _row_y(number: int, count: int, height: int) -> int:
    total_height = count * (HEIGHT + ROW_GAP) - ROW_GAP
    return (height - total_height) // 2 + number * (HEIGHT + ROW_GAP)


def _is_level(places: Mapping[str, tuple[int, int]], first_code: str, second_code: str) -> bool:
    return places[first_code][1] == places[second_code][1]


def _arrow_swing(layer: int, to: int) -> int:
    """Return how far an arrow bends: 0 to the next layer, more the more layers it passes."""
    return 0 if to == layer + 1 else SWING + 6 * min(abs(to - layer), 4)


def _arrow_path(start: tuple[int, int], end: tuple[int, int], swing: int) -> str:
    """Return the path of an arrow: above what it passes, or below if it leads back."""
    middle = HEIGHT // 2
    x, y, to_x, to_y = start[0] + WIDTH, start[1] + middle, end[0] - 4, end[1] + middle
    if not swing:
        bend = COLUMN_GAP // 2
        return f"M{x} {y}C{x + bend} {y} {to_x - bend} {to_y} {to_x} {to_y}"
    if to_x > x:
        peak_y = min(start[1], end[1]) - swing
        x, y, to_x, to_y = start[0] + WIDTH - 24, start[1], end[0] + 24, end[1] - 4
        return f"M{x} {y}C{x + 30} {peak_y} {to_x - 30} {peak_y} {to_x} {to_y}"
    if start[1] != end[1]:
        # Between rows, the arrow enters from above or below and passes nothing.
        x, y, to_x = start[0], start[1] + middle, end[0] + WIDTH // 2
        to_y = end[1] - 4 if start[1] < end[1] else end[1] + HEIGHT + 4
        return f"M{x} {y}C{x - 60} {y} {to_x} {(y + to_y) // 2} {to_x} {to_y}"
    low_y = max(start[1], end[1]) + HEIGHT + swing
    x, y, to_x, to_y = start[0] + 40, start[1] + HEIGHT, end[0] + WIDTH - 40, end[1] + HEIGHT + 4
    return f"M{x} {y}C{x - 30} {low_y} {to_x + 30} {low_y} {to_x} {to_y}"


def _make_node(activity: Mapping[str, Any], x: int, y: int) -> ChartNode:
    full_label = activity["status"] or activity["code"]
    label = (
        full_label
        if len(full_label) <= MAX_LABEL_LENGTH
        else f"{full_label[: MAX_LABEL_LENGTH - 1].rstrip()}…"
    )
    kind = "head" if activity["code"] in HEAD_CODES else "end" if activity["complete"] else "plain"
    proof_icon = PROOF_ICONS.get(activity["pod_method"] or "", "")
    return ChartNode(
        x, y, label, activity["code"][:24], kind, proof_icon, bool(activity["require_pod"])
    )
