"""Logs as JSON lines for programs or as text lines for people, both without secrets.

Both formats contain the same events. The default is text on a terminal and JSON elsewhere.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

# structlog would import `rich` to colour tracebacks, which takes a tenth of each start. Our
# tracebacks are plain. If `rich` is already loaded, it stays.
sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # marks a missing module
import structlog  # noqa: E402 - see above

if sys.modules["rich"] is None:
    del sys.modules["rich"]

# Values under such names are never logged, at any depth of an event.
SECRET_NAMES: Final = re.compile(
    r"password|passwd|secret|token|authorization|cookie|api_?key|signature|^code$|otp|credential",
    re.IGNORECASE,
)
# Our own credentials and the payment gateway's are recognizable by their format, even in prose.
SECRET_TEXTS: Final = re.compile(
    r"((?:api|store|app|cst|drv|dvc|opr)_(?:live|test)_[0-9A-Za-z]+)_[0-9A-Za-z]+"
    r"|(?<=dpf_)[0-9A-Za-z_]+"
    r"|whsec_[0-9A-Za-z+/=_-]+|(?i:(?<=bearer ))[^\s\"']+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?<=[sre]k_(?:live|test)_)[0-9A-Za-z_]+|(?<=_secret_)[0-9A-Za-z]+"
    r"|(?i:(?<=password=)|(?<=password: ))[^\s&,}]+"
)
# Prefixes of these secrets. A text without any of them needs no search.
SECRET_MARKERS: Final = (
    "_live_",
    "_test_",
    "dpf_",
    "whsec_",
    "_secret_",
    "://",
    "bearer ",
    "password",
)
REDACTED: Final = "…"
# Functions that return further fields for each line, such as the request's id.
CONTEXT_PROVIDERS: Final[list[Callable[[], Mapping[str, str]]]] = []
LogFormat = Literal["auto", "text", "json"]
FIRST_SERVER_ERROR_STATUS: Final = 500
DIM: Final = "2"
STATUS_COLOURS: Final[Mapping[int, str]] = {1: "2", 2: "32", 3: "36", 4: "33", 5: "31"}
LEVEL_COLOURS: Final[Mapping[str, str]] = {"warning": "33", "error": "31", "critical": "31"}


def redact(value: Any) -> Any:  # noqa: ANN401 - a log event may hold anything
    """Remove secrets from a value."""
    match value:
        case str() if not _may_contain_secret(value):
            return value
        case str():
            return SECRET_TEXTS.sub(lambda match: (match[1] or "") + REDACTED, value)
        case Mapping():
            return {
                name: REDACTED if SECRET_NAMES.search(str(name)) else redact(item)
                for name, item in value.items()
            }
        case list() | tuple():
            return [redact(item) for item in value]
    return value


def _may_contain_secret(text: str) -> bool:
    lower_text = text.lower()
    return any(marker in lower_text for marker in SECRET_MARKERS)


def _add_context(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for provide in CONTEXT_PROVIDERS:
        for name, value in provide().items():
            event.setdefault(name, value)
    return event


def _redact_event(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    return {
        name: REDACTED if SECRET_NAMES.search(name) else redact(value)
        for name, value in event.items()
    }


def _to_json(event: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)


def _to_text(event: Mapping[str, Any]) -> bytes:
    """Render an event as text, with local time."""
    timestamp = event["timestamp"]
    if not isinstance(timestamp, datetime):
        timestamp = datetime.fromisoformat(timestamp)
    text = _render_request(event) if event["event"] == "request" else _render_event(event)
    return f"{_colour(DIM, f'{timestamp.astimezone():%H:%M:%S}')}  {text}".encode(errors="replace")


def _render_request(event: Mapping[str, Any]) -> str:
    status = event["status"]
    line = f"{_colour(STATUS_COLOURS[status // 100], str(status))} {event['milliseconds']:8.1f} ms"
    line += f"  {_escape_unprintable(event['method']):6} {_escape_unprintable(event['path'])}"
    # The id is in all other lines about a failed request.
    return line + (
        f"  request {event['request_id']}" if status >= FIRST_SERVER_ERROR_STATUS else ""
    )


def _render_event(event: Mapping[str, Any]) -> str:
    details = ", ".join(
        f"{name} {_escape_unprintable(str(value))}"
        for name, value in event.items()
        if name not in {"event", "level", "timestamp", "exception"}
    )
    title = _escape_unprintable(str(event["event"]))
    line = f"{title[:1].upper()}{title[1:]}" + (f": {details}." if details else ".")
    line = _colour(LEVEL_COLOURS.get(event["level"], ""), line)
    return "\n".join([line, *map(_escape_unprintable, event.get("exception", "").splitlines())])


def _escape_unprintable(text: str) -> str:
    """Escape control characters, so that external text cannot control a terminal or add lines."""
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _colour(colour: str, text: str) -> str:
    return f"\033[{colour}m{text}\033[0m" if _uses_colour and colour else text


_min_level = logging.INFO
_render: Callable[[Mapping[str, Any]], bytes] = _to_json
_uses_colour = False


def configure(level: str = "info", log_format: LogFormat = "auto") -> None:
    """Send all logs, including those of Python's logging, to standard error."""
    global _min_level, _render, _uses_colour  # noqa: PLW0603 - logging is global to the process
    level_number = _min_level = logging.getLevelNamesMapping()[level.upper()]
    is_terminal = sys.stderr.isatty()
    _render = (
        _to_text if log_format == "text" or (log_format == "auto" and is_terminal) else _to_json
    )
    _uses_colour = is_terminal and not os.environ.get("NO_COLOR")
    shared_processors: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _add_context,
        _redact_event,
    ]
    structlog.configure(
        processors=[*shared_processors, lambda _logger, _method, event: _render(event)],
        wrapper_class=structlog.make_filtering_bound_logger(level_number),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared_processors,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                lambda _logger, _method, event: _render(event).decode(),
            ],
        )
    )
    logging.basicConfig(level=max(level_number, logging.WARNING), handlers=[handler], force=True)


def log_access(event: dict[str, Any]) -> None:
    """Log a request without structlog, for speed. Only its path can contain secrets."""
    if structlog.is_configured() and _min_level <= logging.INFO:
        if "_" in event.get("path", ""):
            event["path"] = redact(event["path"])
        try:
            os.write(2, _render(event) + b"\n")
        except OSError:
            # The log's reader is gone; requests are served nevertheless.
            return


log: structlog.typing.FilteringBoundLogger = structlog.get_logger()
