"""The programs from npm that check the OpenAPI document; `scripts/document-tools` installs them."""

import hashlib
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from playwright._impl._driver import compute_driver_executable

ROOT: Final = Path(__file__).resolve().parents[2]
NODE: Final = compute_driver_executable()[0]


# A check's result depends on these, besides what it reads.
LOCKS: Final = (
    ROOT / "requirements" / "dev.txt",
    Path(__file__).with_name("document_tools") / "package-lock.json",
)


@cache
def find_home() -> Path:
    """Find the folder of the programs in the user's cache."""
    where = [ROOT / "scripts" / "document-tools", "--where"]
    home = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    assert home.is_dir(), "Run `make tools` first: it installs the linters of the document."
    return home


@contextmanager
def checking_once(name: str, test: str, content: bytes) -> Iterator[bool]:
    """Tell whether a check passed on this content before; keep that it passes, if it does.

    Linters of the whole document take half a minute of CPU, and most runs have not changed it. What
    passed is kept beside the linters, by a digest of all that the result depends on.
    """
    files = [path.read_bytes() for path in (*LOCKS, Path(__file__), Path(test))]
    digests = "".join(hashlib.sha256(part).hexdigest() for part in (*files, content))
    kept = find_home() / f"passed-{name}"
    has_passed = kept.exists() and kept.read_text() == digests
    yield has_passed
    if not has_passed:
        kept.write_text(digests)


def run(program: str, *words: str, folder: Path, may_fail: bool = False) -> str:
    """Run a program in a folder under Node.js, and return its output."""
    done = subprocess.run(
        [NODE, find_home() / "node_modules" / program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert may_fail or done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
