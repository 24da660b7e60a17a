"""Rate limits that all processes of a machine share, without a server.

The limits are in a memory-mapped file: a header with a secret, then a table of slots. A slot
is the hash of a key and one number, the *theoretical arrival time* of the generic cell rate
algorithm (GCRA): the time until which the key has spent its allowance. A hit is one addition, and
the allowance refills as time passes. A slot whose time has passed is free, so there is no sweep.
"""

import fcntl
import math
import mmap
import os
import secrets
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock

NANOSECONDS_PER_SECOND = 1_000_000_000

_SECRET_SIZE = 32
_HEADER = struct.Struct(f"<8sQ{_SECRET_SIZE}s")
_HEADER_SIZE = 64
# The last digit is the version of the layout: raise it when slots or header change.
_MAGIC = b"pnlimit1"
_SLOT = struct.Struct("<Qq")
_BUCKET_SLOTS = 8
_BUCKET = struct.Struct("<" + "Qq" * _BUCKET_SLOTS)


@dataclass(frozen=True, slots=True)
class Rate:
    """A maximum of `count` hits per `seconds`; `burst` of them, by default all, at once."""

    count: int
    seconds: float
    burst: int | None = None
    interval: int = field(init=False, repr=False, compare=False)
    allowance: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        burst = self.count if self.burst is None else self.burst
        if self.count < 1 or burst < 1 or not 0 < self.seconds < math.inf:
            raise ValueError("A rate needs a positive count, a positive time and a positive burst.")
        # Whole nanoseconds add up exactly, so a burst of 100 is never 99 or 101. They are rounded
        # up, because a limit may be slightly stricter than declared, but never looser.
        interval = math.ceil(self.seconds * NANOSECONDS_PER_SECOND / self.count)
        object.__setattr__(self, "interval", interval)
        object.__setattr__(self, "allowance", interval * burst)


class RateLimiter:
    """Counts hits per key in a file shared by processes, or in memory without a path.

    Use one rate per key: two rates for one caller need two keys. The file must be on a local
    disk or in memory, because byte-range locks over a network are slow. Open it only once per
    process: the kernel's locks exclude other processes and this object's own lock excludes
    threads, but nothing excludes a second limiter in the same process.
    """

    def __init__(self, path: Path | None, slots: int = 65536) -> None:
        if slots < _BUCKET_SLOTS or slots % _BUCKET_SLOTS:
            raise ValueError(f"The number of slots must be a multiple of {_BUCKET_SLOTS}.")
        self._buckets = slots // _BUCKET_SLOTS
        self._thread_lock = Lock()
        self._file: int | None
        self._memory: mmap.mmap | bytearray
        if path is None:
            self._file = None
            secret = secrets.token_bytes(_SECRET_SIZE)
            self._memory = bytearray(_compute_size(slots))
        else:
            self._file, secret = _open_table(path, slots)
            self._memory = mmap.mmap(self._file, _compute_size(slots))
        self._hasher = blake2b(key=secret, digest_size=8)
        # Most requests come from recent callers.
        self._cached_place = lru_cache(maxsize=4096)(self._find_place)

    def hit(self, key: str, rate: Rate, now: float) -> float:
        """Count one hit and return 0.0, or return the seconds to wait without counting."""
        moment = int(now * NANOSECONDS_PER_SECOND)
        place = self._cached_place(key)
        with self._thread_lock:
            if self._file is None:
                return self._spend(place, rate, moment)
            fcntl.lockf(self._file, fcntl.LOCK_EX, _BUCKET.size, place.bucket)
            try:
                return self._spend(place, rate, moment)
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, _BUCKET.size, place.bucket)

    def count_remaining_hits(self, key: str, rate: Rate, now: float) -> int:
        """Return how many hits are allowed now. The value is an estimate, so it needs no lock."""
        moment = int(now * NANOSECONDS_PER_SECOND)
        return (moment + rate.allowance - self._find_arrival(key, rate, moment)) // rate.interval

    def measure_reset(self, key: str, rate: Rate, now: float) -> float:
        """Return the seconds until the whole allowance is available again, without a lock."""
        moment = int(now * NANOSECONDS_PER_SECOND)
        return (self._find_arrival(key, rate, moment) - moment) / NANOSECONDS_PER_SECOND

    def _find_arrival(self, key: str, rate: Rate, moment: int) -> int:
        """Return the time until which a key has spent its allowance: now, if it has not."""
        place = self._cached_place(key)
        bucket = _BUCKET.unpack_from(self._memory, place.bucket)
        return _clamp_arrival(_find_slot(bucket, place.tag, moment)[1], rate, moment)

    def close(self) -> None:
        """Close the file; other processes go on using it."""
        if isinstance(self._memory, mmap.mmap):
            self._memory.close()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _find_place(self, key: str) -> "_SlotPlace":
        """Return the key's hash and the offset of its bucket.

        The hash is keyed with the file's secret. So a client that chooses keys (addresses,
        emails) can neither find collisions nor fill a victim's bucket on purpose.
        """
        # A key may contain text from a client, including lone surrogates.
        text = key.encode("utf-8", "surrogatepass")
        hasher = self._hasher.copy()
        hasher.update(text)
        tag = int.from_bytes(hasher.digest(), "little")
        return _SlotPlace(tag, _HEADER_SIZE + tag % self._buckets * _BUCKET.size)

    def _spend(self, place: "_SlotPlace", rate: Rate, moment: int) -> float:
        """Count a hit in the key's slot, or return the seconds to wait."""
        tag, arrival = _SLOT.unpack_from(self._memory, place.slot)
        if tag != place.tag:
            bucket = _BUCKET.unpack_from(self._memory, place.bucket)
            slot, arrival = _find_slot(bucket, place.tag, moment)
            place.slot = place.bucket + slot * _SLOT.size
        next_arrival = _clamp_arrival(arrival, rate, moment) + rate.interval
        excess = next_arrival - moment - rate.allowance
        if excess > 0:
            return excess / NANOSECONDS_PER_SECOND
        _SLOT.pack_into(self._memory, place.slot, place.tag, next_arrival)
        return 0.0


