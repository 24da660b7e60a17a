"""A driver's hand: captures in the app, and tells what came of it."""

from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Locator, Page, expect

from pannier.console import assets

ORDER: Final[dict[str, Any]] = {
    "id": "order_1",
    "payload": {
        "waypoints": [{"id": "waypoint_1", "name": None, "address": "1 Raffles Place, Singapore"}],
        "entities": [
            {"id": "entity_lamp", "name": "Lamp"},
            {"id": "entity_chair", "name": "Chair"},
            {"id": "entity_table", "name": "Table"},
        ],
    },
    "flow": {
        "waypoints": [],
        "expected": {
            "entity_lamp": ["LAMP-1", "ACM-7K4M", "entity_lamp"],
            "entity_chair": ["CHAIR-2"],
        },
    },
}
BEGIN: Final = """async ([address, name, given]) => {
    const app = await import(address);
    window.kept = [];
    window.ended = app[name](...given, async (one) => { window.kept.push(one); });
}"""
TOLD: Final = """async () => {
    const told = async ({ blob, ...one }) => {
        const { width, height } = await createImageBitmap(blob);
        return { ...one, type: blob.type, size: blob.size, width, height };
    };
    const answer = await window.ended;
    if (!answer?.pictures) return answer;
    return { ...answer, pictures: await Promise.all(answer.pictures.map(told)) };
}"""


# The app waits a tenth as long, until the page is left: for tests of what comes after a wait.
HURRY: Final = """() => {
    window.patientTimeout ??= window.setTimeout;
    window.setTimeout = (act, ms, ...given) => window.patientTimeout(act, ms / 10, ...given);
}"""
REST: Final = "() => { window.setTimeout = window.patientTimeout; }"


def demand(method: str, subject: str = "waypoint_1", **more: Any) -> dict[str, Any]:
    """Ask for a proof."""
    kind = subject.partition("_")[0]
    return {
        "method": method,
        "subject_type": kind,
        "subject_id": subject,
        "activity": "handed_over",
        **more,
    }


async def fetched(page: Page) -> None:
    """Wait for what scans, if it comes at all: who waits four seconds for it types the code."""
    scanner = assets.url("driver/capture/scan.js")
    await page.evaluate("(file) => import(file).then(() => 0, () => 0)", scanner)


@dataclass
class Hand:
    """Captures proofs on a page of the app."""

    page: Page

    async def open(self) -> None:
        """Open the app."""
        await self.page.goto("/driver")

    async def begin(self, wanted: dict[str, Any], order: dict[str, Any] = ORDER) -> None:
        """Begin to capture one proof."""
        await self._call("captureProof", wanted, order)

    async def walk(self, *wanted: dict[str, Any], order: dict[str, Any] = ORDER) -> None:
        """Begin to capture all that an activity needs."""
        await self._call("captureProofs", {"code": "handed_over", "demands": list(wanted)}, order)

    async def _call(self, name: str, *given: dict[str, Any]) -> None:
        if "/driver" not in self.page.url:
            await self.open()
        address = assets.url("driver/capture/index.js")
        if "scan" in {one["method"] for one in given[0].get("demands", given[:1])}:
            await fetched(self.page)
        await self.page.evaluate(BEGIN, [address, name, list(given)])

    async def told(self) -> Any:
        """Wait until the dialog is closed, and tell what was captured."""
        return await self.page.evaluate(TOLD)

    async def kept(self) -> list[dict[str, Any]]:
        """List what was handed over to be kept so far."""
        found: list[dict[str, Any]] = await self.page.evaluate("window.kept")
        return found

    async def looking(self) -> None:
        """Wait until the dialog shows what is before the camera."""
        told = self.page.locator(".finder-told")
        await expect(told).to_be_attached()
        await expect(told).to_be_hidden()

    def button(self, name: str) -> Locator:
        """Find a button by its words."""
        return self.page.get_by_role("button", name=name)

    async def sign(self, *points: tuple[float, float]) -> None:
        """Draw with a finger on the pad; points are parts of its width and height."""
        box = await self.page.locator(".pad").bounding_box()
        assert box is not None
        spots = [
            {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]} for x, y in points
        ]
        finger = await self.page.context.new_cdp_session(self.page)
        for number, spot in enumerate(spots):
            kind = "touchMove" if number else "touchStart"
            await finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [spot]})
        await finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        await finger.detach()


SIGNED: Final = tuple((0.15 + 0.07 * step, 0.35 + 0.3 * (step % 2)) for step in range(11))
