"""A phone in a pocket: it is put away and taken out again, and has what was kept on it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Geolocation, Page, async_playwright

from console.browser import FLAGS, PATIENCE, Troubles, chromium
from driver import camera

BESIDE_RAFFLES: Final[Geolocation] = {"latitude": 1.2839, "longitude": 103.8515}


@dataclass
class Pocket:
    """Keeps a phone between the times that somebody uses it."""

    folder: Path
    troubles: Troubles
    film: str

    @classmethod
    def at(cls, folder: Path, troubles: Troubles) -> "Pocket":
        """Put a new phone into a pocket; a QR code and a bar code will pass before its camera."""
        labels = camera.qr("LAMP-1"), camera.code128("CHAIR-2")
        return cls(folder / "phone", troubles, camera.film(folder, *labels))

    @asynccontextmanager
    async def taken_out(self, *, reception: bool = True) -> AsyncIterator[Page]:
        """Start the browser, and close it in the end."""
        async with async_playwright() as playwright:
            context = await playwright.chromium.launch_persistent_context(
                self.folder,
                executable_path=chromium(shell=False),
                args=[*FLAGS, *camera.FLAGS, self.film],
                chromium_sandbox=os.geteuid() != 0,
                base_url=self.troubles.origin,
                viewport={"width": 360, "height": 740},
                has_touch=True,
                is_mobile=True,
                locale="en-GB",
                timezone_id="Asia/Singapore",
                reduced_motion="reduce",
                geolocation=BESIDE_RAFFLES,
                permissions=["geolocation", "camera"],
                offline=not reception,
            )
            context.set_default_timeout(PATIENCE)
            self.troubles.watch(context)
            yield context.pages[0]
            await context.close()
