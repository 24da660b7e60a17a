"""Several database servers in one URL, of which one accepts writes.

A server that has lost power does not refuse a connection; it does not answer. So the next server is
tried soon, without waiting for the first one's answer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar
from urllib.parse import parse_qs, urlsplit, urlunsplit

Opened = TypeVar("Opened")

# How long a server may take before the next one is tried as well.
NEXT_HOST_SECONDS: Final = 1.0
SESSION_ATTRIBUTES: Final = "target_session_attrs"
# The server of each URL that was connected last. It is tried first.
_LAST_HOSTS: Final[dict[str, str]] = {}


def split_hosts(url: str) -> list[str]:
    """Return a URL for each server: the one connected last first.

    With several servers, only one that accepts writes will do, unless the URL says otherwise.
    """
    parts = urlsplit(url)
    credentials, at, servers = parts.netloc.rpartition("@")
    names = servers.split(",")
    if len(names) == 1:
        return [url]
    query = parts.query
    if SESSION_ATTRIBUTES not in parse_qs(query):
        query = "&".join(filter(None, [query, f"{SESSION_ATTRIBUTES}=read-write"]))
    urls = [
        urlunsplit(parts._replace(netloc=f"{credentials}{at}{name}", query=query)) for name in names
    ]
    last = _LAST_HOSTS.get(url)
    return sorted(urls, key=lambda each: each != last)


async def open_first(
    url: str, open_one: Callable[[str], Awaitable[Opened]], close: Callable[[Opened], None]
) -> Opened:
    """Connect to the first server that can be used. Raise the last error if there is none."""
    urls = split_hosts(url)
    if len(urls) == 1:
        return await open_one(urls[0])
    host_url, opened = await _race(urls, open_one, close)
    _LAST_HOSTS[url] = host_url
    return opened


async def _race(
    urls: Sequence[str],
    open_one: Callable[[str], Awaitable[Opened]],
    close: Callable[[Opened], None],
) -> tuple[str, Opened]:
    remaining_urls = list(urls)
    attempts: dict[asyncio.Future[Opened], str] = {}
    failures: list[BaseException] = []
    winner: asyncio.Future[Opened] | None = None
    try:
        while remaining_urls or attempts:
            if remaining_urls:
                host_url = remaining_urls.pop(0)
                attempts[asyncio.ensure_future(open_one(host_url))] = host_url
            ended, _ = await asyncio.wait(
                attempts,
                timeout=NEXT_HOST_SECONDS if remaining_urls else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            for attempt in ended:
                failure = attempt.exception()
                if failure is None:
                    winner = attempt
                    return attempts[attempt], attempt.result()
                failures.append(failure)
                del attempts[attempt]
        raise failures[-1]
    finally:
        await _abandon([attempt for attempt in attempts if attempt is not winner], close)


async def _abandon(
    attempts: Sequence[asyncio.Future[Opened]], close: Callable[[Opened], None]
) -> None:
    """Cancel attempts, and close the connections that opened meanwhile."""
    for attempt in attempts:
        attempt.cancel()
    for result in await asyncio.gather(*attempts, return_exceptions=True):
        if not isinstance(result, BaseException):
            close(result)
