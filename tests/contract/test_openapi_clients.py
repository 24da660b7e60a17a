"""The document is for programs: generators of clients read all of it."""

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser import GeneratorData, openapi

from contract import guide_requests, tools
from contract.guide_requests import GuideRequest
from pannier.app import build_litestar
from pannier.web.openapi import build_document

pytestmark = pytest.mark.slow

ENCODED: Final = build_document(build_litestar(), "http://127.0.0.1:8000").encoded
OPERATIONS: Final = sum(len(item) for item in json.loads(ENCODED)["paths"].values())
MAX_CLASSES: Final = 1000
UNREAD: Final = re.compile("Unsupported content[ _]type")
PATHS: Final = json.loads(ENCODED)["paths"]
COMPILER: Final = next(
    guide_requests.guides.ROOT.glob("frontend/node_modules/@typescript/*/lib/tsc")
)
COUNTER: Final = count()
MIN_REQUESTS: Final = 90
WRONG: Final[tuple[dict[str, Any], ...]] = (
    {"pickup": {"strete1": "1 Raffles Place"}},
    {"dropoff": 7},
    {"customer": {"nmae": "Ada"}},
    {"pod_method": "fax"},
    {"time_window_start": None},
)
TYPES: Final = """import type { paths } from "./api";
type Body<P extends keyof paths, M extends keyof paths[P]> =
    paths[P][M] extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
"""


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


def test_typescript_compiles_the_document_and_every_request_of_the_guides(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_bytes(ENCODED)
    tools.run("openapi-typescript/bin/cli.js", "openapi.json", "-o", "api.ts", folder=tmp_path)
    assert (tmp_path / "api.ts").read_text().count("operations[") >= OPERATIONS
    requests = guide_requests.list_requests(tmp_path)
    assert {"tutorial", "orders", "proofs", "prices"} <= {request.guide for request in requests}
    assert len(requests) > MIN_REQUESTS
    lines = [line for request in requests for line in typescript(request)]
    for wrong in WRONG:
        comment, line = typescript(GuideRequest("wrong", "post", "/v1/orders", wrong))
        lines += [comment, "// @ts-expect-error", line]
    (tmp_path / "requests.ts").write_text(TYPES + "\n".join(lines))
    command = [str(COMPILER), "--noEmit", "--strict", "--exactOptionalPropertyTypes"]
    command += ["--noUncheckedIndexedAccess", "--skipLibCheck", "false", "requests.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:5000]


def typescript(request: GuideRequest) -> Iterator[str]:
    """Write a request as a constant of the generated type of its body."""
    path = next(path for path in sorted(PATHS) if fits(path, request.path))
    operation = PATHS[path][request.method]
    if "requestBody" not in operation:
        assert request.body == {}, request
        return
    if "application/json" not in operation["requestBody"]["content"]:
        return
    yield f"// {request.guide}"
    key = f'"{path}", "{request.method}"'
    yield f"export const r{next(COUNTER)}: Body<{key}> = {json.dumps(request.body)};"


def fits(path: str, address: str) -> bool:
    """Tell whether an address is one of a path; `{` sorts after letters, so words come first."""
    return re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), address) is not None
