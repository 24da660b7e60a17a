"""The client's address: that of the connection, or the one that a trusted proxy reports."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final, NamedTuple

from pannier.settings import SettingsError

if TYPE_CHECKING:
    from litestar.types import Scope

# A name or an address, and a port. Only attackers send anything else in a Host header.
HOST: Final = re.compile(rb"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")

Networks = tuple[IPv4Network | IPv6Network, ...]


def parse_proxies(text: str) -> Networks:
    """Parse the list of trusted proxies."""
    return parse_networks("PANNIER_TRUSTED_PROXIES", text)


def parse_networks(setting: str, text: str) -> Networks:
    """Parse a setting with a list of networks."""
    try:
        return tuple(
            ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip()
        )
    except ValueError as error:
        raise SettingsError(f"{setting} is invalid: {error}.") from None


def parse(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address with or without a port; return None if the text is not an address."""
    host = text.strip().strip("[]")
    for candidate in (host, text.strip().rpartition(":")[0].strip("[]")):
        try:
            address = ip_address(candidate)
        except ValueError:
            continue
        return getattr(address, "ipv4_mapped", None) or address
    return None


def is_trusted(address: str, proxies: Networks) -> bool:
    """Tell whether an address belongs to a trusted proxy."""
    ip = parse(address)
    return ip is not None and any(ip in network for network in proxies)


class ClientAddress(NamedTuple):
    """The client's address, and whether the client uses TLS."""

    address: str
    secure: bool


def resolve_client_address(scope: "Scope", proxies: Networks) -> ClientAddress:
    """Return the client's address: the last one in the chain that is not a trusted proxy."""
    client = scope["client"]
    address, secure = client[0] if client else "", scope["scheme"] == "https"
    if not proxies or not is_trusted(address, proxies):
        return ClientAddress(address, secure)
    secure = dict(scope["headers"]).get(b"x-forwarded-proto") == b"https"
    # Some proxies add another header line instead of extending the existing one.
    lines = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    for hop in reversed(b",".join(lines).decode("latin-1").split(",")):
        hop_address = parse(hop)
        if hop_address is None:
            break
        address = str(hop_address)
        if not is_trusted(address, proxies):
            break
    return ClientAddress(address, secure)


@lru_cache(maxsize=4096)
def get_rate_limit_network(address: str) -> str:
    """Return the network that shares a rate limit: the IPv4 address, or the /64 network of IPv6."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ip_network((ip, 64), strict=False))
