"""Types of settings, and the error for an invalid one."""

from typing import Annotated, Literal

from msgspec import Meta

HttpsAddress = Annotated[str, Meta(pattern="^https://")]
WebAddress = Annotated[str, Meta(pattern="^http")]
Port = Annotated[int, Meta(ge=1, le=65535)]
Algorithm = Literal["RS256", "ES256"]


class SettingsError(Exception):
    """A setting is invalid. The message names the setting and the reason."""
