"""One frozen Settings, read once from `PANNIER_*` variables."""

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, inspect

PREFIX: Final = "PANNIER_"
SHORTEST_SECRET: Final = 32
SECRET_FILE: Final = "secret"  # noqa: S105 - a name, not a secret

HttpsAddress = Annotated[str, Meta(pattern="^https://")]
WebAddress = Annotated[str, Meta(pattern="^http")]
Port = Annotated[int, Meta(ge=1, le=65535)]
Algorithm = Literal["RS256", "ES256"]


class SettingsError(Exception):
    """One sentence for a person: which setting is wrong, and why."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an operator may set; each field is the variable `PANNIER_<NAME>`."""

    data: Annotated[
        str, Meta(description="The data directory: embedded database, files, secret.")
    ] = "data"
    database_url: Annotated[
        str | None,
        Meta(
            description="An external PostgreSQL 15+, `postgresql://user:password@host/name`. "
            "Unset: an embedded server under the data directory."
        ),
    ] = None
    secret: Annotated[
        str | None,
        Meta(
            description="At least 32 characters from which every signing key is derived; equal on "
            "all machines of one installation. Unset: made once and kept in the data directory."
        ),
    ] = None
    old_secrets: Annotated[
        str,
        Meta(
            description="Secrets before `PANNIER_SECRET`, with spaces between: what was signed and "
            "sealed with them stays good. Several machines learn a coming secret here first."
        ),
    ] = ""
    base_url: Annotated[
        str,
        Meta(
            description="The address clients reach this installation at. "
            "`pannier serve` fills in its own when it is unset."
        ),
    ] = "http://127.0.0.1:8000"
    embedded_user: Annotated[
        str | None,
        Meta(
            description="When started as root: the account the embedded server runs as. "
            "Unset: `postgres` where it exists, else `nobody`."
        ),
    ] = None
    pool_size: Annotated[
        int, Meta(ge=2, le=500, description="Database connections per process at the most.")
    ] = 10
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Addresses or networks, separated by commas, whose `X-Forwarded-For` and "
            "`X-Forwarded-Proto` are believed."
        ),
    ] = ""
    storefront_origins: Annotated[
        str,
        Meta(
            description="Origins, separated by commas, whose pages may call `/storefront/v1`; "
            "`*` allows every one."
        ),
    ] = "*"
    body_limit: Annotated[
        int, Meta(ge=1024, description="Bytes of an ordinary request body at the most.")
    ] = 1024 * 1024
    upload_limit: Annotated[
        int, Meta(ge=1024, description="Bytes of an upload's request body at the most.")
    ] = 64 * 1024 * 1024
    intake_limit: Annotated[
        int,
        Meta(
            ge=1024,
            description="Bytes of a request body with device events at the most, unpacked.",
        ),
    ] = 8 * 1024 * 1024
    # Stored values are read back up to 64 levels, some of which we put around a body's own.
    depth_limit: Annotated[
        int, Meta(ge=4, le=48, description="Maximum levels of nesting in a JSON body.")
    ] = 32
    address_rate: Annotated[
        int, Meta(ge=1, description="Requests a minute from one address at the most.")
    ] = 6000
    credential_rate: Annotated[
        int, Meta(ge=1, description="Requests a minute with one credential at the most.")
    ] = 6000
    picture_rate: Annotated[
        int,
        Meta(
            ge=10,
            description="Pictures a minute that one key or driver may send to be looked at; one of "
            "more than 12 megapixels counts for several.",
        ),
    ] = 240
    connections: Annotated[
        int, Meta(ge=16, description="Connections open at once at the most, per API process.")
    ] = 8192
    address_connections: Annotated[
        int,
        Meta(
            ge=1,
            description="Connections open at once from one address at the most, per API process. "
            "Trusted proxies may have any number.",
        ),
    ] = 512
    keep_alive_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="Seconds that a connection may stay open between two requests; more than "
            "a proxy in front keeps its own.",
        ),
    ] = 75
    body_rate: Annotated[
        int,
        Meta(
            ge=1,
            description="Bytes a second at the least that a request's body comes in with, after "
            "ten seconds of grace.",
        ),
    ] = 1024
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least serious log lines to write."),
    ] = "info"
    log_format: Annotated[
        Literal["auto", "text", "json"],
        Meta(
            description="How log lines are written: `text` for people, `json` for programs, "
            "`auto` for whoever reads them: `text` on a terminal."
        ),
    ] = "auto"
    password_memory: Annotated[
        int, Meta(ge=8, description="KiB of memory one password hash costs (argon2id).")
    ] = 19456
    session_hours: Annotated[
        int, Meta(ge=1, le=24 * 30, description="Hours after which an operator signs in again.")
    ] = 24 * 7
    erasure_days: Annotated[
        int,
        Meta(ge=0, le=365, description="Days after which a closed customer account is erased."),
    ] = 30
    sms_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the SMS provider. Unset: messages lie in the drawer. "
            "`{to}` stands for the recipient's number, `{sender}` for the company's sender."
        ),
    ] = None
    email_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the mail server. Unset: messages lie in the drawer. "
            "`{to}` stands for the recipient's address, `{sender}` for the company's sender."
        ),
    ] = None
    push_url: Annotated[
        str | None,
        Meta(
            description="Apprise address of the push provider. Unset: messages lie in the drawer. "
            "`{to}` stands for the device token."
        ),
    ] = None
    files_url: Annotated[
        str | None,
        Meta(
            description="Where uploads are kept: `s3://bucket/prefix`, `gs://…`, `az://…` or "
            "`file:///folder`. Unset: `files` in the data directory."
        ),
    ] = None
    payments: Annotated[
        Literal["none", "fake", "stripe"],
        Meta(
            description="The payment gateway: `none`, `fake` (for development: no network, no "
            "money) or `stripe`."
        ),
    ] = "none"
    test_payments_on_live: Annotated[
        bool,
        Meta(
            description="Whether a test gateway (`fake`, or Stripe with test keys) serves live "
            "companies too. Their orders then count as paid although no money was taken."
        ),
    ] = False
    stripe_secret_key: Annotated[
        str | None,
        Meta(description="Stripe's secret or restricted key, `sk_…` or `rk_…`; for `stripe`."),
    ] = None
    stripe_publishable_key: Annotated[
        str | None, Meta(description="Stripe's publishable key, `pk_…`; every app is shown it.")
    ] = None
    stripe_webhook_secret: Annotated[
        str | None,
        Meta(
            description="The signing secret of Stripe's endpoint for "
            "`<base URL>/payments/stripe/notices`, `whsec_…`. Unset: what was paid is found out "
            "by asking, hours later."
        ),
    ] = None
    stripe_url: Annotated[
        str | None,
        Meta(
            description="Another address of Stripe's API, for tests: `https://…`, or `http://` on "
            "this machine. Unset: Stripe's own."
        ),
    ] = None
    router: Annotated[
        Literal["none", "osrm", "valhalla"],
        Meta(
            description="The engine that measures ways along roads: `osrm`, `valhalla`, or `none`: "
            "great circles with the company's detour and speed."
        ),
    ] = "none"
    router_url: Annotated[
        str | None,
        Meta(description="Where the routing engine is, such as `http://osrm.internal:5000`."),
    ] = None
    router_profile: Annotated[
        str | None,
        Meta(
            description="What travels: OSRM's profile (`driving`, when unset) or Valhalla's "
            "costing (`auto`, when unset).",
        ),
    ] = None
    router_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=30,
            description="Seconds that the routing engine may take before a great circle is "
            "measured instead.",
        ),
    ] = 2
    geocoder: Annotated[
        Literal["none", "nominatim", "photon"],
        Meta(
            description="Who finds the points of addresses: `nominatim`, `photon`, or `none`: "
            "places have a point only when it is given."
        ),
    ] = "none"
    geocoder_url: Annotated[
        str | None,
        Meta(description="Where the geocoder is, such as `https://nominatim.internal`."),
    ] = None
    retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that relayed events, sent messages and quotes that nobody "
            "accepted are kept at the most. Companies may want fewer, here and below.",
        ),
    ] = 90
    webhook_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that webhook deliveries and their attempts are kept at the most, "
            "held ones too; never longer than their events.",
        ),
    ] = 30
    audit_retention_days: Annotated[
        int, Meta(ge=1, description="Days that the audit log is kept at the most.")
    ] = 3650
    position_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that positions of drivers, vehicles and devices are kept at the "
            "most. What devices report of longer ago is refused, here and below.",
        ),
    ] = 90
    telemetry_retention_days: Annotated[
        int,
        Meta(ge=1, description="Days that readings of engines and sensors are kept at the most."),
    ] = 180
    alert_retention_days: Annotated[
        int,
        Meta(
            ge=1,
            description="Days that alerts of devices are kept at the most: doors, motion, speed, "
            "zones, faults.",
        ),
    ] = 730
    heartbeat_retention_days: Annotated[
        int, Meta(ge=1, description="Days that heartbeats of devices are kept at the most.")
    ] = 7
    other_reading_retention_days: Annotated[
        int,
        Meta(
            ge=1, description="Days that what else devices report is kept at the most; rejects too."
        ),
    ] = 90
    location_distance: Annotated[
        int,
        Meta(
            ge=5,
            le=10_000,
            description="Metres at the least that a driver moves before an event tells of it. "
            "Companies may want more, and have 25 without a word.",
        ),
    ] = 5
    location_interval: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="Seconds at the least between two events of where a driver is. "
            "Companies may want more, and have 5 without a word.",
        ),
    ] = 1
    token_retention_days: Annotated[
        int,
        Meta(ge=1, description="Days that expired and revoked tokens are kept at the most."),
    ] = 30
    webhook_allow_networks: Annotated[
        str,
        Meta(
            description="Networks, separated by commas, that webhooks may reach although they are "
            "not public, such as `10.0.0.0/8`. For tests and on-premise."
        ),
    ] = ""
    webhook_ca_bundle: Annotated[
        str | None,
        Meta(description="A PEM file of authorities that webhooks trust besides the system's own."),
    ] = None
    webhook_proxy: Annotated[
        str | None,
        Meta(
            description="A proxy through which all webhooks leave, such as "
            "`http://user:password@proxy.internal:3128`. It is asked (CONNECT) for the addresses "
            "that names lead to, not for the names."
        ),
    ] = None
    webhook_concurrency: Annotated[
        int, Meta(ge=2, le=5000, description="Deliveries on their way at once, per worker.")
    ] = 256
    worker_host: Annotated[
        str, Meta(description="The address that a `pannier worker` by itself listens on.")
    ] = "127.0.0.1"
    worker_port: Annotated[
        Port | None,
        Meta(
            description="The port on which a `pannier worker` by itself answers `/healthz` and "
            "(with the metrics token) `/metrics`. Unset: none; under `serve` the API answers for "
            "it.",
        ),
    ] = None
    metrics_cache_seconds: Annotated[
        int, Meta(ge=0, le=300, description="Seconds for which rendered `/metrics` are reused.")
    ] = 5
    metrics_token_version: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="The version of the token that reads `/metrics`. Raise it to revoke the "
            "present token; `pannier metrics token` prints the new one.",
        ),
    ] = 1
    ca_bundle: Annotated[
        str | None,
        Meta(
            description="A PEM file of authorities that calls to the outside trust besides the "
            "system's own."
        ),
    ] = None
    mqtt_url: Annotated[
        str | None,
        Meta(
            description="An MQTT broker that devices publish their events to, "
            "`mqtt://user:password@host:1883` or `mqtts://…`. Unset: none is listened to."
        ),
    ] = None
    mqtt_version: Annotated[
        Literal["5", "3.1.1"], Meta(description="The version of MQTT that the broker is spoken to.")
    ] = "5"
    mqtt_sessions: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Sessions among which the broker shares out what devices publish; the "
            "workers divide them. More than one needs a broker with shared subscriptions.",
        ),
    ] = 1
    mqtt_trust_broker: Annotated[
        bool,
        Meta(
            description="Whether the broker lets each device write to its own topic only, so that "
            "messages need no token."
        ),
    ] = False
    nats_url: Annotated[
        str | None,
        Meta(
            description="NATS servers with JetStream, `nats://user:password@host:4222` or "
            "`tls://…`, separated by commas, that take device events in before they are stored. "
            "Unset: each API process stores what it is sent."
        ),
    ] = None
    nats_shards: Annotated[
        int,
        Meta(
            ge=1,
            le=256,
            description="Parts into which devices are divided on their way through NATS, each with "
            "one writer at a time; equal on all machines, and never made fewer.",
        ),
    ] = 16
    nats_replicas: Annotated[
        int, Meta(ge=1, le=5, description="NATS servers that keep each event until it is stored.")
    ] = 1
    nats_bytes: Annotated[
        int,
        Meta(
            ge=1 << 20,
            description="Bytes of events that may wait in NATS at the most; further ones are "
            "refused with 429.",
        ),
    ] = 1 << 30
    map_style_url: Annotated[
        WebAddress | None,
        Meta(
            description="A MapLibre style that the console's maps are drawn with, light and dark; "
            "whatever it loads must come from its own origin. Goes before the other map settings."
        ),
    ] = None
    map_pmtiles: Annotated[
        str | None,
        Meta(
            description="A PMTiles file with vector tiles (OpenMapTiles or Protomaps) that the "
            "console's maps take streets from, without internet. Goes before "
            "`PANNIER_MAP_TILE_URL`."
        ),
    ] = None
    map_tile_url: Annotated[
        WebAddress | None,
        Meta(
            description="Picture tiles for the console's maps, "
            "`https://tiles.example.com/{z}/{x}/{y}.png`. Unset: countries and cities that come "
            "along, without internet."
        ),
    ] = None
    map_attribution: Annotated[
        str, Meta(description="Whom the console's maps credit for streets and picture tiles.")
    ] = "© OpenStreetMap contributors"
    provider_a_issuer: Annotated[
        str, Meta(description="Who issues provider A's tokens; several are separated by commas.")
    ] = "https://appleid.apple.com"
    provider_a_keys: Annotated[
        HttpsAddress, Meta(description="Where provider A publishes its keys (JWKS).")
    ] = "https://appleid.apple.com/auth/keys"
    provider_a_exchange: Annotated[
        HttpsAddress, Meta(description="Where provider A exchanges authorization codes.")
    ] = "https://appleid.apple.com/auth/token"
    provider_a_revocation: Annotated[
        HttpsAddress,
        Meta(description="Where provider A is asked to forget a sign-in when an account closes."),
    ] = "https://appleid.apple.com/auth/revoke"
    provider_a_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider A's tokens are signed with.")
    ] = "RS256"
    provider_b_issuer: Annotated[
        str, Meta(description="Who issues provider B's tokens; several are separated by commas.")
    ] = "https://accounts.google.com,accounts.google.com"
    provider_b_keys: Annotated[
        HttpsAddress, Meta(description="Where provider B publishes its keys (JWKS).")
    ] = "https://www.googleapis.com/oauth2/v3/certs"
    provider_b_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider B's tokens are signed with.")
    ] = "RS256"
    provider_c_issuer: Annotated[
        str, Meta(description="Who issues provider C's tokens; several are separated by commas.")
    ] = "https://www.facebook.com,https://facebook.com,https://limited.facebook.com"
    provider_c_keys: Annotated[
        HttpsAddress, Meta(description="Where provider C publishes its keys (JWKS).")
    ] = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    provider_c_algorithm: Annotated[
        Algorithm, Meta(description="The one algorithm that provider C's tokens are signed with.")
    ] = "RS256"
    provider_c_graph: Annotated[
        HttpsAddress, Meta(description="Where provider C is asked about access tokens.")
    ] = "https://graph.facebook.com"

    @property
    def older(self) -> list[str]:
        """The secrets before the present one."""
        return self.old_secrets.split()

    @property
    def folder(self) -> Path:
        """The data directory as an absolute path."""
        try:
            return Path(self.data).expanduser().absolute()
        except RuntimeError:
            raise SettingsError(
                f"PANNIER_DATA is wrong: nobody has the home {self.data}."
            ) from None


