"""The certificate authorities that outgoing TLS connections trust."""

import ssl
from functools import lru_cache
from pathlib import Path

from pannier.settings import SettingsError


def check_bundle(setting: str, ca_bundle: str | None) -> None:
    """Raise SettingsError if a bundle is missing or has no certificates."""
    require_file(setting, ca_bundle)
    if ca_bundle is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca_bundle)
    except OSError:
        raise SettingsError(
            f"{setting} is invalid: {ca_bundle} contains no readable certificates."
        ) from None


def require_file(setting: str, ca_bundle: str | None) -> None:
    """Raise SettingsError if the file is missing."""
    if ca_bundle is not None and not Path(ca_bundle).is_file():
        raise SettingsError(f"{setting} is invalid: there is no file {ca_bundle}.")


def load_authorities(setting: str, ca_bundle: str | None) -> ssl.SSLContext:
    """Load the system's authorities and those of a bundle; cached until the bundle changes."""
    require_file(setting, ca_bundle)
    modified_at = None if ca_bundle is None else Path(ca_bundle).stat().st_mtime_ns
    return _load_cached_authorities(setting, ca_bundle, modified_at)


@lru_cache(maxsize=4)
def _load_cached_authorities(
    setting: str,
    ca_bundle: str | None,
    modified_at: int | None,  # noqa: ARG001 - part of the cache's key
) -> ssl.SSLContext:
    """Load the authorities. Cached, because parsing them is slow."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    check_bundle(setting, ca_bundle)
    if ca_bundle is not None:
        context.load_verify_locations(ca_bundle)
    return context
