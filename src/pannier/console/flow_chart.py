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
    proof_icon: str  # empty without a proof
    required: bool


class FlowChart(NamedTuple):
    """A laid-out flow chart."""

    width: int
    height: int
    top: int
    nodes: Sequence[ChartNode]
    arrows: Sequence[str]
    description: str


Activities = Sequence[Mapping[str, Any]]


def lay_out_chart(activities: Activities) -> FlowChart:
    """Lay out a flow from left to right."""
    by_code = {activity["code"]: activity for activity in activities}
    next_codes = {
        code: [target for target in activity["next"] if target in by_code]
        for code, activity in by_code.items()
    }
    layers = _assign_layers(next_codes)
    columns: dict[int, list[str]] = {}
    for code in by_code:
        columns.setdefault(layers[code], []).append(code)
    tallest = max(map(len, columns.values()), default=0)
    height = 2 * MARGIN + tallest * (HEIGHT + ROW_GAP) - ROW_GAP
    positions = {
        code: (MARGIN + layer * (WIDTH + COLUMN_GAP), _calculate_row_y(number, len(codes), height))
        for layer, codes in columns.items()
        for number, code in enumerate(codes)
    }
    arrows = [
        (source, target, _calculate_swing(layers[source], layers[target]))
        for source, targets in next_codes.items()
        for target in targets
    ]
    space_above = max((swing for a, b, swing in arrows if layers[b] > layers[a]), default=0)
    space_below = max(
        (swing for a, b, swing in arrows if layers[b] <= layers[a] and _is_level(positions, a, b)),
        default=0,
    )
    return FlowChart(
        width=2 * MARGIN + len(columns) * (WIDTH + COLUMN_GAP) - COLUMN_GAP,
        height=height + space_above + space_below,
        top=-space_above,
        nodes=[_make_node(activity, *positions[code]) for code, activity in by_code.items()],
        arrows=[_draw_arrow(positions[a], positions[b], swing) for a, b, swing in arrows],
        description=describe_flow(activities),
    )


def describe_flow(activities: Activities) -> str:
    """Describe a flow in words, for screen readers."""
    names = {activity["code"]: activity["status"] or activity["code"] for activity in activities}
    sentences = []
    for activity in activities:
        next_names = [names[code] for code in activity["next"] if code in names]
        proof = f" with {activity['pod_method']} proof" if activity["require_pod"] else ""
        continuation = f", then {' or '.join(next_names)}" if next_names else ", end"
        sentences.append(f"{names[activity['code']]}{proof}{continuation}")
    return "; ".join(sentences) + "."


def _assign_layers(next_codes: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Assign each activity a layer: the length of the longest forward path to it."""
    forward_links = _list_forward_links(next_codes)
    layers = dict.fromkeys(next_codes, 0)
    for _ in next_codes:
        for code, target in forward_links:
            layers[target] = max(layers[target], layers[code] + 1)
    return layers


def _list_forward_links(next_codes: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """List the arrows that do not lead back to an earlier activity."""
    target_codes = {
        target for code, targets in next_codes.items() for target in targets if target != code
    }
    forward_links: list[tuple[str, str]] = []
    visited: set[str] = set()

    def visit(code: str, path: frozenset[str]) -> None:
        visited.add(code)
        for target in next_codes[code]:
            if target not in path and target != code:
                forward_links.append((code, target))
                if target not in visited:
                    visit(target, path | {code})

    for code in sorted(next_codes, key=lambda code: code in target_codes):
        if code not in visited:
            visit(code, frozenset())
    return forward_links


def _calculate_row_y(number: int, count: int, height: int) -> int:
    total_height = count * (HEIGHT + ROW_GAP) - ROW_GAP
    return (height - total_height) // 2 + number * (HEIGHT + ROW_GAP)


def _is_level(positions: Mapping[str, tuple[int, int]], first_code: str, second_code: str) -> bool:
    return positions[first_code][1] == positions[second_code][1]


def _calculate_swing(layer: int, target_layer: int) -> int:
    """Return an arrow's bend: none to the next layer, otherwise more for each layer passed."""
    return 0 if target_layer == layer + 1 else SWING + 6 * min(abs(target_layer - layer), 4)


def _draw_arrow(start: tuple[int, int], end: tuple[int, int], swing: int) -> str:
    """Return an arrow's SVG path: above the activities it passes, or below if it leads back."""
    half_height = HEIGHT // 2
    x, y, to_x, to_y = start[0] + WIDTH, start[1] + half_height, end[0] - 4, end[1] + half_height
    if not swing:
        bend = COLUMN_GAP // 2
        return f"M{x} {y}C{x + bend} {y} {to_x - bend} {to_y} {to_x} {to_y}"
    if to_x > x:
        peak_y = min(start[1], end[1]) - swing
        x, y, to_x, to_y = start[0] + WIDTH - 24, start[1], end[0] + 24, end[1] - 4
        return f"M{x} {y}C{x + 30} {peak_y} {to_x - 30} {peak_y} {to_x} {to_y}"
    if start[1] != end[1]:
        # Between two rows, the arrow ends at the top or bottom edge and crosses no activity.
        x, y, to_x = start[0], start[1] + half_height, end[0] + WIDTH // 2
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
