"""An in-process cache with versioned values.

Callers pass the current version, which their transaction reads anyway, and get a value of that
version only. So nothing depends on invalidation messages, which could be late or lost. A value
that was read before a change but stored after it has the old version, which no caller requests
again. Immutable values have no version; values that expire contain their own expiry time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key")
Value = TypeVar("Value")
# Reads a value. Its argument is the value of another version, if the cache has one.
Reader: TypeAlias = Callable[[Value | None], Awaitable[Value]]


class CacheEntry(NamedTuple, Generic[Value]):
    """A value, the version it was read at, and its weight against the limit."""

    version: object
    value: Value
    weight: int


class Cache(Generic[Key, Value]):
    """A least-recently-used cache whose total weight is at most `limit`.

    The newest value stays even if it exceeds the limit alone.
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self._limit, self._weigh = limit, weigh
        self._entries: dict[Key, CacheEntry[Value]] = {}
        self._weight = 0
        self._locks: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def find(self, key: Key, version: object = None) -> Value | None:
        """Return the value of this version, or None."""
        entry = self.peek(key)
        return entry.value if entry is not None and entry.version == version else None

    def peek(self, key: Key) -> CacheEntry[Value] | None:
        """Return the entry of any version; the caller must confirm that it is current."""
        if key not in self._entries:
            return None
        entry = self._entries[key] = self._entries.pop(key)
        return entry

    def store(self, key: Key, value: Value, version: object = None) -> None:
        """Store a value that was read at this version or later."""
        self.drop(key)
        entry = self._entries[key] = CacheEntry(version, value, self._weigh(value))
        self._weight += entry.weight
        while self._weight > self._limit and len(self._entries) > 1:
            self.drop(next(iter(self._entries)))

    def drop(self, key: Key) -> None:
        if key in self._entries:
            self._weight -= self._entries.pop(key).weight

    async def load(
        self, key: Key, version: object, read: Reader[Value], *, uncommitted: bool = False
    ) -> Value:
        """Return the value of this version; read and store it if it is missing.

        `read` gets the value of another version, if the cache has one. Values that this
        transaction may have written itself (`uncommitted`) are not stored: a rollback is possible.
        """
        value = None if uncommitted else self.find(key, version)
        if value is None:
            entry = self.peek(key)
            value = await read(None if entry is None else entry.value)
            if not uncommitted and not self._is_newer(key, version):
                self.store(key, value, version)
        return value

    def _is_newer(self, key: Key, version: object) -> bool:
        """Return whether the cache has a later version. Only integer versions are ordered."""
        stored_version = self._entries[key].version if key in self._entries else None
        return (
            isinstance(stored_version, int)
            and isinstance(version, int)
            and stored_version > version
        )

    async def load_once(
        self, key: Key, version: object, read: Reader[Value], *, uncommitted: bool = False
    ) -> Value:
        """Load a value that is costly to read; only one of several concurrent callers reads it.

        Callers must already hold the connection that read the version. A waiting caller must not
        hold a resource that the reader still needs.
        """
        if uncommitted or self.find(key, version) is not None:
            return await self.load(key, version, read, uncommitted=uncommitted)
        async with self._locks.setdefault(key, asyncio.Lock()):
            return await self.load(key, version, read)
