"""A real browser before the house: one Chromium and one server a process, and pages are shared."""

import asyncio
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import uvicorn
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    WebError,
    async_playwright,
    expect,
)

from console import expecting
from console.shared import PATIENCE, SharedPages
from pannier.accounts.auth import SESSION_COOKIE
from pannier.accounts.models import Role
from pannier.web import connection_guard
from pannier.web.streams import MAX_STREAM_SECONDS
from stage import Firm, House

ROOT: Final = Path(__file__).parents[2]
AXE: Final = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
# What Chromium is not to do. A later list takes the place of an earlier one, so these are those of
# playwright, and the address bar's: two pages of the browser's own, which every window loads.
IDLE: Final = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)
FLAGS: Final = (
    f"--disable-features={','.join(IDLE)}",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Only maps are drawn as a graphics card would: to draw whole pages so costs ten times as much.
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--use-fake-device-for-media-stream=device-count=0",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
expect.set_options(timeout=PATIENCE)
expecting.install()
WIDE, PHONE = (1280, 800), (390, 844)
# A form that is not in order is shown again with this status, which is no trouble.
ORDINARY: Final = r"status of 422\b"
# A page says by itself what its policy kept it from.
TELLING: Final = """addEventListener("securitypolicyviolation", told => console.error(
    `policy: ${told.effectiveDirective} ${told.blockedURI} ${told.sourceFile}:${told.lineNumber}`))
"""
# Marks a page that has fetched what it missed while it came.
SWAPPED: Final = (
    "addEventListener('htmx:after:swap', () => document.documentElement.dataset.swapped = 1)"
)
# To draw a map takes seconds: a page that is not about its map is looked at without.
# What is drawn flat stays: axe draws letters to tell which of them are icons.
NO_MAPS: Final = """{
    const drawn = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return kind.startsWith("webgl") ? null : drawn.call(this, kind, ...more);
    };
}"""
# A rule of axe that fails itself has found nothing, and is told among what is to be looked at.
RULE_FAILED: Final = "({ nodes }) => nodes.some((node) => node.none[0]?.id === 'error-occurred')"
Theme = Literal["light", "dark"]


@cache
def chromium(*, shell: bool = True) -> str:
    """Find the browser, as scripts/chromium does; a headless shell has no camera."""
    asked = "--where-shell" if shell else "--where"
    command = [sys.executable, ROOT / "scripts" / "chromium", asked]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stderr
    return asked.stdout.strip()


@asynccontextmanager
async def launched(*flags: str, shell: bool = True) -> AsyncIterator[Browser]:
    """Start Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(shell=shell),
            args=[*FLAGS, *flags],
            chromium_sandbox=os.geteuid() != 0,
        )
        yield browser
        await browser.close()


class Front:
    """The server that browsers come to; whose house it is the front of changes with the test."""

    def __init__(self) -> None:
        self._edge: Any = None
        self._busy: set[asyncio.Task[Any]] = set()
        self.url = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand a request on to the house of the test."""
        assert self._edge is not None, f"{scope['path']} was asked for when no test ran."
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            await self._edge(scope, receive, send)
        finally:
            self._busy.discard(task)

    @asynccontextmanager
    async def of(self, house: House) -> AsyncIterator[str]:
        """Be the front of a house for a while, and wait at the end until nothing runs in it."""
        house.edge.services["streams"].max_seconds = MAX_STREAM_SECONDS
        self._edge = house.edge
        try:
            yield self.url
        finally:
            house.edge.services["streams"].close()
            async with asyncio.timeout(PATIENCE / 1000):
                while self._busy:
                    await asyncio.wait(set(self._busy))
            self._edge = None

    def before(self, stranger: Any) -> None:
        """Put something in front of the house until the test is over."""
        self._edge = stranger

    @asynccontextmanager
    async def serving(self, house: House) -> AsyncIterator["Front"]:
        """Serve on a port of loopback, as the program does."""
        config = connection_guard.make_server_config(
            self, house.settings, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            # Signals are the test runner's, which `serve` would take.
            running = asyncio.create_task(server._serve(sockets=[listener]))  # noqa: SLF001
            yield self
            server.should_exit = True
            await running


@dataclass
class Troubles:
    """What went wrong in any page of a test: no test with one of these is green."""

    origin: str
    seen: list[str] = field(default_factory=list)
    excused: list[str] = field(default_factory=lambda: [ORDINARY])

    def excuse(self, pattern: str) -> None:
        """Let a trouble be that the test is about, such as `status of 404`."""
        self.excused.append(pattern)

    def watch(self, context: BrowserContext) -> None:
        """Listen to all pages of a context."""
        context.on("console", self._said)
        context.on("weberror", self._broke)
        context.on("request", self._asked)

    def look_away(self, context: BrowserContext) -> None:
        """Listen to a context no longer: another test has it next."""
        context.remove_listener("console", self._said)
        context.remove_listener("weberror", self._broke)
        context.remove_listener("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.seen.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _broke(self, error: WebError) -> None:
        self.seen.append(f"script: {error.error}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.origin + "/", "data:", "blob:")):
            self.seen.append(f"another origin: {request.url}")

    def left(self) -> list[str]:
        """List what was not excused."""
        return [
            one for one in self.seen if not any(re.search(known, one) for known in self.excused)
        ]


@dataclass
class Tabs:
    """Opens pages for the people of a company."""

    shared: SharedPages
    firm: Firm
    troubles: Troubles
    opened: AsyncExitStack

    async def __call__(
        self,
        *,
        role: Role | None = "admin",
        theme: Theme = "light",
        phone: bool = False,
        maps: bool = True,
        **options: Any,
    ) -> Page:
        """Open an empty page, signed in as somebody of a role or nobody.

        The first of its kind in a test is shared with other tests; one with options is not.
        """
        width, height = PHONE if phone else WIDE
        kind = f"{'phone' if phone else 'wide'} {'with' if maps else 'without'} maps"
        page = await self.opened.enter_async_context(
            self.shared.lend(
                None if options else kind,
                f"{TELLING};{SWAPPED}" if maps else f"{TELLING};{SWAPPED};{NO_MAPS}",
                viewport={"width": width, "height": height},
                has_touch=phone,
                locale="en-GB",
                timezone_id="UTC",
                reduced_motion="reduce",
                **options,
            )
        )
        self.opened.callback(self.troubles.look_away, page.context)
        self.troubles.watch(page.context)
        await page.emulate_media(color_scheme=theme)
        if role is not None:
            await self._sign_in(page.context, role)
        return page

    async def _sign_in(self, context: BrowserContext, role: Role) -> None:
        token = self.firm.token if role == "admin" else await self.firm.sign_up(role)
        await context.add_cookies(
            [
                {
                    "name": SESSION_COOKIE,
                    "value": token,
                    "url": self.troubles.origin,
                    "httpOnly": True,
                }
            ]
        )


async def until(page: Page, expression: str) -> None:
    """Wait until an expression is true in a page, whose policy forbids `page.wait_for_function`."""
    async with asyncio.timeout(PATIENCE / 1000):
        while not await page.evaluate(f"Boolean({expression})"):
            await page.evaluate("new Promise(requestAnimationFrame)")


async def opened(page: Page, address: str) -> None:
    """Open a page, and wait until it has fetched what it missed while it came."""
    await page.goto(address)
    await expect(page.locator("html[data-swapped]")).to_be_attached()


async def summon(page: Page) -> None:
    """Open the palette by its key, as somebody who sees the page."""
    await until(page, "performance.getEntriesByName('first-contentful-paint').length")
    await page.keyboard.press("Control+k")
    await expect(page.locator("#palette input")).to_be_focused()


# Runs axe within what an expression finds, of which nothing may be there.
AXE_RUN: Final = f"""async ([rules, without, given]) => {{
    const include = (WITHIN)(given);
    if (!include.length) return [];
    const told = await axe.run({{ include }}, {{
        resultTypes: ["violations"], preload: false, iframes: false,
        ...rules.length ? {{ runOnly: rules }} : {{}},
        rules: Object.fromEntries(without.map((rule) => [rule, {{ enabled: false }}])),
    }});
    return [...told.violations, ...told.incomplete.filter({RULE_FAILED})];
}}"""
WHOLE: Final = "() => [document.documentElement]"


async def axe(
    page: Page,
    *rules: str,
    within: str = WHOLE,
    given: object = None,
    without: tuple[str, ...] = (),
) -> list[str]:
    """Name what keeps people from using a page, and where; an empty list is what is wanted.

    By all rules or only by some, `without` others; `within` a selector, or the elements that a
    script finds with what it is `given`.
    """
    assert AXE.exists(), "axe-core has not been fetched; run `scripts/assets`."
    if not await page.evaluate("Boolean(window.axe)"):
        await page.evaluate(AXE.read_text())
    chosen = within if "=>" in within else f"() => ['{within}']"
    found = await page.evaluate(
        AXE_RUN.replace("WITHIN", chosen), [list(rules), list(without), given]
    )
    return [
        f"{one['id']}: {', '.join(str(node['target'][0]) for node in one['nodes'])}"
        for one in found
    ]


async def in_both_themes(page: Page, within: str = WHOLE) -> list[str]:
    """Name what keeps people from using a page in the light, and from reading it in the dark."""
    found = await axe(page, within=within)
    await page.emulate_media(color_scheme="dark")
    found += [f"dark: {one}" for one in await axe(page, "color-contrast", within=within)]
    await page.emulate_media(color_scheme="light")
    return found
