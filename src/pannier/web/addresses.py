"""Who is calling, by address: the connection's own, or what a trusted proxy says."""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final, NamedTuple

from pannier.settings import SettingsError

if TYPE_CHECKING:
    from litestar.types import Scope

# A name or an address, and a port; what else a Host may hold is of use to attackers only.
HOST: Final = re.compile(rb"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")

Networks = tuple[IPv4Network | IPv6Network, ...]


def proxies(text: str) -> Networks:
    """Read the list of trusted proxies."""
    return networks("PANNIER_TRUSTED_PROXIES", text)


def networks(setting: str, text: str) -> Networks:
    """Read the list of networks that a setting names."""
    try:
        return tuple(
            ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip()
        )
    except ValueError as wrong:
        raise SettingsError(f"{setting} is wrong: {wrong}.") from None


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address, with or without a port; None when it is something else."""
    bare = text.strip().strip("[]")
    for candidate in (bare, text.strip().rpartition(":")[0].strip("[]")):
        try:
            address = ip_address(candidate)
        except ValueError:
            continue
        return getattr(address, "ipv4_mapped", None) or address
    return None


def trusted(address: str, proxies: Networks) -> bool:
    """Tell whether an address is one of our proxies."""
    known = parsed(address)
    return known is not None and any(known in network for network in proxies)


class Origin(NamedTuple):
    """Where a request comes from, and whether it came encrypted."""

    address: str
    secure: bool


def resolve(scope: "Scope", proxies: Networks) -> Origin:
    """Find the caller's address: the last one that no proxy of ours added."""
    client = scope["client"]
    address, secure = client[0] if client else "", scope["scheme"] == "https"
    if not proxies or not trusted(address, proxies):
        return Origin(address, secure)
    secure = dict(scope["headers"]).get(b"x-forwarded-proto") == b"https"
    # Some proxies add a line of their own instead of lengthening the one they got.
    lines = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    for hop in reversed(b",".join(lines).decode("latin-1").split(",")):
        known = parsed(hop)
        if known is None:
            break
        address = str(known)
        if not trusted(address, proxies):
            break
    return Origin(address, secure)


@lru_cache(maxsize=4096)
def neighbourhood(address: str) -> str:
    """Name the network that shares an allowance: the address itself, or an IPv6 caller's /64."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))
