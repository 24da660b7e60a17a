"""Who is calling, by address: the connection's own, or what a trusted proxy says."""

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from pannier.settings import SettingsError
from pannier.web.exchange import Exchange

Networks = tuple[IPv4Network | IPv6Network, ...]


def networks(text: str) -> Networks:
    """Read the list of trusted proxies."""
    try:
        return tuple(
            ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip()
        )
    except ValueError as wrong:
        raise SettingsError(f"PANNIER_TRUSTED_PROXIES is wrong: {wrong}.") from None


def trusted(address: str, proxies: Networks) -> bool:
    """Tell whether an address is one of our proxies."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in proxies)


def resolve(exchange: Exchange, client: tuple[str, int] | None, proxies: Networks) -> None:
    """Fill in the caller's address: the last one that no proxy of ours added."""
    exchange.address = client[0] if client else ""
    if not proxies or not trusted(exchange.address, proxies):
        return
    exchange.secure = exchange.headers.get(b"x-forwarded-proto", b"") == b"https"
    forwarded = exchange.headers.get(b"x-forwarded-for", b"").decode("latin-1")
    for hop in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
        exchange.address = hop
        if not trusted(hop, proxies):
            return
