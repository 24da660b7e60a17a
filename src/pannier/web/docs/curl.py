"""Example requests as curl commands that work when pasted in order."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from pannier.web.docs.fields import SchemaTables
from pannier.web.openapi.security import SCHEMES

IDENTIFIER: Final = re.compile(r"([a-z_]+)_[0-9A-Za-z]{16}")
# The number of a record that does not exist in the reader's company.
TRACKING_NUMBER: Final = re.compile(r"[A-Z]{3}(-[0-9A-Z]{4}){3}")
MOMENT: Final = re.compile(r"20\d\d(-\d\d-\d\d.*)")
# The full names of abbreviated id prefixes.
FULL_NAMES: Final[Mapping[str, str]] = {"sa": "service_area"}
# Fields that an example body needs although the schema has them optional: one of several suffices.
REQUIRED_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "/v1/driver-messages": frozenset({"driver"}),
    "/v1/driver-messages/with-photos": frozenset({"driver"}),
    "/v1/recurring-orders": frozenset({"order"}),
    "/v1/labels": frozenset({"orders"}),
    "/v1/payloads": frozenset({"pickup"}),
    "/v1/waypoints": frozenset({"place"}),
    "/v1/tracking-statuses": frozenset({"order"}),
    "/ingest/osmand": frozenset({"device_id"}),
    "/ingest/traccar": frozenset({"device.uniqueId"}),
}
# Fields with times that must be in the future.
FUTURE_FIELDS: Final = frozenset({"date", "expires_at", "scheduled_at"})


def format_json(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Format JSON with indentation."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def make_command(
    server: str, method: str, path: str, operation: Mapping[str, Any], tables: SchemaTables
) -> str:
    """Make the curl command of an operation, with its example body.

    Values that only the reader knows become variables: ids of existing records, and credentials,
    which then stay out of the shell's history.
    """
    address = re.sub(r"{(\w+)}", lambda match: f"${match[1].upper()}", f"{server}{path}")
    quoted_address = f'"{address}"' if "$" in address else address
    options = "" if method == "GET" else f"-X {method} "
    required_names = REQUIRED_FIELDS.get(path, frozenset())
    parts = [
        f"curl {options}{quoted_address}",
        *_format_headers(operation),
        *_format_body(operation.get("requestBody"), tables, required_names),
    ]
    return " \\\n  ".join(parts)


def _format_headers(operation: Mapping[str, Any]) -> Iterator[str]:
    for name in next(iter(operation["security"]), {}):
        yield f'-H "{SCHEMES[name].header}"'


def _format_body(
    body: Mapping[str, Any] | None, tables: SchemaTables, required_names: frozenset[str]
) -> Iterator[str]:
    if body is None:
        return
    media_type, content = next(iter(body["content"].items()))
    example = content["example"]
    if media_type == "multipart/form-data":
        properties = content["schema"].get("properties", {})
        for name, value in example.items():
            is_binary = properties.get(name, {}).get("format") == "binary"
            yield f"-F {shlex.quote(f'{name}=@{name}' if is_binary else f'{name}={value}')}"
        return
    yield f"-H 'Content-Type: {media_type}'"
    yield _format_data(example, tables.list_required_names(content["schema"]) | required_names)


def _format_data(example: Any, required_names: frozenset[str]) -> str:  # noqa: ANN401 - any JSON
    if isinstance(example, str):
        return f"--data {shlex.quote(example)}"
    text = format_json(make_runnable_example(example, required_names))
    if "$" not in text:
        return f"--data {shlex.quote(text)}"
    return f"--data @- <<END\n{text}\nEND"


def make_runnable_example(example: Any, required_names: frozenset[str], path: str = "") -> Any:  # noqa: ANN401 - any JSON
    """Replace required ids by variables, remove other ids and numbers, and move times ahead."""
    if isinstance(example, dict):
        usable_values = {
            name: make_runnable_example(value, required_names, f"{path}{name}.")
            for name, value in example.items()
            if path + name in required_names or not _names_record(value)
        }
        return {
            name: _move_to_future(value) if name in FUTURE_FIELDS else value
            for name, value in usable_values.items()
        }
    if isinstance(example, list):
        return [
            make_runnable_example(item, required_names, path)
            for item in example
            if path.removesuffix(".") in required_names or not _names_record(item)
        ]
    match = IDENTIFIER.fullmatch(example) if isinstance(example, str) else None
    return example if match is None else f"${FULL_NAMES.get(match[1], match[1]).upper()}_ID"


def _names_record(value: object) -> bool:
    patterns = (IDENTIFIER, TRACKING_NUMBER)
    return isinstance(value, str) and any(pattern.fullmatch(value) for pattern in patterns)


def _move_to_future(value: object) -> object:
    return MOMENT.sub(r"2031\1", value) if isinstance(value, str) else value