def load(environment: Mapping[str, str] | None = None, **overrides: str | None) -> Settings:
    """Read the settings; `overrides` are the command line's and win."""
    source = os.environ if environment is None else environment
    values: dict[str, str] = {
        name: source[PREFIX + name.upper()]
        for name in Settings.__struct_fields__
        if source.get(PREFIX + name.upper(), "") != ""
    }
    values.update({name: value for name, value in overrides.items() if value})
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as wrong:
        raise SettingsError(_sentence(str(wrong).rpartition("$.")[2].rstrip("`"))) from None
    if settings.secret is not None and len(settings.secret) < SHORTEST_SECRET:
        raise SettingsError("PANNIER_SECRET is too short: give at least 32 random characters.")
    if any(len(secret) < SHORTEST_SECRET for secret in settings.older):
        raise SettingsError("PANNIER_OLD_SECRETS has one that is too short to have been a secret.")
    with _usable(settings.folder), contextlib.suppress(FileNotFoundError, NotADirectoryError):
        settings.folder.stat()
    return settings


def _sentence(name: str) -> str:
    """Say what a setting should be, rather than what was found instead: that may be a secret."""
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == name)
    return f"{PREFIX}{name.upper()} is wrong: give {_wanted(inspect.type_info(field.type))}."


def _wanted(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inner):
            return _wanted(inner)
        case inspect.UnionType(types=members):
            return next(_wanted(each) for each in members if not isinstance(each, inspect.NoneType))
        case inspect.IntType(ge=int(least), le=int(most)):
            return f"a whole number from {least} to {most}"
        case inspect.IntType(ge=int(least)):
            return f"a whole number, {least} or more"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(sorted(map(str, values)))}"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(pattern=str(pattern)):
            return f"an address that begins with {pattern.removeprefix('^')}"
    return "a text"


