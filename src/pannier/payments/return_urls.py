"""Return URLs of payers. Only URLs of the company are accepted."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from pannier.kit.credential import Mode

MAX_URL_LENGTH: Final = 2000
INVALID_URL: Final = "must be an https:// URL, or in test mode a URL of this machine."


def validate_return_url(url: str, mode: Mode, origins: Collection[str] | None = None) -> str:
    """Validate a return URL. For storefronts, it must have one of the store's origins."""
    if len(url) > MAX_URL_LENGTH or any(not "!" <= letter <= "~" for letter in url) or "\\" in url:
        raise ValueError(INVALID_URL)
    try:
        parts = urlsplit(url)
        is_complete = parts.hostname and parts.port != 0
    except ValueError:
        raise ValueError(INVALID_URL) from None
    if not is_complete or parts.username is not None or parts.password is not None:
        raise ValueError(INVALID_URL)
    is_local_test = parts.scheme == "http" and mode == "test" and is_loopback(parts.hostname or "")
    if parts.scheme != "https" and not is_local_test:
        raise ValueError(INVALID_URL)
    if origins is not None and get_origin(url) not in set(_list_origins(origins)):
        raise ValueError("must begin with one of the store's `return_origins`.")
    return url


def get_origin(url: str) -> str:
    """Return a URL's origin: scheme, host and port, without a default port."""
    parts = urlsplit(url)
    default_port = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in {None, default_port} else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"


def _list_origins(origins: Collection[str]) -> Iterator[str]:
    """Yield the origins of a store, without those that have an invalid port."""
    for address in origins:
        with suppress(ValueError):
            yield get_origin(address)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def add_outcome(url: str, transaction: str, outcome: str) -> str:
    """Add the outcome to a return URL. It is a hint only; the transaction has the actual status."""
    parts = urlsplit(url)
    parameters = urlencode({"transaction": transaction, "checkout": outcome})
    return urlunsplit(
        parts._replace(query=f"{parts.query}&{parameters}" if parts.query else parameters)
    )