class _SlotPlace:
    """A key's hash, the offset of its bucket, and the last known offset of its slot."""

    __slots__ = ("bucket", "slot", "tag")

    def __init__(self, tag: int, bucket: int) -> None:
        self.tag, self.bucket, self.slot = tag, bucket, bucket


def _find_slot(bucket: tuple[int, ...], tag: int, moment: int) -> tuple[int, int]:
    """Return the index of this key's slot, or of one it may take, and its arrival time."""
    tags = bucket[::2]
    arrivals = bucket[1::2]
    if tag in tags:
        slot = tags.index(tag)
        return slot, arrivals[slot]
    # Free slots have a time in the past, so the smallest time is a free slot if there is one. If
    # all are busy, replace the one that becomes free first. At worst, its key gets its burst again
    # early. Rate limits only slow floods down; counts that must never be exceeded (wrong codes per
    # identity) are in the database.
    return arrivals.index(min(arrivals)), moment


def _clamp_arrival(arrival: int, rate: Rate, moment: int) -> int:
    """Limit an arrival time to between now and the maximum that this rate can reach.

    It exceeds the maximum only after the clock was set back or the rate was changed. Without this
    limit, the key could then stay blocked for as long as the clock moved.
    """
    return moment if arrival <= moment else min(arrival, moment + rate.allowance)


def _compute_size(slots: int) -> int:
    return _HEADER_SIZE + slots * _SLOT.size


def _open_table(path: Path, slots: int) -> tuple[int, bytes]:
    """Open the table, or create it if it is missing or invalid; return descriptor and secret.

    A table is never replaced in place: a process may have the old one mapped, and shrinking a
    mapped file kills its reader. Instead, a new file takes the name. A process that waited for
    the lock of the old file notices this and opens the new one.
    """
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            with _lock_file(file):
                secret = _read_secret(file, slots)
                if secret is not None:
                    return file, secret
                if _is_at_path(file, path):
                    _replace_table(path, slots)
        except BaseException:
            os.close(file)
            raise
        os.close(file)


@contextmanager
def _lock_file(file: int) -> Iterator[None]:
    fcntl.lockf(file, fcntl.LOCK_EX, _HEADER_SIZE, 0)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, _HEADER_SIZE, 0)


def _read_secret(file: int, slots: int) -> bytes | None:
    """Return the secret in the header, or None if the file has another size or version."""
    header = os.pread(file, _HEADER.size, 0)
    if len(header) < _HEADER.size or os.fstat(file).st_size != _compute_size(slots):
        return None
    magic, count, secret = _HEADER.unpack(header)
    return bytes(secret) if (magic, count) == (_MAGIC, slots) else None


def _is_at_path(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except FileNotFoundError:
        return False


def _replace_table(path: Path, slots: int) -> None:
    """Replace the path with a new table atomically: it is complete when it becomes visible."""
    file, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        os.pwrite(file, _HEADER.pack(_MAGIC, slots, secrets.token_bytes(_SECRET_SIZE)), 0)
        os.ftruncate(file, _compute_size(slots))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
