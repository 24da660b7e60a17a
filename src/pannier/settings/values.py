"""What settings may hold, and how a wrong one is refused."""

from typing import Annotated, Literal

from msgspec import Meta

HttpsAddress = Annotated[str, Meta(pattern="^https://")]
WebAddress = Annotated[str, Meta(pattern="^http")]
Port = Annotated[int, Meta(ge=1, le=65535)]
Algorithm = Literal["RS256", "ES256"]


class SettingsError(Exception):
    """One sentence for a person: which setting is wrong, and why."""
