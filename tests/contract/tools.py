"""The programs from npm that check the OpenAPI document; `scripts/document-tools` installs them."""

import subprocess
from pathlib import Path
from typing import Final

from playwright._impl._driver import compute_driver_executable

ROOT: Final = Path(__file__).resolve().parents[2]
NODE: Final = compute_driver_executable()[0]


def run(program: str, *words: str, folder: Path, may_fail: bool = False) -> str:
    """Run a program in a folder under Node.js, and return its output."""
    where = [ROOT / "scripts" / "document-tools", "--where"]
    home = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    assert home.is_dir(), "Run `make tools` first: it installs the linters of the document."
    done = subprocess.run(
        [NODE, home / "node_modules" / program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert may_fail or done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
