"""What a process remembers of what it read: so much and no more."""

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """The things that were kept or recalled last; of more than `most`, the oldest are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Key, Value] = {}

    def recall(self, key: Key) -> Value | None:
        """Answer what was kept, and keep it longer."""
        if key not in self._kept:
            return None
        value = self._kept[key] = self._kept.pop(key)
        return value

    def keep(self, key: Key, value: Value) -> None:
        """Remember something, in place of what was kept before."""
        self.forget(key)
        while len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = value

    def forget(self, key: Key) -> None:
        """Remember it no more."""
        self._kept.pop(key, None)
