"""Which versions of Pannier may work on a database that a newer version has migrated.

Each migration declares the oldest version that may run beside it, and the database records that.
An older process thus learns from the database whether to go on.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version
from typing import Final

from pannier.errors import Unavailable

# Steps up to this one declare no version. They were written before the first release.
LAST_UNDECLARED_STEP: Final = 64
FIRST_VERSION: Final = "0.1.0"
_DECLARATION: Final = re.compile(r"^-- oldest version: (\d+\.\d+\.\d+)$", re.MULTILINE)
_RELEASE: Final = re.compile(r"\d+(?:\.\d+)*")


class ProgramOutdated(Unavailable):
    """A newer release has changed the database, and this process is too old for it."""

    code = "program_outdated"
    title = "This server is too old for its database."
    remedy = "Upgrade it. Meanwhile, other servers may answer."


@lru_cache(maxsize=1)
def read_version() -> str:
    """Return the version of this program."""
    return version("pannier")


def find_declared_version(number: int, sql: str) -> str | None:
    """Return the oldest version that may run beside a migration; None if it does not say so."""
    declaration = _DECLARATION.search(sql)
    if declaration is not None:
        return declaration[1]
    return FIRST_VERSION if number <= LAST_UNDECLARED_STEP else None


def sort_key(release: str) -> tuple[int, ...]:
    """Return a key that sorts versions. A pre-release counts as its release."""
    match = _RELEASE.match(release)
    return () if match is None else tuple(map(int, match[0].split(".")))


def is_older(release: str, other: str) -> bool:
    """Return whether a version is older than another one."""
    return sort_key(release) < sort_key(other)


def find_required_version(oldest_versions: Iterable[str]) -> str:
    """Return the oldest version that may run beside all of some migrations."""
    return max((FIRST_VERSION, *oldest_versions), key=sort_key)


def describe_outdated(required_version: str) -> str:
    """Describe why this program must not run."""
    return (
        f"The database was migrated by a newer Pannier and needs version {required_version} or "
        f"later, but this is {read_version()}. Upgrade this one."
    )
