"""Senders of MQTT messages: by token, or by topic where the broker is trusted."""

from datetime import datetime, timedelta
from typing import Final

from pannier.db import Database
from pannier.db.sql import columns
from pannier.devices.auth import Sources
from pannier.devices.models import Device
from pannier.devices.sources import Source
from pannier.errors import Unauthenticated
from pannier.kit import ids
from pannier.kit.cache import Cache

# Lifetime and size of the cache of devices.
FRESH: Final = timedelta(minutes=1)
MAX_DEVICES: Final = 16_384


class Senders:
    """The cache of authenticated senders. The store checks again that they are valid."""

    def __init__(self, database: Database, *, trusting: bool) -> None:
        self._database, self._trusting = database, trusting
        self._sources = Sources(database)
        self._cache = Cache[str, tuple[datetime, Source]](MAX_DEVICES)

    async def find(self, named: str, token: str | None) -> Source:
        """Return the source of a message, or raise Unauthenticated."""
        if token is not None:
            return (await self._sources.find(token)).source
        if not self._trusting:
            raise Unauthenticated("The message has no device token.")
        known, now = self._cache.find(named), self._database.clock.now()
        if known is None or known[0] <= now:
            known = now + FRESH, await self._looked_up(named)
            self._cache.store(named, known)
        return known[1]

    async def _looked_up(self, named: str) -> Source:
        """Return the device that the topic names by id or UUID, trusting the broker."""
        async with self._database.reading() as db:
            found = await db.find(
                Device,
                f"""select {columns(Device)} from devices
                    where (public_id = :named or uuid = :uuid) and deleted_at is null""",
                named=named,
                uuid=ids.as_uuid(named),
            )
        if found is None:
            raise Unauthenticated("No device has the id in the topic.")
        gateway = found.kind == "gateway"
        return Source(found.company, found.uuid, None, gateway, gateway and found.adopts)
