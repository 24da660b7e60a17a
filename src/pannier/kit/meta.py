"""A company's own keys on a record: replaced as a whole, or changed key by key."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

MAX_BYTES: Final = 16 * 1024


class MetaPatch(dict[str, Any]):
    """Keys to set on a record's `meta`; null removes one, and the others stay."""

    def __bool__(self) -> bool:
        """Tell it from no value: a patch without keys changes nothing."""
        return True

    def apply(self, present: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the resulting keys."""
        whole = {**(present or {}), **self}
        return check_size({name: value for name, value in whole.items() if value is not None})


def check_size(meta: dict[str, Any]) -> dict[str, Any]:
    """Refuse more than a record may carry."""
    if len(msgspec.json.encode(meta)) > MAX_BYTES:
        raise ValueError(f"must not be larger than {MAX_BYTES // 1024} KiB.")
    return meta
