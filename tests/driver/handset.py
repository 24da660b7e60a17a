"""A driver's handset: the app's own modules without its screens, in Node or in a real browser."""

import asyncio
import atexit
import base64
import itertools
import json
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from playwright._impl._driver import compute_driver_executable
from playwright.async_api import BrowserContext, Page

from console.browser import PATIENCE, ROOT, until
from pannier.console import assets
from proofs import drawn
from proofs.evidence import Courier

MODULES: Final = ("api", "store", "outbox", "orders", "tracking", "refusals")
STEPS: Final = (
    {"code": "arrived", "status": "Arrived", "next": ["handed_over"]},
    {"code": "handed_over", "status": "Handed over", "complete": True},
)
PROOF: Final = {"require_pod": True, "pod_method": "photo"}
PROGRAM: Final = Path(__file__).with_name("phone.mjs")
IN_MEMORY: Final = ROOT / "frontend" / "node_modules" / "fake-indexeddb" / "auto" / "index.mjs"


@cache
def write_app() -> Path:
    """Write the files of the driver's app, as they are served, into a folder of this run."""
    folder = Path(tempfile.mkdtemp(prefix="pannier-app-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for path, content in assets.load_store().files.items():
        if path.startswith("driver/"):
            file = folder / path.removeprefix("driver/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return folder


class Handset(ABC):
    """A phone with a signed-in driver."""

    driver: dict[str, Any]
    token: str

    @abstractmethod
    async def js(self, body: str, **given: Any) -> Any:
        """Run a piece of script that has the app's modules at hand."""

    @abstractmethod
    def address(self, name: str) -> str:
        """Name the file of a module."""

    async def sign_in(self, token: str) -> None:
        """Keep a token, as the sign-in does."""
        told = {"token": token, "driver": {"id": self.driver["id"], "name": self.driver["name"]}}
        await self.js("return store.saveValues(given)", **told)

    async def press(self, order: dict[str, Any], code: str, **body: Any) -> str:
        """Press the button of an activity."""
        path = f"/v1/orders/{order['id']}/"
        path += "start" if code == "started" else "update-activity"
        body = body if code == "started" else {"activity": code, **body}
        return await self.add(kind="activity", order=order["id"], path=path, body=body)

    async def photo(
        self, order: dict[str, Any], turn: int = 0, subject: str = "", picture: bytes = b""
    ) -> str:
        """Take a picture of what is handed over."""
        path = f"/v1/orders/{order['id']}/capture-photo" + (f"/{subject}" if subject else "")
        return await self.add(
            picture or drawn.photo(turn),
            kind="proof",
            order=order["id"],
            path=path,
            body={"activity": "handed_over"},
        )

    async def add(self, *pictures: bytes, **entry: Any) -> str:
        """Put something into the outbox."""
        spelled = [base64.b64encode(one).decode() for one in pictures]
        found: str = await self.js(
            """const pictures = given.pictures.map((text) => new Blob(
                   [Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))],
                   { type: text.startsWith("iVBOR") ? "image/png" : "image/jpeg" }));
               return outbox.addEntry({ ...given.entry, pictures });""",
            pictures=spelled,
            entry=entry,
        )
        return found

    async def send(self) -> int:
        """Send what waits, now; answers how many still do."""
        left: int = await self.js("return outbox.send()")
        return left

    async def entries(self) -> list[dict[str, Any]]:
        """List what waits and what was refused."""
        found: list[dict[str, Any]] = await self.js("return outbox.listEntries()")
        return found

    async def outcome(self, entry: str) -> dict[str, Any]:
        """Tell what became of an entry."""
        found: dict[str, Any] = await self.js(
            "return outbox.awaitOutcome(given.id, 60000)", id=entry
        )
        return found

    async def standing(self) -> dict[str, Any]:
        """Tell how it stands."""
        found: dict[str, Any] = await self.js("return outbox.loadStatus()")
        return found


@dataclass
class NodeHandset(Handset):
    """The app's modules in Node, with an IndexedDB in memory, against the real server."""

    process: asyncio.subprocess.Process
    driver: dict[str, Any] = field(default_factory=dict)
    token: str = ""
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    @classmethod
    @asynccontextmanager
    async def started(cls, origin: str) -> "AsyncIterator[NodeHandset]":
        """Start the app in a Node process, with the Node that playwright brings along."""
        assert IN_MEMORY.exists(), "fake-indexeddb has not been fetched; run `scripts/assets`."
        node, _ = compute_driver_executable()
        process = await asyncio.create_subprocess_exec(
            node, PROGRAM, origin, write_app(), IN_MEMORY,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 26,
        )  # fmt: skip
        handset = cls(process)
        listening = asyncio.create_task(handset._listen())
        try:
            yield handset
        finally:
            process.kill()
            await process.wait()
            await listening

    async def _listen(self) -> None:
        """Hand each answer to whoever waits for it."""
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            told = json.loads(line)
            answer = self.waiting.pop(told["id"])
            if answer.cancelled():
                continue
            if "error" in told:
                answer.set_exception(AssertionError(told["error"]))
            else:
                answer.set_result(told["value"])
        for answer in self.waiting.values():
            answer.cancel("The phone is off.")

    async def js(self, body: str, **given: Any) -> Any:
        """Run a piece of script that has the app's modules at hand."""
        number, answer = next(self.numbers), asyncio.get_running_loop().create_future()
        self.waiting[number] = answer
        files = [self.address(name) for name in MODULES]
        told = {"id": number, "names": MODULES, "files": files, "body": body, "given": given}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told).encode() + b"\n")
        async with asyncio.timeout(PATIENCE / 1000):
            return await answer

    def address(self, name: str) -> str:
        """Name the file of a module."""
        return (write_app() / f"{name}.js").as_uri()

    async def stop_clock(self, moment: datetime) -> None:
        """Set the phone's clock to a moment at which it stays."""
        await self.js("stopClock(given.moment)", moment=moment.timestamp() * 1000)


@dataclass
class BrowserHandset(Handset):
    """The app's modules in a real browser, with its service worker."""

    page: Page
    driver: dict[str, Any] = field(default_factory=dict)
    token: str = ""

    @classmethod
    async def at(
        cls, context: BrowserContext, driver: dict[str, Any], token: str
    ) -> "BrowserHandset":
        """Open the app, and sign the driver in."""
        handset = cls(await context.new_page(), driver, token)
        await handset.open()
        await handset.sign_in(token)
        return handset

    async def open(self) -> None:
        """Open the app and wait until it is ready to go on without reception."""
        await self.page.goto("/driver")
        await until(self.page, "navigator.serviceWorker.controller")

    async def js(self, body: str, **given: Any) -> Any:
        """Run a piece of script that has the app's modules at hand."""
        names = [self.address(name) for name in MODULES]
        return await self.page.evaluate(
            f"""async ([names, given]) => {{
                const [{", ".join(MODULES)}] = await Promise.all(names.map((name) => import(name)));
                {body}
            }}""",
            [names, given],
        )

    def address(self, name: str) -> str:
        """Name the file of a module."""
        return assets.url(f"driver/{name}.js")


class Dispatcher(Courier):
    """Gives a driver orders whose hand-over needs a photo."""

    async def give(self, driver: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Hand an order out to a driver."""
        if not await self.get("order-configs?key=photographed"):
            flow = [STEPS[0], {**STEPS[1], **PROOF}]
            await self.post("order-configs", name="Photographed", key="photographed", flow=flow)
        given = {"driver": driver["id"], "type": "photographed", "dispatch": True}
        return await self.order(**{**given, **more})

    async def signed_in(self, driver: dict[str, Any]) -> str:
        """Sign a driver in by the code that they got; answers the token."""
        api, body = self.firm.api, {"phone": driver["phone"]}
        await api.post("/v1/drivers/login-with-sms", json=body)
        code = await self.texted()
        answer = await api.post("/v1/drivers/verify-code", json={**body, "code": code})
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["token"]
        return token
