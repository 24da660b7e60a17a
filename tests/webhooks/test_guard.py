"""Which addresses webhooks may reach, one by one and by the thousand."""

import re
import subprocess
import sys
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

import pytest
import yarl
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.errors import Invalid, parse_field
from pannier.settings import SettingsError
from pannier.webhooks.guard import (
    PLAIN_HTTP,
    UNREACHABLE,
    Blocked,
    check_url,
    is_allowed,
    parse_networks,
)

# The first example loads the tables of international names.
SLOW_AT_FIRST = settings(deadline=None)
# Written down a second time on purpose: this is the promise, the module's tables the code.
FORBIDDEN_4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
]  # fmt: skip
FORBIDDEN_6 = [
    "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
]  # fmt: skip
MAPPED = IPv6Network("::ffff:0:0/96")
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - nothing is bound to it


def wide(text: str) -> str:
    """Spell a text in letters that look, and are read, like those of ASCII."""
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


def mapped(address: str) -> str:
    return str(IPv6Address(int(MAPPED.network_address) + int(IPv4Address(address))))


@pytest.mark.parametrize("text", FORBIDDEN_4 + FORBIDDEN_6)
def test_a_forbidden_network_is_forbidden_from_its_first_address_to_its_last(text: str) -> None:
    network = ip_network(text)
    ends = (network.network_address, network[1], network[-2], network.broadcast_address)
    assert [str(end) for end in ends if is_allowed(str(end))] == []


@pytest.mark.parametrize(
    "address",
    [
        # What `ipaddress.is_global` of Python 3.11 lets through.
        "224.0.0.1",
        "192.88.99.1",
        "::7f00:1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::ffff:0:7f00:1",
        "::5efe:7f00:1",
        "fec0::1",
        "3fff::1",
        "5f00::1",
        # Where clouds tell secrets.
        "169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        # Ourselves and our neighbours.
        ANY_ADDRESS,
        "127.0.0.1",
        "127.255.255.254",
        "10.1.2.3",
        "172.31.255.255",
        "192.168.1.1",
        "255.255.255.255",
        "::",
        "::1",
        "0:0:0:0:0:0:0:1",
        "fe80::1",
        "fc00::1",
        "fd12:3456::1",
        "ff02::1",
        # The same in disguise: mapped, compatible, translated, tunnelled.
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "::FFFF:169.254.169.254",
        "::ffff:0.0.0.0",
        "::127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::8.8.8.8",
        "64:ff9b:1::7f00:1",
        "2001::7f00:1",
        "2002:a00:1::",
        "2001:db8::1",
        "100::1",
        # With a scope, public or not.
        "fe80::1%eth0",
        "fe80::1%25eth0",
        "2606:4700::1111%eth0",
        "::ffff:8.8.8.8%1",
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_allowed(address)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "0", "10", "127.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1",
        "127.0.0.01", "8.8.8.8.", "8.8.8", "8.8.8.8/32", "8.8.8.8:443", "[2606:4700::1111]",
        "2606:4700::1111::", wide("1") + ".1.1.1", "1.1.1.1\n", "1.1.1.1\0", "example.com",
        "localhost",
    ],
)  # fmt: skip
def test_what_is_no_address_in_its_usual_spelling_is_refused(text: str) -> None:
    assert not is_allowed(text)
    assert not is_allowed(text, parse_networks("0.0.0.0/0, ::/0"))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.88.98.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "::ffff:8.8.8.8", "2000::", "2606:4700:4700::1111", "2a00:1450::1", "2001:200::",
        "2001:4860::8888", "2003::1", "3ffe:ffff::1", "3fff:1000::",
    ],
)  # fmt: skip
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(address)


@given(st.one_of([st.ip_addresses(network=text) for text in FORBIDDEN_4 + FORBIDDEN_6]))
def test_no_address_inside_a_forbidden_network_is_allowed(
    address: IPv4Address | IPv6Address,
) -> None:
    if address in MAPPED:
        # These are judged by what they hold.
        assert is_allowed(str(address)) == is_allowed(str(IPv4Address(address.packed[-4:])))
    else:
        assert not is_allowed(str(address))


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(network="2000::/3")))
def test_every_other_address_is_allowed(address: IPv4Address | IPv6Address) -> None:
    forbidden = any(address in ip_network(text) for text in FORBIDDEN_4 + FORBIDDEN_6)
    assert is_allowed(str(address)) != forbidden


@given(
    st.one_of(st.ip_addresses(v=4), *[st.ip_addresses(network=text) for text in FORBIDDEN_4]),
    st.sampled_from(["", "10.0.0.0/8", "127.0.0.1/32, 192.168.0.0/16"]),
)
def test_a_mapped_address_has_the_verdict_of_the_one_it_holds(
    address: IPv4Address | IPv6Address, listed: str
) -> None:
    allowed_networks = parse_networks(listed)
    assert is_allowed(mapped(str(address)), allowed_networks) == is_allowed(
        str(address), allowed_networks
    )


