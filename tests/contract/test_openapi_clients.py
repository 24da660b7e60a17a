"""The document is for programs: generators of clients read all of it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser import GeneratorData, openapi

from pannier.app import build_litestar
from pannier.web.openapi import build_document

pytestmark = pytest.mark.slow

ENCODED: Final = build_document(build_litestar(), "http://127.0.0.1:8000").encoded
OPERATIONS: Final = sum(len(item) for item in json.loads(ENCODED)["paths"].values())
MAX_CLASSES: Final = 1000
UNREAD: Final = re.compile("Unsupported content[ _]type")
NPX: Final = shutil.which("npx") or ""
TYPESCRIPT: Final = "openapi-typescript@7.13.0"


def test_openapi_python_client_makes_a_function_of_every_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It copies each operation three times, with all that its answers are made of, and lets go of
    # what it copied: two thirds of what reading takes.
    monkeypatch.setattr(openapi, "deepcopy", lambda operation: operation, raising=False)
    config = Config.from_sources(
        ConfigFile(), MetaType.NONE, tmp_path, "utf-8", overwrite=False, output_path=None
    )
    read = GeneratorData.from_dict(json.loads(ENCODED), config=config)
    assert isinstance(read, GeneratorData), read
    assert not read.errors, [(error.header, error.detail) for error in read.errors]
    collections = read.endpoint_collections_by_tag.values()
    lost = [
        error.header
        for collection in collections
        for error in collection.parse_errors
        # It knows no media type but JSON, text and bytes; the functions are there all the same.
        if not UNREAD.search(str(error.detail))
    ]
    assert not lost, lost
    assert sum(len(collection.endpoints) for collection in collections) == OPERATIONS
    # It writes a file for each, and imports all of them. Without names for enumerations and
    # free maps there were 1,283, and with a problem for each operation 7,816.
    classes = [str(each.class_info.name) for each in (*read.models, *read.enums)]
    assert len(classes) < MAX_CLASSES, len(classes)
    assert [name for name in classes if name.startswith("Problem")] == ["Problem", "ProblemField"]


@pytest.mark.skipif(not NPX, reason="There is no npm here.")
def test_openapi_typescript_reads_the_document(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_bytes(ENCODED)
    made = subprocess.run(
        [NPX, "--yes", TYPESCRIPT, "openapi.json", "-o", "api.ts"],
        cwd=tmp_path, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    if "registry" in made.stderr or "ENOTFOUND" in made.stderr:
        pytest.skip("npm's registry is out of reach.")
    assert made.returncode == 0, made.stderr
    types = (tmp_path / "api.ts").read_text()
    assert types.count("operations[") >= OPERATIONS
