"""Pages that one test of a process uses after another, each as if it had just been opened.

To open a context and a page costs more than most tests do in it. So each kind of screen is kept,
and whatever a test left there is taken away: cookies, storage, routes, history, other pages.
What cannot be taken away, a script that runs in every page or another clock, costs the context.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, Error, Page

import program
from pannier.console import assets

PATIENCE: Final = 1000 * program.PATIENCE  # in milliseconds
# A browser says that about its own functions, and a clock that a test has put in says something
# else.
OWN_CLOCK: Final = "Date.now.toString().includes('[native code]')"


@dataclass
class SharedPage:
    """A context of one kind, with the page that is kept in it."""

    context: BrowserContext
    page: Page
    spoiled: bool = False

    def watch(self) -> None:
        """Notice scripts that would run in the pages of later tests."""
        for owner in (self.context, self.page):
            self._notice(owner)

    def _notice(self, owner: Any) -> None:
        add = owner.add_init_script

        async def noticed(*given: Any, **named: Any) -> Any:
            self.spoiled = True
            return await add(*given, **named)

        owner.add_init_script = noticed

    async def clean(self, origin: str, options: dict[str, Any]) -> bool:
        """Take away what a test left; False where that cannot be done."""
        context = self.context
        for page in context.pages:
            if page is not self.page:
                await page.close()
        if self.spoiled or self.page.is_closed():
            return False
        await self.page.unroute_all(behavior="ignoreErrors")
        await context.unroute_all(behavior="ignoreErrors")
        await context.set_offline(offline=False)
        # What a tab keeps for itself is cleared from inside; a picture is in the browser's cache.
        if not self.page.url.startswith(f"{origin}/"):
            await self.page.goto(origin + assets.url("driver/icon.svg"))
        await self.page.evaluate("sessionStorage.clear()")
        await self.page.goto("about:blank")
        await context.clear_cookies()
        await context.clear_permissions()
        if granted := options.get("permissions"):
            await context.grant_permissions(granted)
        await context.set_geolocation(options.get("geolocation"))
        await self.page.set_viewport_size(options["viewport"])
        await self.page.emulate_media(color_scheme="light")
        tools = await context.new_cdp_session(self.page)
        everything = {"origin": origin, "storageTypes": "all"}
        await tools.send("Storage.clearDataForOrigin", everything)
        await tools.send("Page.resetNavigationHistory")
        await tools.detach()
        return bool(await self.page.evaluate(OWN_CLOCK))


@dataclass
class SharedPages:
    """The pages of one Chromium that are kept, by what kind of screen they are on."""

    browser: Browser
    origin: str
    kept: dict[str, SharedPage] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @asynccontextmanager
    async def lend(self, kind: str | None, script: str = "", **options: Any) -> AsyncIterator[Page]:
        """Lend the page of a kind to one test; where that is in use, or no kind, open another."""
        if kind is None or kind in self.taken:
            alone = await self._open(script, options)
            yield alone.page
            await alone.context.close()
            return
        self.taken.add(kind)
        shared = self.kept.pop(kind, None) or await self._open(script, options)
        try:
            yield shared.page
        finally:
            self.taken.remove(kind)
            await self._take_back(kind, shared, options)

    async def _take_back(self, kind: str, shared: SharedPage, options: dict[str, Any]) -> None:
        """Keep a page for the next test if nothing of this one is left in it."""
        try:
            clean = await shared.clean(self.origin, options)
        except Error:
            clean = False
        if clean:
            self.kept[kind] = shared
        else:
            await shared.context.close()

    async def _open(self, script: str, options: dict[str, Any]) -> SharedPage:
        context = await self.browser.new_context(base_url=self.origin, **options)
        context.set_default_timeout(PATIENCE)
        if script:
            await context.add_init_script(script)
        shared = SharedPage(context, await context.new_page())
        shared.watch()
        return shared
