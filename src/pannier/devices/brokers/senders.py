"""Senders of MQTT messages: by token, or by topic where the broker is trusted."""

from datetime import datetime, timedelta
from typing import Final

from pannier.db import Database
from pannier.db.sql import columns
from pannier.devices.auth import CredentialCache
from pannier.devices.models import Device
from pannier.devices.sources import Source
from pannier.errors import Unauthenticated
from pannier.kit import ids
from pannier.kit.cache import Cache

# Lifetime and size of the cache of devices.
CACHE_LIFETIME: Final = timedelta(minutes=1)
MAX_DEVICES: Final = 16_384


class SenderCache:
    """The cache of authenticated senders. The store checks again that they are valid."""

    def __init__(self, database: Database, *, trust_topic: bool) -> None:
        self._database, self._trust_topic = database, trust_topic
        self._sources = CredentialCache(database)
        self._cache = Cache[str, tuple[datetime, Source]](MAX_DEVICES)

    async def authenticate(self, device: str, token: str | None) -> Source:
        """Return the source of a message, or raise Unauthenticated."""
        if token is not None:
            return (await self._sources.authenticate(token)).source
        if not self._trust_topic:
            raise Unauthenticated("The message has no device token.")
        cached_entry, now = self._cache.find(device), self._database.clock.now()
        if cached_entry is None or cached_entry[0] <= now:
            cached_entry = now + CACHE_LIFETIME, await self._load_source(device)
            self._cache.store(device, cached_entry)
        return cached_entry[1]

    async def _load_source(self, device: str) -> Source:
        """Load the device that the topic names by id or UUID. The broker is trusted."""
        async with self._database.reading() as db:
            row = await db.find(
                Device,
                f"""select {columns(Device)} from devices
                    where (public_id = :named or uuid = :uuid) and deleted_at is null""",
                named=device,
                uuid=ids.parse_uuid(device),
            )
        if row is None:
            raise Unauthenticated("No device has the id in the topic.")
        is_gateway = row.kind == "gateway"
        return Source(row.company, row.uuid, None, is_gateway, is_gateway and row.adopts)
