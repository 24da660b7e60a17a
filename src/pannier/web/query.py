"""Query strings in the formats of existing SDKs, parsed into plain lists and objects.

`a=1&a=2`, `a[]=1&a[]=2`, `a[0]=1&a[1]=2`, `o[x]=1&o[y][z]=2` and JSON text all work, because
clients use each of them.
"""

import re
from typing import Any
from urllib.parse import unquote_to_bytes

import msgspec

from pannier.kit.json_depth import is_too_deep

MAX_PARAMETERS = 200
MAX_LEVELS = 5
MAX_KEY_LENGTH = 200

_PLAIN = re.compile(rb"[\w.~:,/=&-]*")
_KEY = re.compile(r"[^\[\]]+(?:\[[^\[\]]*\])+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,2}")


class _Values(list[Any]):
    """The values of one name."""


class _Branch(dict[str, "_Branch | _Values"]):
    """The nested names of one name."""


def parse(query_string: bytes) -> dict[str, Any]:
    """Return the parameters of a query by name.

    The syntax of a name decides whether its value is a text, a list or an object.
    """
    if not query_string:
        return {}
    if query_string.count(b"&") >= MAX_PARAMETERS:
        raise ValueError(f"A query may have at most {MAX_PARAMETERS} parameters.")
    if _PLAIN.fullmatch(query_string) and (parameters := _parse_plain(query_string.decode())):
        return parameters
    root = _Branch()
    for pair in query_string.split(b"&"):
        raw_key, _, raw_value = pair.partition(b"=")
        if raw_key:
            _insert_value(root, _decode_text(raw_key), _parse_value(_decode_text(raw_value)))
    return {name: _to_plain(name, node) for name, node in root.items()}


def _parse_plain(query: str) -> dict[str, Any] | None:
    """Parse the common case, in which each name occurs once; return None otherwise."""
    pairs = [pair.partition("=") for pair in query.split("&")]
    parameters = {name: value for name, _, value in pairs if 0 < len(name) <= MAX_KEY_LENGTH}
    return parameters if len(parameters) == len(pairs) else None


def _decode_text(raw: bytes) -> str:
    if b"+" in raw:
        raw = raw.replace(b"+", b" ")
    if b"%" in raw:
        raw = unquote_to_bytes(raw)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise ValueError("The query is not valid UTF-8 text.") from None


def _parse_value(text: str) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Parse a value if it is a JSON object or array; return other text unchanged."""
    if not text.startswith(("{", "[")):
        return text
    if is_too_deep(text.encode()):
        raise ValueError("A JSON value in the query is nested too deeply.")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _insert_value(root: _Branch, key: str, value: Any) -> None:  # noqa: ANN401 - JSON may hold anything
    """Insert a value at its key's path; raise ValueError on contradictory keys."""
    path = _split_key(key)
    branch = root
    for name in path[:-1]:
        node = branch.setdefault(name, _Branch())
        if not isinstance(node, _Branch):
            raise _conflict_error(key)
        branch = node
    values = branch.setdefault(path[-1], _Values())
    if not isinstance(values, _Values):
        raise _conflict_error(key)
    values.append(value)


def _split_key(key: str) -> list[str]:
    """Split a key into its names; `a[]` ends in an empty one."""
    if len(key) > MAX_KEY_LENGTH:
        raise ValueError(f"A parameter's name may have at most {MAX_KEY_LENGTH} characters.")
    if "[" not in key or not _KEY.fullmatch(key):
        return [key]
    path = key[:-1].replace("]", "").split("[")
    if len(path) > MAX_LEVELS:
        raise ValueError(f"The parameter {key} nests deeper than {MAX_LEVELS} levels.")
    if "" in path[:-1]:
        raise ValueError(f"The parameter {key} is ambiguous. Number the elements, as in a[0][b].")
    return path


def _to_plain(key: str, node: _Branch | _Values) -> Any:  # noqa: ANN401 - JSON may hold anything
    """Convert a node to plain text, lists and objects, after all parameters are inserted."""
    if isinstance(node, _Values):
        return list(node) if len(node) > 1 else node[0]
    if "" in node:
        if len(node) > 1:
            raise _conflict_error(key)
        return list(node[""])
    children = {name: _to_plain(key, child) for name, child in node.items()}
    if all(_is_index(name) for name in children):
        # SDKs leave out empty elements, so gaps in the numbers are closed.
        return [children[name] for name in sorted(children, key=int)]
    return children


def _is_index(name: str) -> bool:
    """Tell whether a name is an index. A large number, such as a year, is a name."""
    return _INDEX.fullmatch(name) is not None and int(name) < MAX_PARAMETERS


def _conflict_error(key: str) -> ValueError:
    return ValueError(f"The parameter {key} is written in two contradictory ways. Send one.")
