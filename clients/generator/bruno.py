"""Writes a Bruno collection: a file for each operation, in a folder for each tag."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from generator.model import Api, Operation, Parameter

# The variables of the environment that hold credentials, by the security scheme.
VARIABLES: Final[Mapping[str, str]] = {
    "apiKey": "apiKey",
    "storefrontKey": "storefrontKey",
    "appKey": "appKey",
    "driverToken": "driverToken",
    "deviceToken": "deviceToken",
    "operator": "operatorToken",
}
CUSTOMER_HEADER: Final = "Customer-Token: {{customerToken}}"


def render(api: Api, base_url: str) -> dict[str, str]:
    """Return the text of each file, by its path inside the collection."""
    settings = {"version": "1", "name": "Pannier", "type": "collection"}
    secrets = ",\n  ".join([*VARIABLES.values(), "customerToken"])
    files = {
        "bruno.json": f"{json.dumps(settings, indent=2)}\n",
        "environments/Local.bru": (
            f"vars {{\n  baseUrl: {base_url}\n}}\n\nvars:secret [\n  {secrets}\n]\n"
        ),
    }
    numbers: dict[str, int] = {}
    for operation in api.operations:
        area = operation.path.split("/")[1].replace("v1", "fleet")
        folder = f"{area}/{operation.tag}"
        numbers[folder] = numbers.get(folder, 0) + 1
        files[f"{folder}/folder.bru"] = f"meta {{\n  name: {operation.tag}\n}}\n"
        files[f"{folder}/{operation.id}.bru"] = render_request(operation, numbers[folder])
    return files


def render_request(operation: Operation, number: int) -> str:
    """Write the file of an operation."""
    return "\n".join(_list_blocks(operation, number))


def _list_blocks(operation: Operation, number: int) -> Iterator[str]:
    variable = next((VARIABLES[name] for name in operation.schemes if name in VARIABLES), None)
    url = "{{baseUrl}}" + re.sub(r"{([^}]+)}", r":\1", operation.path)
    body = "none" if operation.body is None else "json"
    yield _block("meta", f"name: {operation.summary}", "type: http", f"seq: {number}")
    yield _block(
        operation.method.lower(),
        f"url: {url}",
        f"body: {body}",
        f"auth: {'bearer' if variable else 'none'}",
    )
    if operation.path_parameters:
        lines = [f"{name}: {{{{{name}}}}}" for name in operation.path_parameters]
        yield _block("params:path", *lines)
    if operation.query:
        yield _block("params:query", *map(_render_parameter, operation.query))
    headers = ["Idempotency-Key: {{$guid}}"] if operation.method == "POST" else []
    headers += [CUSTOMER_HEADER] if "customerToken" in operation.schemes else []
    if headers:
        yield _block("headers", *headers)
    if variable:
        yield _block("auth:bearer", f"token: {{{{{variable}}}}}")
    if operation.body is not None:
        example = json.dumps(operation.body_example or {}, indent=2, ensure_ascii=False)
        yield _block("body:json", *example.splitlines())


def _block(name: str, *lines: str) -> str:
    content = "".join(f"  {line}\n" for line in lines)
    return f"{name} {{\n{content}}}\n"


def _render_parameter(parameter: Parameter) -> str:
    """Write a parameter. An optional one is switched off."""
    example = parameter.example[0] if isinstance(parameter.example, list) else parameter.example
    text = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
    prefix = "" if parameter.is_required else "~"
    return f"{prefix}{parameter.name}: {' '.join(text.split())}"
