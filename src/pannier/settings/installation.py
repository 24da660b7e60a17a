"""The installation: its data, address, processes and logs."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.settings.values import Port, SettingsError


class InstallationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The installation: its data, address, processes and logs."""

    data: Annotated[
        str, Meta(description="Data directory for the embedded database, files and secret.")
    ] = "data"
    database_url: Annotated[
        str | None,
        Meta(
            description="External PostgreSQL 15 or later, "
            "`postgresql://user:password@host/name`. Unset: an embedded server "
            "in the data directory."
        ),
    ] = None
    secret: Annotated[
        str | None,
        Meta(
            description="Secret of at least 32 characters from which all signing keys are "
            "derived. Must be the same on all machines. Unset: generated once "
            "and stored in the data directory."
        ),
    ] = None
    old_secrets: Annotated[
        str,
        Meta(
            description="Previous values of `PANNIER_SECRET`, separated by spaces. Data "
            "signed or encrypted with them stays valid. To rotate with several "
            "machines, add the new secret here first."
        ),
    ] = ""
    base_url: Annotated[
        str,
        Meta(
            description="Public URL of this installation. `pannier serve` uses its own "
            "address if unset."
        ),
    ] = "http://127.0.0.1:8000"
    embedded_user: Annotated[
        str | None,
        Meta(
            description="Account that runs the embedded server when Pannier is started as "
            "root. Unset: `postgres` if it exists, else `nobody`."
        ),
    ] = None
    pool_size: Annotated[
        int,
        Meta(
            ge=2,
            le=500,
            description="Maximum database connections per process. Requests of one company use "
            "at most half of them.",
        ),
    ] = 10
    files_url: Annotated[
        str | None,
        Meta(
            description="Storage for uploads: `s3://bucket/prefix`, `gs://…`, `az://…` or "
            "`file:///folder`. Unset: `files` in the data directory."
        ),
    ] = None
    backup_url: Annotated[
        str | None,
        Meta(
            description="Destination of backups: a folder, `s3://bucket/prefix`, `gs://…` or "
            "`az://…`. If set, the worker takes backups. Use another disk or another place than "
            "the data."
        ),
    ] = None
    backup_hours: Annotated[
        int, Meta(ge=1, le=24 * 31, description="Hours between two backups by the worker.")
    ] = 24
    backup_keep_days: Annotated[
        int,
        Meta(ge=1, le=3660, description="Days with a backup of which the newest one is kept."),
    ] = 7
    backup_keep_weeks: Annotated[
        int,
        Meta(ge=1, le=520, description="Weeks with a backup of which the newest one is kept."),
    ] = 5
    backup_key: Annotated[
        str | None,
        Meta(
            description="Key of at least 32 characters that encrypts backups. Keep it elsewhere: "
            "without it, they cannot be restored. Unset: backups are not encrypted, and do not "
            "contain the installation's secret."
        ),
    ] = None
    ca_bundle: Annotated[
        str | None,
        Meta(
            description="PEM file of certificate authorities that outgoing requests trust "
            "in addition to the system's."
        ),
    ] = None
    password_memory: Annotated[
        int, Meta(ge=8, description="Memory per password hash in KiB (argon2id).")
    ] = 19456
    session_hours: Annotated[
        int, Meta(ge=1, le=24 * 30, description="Hours until an operator's session expires.")
    ] = 24 * 7
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="Minimum level of log lines."),
    ] = "info"
    log_format: Annotated[
        Literal["auto", "text", "json"],
        Meta(
            description="Log format: `text`, `json`, or `auto` for `text` on a terminal and "
            "`json` elsewhere."
        ),
    ] = "auto"
    worker_host: Annotated[
        str, Meta(description="Address that a standalone `pannier worker` listens on.")
    ] = "127.0.0.1"
    worker_port: Annotated[
        Port | None,
        Meta(
            description="Port on which a standalone `pannier worker` serves `/healthz` and, "
            "with the metrics token, `/metrics`. Unset: none. Under `serve`, "
            "the API serves both.",
        ),
    ] = None
    metrics_cache_seconds: Annotated[
        int, Meta(ge=0, le=300, description="Seconds to cache the `/metrics` response.")
    ] = 5
    metrics_token_version: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="Version of the token that reads `/metrics`. Increase it to revoke "
            "the current token; `pannier metrics token` prints the new one.",
        ),
    ] = 1

    @property
    def older_secrets(self) -> list[str]:
        """The previous secrets as a list."""
        return self.old_secrets.split()

    @property
    def folder(self) -> Path:
        """The data directory as an absolute path."""
        try:
            return Path(self.data).expanduser().absolute()
        except RuntimeError:
            raise SettingsError(
                f"PANNIER_DATA is invalid: the home directory in {self.data} cannot be found."
            ) from None
