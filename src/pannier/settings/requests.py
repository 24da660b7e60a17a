"""Requests: who may send them, how large, and how often."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.installation import InstallationSettings


class RequestSettings(InstallationSettings, frozen=True, kw_only=True):
    """Requests: who may send them, how large, and how often."""

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
        int, Meta(ge=1024, description="Maximum bytes of an ordinary request body.")
    ] = 1024 * 1024
    upload_limit: Annotated[int, Meta(ge=1024, description="Maximum bytes of an upload.")] = (
        64 * 1024 * 1024
    )
    intake_limit: Annotated[
        int,
        Meta(
            ge=1024,
            description="Maximum bytes of a request body with device events, uncompressed.",
        ),
    ] = 8 * 1024 * 1024
    # Stored values are read back up to 64 levels, some of which we put around a body's own.
    depth_limit: Annotated[
        int, Meta(ge=4, le=48, description="Maximum levels of nesting in a JSON body.")
    ] = 32
    address_rate: Annotated[
        int, Meta(ge=1, description="Maximum requests per minute from one address.")
    ] = 6000
    credential_rate: Annotated[
        int, Meta(ge=1, description="Maximum requests per minute with one credential.")
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
        int, Meta(ge=16, description="Maximum open connections per API process.")
    ] = 8192
    address_connections: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum open connections from one address per API process. Trusted "
            "proxies have no limit.",
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
