"""The TypeScript client: built, packed, and run under Node.js."""

import base64
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from clients.packages import NODE, Packages, script
from program import Serving
from proofs import drawn
from webhooks import test_verifying as vectors

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


def copied(name: str, folder: Path) -> str:
    """Copy a module to where it finds the package."""
    shutil.copy(HERE / name, folder)
    return name


def test_it_works_under_node(client_packages: Packages, served: Serving, tmp_path: Path) -> None:
    said = client_packages.run_node(
        tmp_path,
        "--test-reporter=tap",
        copied("client.test.mjs", tmp_path),
        PANNIER=served.url,
        API_KEY=served.said("API key"),
        OPERATOR_TOKEN=served.said("Operator token"),
        SIGNATURE=base64.b64encode(drawn.signature()).decode(),
    )
    assert "# fail 0" in said
    assert int(said.partition("# pass ")[2].split()[0]) > 15


def list_vectors() -> Iterator[dict[str, Any]]:
    """List the requests that the tests of our module are about."""

    def vector(headers: Any, body: bytes = vectors.BODY, **more: Any) -> dict[str, Any]:
        text = base64.b64encode(body).decode()
        usual = {"secret": vectors.SECRET, "now": vectors.NOW, "tolerance": 300}
        return {"body": text, "headers": headers, **usual, **more}

    standard = vectors.standard(vectors.BODY)
    yield from map(vector, vectors.GENUINE_HEADERS)
    yield from map(vector, vectors.FORGED_HEADERS)
    for change in vectors.WRONG_HEADERS:
        yield vector(standard | change)
        yield vector(standard | change | vectors.plain(vectors.BODY))
    for secret in vectors.MALFORMED_SECRETS:
        yield vector(standard, secret=secret)
    for body in (b"", b"[]", b'"text"', b"{", b"\xff", b"null", b"\xef\xbb\xbf{}", b"{}"):
        yield vector(vectors.plain(body), body)
    for age in (-301, -300, 0, 300, 301):
        yield vector(vectors.standard(vectors.BODY, moment=vectors.NOW - age))
    yield vector(standard, secret=[vectors.OTHER, vectors.SECRET])
    yield vector(standard, secret=[vectors.OTHER, vectors.THIRD])
    yield vector(standard, tolerance=-1)
    body, headers = vectors.moved(vectors.NOW)
    yield vector(headers, body)


def judge(vector: dict[str, Any]) -> str:
    """Return the verdict of our module."""
    body = base64.b64decode(vector["body"])
    times = {"now": vector["now"], "tolerance": vector["tolerance"]}
    try:
        vectors.verify(body, vector["headers"], vector["secret"], **times)
    except vectors.InvalidSignature:
        return "refused"
    except ValueError:
        return "TypeError"
    return "genuine"


def test_it_judges_webhooks_as_our_module_does(client_packages: Packages, tmp_path: Path) -> None:
    asked = list(list_vectors())
    client_packages.link(tmp_path)
    told = subprocess.run(
        [NODE, copied("verdicts.mjs", tmp_path)],
        input=json.dumps(asked),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    verdicts = json.loads(told.stdout)
    expected = [judge(vector) for vector in asked]
    wrong = [
        (vector, verdict)
        for vector, verdict, right in zip(asked, verdicts, expected, strict=True)
        if verdict != right
    ]
    assert wrong == []
    assert {"genuine", "refused", "TypeError"} == set(expected)


def test_the_python_client_verifies_webhooks_by_our_module() -> None:
    theirs = Path(script().CLIENTS, "python", "src", "pannier_client", "webhooks.py")
    assert theirs.read_text() == vectors.MODULE.read_text()


@pytest.mark.skipif(shutil.which("npm") is None, reason="There is no npm here.")
def test_npm_packs_what_it_needs_and_nothing_else(
    client_packages: Packages, tmp_path: Path
) -> None:
    packed = script().pack_typescript(client_packages.typescript, tmp_path)
    with tarfile.open(packed) as archive:
        names = archive.getnames()
        package = json.load(archive.extractfile("package/package.json"))  # type: ignore[arg-type] - it is a file
    assert {"package/dist/index.js", "package/dist/index.d.ts", "package/README.md"} <= set(names)
    assert not [name for name in names if name.endswith(".ts") and not name.endswith(".d.ts")]
    assert package["version"] == version("pannier")
    assert not package.keys() & {"dependencies", "devDependencies", "scripts"}