@given(st.ip_addresses(), st.integers(0, 32))
def test_whatever_is_listed_is_allowed(address: IPv4Address | IPv6Address, length: int) -> None:
    assert is_allowed(str(address), parse_networks(f"{address}/{length}"))


@pytest.mark.parametrize(
    ("address", "listed", "verdict"),
    [
        ("127.0.0.1", "127.0.0.0/8", True),
        ("127.0.0.1", "127.0.0.2/32", False),
        ("10.1.2.3", "192.168.0.0/16, 10.1.0.0/16", True),
        ("10.2.2.3", "192.168.0.0/16, 10.1.0.0/16", False),
        ("::ffff:10.1.2.3", "10.1.0.0/16", True),
        ("::ffff:10.1.2.3", "::ffff:10.1.0.0/112", True),
        ("10.1.2.3", "::ffff:10.1.0.0/112", False),
        ("::1", "127.0.0.0/8", False),
        ("::1", "::1/128", True),
        ("fd00::1", "fd00::/8", True),
        ("64:ff9b::10.1.2.3", "10.1.0.0/16", True),
        ("64:ff9b::8.8.8.8", "10.1.0.0/16", False),
        ("64:ff9b::8.8.8.8", "8.8.8.8", True),
        ("64:ff9b::8.8.8.8", "64:ff9b::/96", True),
        ("2002:a01:203::", "10.1.0.0/16", False),
        ("fe80::1%eth0", "fe80::/10", False),
    ],
)
def test_a_list_opens_what_it_names_and_nothing_else(
    address: str, listed: str, *, verdict: bool
) -> None:
    assert is_allowed(address, parse_networks(listed)) is verdict


def test_networks_are_read_with_or_without_a_length_and_spaces() -> None:
    assert parse_networks("") == ()
    assert parse_networks(" , ") == ()
    assert parse_networks("10.0.0.7/8, ::1,192.0.2.1 ") == (
        IPv4Network("10.0.0.0/8"),
        IPv6Network("::1/128"),
        IPv4Network("192.0.2.1/32"),
    )


@pytest.mark.parametrize("text", ["loopback", "10.0.0.0/33", "10.0.0.0/8;::1", "10.0.0/8", "*"])
def test_networks_that_are_none_are_told_by_the_name_of_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^PANNIER_WEBHOOK_ALLOW_NETWORKS is invalid: .*\.$"):
        parse_networks(text)


def test_who_is_blocked_is_not_told_where() -> None:
    assert str(Blocked()) == "Webhooks may not reach this address."
    assert Blocked().errno is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com", "https://example.com/"),
        ("https://example.com/", "https://example.com/"),
        ("HTTPS://Hooks.EXAMPLE.com:443/In", "https://hooks.example.com/In"),
        ("https://example.com:0443/", "https://example.com/"),
        ("https://example.com:/in", "https://example.com/in"),
        ("https://example.com:8443/in", "https://example.com:8443/in"),
        ("https://example.com:1024", "https://example.com:1024/"),
        ("https://example.com:65535", "https://example.com:65535/"),
        ("https://example.com?a=1", "https://example.com/?a=1"),
        ("https://example.com/?", "https://example.com/?"),
        (
            "https://example.com/a//../b;c?A=%7e+%2F&b=@:?/[]&b",
            "https://example.com/a//../b;c?A=%7e+%2F&b=@:?/[]&b",
        ),
        ("https://a-1.b--2.example/", "https://a-1.b--2.example/"),
        ("https://localhost.example.com/", "https://localhost.example.com/"),
        ("https://notlocal.example/", "https://notlocal.example/"),
        ("https://mylocal.example/", "https://mylocal.example/"),
        ("https://1password.com/", "https://1password.com/"),
        ("https://1.1.1.1.example/", "https://1.1.1.1.example/"),
        ("https://bücher.example/ein", "https://xn--bcher-kva.example/ein"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://xn--bcher-kva.EXAMPLE/", "https://xn--bcher-kva.example/"),
        ("https://例え。テスト:8443/", "https://xn--r8jz45g.xn--zckzah:8443/"),
        ("https://1.1.1.1/", "https://1.1.1.1/"),
        (f"https://{wide('1')}.1.1.1/", "https://1.1.1.1/"),
        ("https://[2606:4700:0::1111]:8443/", "https://[2606:4700::1111]:8443/"),
        ("https://[::FFFF:8.8.8.8]/", "https://[::ffff:808:808]/"),
    ],
)
def test_an_address_of_a_receiver_has_one_form(text: str, expected: str) -> None:
    assert check_url(text) == expected
    assert check_url(expected) == expected


