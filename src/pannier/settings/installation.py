"""The installation: its data, address, processes and logs."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.settings.values import Port, SettingsError


class InstallationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The installation: its data, address, processes and logs."""

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
        int, Meta(ge=2, le=500, description="Maximum database connections per process.")
    ] = 10
    files_url: Annotated[
        str | None,
        Meta(
            description="Where uploads are kept: `s3://bucket/prefix`, `gs://…`, `az://…` or "
            "`file:///folder`. Unset: `files` in the data directory."
        ),
    ] = None
    ca_bundle: Annotated[
        str | None,
        Meta(
            description="A PEM file of authorities that calls to the outside trust besides the "
            "system's own."
        ),
    ] = None
    password_memory: Annotated[
        int, Meta(ge=8, description="KiB of memory one password hash costs (argon2id).")
    ] = 19456
    session_hours: Annotated[
        int, Meta(ge=1, le=24 * 30, description="Hours after which an operator signs in again.")
    ] = 24 * 7
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least serious log lines to write."),
    ] = "info"
    log_format: Annotated[
        Literal["auto", "text", "json"],
        Meta(
            description="How log lines are written: `text` for people, `json` for programs, "
            "`auto` writes `text` to a terminal and `json` elsewhere."
        ),
    ] = "auto"
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
