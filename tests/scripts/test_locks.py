"""The locked requirements install on every platform, not only where they were locked."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

LOCKS = Path(__file__).parents[2] / "requirements"
# A wheel for each of x86-64 and arm64 at the least, whatever else there is.
PLATFORMS = 2


def count_hashes(lock: str) -> dict[str, int]:
    """Return how many files of each package a lock accepts."""
    blocks = re.split(r"\n(?=\S)", (LOCKS / lock).read_text())
    return {block.split("==")[0]: block.count("sha256:") for block in blocks}


def is_compiled(package: str) -> bool:
    """Tell whether the installed wheel is for this platform only."""
    try:
        wheel = distribution(package).read_text("WHEEL") or ""
    except PackageNotFoundError:  # only for another platform
        return False
    return not all(
        tag.endswith("-none-any") for tag in re.findall(r"^Tag: (.+)$", wheel, re.MULTILINE)
    )


@pytest.mark.parametrize("lock", ["run.txt", "dev.txt"])
def test_a_compiled_package_is_locked_for_more_than_one_platform(lock: str) -> None:
    hashes = count_hashes(lock)
    assert not [name for name in hashes if hashes[name] < PLATFORMS and is_compiled(name)]
