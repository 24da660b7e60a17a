"""Rules for the addresses that webhooks may reach: never the installation's own network."""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from pannier.web import addresses
from pannier.web.addresses import Networks

# From the registries of special addresses. `is_global` is too lenient: it accepts 224.0.0.1.
FORBIDDEN_IPV4: Final = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # public by the registry, but on Azure the host's own address
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# The only IPv6 addresses that are allocated, and the special ones among them.
ALLOCATED_IPV6: Final = IPv6Network("2000::/3")
FORBIDDEN_IPV6: Final = tuple(
    IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
NAT64: Final = IPv6Network("64:ff9b::/96")

MAX_URL_LENGTH: Final = 2048
MAX_NAME_LENGTH: Final = 253
HTTPS_PORT: Final = 443
FIRST_UNPRIVILEGED_PORT: Final = 1024
LAST_PORT: Final = 65535
URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?]*)(?P<path>.*)")
HOST_AND_PORT: Final = re.compile(r"(?P<host>\[[^\[\]]*\]|[^\[\]:]*)(?::(?P<port>[0-9]{0,5}))?")
LABEL: Final = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
NAME: Final = re.compile(rf"{LABEL}(?:\.{LABEL})*")
# As in browsers, a host with such an ending is an IP address in some notation.
NUMERIC_HOST: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.*")
# The name of the listener on this machine: see `local_listener.py`.
LISTENER_HOST: Final = "listen.localhost"
LOCAL_NAMES: Final = ("localhost", "local", "internal", "localdomain", "home.arpa")

PLAIN_HTTP: Final = (
    "must begin with https://. Webhooks are not delivered over plain HTTP. The setting "
    "PANNIER_WEBHOOK_CA_BUNDLE adds a certificate authority of your own."
)
UNREACHABLE: Final = (
    "must have a host that is reachable from the internet. The setting "
    "PANNIER_WEBHOOK_ALLOW_NETWORKS allows other networks."
)


class Blocked(OSError):  # noqa: N818 - a refusal is not always an error
    """Webhooks may not reach the address. The message never contains the address.

    It is an OSError, so that other code treats it as a failed connection.
    """

    def __init__(self) -> None:
        super().__init__("Webhooks may not reach this address.")


def parse_networks(text: str) -> Networks:
    """Parse the list of private networks that webhooks may reach."""
    return addresses.parse_networks("PANNIER_WEBHOOK_ALLOW_NETWORKS", text)


def is_allowed(address: str, allowed_networks: Networks = ()) -> bool:
    """Return whether webhooks may connect to an address. Only IP addresses are allowed."""
    # An address with a scope belongs to a local network interface.
    if "%" in address:
        return False
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        return _is_allowed_ipv6(ip, allowed_networks)
    return _is_in_networks(ip, allowed_networks) or not any(
        ip in network for network in FORBIDDEN_IPV4
    )


def _is_allowed_ipv6(address: IPv6Address, allowed_networks: Networks) -> bool:
    if _is_in_networks(address, allowed_networks):
        return True
    if address.ipv4_mapped is not None:
        return is_allowed(str(address.ipv4_mapped), allowed_networks)
    if address in NAT64:
        # The operator of a NAT64 gateway decides where it leads, so even a public address must be
        # in the list.
        return _is_in_networks(IPv4Address(address.packed[-4:]), allowed_networks)
    return address in ALLOCATED_IPV6 and not any(address in network for network in FORBIDDEN_IPV6)


def _is_in_networks(address: IPv4Address | IPv6Address, allowed_networks: Networks) -> bool:
    return any(address in network for network in allowed_networks)


