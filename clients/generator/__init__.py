"""Writes the generated parts of the clients, and the Bruno collection, from the OpenAPI document.

`make docs` writes the clients' parts, which are committed. `make clients` writes the collection.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from generator import bruno, python, typescript
from generator.model import Api, Document

CLIENTS: Final = Path(__file__).resolve().parent.parent
PYTHON_PACKAGE: Final = CLIENTS / "python" / "src" / "pannier_client"
TYPESCRIPT_SOURCES: Final = CLIENTS / "typescript" / "src"
# Receivers copy this module, and the Python client contains it unchanged.
VERIFYING: Final = CLIENTS.parent / "src" / "pannier" / "webhooks" / "verifying.py"


def render_clients(document: Document, problems: Sequence[tuple[str, str]]) -> dict[Path, str]:
    """Return the text of every generated file of the clients.

    `problems` has the code and the title of each error.
    """
    api = Api(document)
    python_files = python.render(api, problems)
    typescript_files = typescript.render(api, problems)
    return {
        **{PYTHON_PACKAGE / name: text for name, text in python_files.items()},
        **{TYPESCRIPT_SOURCES / name: text for name, text in typescript_files.items()},
        PYTHON_PACKAGE / "webhooks.py": VERIFYING.read_text(),
    }


def find_stale_files(files: dict[Path, str]) -> list[Path]:
    """Find files of resources that no longer exist."""
    folders = (PYTHON_PACKAGE / "resources", TYPESCRIPT_SOURCES / "resources")
    present = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in present if path not in files and path.suffix in {".py", ".ts"})


def render_collection(document: Document) -> dict[str, str]:
    """Return the text of every file of the Bruno collection, by its path."""
    return bruno.render(Api(document), document["servers"][0]["url"])
