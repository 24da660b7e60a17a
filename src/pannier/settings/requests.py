"""Requests: sources, sizes and rates."""

from typing import Annotated

from msgspec import Meta

from pannier.settings.installation import InstallationSettings


class RequestSettings(InstallationSettings, frozen=True, kw_only=True):
    """Requests: sources, sizes and rates."""

    trusted_proxies: Annotated[
        str,
        Meta(
            description="Addresses or networks of trusted proxies, separated by commas. "
            "Their `X-Forwarded-For` and `X-Forwarded-Proto` headers are used."
        ),
    ] = ""
    storefront_origins: Annotated[
        str,
        Meta(
            description="Origins that can call `/storefront/v1` from a browser, separated "
            "by commas. `*` allows all."
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
    # Stored values can have up to 64 levels, and storing a body adds some levels around it.
    depth_limit: Annotated[
        int, Meta(ge=4, le=48, description="Maximum levels of nesting in a JSON body.")
    ] = 32
    address_rate: Annotated[
        int, Meta(ge=1, description="Maximum requests per minute from one IP address.")
    ] = 6000
    credential_rate: Annotated[
        int, Meta(ge=1, description="Maximum requests per minute with one credential.")
    ] = 6000
    picture_rate: Annotated[
        int,
        Meta(
            ge=10,
            description="Maximum images per minute from one key or driver. An image of more "
            "than 12 megapixels counts several times.",
        ),
    ] = 240
    connections: Annotated[
        int, Meta(ge=16, description="Maximum open connections per API process.")
    ] = 8192
    address_connections: Annotated[
        int,
        Meta(
            ge=1,
            description="Maximum open connections from one IP address per API process. "
            "Trusted proxies have no limit.",
        ),
    ] = 512
    keep_alive_seconds: Annotated[
        int,
        Meta(
            ge=1,
            le=3600,
            description="Keep-alive timeout in seconds. Must be longer than the timeout of "
            "a proxy in front.",
        ),
    ] = 75
    body_rate: Annotated[
        int,
        Meta(
            ge=1,
            description="Minimum upload speed of a request body in bytes per second, after "
            "a grace period of ten seconds.",
        ),
    ] = 1024
