# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.settings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalSettingsGetNewsQuery(TypedDict, total=False):
    """Parameters of `get_news`."""

    store: str
    """The store. Without one, the company's texts are used."""
    storefront: str
    """Deprecated: use `store`."""


class InternalSettings:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, options: Options | None = None) -> types.SettingsOut:
        """Retrieve the company's effective settings, including defaults."""
        return self._transport.call("GET", "/int/v1/settings", options=options)

    def get_news(
        self, *, options: Options | None = None, **query: Unpack[InternalSettingsGetNewsQuery]
    ) -> types.NewsOut:
        """Retrieve the notification texts in every language, and the daily SMS limit."""
        return self._transport.call("GET", "/int/v1/settings/news", query=query, options=options)

    def preview_news(
        self, *, options: Options | None = None, **fields: Unpack[types.NewsPreviewIn]
    ) -> types.NewsPreviewOut:
        """Preview a text with example values and its SMS length."""
        return self._transport.call(
            "POST", "/int/v1/settings/news/preview", body=fields, options=options
        )

    def update(
        self, *, options: Options | None = None, **fields: Unpack[types.SettingsChange]
    ) -> types.SettingsOut:
        """Update settings."""
        return self._transport.call("PATCH", "/int/v1/settings", body=fields, options=options)


class AsyncInternalSettings:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> types.SettingsOut:
        """Retrieve the company's effective settings, including defaults."""
        return await self._transport.call("GET", "/int/v1/settings", options=options)

    async def get_news(
        self, *, options: Options | None = None, **query: Unpack[InternalSettingsGetNewsQuery]
    ) -> types.NewsOut:
        """Retrieve the notification texts in every language, and the daily SMS limit."""
        return await self._transport.call(
            "GET", "/int/v1/settings/news", query=query, options=options
        )

    async def preview_news(
        self, *, options: Options | None = None, **fields: Unpack[types.NewsPreviewIn]
    ) -> types.NewsPreviewOut:
        """Preview a text with example values and its SMS length."""
        return await self._transport.call(
            "POST", "/int/v1/settings/news/preview", body=fields, options=options
        )

    async def update(
        self, *, options: Options | None = None, **fields: Unpack[types.SettingsChange]
    ) -> types.SettingsOut:
        """Update settings."""
        return await self._transport.call("PATCH", "/int/v1/settings", body=fields, options=options)
