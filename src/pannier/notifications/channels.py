"""Channels that deliver messages. Each uses an Apprise URL, and delivers nothing without one."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import ModuleType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias
from urllib.parse import quote, urlencode

from pannier.notifications.models import ChannelName
from pannier.settings import Settings, SettingsError

TIMEOUT_SECONDS: Final = 20.0
# Concurrent messages per channel.
MAX_IN_FLIGHT: Final = 16
# Schemes of Apprise URLs that accept email headers.
EMAIL_SCHEMES: Final = ("mailto://", "mailtos://", "mailgun://")
# Recipients for checking a URL. Nothing is sent to them.
EXAMPLE_RECIPIENTS: Final[Mapping[ChannelName, str]] = {
    "sms": "+15550100",
    "email": "ada@example.com",
    "push": "a" * 64,
}


class MessageAttachment(NamedTuple):
    """A document that is attached to a message."""

    name: str
    content_type: str
    data: bytes


class Undeliverable(Exception):  # noqa: N818 - describes the message
    """This channel can never deliver the message, so retries are useless."""


class DeliveryFailed(Exception):  # noqa: N818 - describes the outcome
    """The provider did not accept the message. A retry may succeed."""


class Channel(Protocol):
    """A channel that delivers messages to recipients."""

    async def deliver(
        self,
        recipient: str,
        subject: str,
        text: str,
        sender: str = "",
        unsubscribe_url: str | None = None,
        attachment: MessageAttachment | None = None,
    ) -> None:
        """Deliver the message. Raise Undeliverable if retries are useless, else another exception.

        A POST to `unsubscribe_url` unsubscribes the recipient without confirmation.
        """


Channels: TypeAlias = Mapping[ChannelName, Channel]


class NullChannel:
    """A channel without a provider. Its messages can only be read in the console."""

    async def deliver(
        self,
        recipient: str,
        subject: str,
        text: str,
        sender: str = "",
        unsubscribe_url: str | None = None,
        attachment: MessageAttachment | None = None,
    ) -> None:
        """Deliver nothing."""


class AppriseChannel:
    """Delivers messages through the provider of an Apprise URL.

    In the URL, `{to}` stands for the recipient and `{sender}` for the sender.
    """

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._url, self._timeout = url, timeout
        # Each channel has its own threads, so that a slow provider does not delay other channels.
        self._threads = ThreadPoolExecutor(MAX_IN_FLIGHT, thread_name_prefix="apprise")

    async def deliver(
        self,
        recipient: str,
        subject: str,
        text: str,
        sender: str = "",
        unsubscribe_url: str | None = None,
        attachment: MessageAttachment | None = None,
    ) -> None:
        """Send in a thread, because Apprise blocks, and wait for it until the timeout."""
        url = _add_unsubscribe_headers(_fill_url(self._url, recipient, sender), unsubscribe_url)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout):
                await loop.run_in_executor(
                    self._threads, self._notify_recipient, url, subject, text, attachment
                )
        except TimeoutError:
            raise DeliveryFailed("The provider did not answer in time.") from None

    @property
    def accepts_attachments(self) -> bool:
        """Whether the provider can attach documents."""
        return self._url.startswith(EMAIL_SCHEMES)

    def _notify_recipient(
        self, url: str, subject: str, text: str, attachment: MessageAttachment | None
    ) -> None:
        apprise = _load_apprise()
        # Send in this thread: Apprise has few threads and shares them between all channels.
        asset = apprise.AppriseAsset(async_mode=False, service_timeout=0)
        provider = apprise.Apprise.instantiate(url, asset=asset)
        if provider is None:
            raise Undeliverable("The channel's URL does not work with this recipient.")
        sender = apprise.Apprise()
        sender.add(provider)
        # The format makes Apprise escape the text where a provider expects HTML.
        attached = None if attachment is None else _make_apprise_attachment(attachment)
        result = sender.notify(body=text, title=subject, body_format="text", attach=attached)
        if not result:
            reasons = " ".join(entry.message for entry in result.logs())
            raise DeliveryFailed(f"The provider did not accept the message. {reasons}".strip())


@lru_cache(maxsize=1)
def _load_apprise() -> ModuleType:
    """Import Apprise on first use, because it loads a hundred providers."""
    import apprise  # noqa: PLC0415 - see above

    # Apprise logs message texts below the level of warnings. Its warnings are stored with the
    # message instead.
    logger = logging.getLogger("apprise")
    logger.setLevel(logging.WARNING)
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return apprise


def _make_apprise_attachment(attachment: MessageAttachment) -> Any:  # noqa: ANN401 - Apprise has no types
    from apprise.attachment.memory import AttachMemory  # noqa: PLC0415 - see _load_apprise

    return AttachMemory(  # type: ignore[no-untyped-call] # Apprise has no types
        content=attachment.data, name=attachment.name, mimetype=attachment.content_type
    )


def open_channels(settings: Settings) -> Channels:
    """Create the channels from the operator's settings."""
    urls = _map_channel_urls(settings)
    return {name: AppriseChannel(url) if url else NullChannel() for name, url in urls.items()}


def list_configured_channels(settings: Settings) -> frozenset[str]:
    """Return the names of the channels that have a provider."""
    return frozenset(name for name, url in _map_channel_urls(settings).items() if url)


def check_channel_urls(settings: Settings) -> None:
    """Raise SettingsError for a URL that Apprise does not support.

    The message omits the URL, because it may contain a password.
    """
    for name, url in _map_channel_urls(settings).items():
        if (
            url
            and _load_apprise().Apprise.instantiate(_fill_url(url, EXAMPLE_RECIPIENTS[name], ""))
            is None
        ):
            raise SettingsError(
                f"PANNIER_{name.upper()}_URL is invalid: Apprise does not support this URL. "
                "See https://github.com/caronc/apprise/wiki."
            )


def _map_channel_urls(settings: Settings) -> Mapping[ChannelName, str | None]:
    return {"sms": settings.sms_url, "email": settings.email_url, "push": settings.push_url}


def _fill_url(url: str, recipient: str, sender: str) -> str:
    return url.replace("{to}", quote(recipient, safe="")).replace(
        "{sender}", quote(sender, safe="")
    )


def _add_unsubscribe_headers(url: str, unsubscribe_url: str | None) -> str:
    """Add the headers for one-click unsubscription to an email (RFC 8058)."""
    if unsubscribe_url is None or not url.startswith(EMAIL_SCHEMES):
        return url
    headers = {
        "+List-Unsubscribe": f"<{unsubscribe_url}>",
        "+List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return f"{url}{'&' if '?' in url else '?'}{urlencode(headers)}"
