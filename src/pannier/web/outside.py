"""The client for HTTP calls to external services, with limits on time and size."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from pannier.web.trust import check_bundle, load_authorities

if TYPE_CHECKING:
    import aiohttp

SETTING: Final = "PANNIER_CA_BUNDLE"
CONNECT_SECONDS: Final = 3.0
TOTAL_SECONDS: Final = 6.0
LARGEST: Final = 256 * 1024
# Public services require that clients identify themselves.
INTRODUCTION: Final = {"User-Agent": "Pannier"}


class OutsideError(Exception):
    """A call failed: there was no valid response in time."""


class OutsideAnswer(msgspec.Struct, frozen=True):
    """The response of an external service."""

    status: int
    body: bytes
    cache_control: str = ""


class Outside:
    """Calls URLs from the settings. It follows no redirects.

    Connections are not kept open, because calls are rare.
    """

    def __init__(self, ca_bundle: str | None = None) -> None:
        check_bundle(SETTING, ca_bundle)
        self._ca_bundle = ca_bundle

    async def get(self, url: str, query: Mapping[str, str] | None = None) -> OutsideAnswer:
        """Send a GET request."""
        return await self._call("GET", url, query=query)

    async def post(self, url: str, form: Mapping[str, str]) -> OutsideAnswer:
        """Send a form."""
        return await self._call("POST", url, form=form)

    async def _call(
        self,
        method: str,
        url: str,
        *,
        query: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> OutsideAnswer:
        # Imported here because most processes do not need it.
        import aiohttp  # noqa: PLC0415 - see above

        limits = aiohttp.ClientTimeout(total=TOTAL_SECONDS, sock_connect=CONNECT_SECONDS)
        try:
            connector = aiohttp.TCPConnector(
                ssl=await asyncio.to_thread(load_authorities, SETTING, self._ca_bundle),
                force_close=True,
            )
            async with (
                aiohttp.ClientSession(
                    connector=connector, timeout=limits, headers=INTRODUCTION
                ) as session,
                session.request(
                    method, url, params=query, data=form, allow_redirects=False
                ) as answer,
            ):
                body = await _bounded(answer.content)
                return OutsideAnswer(answer.status, body, answer.headers.get("Cache-Control", ""))
        except (aiohttp.ClientError, TimeoutError, OSError) as failure:
            # Without its text, which may contain the URL and so a secret.
            raise OutsideError(type(failure).__name__) from None


async def _bounded(content: "aiohttp.StreamReader") -> bytes:
    body = b""
    while chunk := await content.read(LARGEST):
        body += chunk
        if len(body) > LARGEST:
            raise OutsideError("The answer is too large.")
    return body
