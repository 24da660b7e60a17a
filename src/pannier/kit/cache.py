"""The cache of a process: what it has read, each value under the version it was read at.

There is one way of invalidation. Whoever asks brings the current version, which the transaction
reads anyway, and gets a value of that version only; a notice could be late or lost. A value that
was read before a change and is stored after it is stored under the version before the change, for
which nobody asks any more. What never changes has no version; what expires holds its own end.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key")
Value = TypeVar("Value")
# Reads a value; what is stored under another version may save work.
Reader: TypeAlias = Callable[[Value | None], Awaitable[Value]]


class Entry(NamedTuple, Generic[Value]):
    """A value, the version it was read at, and what it counts against the limit."""

    version: object
    value: Value
    weight: int


class Cache(Generic[Key, Value]):
    """The values that were used last, as many as weigh no more than `limit` together.

    The last one stays, however heavy it is.
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int] = lambda _: 1) -> None:
        self._limit, self._weigh = limit, weigh
        self._entries: dict[Key, Entry[Value]] = {}
        self._weight = 0
        self._loading: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def find(self, key: Key, version: object = None) -> Value | None:
        """Return the value of this version, or None."""
        entry = self.peek(key)
        return entry.value if entry is not None and entry.version == version else None

    def peek(self, key: Key) -> Entry[Value] | None:
        """Return what is stored, of any version: the caller's next statement confirms it."""
        if key not in self._entries:
            return None
        entry = self._entries[key] = self._entries.pop(key)
        return entry

    def store(self, key: Key, value: Value, version: object = None) -> None:
        """Store a value that was read at this version or later, in place of the one before."""
        self.drop(key)
        entry = self._entries[key] = Entry(version, value, self._weigh(value))
        self._weight += entry.weight
        while self._weight > self._limit and len(self._entries) > 1:
            self.drop(next(iter(self._entries)))

    def drop(self, key: Key) -> None:
        """Forget a value."""
        if key in self._entries:
            self._weight -= self._entries.pop(key).weight

    async def load(
        self, key: Key, version: object, read: Reader[Value], *, ours: bool = False
    ) -> Value:
        """Return the value of this version; read and store it if it is not there.

        `read` is given the value that is stored under another version, if there is one. What
        this transaction may have written itself is `ours`: it may be undone, so it is not stored.
        """
        found = None if ours else self.find(key, version)
        if found is None:
            entry = self.peek(key)
            found = await read(None if entry is None else entry.value)
            if not ours and not self._is_newer(key, version):
                self.store(key, found, version)
        return found

    def _is_newer(self, key: Key, version: object) -> bool:
        """Tell whether a later version is stored: of versions that are numbers, the greater."""
        stored = self._entries[key].version if key in self._entries else None
        return isinstance(stored, int) and isinstance(version, int) and stored > version

    async def load_once(
        self, key: Key, version: object, read: Reader[Value], *, ours: bool = False
    ) -> Value:
        """Load a value that is costly to read: of those who ask at once, one reads it.

        Ask with the connection that has read the version: those who wait for the reader must not
        hold what the reader still needs.
        """
        if ours or self.find(key, version) is not None:
            return await self.load(key, version, read, ours=ours)
        async with self._loading.setdefault(key, asyncio.Lock()):
            return await self.load(key, version, read)
