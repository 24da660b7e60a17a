"""Addresses and credentials of the brokers."""

import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from pannier.settings import Settings, SettingsError
from pannier.web.certificates import load_authorities

MQTT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
NATS_PORTS: Final = {"nats": 4222, "tls": 4222}


class BrokerAddress(NamedTuple):
    """The parts of a broker's address."""

    scheme: str
    host: str
    port: int
    user: str | None
    password: str | None

    def __str__(self) -> str:
        """Return the address without the password."""
        return f"{self.scheme}://{self.host}:{self.port}"


def parse_mqtt_address(settings: Settings) -> BrokerAddress | None:
    """Parse the address of the MQTT broker, if one is configured."""
    if settings.mqtt_url is None:
        return None
    return _parse_address(
        "PANNIER_MQTT_URL", settings.mqtt_url, MQTT_PORTS, "mqtt://user:password@host:1883"
    )


def parse_nats_addresses(settings: Settings) -> list[BrokerAddress]:
    """Parse the addresses of the NATS servers, if any are configured."""
    return [
        _parse_address(
            "PANNIER_NATS_URL", url.strip(), NATS_PORTS, "nats://user:password@host:4222"
        )
        for url in (settings.nats_url or "").split(",")
        if url.strip()
    ]


def create_tls_context(settings: Settings) -> ssl.SSLContext:
    """Create a TLS context that trusts the system's authorities and the installation's."""
    return load_authorities("PANNIER_CA_BUNDLE", settings.ca_bundle)


def check(settings: Settings) -> None:
    """Validate the addresses of the brokers, or raise SettingsError."""
    parse_mqtt_address(settings)
    parse_nats_addresses(settings)


def _parse_address(name: str, url: str, ports: Mapping[str, int], example: str) -> BrokerAddress:
    error = SettingsError(f"{name} is invalid: use an address such as {example}.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise error from None
    extra_parts = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme not in ports or not parts.hostname or extra_parts or port == 0:
        raise error
    return BrokerAddress(
        parts.scheme,
        parts.hostname,
        port or ports[parts.scheme],
        None if parts.username is None else unquote(parts.username),
        None if parts.password is None else unquote(parts.password),
    )
