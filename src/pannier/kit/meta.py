"""Custom keys (`meta`) on a record: replaced as a whole, or changed key by key."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

MAX_BYTES: Final = 16 * 1024


class MetaPatch(dict[str, Any]):
    """Keys to set in a record's `meta`; null removes a key, and the others stay."""

    def __bool__(self) -> bool:
        """Return True: an empty patch is still a value. It changes nothing."""
        return True

    def apply(self, current: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the current keys with this patch applied."""
        merged_meta = {**(current or {}), **self}
        return check_size({name: value for name, value in merged_meta.items() if value is not None})


def check_size(meta: dict[str, Any]) -> dict[str, Any]:
    """Raise ValueError if `meta` is larger than a record may store."""
    if len(msgspec.json.encode(meta)) > MAX_BYTES:
        raise ValueError(f"must not be larger than {MAX_BYTES // 1024} KiB.")
    return meta
