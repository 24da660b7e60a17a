"""The client for HTTP calls to external services, with limits on time and size."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from pannier.web.certificates import check_bundle, load_authorities

if TYPE_CHECKING:
    import aiohttp

SETTING: Final = "PANNIER_CA_BUNDLE"
CONNECT_TIMEOUT_SECONDS: Final = 3.0
TOTAL_TIMEOUT_SECONDS: Final = 6.0
MAX_RESPONSE_BYTES: Final = 256 * 1024
# Public services require that clients identify themselves.
USER_AGENT_HEADERS: Final = {"User-Agent": "Pannier"}


class HttpClientError(Exception):
    """A call failed: there was no valid response in time."""


class HttpClientResponse(msgspec.Struct, frozen=True):
    """The response of an external service."""

    status: int
    body: bytes
    cache_control: str = ""


class HttpClient:
    """Calls URLs from the settings. It follows no redirects.

    Connections are not kept open, because calls are rare.
    """

    def __init__(self, ca_bundle: str | None = None) -> None:
        check_bundle(SETTING, ca_bundle)
        self._ca_bundle = ca_bundle

    async def get(
        self,
        url: str,
        query: Mapping[str, str] | None = None,
        *,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpClientResponse:
        """Send a GET request."""
        return await self._call("GET", url, query=query, max_bytes=max_bytes)

    async def post(self, url: str, form: Mapping[str, str]) -> HttpClientResponse:
        """Send a POST request with a form."""
        return await self._call("POST", url, form=form)

    async def _call(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> HttpClientResponse:
        # Imported here because most processes do not need it.
        import aiohttp  # noqa: PLC0415 - see above

        timeout = aiohttp.ClientTimeout(
            total=TOTAL_TIMEOUT_SECONDS, sock_connect=CONNECT_TIMEOUT_SECONDS
        )
        try:
            connector = aiohttp.TCPConnector(
                ssl=await asyncio.to_thread(load_authorities, SETTING, self._ca_bundle),
                force_close=True,
            )
            async with (
                aiohttp.ClientSession(
                    connector=connector, timeout=timeout, headers=USER_AGENT_HEADERS
                ) as session,
                session.request(
                    method, url, params=query, data=form, allow_redirects=False
                ) as response,
            ):
                body = await _read_limited_body(response.content, max_bytes)
                return HttpClientResponse(
                    response.status, body, response.headers.get("Cache-Control", "")
                )
        except (aiohttp.ClientError, TimeoutError, OSError) as failure:
            # Without its text, which may contain the URL and so a secret.
            raise HttpClientError(type(failure).__name__) from None


async def _read_limited_body(content: "aiohttp.StreamReader", max_bytes: int) -> bytes:
    body = b""
    while chunk := await content.read(MAX_RESPONSE_BYTES):
        body += chunk
        if len(body) > max_bytes:
            raise HttpClientError(f"The response is larger than {max_bytes:,} bytes.")
    return body
