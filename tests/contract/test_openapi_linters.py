"""Linters find nothing in the document: no error, no warning and no hint."""

import json
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from contract import tools
from pannier.app import build_litestar
from pannier.web.openapi import build_document

# They read 600 operations, and take 6 to 10 seconds of CPU each: once for each document.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ENCODED: Final = build_document(build_litestar(), "http://127.0.0.1:8000").encoded
DOCUMENT: Final = json.loads(ENCODED)
# `sessions` cannot be a driver: ids of drivers begin with `driver_`, and no session is called
# `track`. Existing apps use both paths.
UNAMBIGUOUS: Final = "/v1/drivers/sessions/{session_id}"


def without_examples(node: Any, *, are_fields: bool = False) -> Any:
    """Copy a part of the document without its examples, which Redocly checks."""
    if isinstance(node, list):
        return [without_examples(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: without_examples(part, are_fields=key == "properties" and not are_fields)
        for key, part in node.items()
        if are_fields or key not in {"example", "examples"}
    }


def test_redocly_finds_nothing(tmp_path: Path) -> None:
    with tools.checking_once("redocly", __file__, ENCODED) as has_passed:
        if not has_passed:
            assert list_redocly_problems(tmp_path) == []


def list_redocly_problems(tmp_path: Path) -> list[Any]:
    (tmp_path / "openapi.json").write_bytes(ENCODED)
    words = ("lint", "--extends", "recommended", "--format", "json", "openapi.json")
    found = tools.run("@redocly/cli/bin/cli.js", *words, folder=tmp_path, may_fail=True)
    return [
        (problem["ruleId"], problem["message"], problem["location"][0].get("pointer"))
        for problem in json.loads(found)["problems"]
        if not (problem["ruleId"] == "no-ambiguous-paths" and UNAMBIGUOUS in problem["message"])
    ]


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    with tools.checking_once("spectral", __file__, ENCODED) as has_passed:
        if not has_passed:
            assert list_spectral_problems(tmp_path) == []


def list_spectral_problems(tmp_path: Path) -> list[Any]:
    # With its examples it would take a minute.
    (tmp_path / "openapi.json").write_text(json.dumps(without_examples(DOCUMENT)))
    (tmp_path / "ruleset.yaml").write_text("extends: ['spectral:oas']\n")
    program = "@stoplight/spectral-cli/dist/index.js"
    words = ("lint", "-r", "ruleset.yaml", "-f", "json", "--quiet", "openapi.json")
    found = tools.run(program, *words, folder=tmp_path, may_fail=True)
    problems, _ = json.JSONDecoder().raw_decode(found)
    return [(each["code"], each["path"], each["message"]) for each in problems]


def test_openapi_spec_validator_finds_nothing() -> None:
    with tools.checking_once("openapi-spec-validator", __file__, ENCODED) as has_passed:
        if not has_passed:
            found = OpenAPIV31SpecValidator(DOCUMENT).iter_errors()
            assert [(list(error.absolute_path), error.message[:300]) for error in found] == []


def test_a_check_is_left_out_only_for_what_has_passed_it() -> None:
    name, passed, failed = f"test-{uuid4()}", uuid4().bytes, uuid4().bytes
    try:
        for content, expected in ((passed, False), (passed, True), (failed, False)):
            with tools.checking_once(name, __file__, content) as has_passed:
                assert has_passed is expected
        with (
            pytest.raises(AssertionError, match="a problem"),
            tools.checking_once(name, __file__, passed),
        ):
            raise AssertionError("a problem")
        with tools.checking_once(name, __file__, passed) as has_passed:
            assert not has_passed
    finally:
        (tools.find_home() / f"passed-{name}").unlink()


def test_the_linters_are_awake(tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text('{"openapi": "3.1.0", "info": {}, "paths": {}}')
    words = ("lint", "--extends", "recommended", "--format", "json", "openapi.json")
    found = tools.run("@redocly/cli/bin/cli.js", *words, folder=tmp_path, may_fail=True)
    assert json.loads(found)["totals"]["errors"] > 0
    (tmp_path / "ruleset.yaml").write_text("extends: ['spectral:oas']\n")
    program = "@stoplight/spectral-cli/dist/index.js"
    words = ("lint", "-r", "ruleset.yaml", "-f", "json", "--quiet", "openapi.json")
    problems, _ = json.JSONDecoder().raw_decode(
        tools.run(program, *words, folder=tmp_path, may_fail=True)
    )
    assert problems
    assert list(OpenAPIV31SpecValidator({"openapi": "3.1.0", "paths": {}}).iter_errors())
