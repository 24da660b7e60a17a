"""Requests as one would type them."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pannier.web.openapi.security import SCHEMES


def pretty(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Spell JSON for the eye."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def command(server: str, method: str, path: str, operation: Mapping[str, Any]) -> str:
    """Spell an operation as a curl command with its example body."""
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
    first = f"curl {server}{path}" if method == "GET" else f"curl -X {method} {server}{path}"
    parts = [first, *_headers(operation), *_body(operation.get("requestBody"))]
    return " \\\n  ".join(parts)


def _headers(operation: Mapping[str, Any]) -> Iterator[str]:
    """A credential stands in a variable, so that it stays out of the shell's history."""
    for name in next(iter(operation["security"]), {}):
        yield f'-H "{SCHEMES[name].header}"'
    for parameter in operation["parameters"]:
        if parameter["name"] == "Idempotency-Key":
            yield '-H "Idempotency-Key: $(uuidgen)"'


def _body(body: Mapping[str, Any] | None) -> Iterator[str]:
    if body is None:
        return
    media_type, content = next(iter(body["content"].items()))
    example = content["example"]
    if media_type == "multipart/form-data":
        properties = content["schema"].get("properties", {})
        for name, value in example.items():
            binary = properties.get(name, {}).get("format") == "binary"
            yield f"-F {shlex.quote(f'{name}=@{name}' if binary else f'{name}={value}')}"
        return
    yield f"-H 'Content-Type: {media_type}'"
    text = example if isinstance(example, str) else pretty(example)
    yield f"--data {shlex.quote(text)}"
