"""The ways out of the house: an Apprise address for each channel, or a drawer without one."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import ModuleType
from typing import Final, Protocol, TypeAlias
from urllib.parse import quote, urlencode

from pannier.notifications.models import ChannelName
from pannier.settings import Settings, SettingsError

TIME_LIMIT: Final = 20.0
# How many messages may be on their way through one channel.
PLACES: Final = 16
# Providers whose Apprise address takes headers of a letter; others get the text alone.
LETTERS: Final = ("mailto://", "mailtos://", "mailgun://")
# Recipients to try an address with; nothing is sent to them.
EXAMPLES: Final[Mapping[ChannelName, str]] = {
    "sms": "+15550100",
    "email": "ada@example.com",
    "push": "a" * 64,
}


class Undeliverable(Exception):  # noqa: N818 - it says what the message is
    """The message can never be delivered this way; trying again would not help."""


class NotTaken(Exception):  # noqa: N818 - it says what became of the message
    """The provider did not take the message this time."""


class Channel(Protocol):
    """Carries one message to one recipient."""

    async def deliver(
        self, to: str, subject: str, text: str, sender: str = "", way_out: str | None = None
    ) -> None:
        """Deliver, or raise Undeliverable for good and anything else for a passing reason.

        The `way_out` is where the recipient has no more of it, by a POST without a question.
        """


Channels: TypeAlias = Mapping[ChannelName, Channel]


class Drawer:
    """Takes messages that have no provider; they stay readable where they are."""

    async def deliver(
        self, to: str, subject: str, text: str, sender: str = "", way_out: str | None = None
    ) -> None:
        """Let the message lie."""


class AppriseChannel:
    """Hands messages to the provider behind an Apprise address.

    In it `{to}` is the recipient, and `{sender}` whom the message comes from.
    """

    def __init__(self, url: str, *, time_limit: float = TIME_LIMIT) -> None:
        self._url, self._time_limit = url, time_limit
        # Threads of its own: a provider that hangs must not hold up anybody else's.
        self._threads = ThreadPoolExecutor(PLACES, thread_name_prefix="apprise")

    async def deliver(
        self, to: str, subject: str, text: str, sender: str = "", way_out: str | None = None
    ) -> None:
        """Send, in a thread because Apprise waits, though never longer than the time limit."""
        url = _unsubscribing(_filled(self._url, to, sender), way_out)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._time_limit):
                await loop.run_in_executor(self._threads, self._notify, url, subject, text)
        except TimeoutError:
            raise NotTaken("The provider did not answer in time.") from None

    def _notify(self, url: str, subject: str, text: str) -> None:
        apprise = _apprise()
        # In this very thread: those that Apprise keeps are few, and shared by all channels.
        asset = apprise.AppriseAsset(async_mode=False, service_timeout=0)
        provider = apprise.Apprise.instantiate(url, asset=asset)
        if provider is None:
            raise Undeliverable("The channel's address does not work with this recipient.")
        sender = apprise.Apprise()
        sender.add(provider)
        # The format makes Apprise escape the text where a provider expects HTML.
        result = sender.notify(body=text, title=subject, body_format="text")
        if not result:
            reasons = " ".join(entry.message for entry in result.logs())
            raise NotTaken(f"The provider did not take the message. {reasons}".strip())


@lru_cache(maxsize=1)
def _apprise() -> ModuleType:
    """Import Apprise when it is first needed: it knows a hundred providers."""
    import apprise  # noqa: PLC0415 - see above

    # Below warnings it logs what it sends; its warnings are kept with the message instead.
    logger = logging.getLogger("apprise")
    logger.setLevel(logging.WARNING)
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return apprise


def channels(settings: Settings) -> Channels:
    """Open the ways out that the operator has configured."""
    urls = _urls(settings)
    return {name: AppriseChannel(url) if url else Drawer() for name, url in urls.items()}


def provided(settings: Settings) -> frozenset[str]:
    """Name the ways out that have a provider."""
    return frozenset(name for name, url in _urls(settings).items() if url)


def check(settings: Settings) -> None:
    """Find addresses that Apprise can make nothing of, without a word of them in the sentence."""
    for name, url in _urls(settings).items():
        if url and _apprise().Apprise.instantiate(_filled(url, EXAMPLES[name], "")) is None:
            raise SettingsError(
                f"PANNIER_{name.upper()}_URL is wrong: Apprise knows no provider of this form; "
                "see https://github.com/caronc/apprise/wiki."
            )


def _urls(settings: Settings) -> Mapping[ChannelName, str | None]:
    return {"sms": settings.sms_url, "email": settings.email_url, "push": settings.push_url}


def _filled(url: str, to: str, sender: str) -> str:
    return url.replace("{to}", quote(to, safe="")).replace("{sender}", quote(sender, safe=""))


def _unsubscribing(url: str, way_out: str | None) -> str:
    """Have a letter carry the way out where mail programs look for it (RFC 8058)."""
    if way_out is None or not url.startswith(LETTERS):
        return url
    headers = {
        "+List-Unsubscribe": f"<{way_out}>",
        "+List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return f"{url}{'&' if '?' in url else '?'}{urlencode(headers)}"
