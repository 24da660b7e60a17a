"""Looking at what people have in their hands: by day, by night, and in large letters.

With `PANNIER_SCREENSHOTS=/some/folder` a picture of every screen that a test looks at is kept.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self

from playwright.async_api import CDPSession, Page, ViewportSize

from console.browser import axe

FOLDER: Final = os.environ.get("PANNIER_SCREENSHOTS")
ORDINARY, LARGE = 16, 32
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
# What depends on colours is looked at once more in the dark.
COLOURS: Final = ("color-contrast", "link-in-text-block")
TARGET: Final = 44
# A field that lies under its label is touched where the label is; a link in a sentence is read.
SMALL: Final = """(least) => {
    const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    return [...top.querySelectorAll("a[href], button, input, select, textarea, summary")]
        .filter((one) => one.checkVisibility() && !one.matches(".unseen, .maplibregl-map *"))
        .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
        .filter(([, { width, height }]) => Math.min(width, height) < least)
        .map(([one]) => one.outerHTML.slice(0, 100));
}"""
# Whatever sticks out of the screen, or is cut off where nobody can scroll to it.
CUT: Final = """() => {
    const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
    const shown = [...top.querySelectorAll("*")]
        .filter((one) => one.checkVisibility() && !one.closest(".maplibregl-map, .unseen, svg"));
    // A phone widens its window to what sticks out of it.
    const wide = document.documentElement.clientWidth;
    const out = shown.filter((one) => one.getBoundingClientRect().right > wide + 1);
    const cut = shown.filter((one) => getComputedStyle(one).overflowX === "hidden"
        && one.scrollWidth > one.clientWidth + 1);
    return [...out, ...cut].map((one) => `${one.outerHTML.slice(0, 100)}`);
}"""
# Finds what is written, of which nothing of its kind was seen before: the same styles on the same
# grounds. Its colours are looked at, and those of all others are the same. `KINDS` lists the kinds.
KINDS: Final = """(seen, told) => {
    const kind = (one) => [one.tagName, one.type, one.ariaCurrent, one.ariaPressed, one.disabled,
        one.role, ...[...one.classList].sort()].join();
    const chain = (one) => (one ? `${chain(one.parentElement)} ${kind(one)}` : "");
    const known = new Set(seen), found = [];
    for (const one of document.body.querySelectorAll("*")) {
        const written = [...one.childNodes].some((text) => text.data?.trim());
        if (!written && !one.matches("input, select, textarea")) continue;
        if (!one.checkVisibility() || known.has(chain(one))) continue;
        known.add(chain(one));
        found.push(one);
    }
    return told ? [...known] : found;
}"""

# To load axe takes a second of each page that is opened, and every page with other files loads
# them. So parts of pages are shown in one that is open, with their own styles and language.
SHOW: Final = """async ([text, part]) => {
    const come = new DOMParser().parseFromString(text, "text/html");
    const styles = (page) => new Map([...page.querySelectorAll("link[rel=stylesheet]")]
        .map((one) => [one.getAttribute("href"), one]));
    const [had, wanted] = [styles(document), styles(come)];
    for (const [address, one] of had) if (!wanted.has(address)) one.remove();
    for (const address of wanted.keys()) {
        if (had.has(address)) continue;
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet" });
        const loaded = new Promise((done, failed) => {
            link.onload = done;
            link.onerror = () => failed(new Error(`${address} was not loaded`));
        });
        link.href = address;
        document.head.append(link);
        await loaded;
    }
    document.documentElement.lang = come.documentElement.lang;
    document.querySelector(part).replaceWith(document.adoptNode(come.querySelector(part)));
}"""


async def show(page: Page, text: str, part: str = "main") -> None:
    """Show a part of a page that was answered in a page that is open; its scripts do not run."""
    await page.evaluate(SHOW, [text, part])


@dataclass
class Looker:
    """Looks at the screens of a page, one after another."""

    page: Page
    story: str
    tools: CDPSession
    # What keeps anybody from using a screen; a test ends with the wish that there is nothing.
    found: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    @classmethod
    async def at(cls, page: Page, story: str) -> Self:
        """Begin to look at a page."""
        return cls(page, story, await page.context.new_cdp_session(page))

    async def __call__(self, name: str, target: int = TARGET) -> None:
        """Find what keeps anybody from using what is shown."""
        await self._shine("light")
        await self._keep(name, "light")
        found = await axe(self.page, without=COLOURS)
        found += await self._colours()
        found += [f"small: {one}" for one in await self.page.evaluate(SMALL, target)]
        found += await self._cut()
        await self._letters(LARGE)
        try:
            await self._keep(name, "large")
            found += [f"in large letters {one}" for one in await self._cut()]
        finally:
            await self._letters(ORDINARY)
        await self._shine("dark")
        await self._keep(name, "dark")
        found += [f"in the dark {one}" for one in await self._colours()]
        self.kinds = await self.page.evaluate(f"(seen) => ({KINDS})(seen, true)", self.kinds)
        await self._shine("light")
        self.found += [f"{name}: {one}" for one in found]

    async def _shine(self, theme: Literal["light", "dark"]) -> None:
        await self.page.emulate_media(color_scheme=theme)

    async def _letters(self, size: int) -> None:
        """Set how large people have the letters in their browser."""
        await self.tools.send("Page.setFontSizes", {"fontSizes": {"standard": size}})

    async def _colours(self) -> list[str]:
        """Look at the colours of what is written, where none of its kind was looked at before."""
        return await axe(self.page, *COLOURS, within=KINDS, given=self.kinds)

    async def _cut(self) -> list[str]:
        return [f"cut: {one}" for one in await self.page.evaluate(CUT)]

    async def _keep(self, name: str, look: str) -> None:
        if FOLDER is not None:
            folder = Path(FOLDER) / self.story
            folder.mkdir(parents=True, exist_ok=True)
            await self.page.screenshot(path=folder / f"{name}.{look}.png")
