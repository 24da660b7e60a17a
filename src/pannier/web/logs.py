"""Structured logs: one JSON object a line, with the request id, and never a secret."""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final

import msgspec
import structlog

# Values under such names are never written, wherever they stand in an event.
SECRET_NAMES: Final = re.compile(
    r"password|passwd|secret|token|authorization|cookie|api_?key|signature|^code$|otp|credential",
    re.IGNORECASE,
)
# Our own credentials, and the payment gateway's, give themselves away by their form, even inside a
# sentence.
SECRET_TEXTS: Final = re.compile(
    r"((?:api|store|app|cst|drv|dvc|opr)_(?:live|test)_[0-9A-Za-z]+)_[0-9A-Za-z]+"
    r"|whsec_[0-9A-Za-z+/=_-]+|(?i:(?<=bearer ))[^\s\"']+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?<=[sre]k_(?:live|test)_)[0-9A-Za-z_]+|(?<=_secret_)[0-9A-Za-z]+"
    r"|(?i:(?<=password=)|(?<=password: ))[^\s&,}]+"
)
HIDDEN: Final = "…"
# Whoever knows more of the moment a line is written in, such as the request's id, adds it here.
CONTEXT: Final[list[Callable[[], Mapping[str, str]]]] = []
_least = logging.INFO


def cleaned(value: Any) -> Any:  # noqa: ANN401 - a log event may hold anything
    """Take the secrets out of a value."""
    match value:
        case str():
            return SECRET_TEXTS.sub(lambda found: (found[1] or "") + HIDDEN, value)
        case Mapping():
            return {
                name: HIDDEN if SECRET_NAMES.search(str(name)) else cleaned(inner)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [cleaned(inner) for inner in value]
    return value


def _with_context(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for known in CONTEXT:
        for name, value in known().items():
            event.setdefault(name, value)
    return event


def _clean(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    return {
        name: HIDDEN if SECRET_NAMES.search(name) else cleaned(value)
        for name, value in event.items()
    }


def _encode(event: Mapping[str, Any], **_: object) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)


def configure(level: str = "info") -> None:
    """Send everything, Python's own logging too, to standard error as JSON lines."""
    global _least  # noqa: PLW0603 - logging is one for the process
    number = _least = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _with_context,
        _clean,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(serializer=_encode)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=lambda e, **_: _encode(e).decode()),
            ],
        )
    )
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)


def access(event: dict[str, Any]) -> None:
    """Write a line a request, without the general machinery: only its path may be unclean."""
    if structlog.is_configured() and _least <= logging.INFO:
        if "_" in event["path"]:
            event["path"] = cleaned(event["path"])
        try:
            os.write(2, msgspec.json.encode(event) + b"\n")
        except OSError:
            # Nobody reads the log any more; whoever asked is served all the same.
            return


log: structlog.typing.FilteringBoundLogger = structlog.get_logger()
