"""Retries until a broker's message is stored, however long that takes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from pannier.db.database import is_transient
from pannier.devices.writer import Busy
from pannier.errors import Unavailable
from pannier.web.logs import log

MIN_WAIT_SECONDS: Final = 0.2
MAX_WAIT_SECONDS: Final = 10.0

Result = TypeVar("Result")


async def retry_until_stored(store: Callable[[], Awaitable[Result]], description: str) -> Result:
    """Retry until the message is stored. It is acknowledged only then, which limits the flow."""
    wait_seconds = MIN_WAIT_SECONDS
    while True:
        try:
            return await store()
        except (Busy, Unavailable):
            pass  # the database layer logs these already
        except Exception as failure:  # noqa: BLE001 - a broker's message must not be lost
            unexpected_failure = None if is_transient(failure) else failure
            log.error(
                "device events not stored; retrying", what=description, exc_info=unexpected_failure
            )
        await asyncio.sleep(wait_seconds)
        wait_seconds = min(wait_seconds * 2, MAX_WAIT_SECONDS)
