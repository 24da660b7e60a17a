"""Build the clients' packages and the Bruno collection into clients/dist. See `make clients`."""

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
CLIENTS: Final = ROOT / "clients"
DIST: Final = CLIENTS / "dist"
BASE_URL: Final = "http://127.0.0.1:8000"
MODULES: Final = ROOT / "frontend" / "node_modules"
sys.path.insert(0, str(CLIENTS))

from generator import render_collection  # noqa: E402 - it is beside the clients


def load_document() -> dict[str, Any]:
    """Build the OpenAPI document of this version."""
    openapi = importlib.import_module("pannier.web.openapi")
    app = importlib.import_module("pannier.app").build_litestar()
    document: dict[str, Any] = openapi.build_document(app, BASE_URL).content
    return document


def build_python(folder: Path) -> Path:
    """Build the Python client's wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=CLIENTS / "python", check=True, capture_output=True)
    return next(folder.glob("pannier_client-*.whl"))


def find_compiler() -> Path:
    """Find the TypeScript compiler of this platform."""
    return next(MODULES.glob("@typescript/*/lib/tsc"))


def build_typescript(folder: Path) -> None:
    """Compile the TypeScript client into a package that Node.js can load."""
    source = CLIENTS / "typescript"
    target = folder / "dist"
    subprocess.run([find_compiler(), "-p", source, "--outDir", target], check=True)
    package = json.loads((source / "package.json").read_text())
    # It is built, and what it was built with is not here.
    del package["scripts"], package["devDependencies"]
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    for name in ("README.md", "LICENSE"):
        shutil.copy(next(path for path in (source / name, ROOT / name) if path.exists()), folder)


def pack_typescript(package: Path, folder: Path) -> Path:
    """Pack the compiled TypeScript client as npm publishes it."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not on this machine, so the TypeScript client is not packed.")
    command = [npm, "pack", "--offline", "--silent", "--pack-destination", str(folder)]
    subprocess.run(command, cwd=package, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("pannier-client-*.tgz"))


def write_collection(folder: Path, document: dict[str, Any]) -> None:
    """Write the Bruno collection."""
    for name, text in render_collection(document).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main() -> None:
    """Build everything anew."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    write_collection(DIST / "bruno", load_document())
    build_typescript(DIST / "typescript")
    for built in (build_python(DIST), pack_typescript(DIST / "typescript", DIST)):
        print(f"Built {built.relative_to(ROOT)}.")
    print(f"Wrote {(DIST / 'bruno').relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
