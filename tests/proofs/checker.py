"""The checker of the documentation, as a stranger runs it."""

import importlib.util
import json
import zipfile
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "verify" / "check_proofs.py"


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_proofs", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_proofs = _loaded()


def faults(packed: bytes, keys: dict[str, Any] | None = None) -> list[str]:
    """Say what is wrong with an archive; by its own keys, unless others are given."""
    with zipfile.ZipFile(BytesIO(packed)) as opened:
        return faults_of({name: opened.read(name) for name in opened.namelist()}, keys)


def faults_of(files: dict[str, bytes], keys: dict[str, Any] | None = None) -> list[str]:
    """Say what is wrong with the files of an archive."""
    return list(check_proofs.list_faults(files, keys or json.loads(files["manifest.json"])))
