"""Checks of settings. `serve` and `worker` run them before they start, `doctor` any time."""

import os
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final
from urllib.parse import urlsplit

import msgspec

from pannier.console import tiles
from pannier.devices.brokers import addresses as streams
from pannier.files.storage import make_storage
from pannier.kit.clock import SystemClock
from pannier.notifications import channels
from pannier.payments import configuration as payments
from pannier.routing import configuration as routing
from pannier.settings import PREFIX, Settings, SettingsError
from pannier.web import addresses
from pannier.web.certificates import check_bundle
from pannier.web.http_client import HttpClient
from pannier.webhooks import guard
from pannier.webhooks.webhook_client import CA_BUNDLE_SETTING

Check = Callable[[Settings], object]


def _check_base_url(settings: Settings) -> None:
    error = SettingsError(
        "PANNIER_BASE_URL is invalid: use the public URL, such as https://logistics.example.com."
    )
    try:
        parts = urlsplit(settings.base_url)
        extra_parts = parts.username or parts.query or parts.fragment
        port = parts.port
    except ValueError:
        raise error from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or extra_parts or port == 0:
        raise error


# Each raises a SettingsError for an invalid setting.
CHECKS: Final[tuple[Check, ...]] = (
    _check_base_url,
    lambda settings: addresses.parse_proxies(settings.trusted_proxies),
    make_storage,
    channels.check_channel_urls,
    payments.check_settings,
    lambda settings: routing.check(settings, SystemClock()),
    lambda settings: HttpClient(settings.ca_bundle),
    streams.check,
    tiles.check_tile_file,
    lambda settings: guard.parse_networks(settings.webhook_allow_networks),
    lambda settings: check_bundle(CA_BUNDLE_SETTING, settings.webhook_ca_bundle),
)


def check_settings(settings: Settings) -> None:
    """Raise a SettingsError for the first invalid setting, before any process starts."""
    for sentence in find_setting_errors(settings):
        raise SettingsError(sentence)


def find_setting_errors(settings: Settings) -> Iterator[str]:
    """Yield an error sentence for each invalid setting."""
    for check in CHECKS:
        try:
            check(settings)
        except SettingsError as error:
            yield str(error)


def find_unknown_variables(environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield a sentence for each unknown `PANNIER_` variable, with a suggestion."""
    field_names = [field.name.upper() for field in msgspec.structs.fields(Settings)]
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name not in field_names:
            close_matches = get_close_matches(name, field_names, n=1)
            hint = (
                f"; did you mean {PREFIX}{close_matches[0]}?"
                if close_matches
                else "; see docs/settings.md."
            )
            yield f"Unknown setting {variable}{hint}"