def with_secret(settings: Settings) -> Settings:
    """Fill in the installation's secret, made on the first start and kept in the data directory."""
    if settings.secret is not None:
        return settings
    with _usable(settings.folder):
        make_private(settings.folder)
        _write_once(settings.folder / SECRET_FILE, new_secret())
    return kept_secret(settings)


def kept_secret(settings: Settings) -> Settings:
    """Fill in the secret that is kept in the data directory; where there is none, none is made."""
    file = settings.folder / SECRET_FILE
    if settings.secret is not None:
        return settings
    with _usable(settings.folder), contextlib.suppress(FileNotFoundError, NotADirectoryError):
        present, *older = file.read_text().split()
        known = " ".join([*older, *settings.older])
        return msgspec.structs.replace(settings, secret=present, old_secrets=known)
    return settings


@contextlib.contextmanager
def _usable(folder: Path) -> Iterator[None]:
    """Say in a sentence that the data directory is none we can use."""
    try:
        yield
    except OSError as wrong:
        raise SettingsError(
            f"The data directory {folder} cannot be used: {wrong.strerror}. "
            "Choose another with --data or PANNIER_DATA."
        ) from None


def new_secret() -> str:
    """Make up a secret that nobody guesses."""
    return secrets.token_urlsafe(48)


def replace_secret(folder: Path, secret: str) -> None:
    """Put a new secret before those in the file, so that at no moment one of them is lost."""
    path = folder / SECRET_FILE
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text("\n".join([secret, *path.read_text().split(), ""]))
    with fresh.open("rb") as written:
        os.fsync(written.fileno())
    fresh.replace(path)
    # What is sealed with it must not outlive it: the name lasts before it is used.
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_private(folder: Path) -> None:
    """Make the data directory; others may pass through it where they must, but not look around."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


def _write_once(path: Path, text: str) -> None:
    if path.exists():
        return
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    try:
        # A link, unlike a rename, never replaces what a second process wrote first.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