@pytest.mark.parametrize(
    "host",
    [
        # Addresses that are not public, however they are spelled.
        "127.0.0.1", "10.0.0.1", ANY_ADDRESS, "169.254.169.254", "255.255.255.255", "224.0.0.1",
        "[::1]", "[::]", "[fe80::1]", "[fd00:ec2::254]", "[::ffff:127.0.0.1]", "[::7f00:1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25eth0]", "[fe80::1%eth0]",
        "2130706433", "0x7f000001", "0x7f.1", "0X7F.1", "127.1", "127.0.1", "0177.0.0.1",
        "127.0.0.0x1", "017700000001", "0", "0x", "127.0.0.1.", "127.0.0.1..", "2130706433.",
        wide("127") + ".0.0.1", "127。0。0。1", "①②⑦.0.0.1", "1.1.1.1.", "1.1", "256.256.256.256",
        "example.0x1", "example.123",
        # Brackets around something else.
        "[1.1.1.1]", "[]", "[example.com]", "[v1.a:b]", "[2606:4700::1111::]",
        # Names that mean something only here.
        "localhost", "LOCALHOST", "a.localhost", "printer.local", "vault.internal",
        "metadata.google.internal", "localhost.localdomain", "box.home.arpa", "home.arpa",
        "intranet", "mylocal", "local", "internal", "com", wide("localhost"), "printer。local",
    ],
)  # fmt: skip
def test_a_host_that_is_not_public_is_refused_in_every_spelling(host: str) -> None:
    for url in (f"https://{host}", f"https://{host}:8443/in?x=1"):
        with pytest.raises(ValueError, match=UNREACHABLE):
            check_url(url)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("http://example.com/", PLAIN_HTTP),
        ("HTTP://127.0.0.1/", PLAIN_HTTP),
        ("", "must begin with https://"),
        ("example.com", "must begin with https://"),
        ("//example.com/", "must begin with https://"),
        ("https:example.com", "must begin with https://"),
        ("https:/example.com", "must begin with https://"),
        ("ftp://example.com/", "must begin with https://"),
        ("http\u017f://example.com/", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("javascript://example.com/%0aalert(1)", "must begin with https://"),
        ("https://", "must have a host"),
        ("https:///in", "must have a host"),
        ("https://?x", "must have a host"),
        ("https://:8443/", "must have a host"),
        ("https://[::1/", "must have a host"),
        ("https://[2606:4700::1111]x/", "must have a host"),
        ("https://2606:4700::1111/", "must have a host"),
        ("https://a[b].example/", "must have a host"),
        ("https://example.com:80:443/", "must have a host"),
        ("https://example.com:x/", "must have a host"),
        ("https://example.com:-1/", "must have a host"),
        ("https://example.com:٤٤٣/", "must have a host"),
        ("https://mei@example.com/", "must not contain a user name or password"),
        ("https://mei:secret@example.com/", "must not contain a user name or password"),
        ("https://@example.com/", "must not contain a user name or password"),
        ("https://example.com:443@127.0.0.1/", "must not contain a user name or password"),
        ("https://example.com/#part", "must not have a fragment"),
        ("https://example.com/#", "must not have a fragment"),
        ("https://example.com#@127.0.0.1/", "must not have a fragment"),
        (" https://example.com/", "must not contain spaces"),
        ("https://example.com/ ", "must not contain spaces"),
        ("https://example.com/a b", "must not contain spaces"),
        ("https://example.com/\r\nHost: other", "must not contain spaces"),
        ("https://exa\tmple.com/", "must not contain spaces"),
        ("https://example.com\u00a0/", "must not contain spaces"),
        ("https://exam\u00adple.com/", "must not contain spaces"),
        ("https://example.com/\0", "must not contain spaces"),
        ("https://example.com/\u2028", "must not contain spaces"),
        ("https://example.com/\ud800", "must not contain spaces"),
        ("https://example.com\\@127.0.0.1/", "must not contain spaces"),
        ("https:\\\\example.com/", "must not contain spaces"),
        ("https://example.com:0/", "must use the port 443, or one from 1024"),
        ("https://example.com:22/", "must use the port 443, or one from 1024"),
        ("https://example.com:80/", "must use the port 443, or one from 1024"),
        ("https://example.com:1023/", "must use the port 443, or one from 1024"),
        ("https://example.com:65536/", "must use the port 443, or one from 1024"),
        ("https://example.com/é", "Escape others with %"),
        ("https://example.com/?q=é", "Escape others with %"),
        ("https://example.com./", "must have a valid host"),
        ("https://example..com/", "must have a valid host"),
        ("https://.example.com/", "must have a valid host"),
        ("https://-a.example/", "must have a valid host"),
        ("https://a-.example/", "must have a valid host"),
        ("https://a_b.example/", "must have a valid host"),
        ("https://exa%6dple.com/", "must have a valid host"),
        ("https://127.0.0.1%2f.example.com/", "must have a valid host"),
        ("https://exam*ple.com/", "must have a valid host"),
        (f"https://example.com{wide('/')}in.example/", "must have a valid host"),
        (f"https://mei{wide('@')}example.com/", "must have a valid host"),
        (f"https://example.com{wide(':')}8443/", "must have a valid host"),
        ("https://xn--a.com/", "must have a valid host"),
        ("https://xn--zzzzz-.com/", "must have a valid host"),
        (f"https://{'a' * 64}.example/", "must have a valid host"),
        (f"https://{'ü' * 64}.example/", "must have a valid host"),
        (f"https://{'a.' * 126}example/", "must have a valid host"),
        (f"https://example.com/{'a' * 2029}", "at most 2048 characters"),
        (f"https://bücher.example/{'a' * 2024}", "at most 2048 characters"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_with_a_sentence(
    text: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refusal:
        check_url(text)
    assert str(refusal.value).endswith(".")


def test_an_address_may_be_just_as_long_as_it_says() -> None:
    longest = "https://example.com/" + "a" * 2028
    assert len(longest) == 2048
    assert check_url(longest) == longest


@pytest.mark.parametrize(
    ("url", "listed", "accepted"),
    [
        ("https://127.0.0.1:8443/in", "127.0.0.0/8", True),
        ("https://10.1.2.3/", "10.0.0.0/8", True),
        ("https://[::1]:8443/in", "::1/128", True),
        ("https://[::ffff:a01:203]/", "10.0.0.0/8", True),
        ("https://localhost:8443/in", "127.0.0.0/8", True),
        ("https://localhost:8443/in", "::1/128", True),
        ("https://shop.localhost/in", "127.0.0.1", True),
        ("https://localhost/", "10.0.0.0/8", False),
        ("https://127.0.0.1/", "10.0.0.0/8", False),
        ("https://127.1/", "127.0.0.0/8", False),
        ("https://2130706433/", "0.0.0.0/0", False),
        # Where a local name leads is judged when it is looked up.
        ("https://printer.local/", "10.0.0.0/8", True),
        ("https://erp/", "10.0.0.0/8", True),
    ],
)
def test_an_installation_may_open_addresses_and_localhost(
    url: str, listed: str, *, accepted: bool
) -> None:
    if accepted:
        assert check_url(url, parse_networks(listed)) == url
    else:
        with pytest.raises(ValueError, match=UNREACHABLE):
            check_url(url, parse_networks(listed))


def test_a_refused_address_is_told_by_the_name_of_its_field() -> None:
    with pytest.raises(Invalid) as refusal:
        parse_field("url", check_url, "http://example.com/")
    assert refusal.value.fields == (("url", PLAIN_HTTP),)


HOSTS = st.one_of(
    st.sampled_from(["example.com", "bücher.example", "1.1.1.1", "[2606::1]", "127.1", "::1"]),
    st.text(st.sampled_from("aZ09.-x@:[]%。é" + wide("/1")), max_size=12),
    st.text(max_size=8).map(lambda text: f"{text}.example"),
)


@SLOW_AT_FIRST
@given(HOSTS, st.sampled_from(["", ":443", ":8443", ":80"]), st.text(max_size=8))
def test_any_text_is_brought_into_its_one_form_or_refused_with_a_sentence(
    host: str, port: str, path: str
) -> None:
    try:
        url = check_url(f"https://{host}{port}/{path}")
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - some texts are addresses
        return
    assert check_url(url) == url
    assert url.isascii()
    assert url.isprintable()
    # Who delivers reads it with another parser, which must see the same host.
    read, sent = urlsplit(url), yarl.URL(url, encoded=True)
    assert read.hostname == sent.raw_host
    assert (read.port or 443) == sent.port
    assert re.search(r"[.:]", str(read.hostname))


@given(st.ip_addresses())
def test_a_literal_host_has_the_verdict_of_its_address(
    address: IPv4Address | IPv6Address,
) -> None:
    host = f"[{address}]" if address.version == 6 else str(address)
    try:
        url = check_url(f"https://{host}/")
    except ValueError:
        assert not is_allowed(str(address))
    else:
        assert is_allowed(str(address))
        assert ip_address(str(urlsplit(url).hostname)) == address


def test_the_tables_of_international_names_are_not_loaded_before_they_are_needed() -> None:
    code = (
        "import sys; from pannier.webhooks.guard import check_url;"
        "check_url('https://example.com/'); sys.exit('idna' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