def check_url(text: str, allowed_networks: Networks = ()) -> str:
    """Return a receiver's URL in canonical form, or raise ValueError with the reason.

    Names are not resolved here: their addresses are checked at each connection.
    """
    _check_text(text)
    url = URL.fullmatch(text)
    if url is None or url["scheme"].lower() not in {"http", "https"}:
        raise ValueError(
            "must begin with https:// and a host, such as https://hooks.example.com/pannier."
        )
    if url["scheme"].lower() == "http":
        raise ValueError(PLAIN_HTTP)
    if "@" in url["authority"]:
        raise ValueError("must not contain a user name or password.")
    if not url["path"].isascii():
        raise ValueError("must have only ASCII characters in path and query. Escape others with %.")
    # A query may follow the host without a path.
    path = url["path"] if url["path"].startswith("/") else f"/{url['path']}"
    return _check_length(
        f"https://{_normalise_host_and_port(url['authority'], allowed_networks)}{path}"
    )


def _check_text(text: str) -> None:
    # Programs interpret these differently, and so may see different hosts.
    if any(character in " \\" or not character.isprintable() for character in text):
        raise ValueError("must not contain spaces, backslashes or control characters.")
    if "#" in text:
        raise ValueError("must not have a fragment. Leave out # and the text after it.")
    _check_length(text)


def _check_length(url: str) -> str:
    if len(url) > MAX_URL_LENGTH:
        raise ValueError(f"must have at most {MAX_URL_LENGTH} characters.")
    return url


def _normalise_host_and_port(text: str, allowed_networks: Networks) -> str:
    """Return host and port in canonical form."""
    match = HOST_AND_PORT.fullmatch(text)
    if match is None or not match["host"]:
        raise ValueError("must have a host, such as hooks.example.com.")
    port = int(match["port"] or HTTPS_PORT)
    if port != HTTPS_PORT and not FIRST_UNPRIVILEGED_PORT <= port <= LAST_PORT:
        raise ValueError(
            f"must use the port {HTTPS_PORT}, or one from {FIRST_UNPRIVILEGED_PORT} to {LAST_PORT}."
        )
    host = _normalise_host(match["host"], allowed_networks)
    return host if port == HTTPS_PORT else f"{host}:{port}"


def _normalise_host(text: str, allowed_networks: Networks) -> str:
    is_bracketed = text.startswith("[")
    host = text[1:-1] if is_bracketed else _to_ascii(text)
    if not is_bracketed and not NUMERIC_HOST.fullmatch(host):
        return _check_name(host, allowed_networks)
    # Only the canonical notation of an IP address is accepted.
    if is_bracketed != (":" in host) or not is_allowed(host, allowed_networks):
        raise ValueError(UNREACHABLE)
    return f"[{ip_address(host)}]" if is_bracketed else host


def _to_ascii(host: str) -> str:
    lower_host = host.lower()
    if lower_host.isascii() and "xn--" not in lower_host:
        return lower_host
    # Imported here because its tables are large and few hosts need them.
    import idna  # noqa: PLC0415 - see above

    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        raise ValueError("must have a valid host, such as hooks.example.com.") from None


def _check_name(host: str, allowed_networks: Networks) -> str:
    if len(host) > MAX_NAME_LENGTH or not NAME.fullmatch(host):
        raise ValueError("must have a valid host, such as hooks.example.com.")
    if (
        _is_local(host)
        and host != LISTENER_HOST
        and not _is_local_name_allowed(host, allowed_networks)
    ):
        raise ValueError(UNREACHABLE)
    return host


def _is_local(host: str) -> bool:
    return "." not in host or any(_is_within(host, name) for name in LOCAL_NAMES)


def _is_local_name_allowed(host: str, allowed_networks: Networks) -> bool:
    """Return whether a local name may resolve to an allowed address."""
    return (
        _is_loopback_allowed(allowed_networks)
        if _is_within(host, "localhost")
        else bool(allowed_networks)
    )


def _is_within(host: str, name: str) -> bool:
    return f".{host}".endswith(f".{name}")


def _is_loopback_allowed(allowed_networks: Networks) -> bool:
    return is_allowed("127.0.0.1", allowed_networks) or is_allowed("::1", allowed_networks)
