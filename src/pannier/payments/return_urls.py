"""Return URLs of payers: only those of the company itself, never one that a stranger chose."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from pannier.kit.credential import Mode

MAX_URL_LENGTH: Final = 2000
INVALID_URL: Final = "must be an https:// address, or in test mode one of this machine."


def validate(url: str, mode: Mode, origins: Collection[str] | None = None) -> str:
    """Validate a return URL. For shops, it must have one of the shop's origins."""
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
    if origins is not None and origin(url) not in set(_list_origins(origins)):
        raise ValueError("must begin with one of the store's `return_origins`.")
    return url


def origin(url: str) -> str:
    """Return a URL's origin as browsers compare it: scheme, host and port."""
    parts = urlsplit(url)
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in {None, usual} else f":{parts.port}"
    return f"{parts.scheme}://{parts.hostname}{port}"


def _list_origins(origins: Collection[str]) -> Iterator[str]:
    """Yield the origins of a shop, without those that have an invalid port."""
    for address in origins:
        with suppress(ValueError):
            yield origin(address)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def add_outcome(url: str, transaction: str, outcome: str) -> str:
    """Add the outcome to a return URL. It is a hint only; the transaction has the actual status."""
    parts = urlsplit(url)
    added = urlencode({"transaction": transaction, "checkout": outcome})
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
