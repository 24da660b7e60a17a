"""Signed links: anybody with the link may download one file or document until it expires."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from urllib.parse import urlencode

from pannier.errors import Problem
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

LINK_LIFETIME: Final = timedelta(hours=1)
PURPOSE: Final = "file-link"
_SECONDS_PATTERN: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


class LinkInvalid(Problem):
    """The signature in the file link is wrong."""

    status, code, title = 403, "link_invalid", "This link is not valid."
    remedy = "Use the link exactly as it was issued."


class LinkExpired(Problem):
    """A link to a file is valid for a limited time."""

    status, code, title = 410, "link_expired", "This link has expired."
    remedy = "Ask for a new one."


class FileLink(NamedTuple):
    """A URL and when it expires."""

    url: str
    expires_at: datetime


def sign_query(keys: Keyring, public_id: str, expires: datetime, *, purpose: str = PURPOSE) -> str:
    """Return the signed query of a link, which expires at a whole second."""
    seconds = str(int(expires.timestamp()))
    signatures = _make_signatures(keys, purpose, public_id, seconds)
    return urlencode({"expires": seconds, "signature": signatures[0]})


def make_link(keys: Keyring, base_url: str, public_id: str, expires: datetime) -> FileLink:
    """Build the full link to a file."""
    query = sign_query(keys, public_id, expires)
    return FileLink(
        f"{base_url.rstrip('/')}/files/{public_id}?{query}", expires.replace(microsecond=0)
    )


def check(
    keys: Keyring,
    public_id: str,
    expires: str,
    signature: str,
    now: datetime,
    *,
    purpose: str = PURPOSE,
) -> None:
    """Verify a link, or raise LinkInvalid or LinkExpired."""
    # Compare the text, not the decoded bytes: base64 has several encodings of the same bytes.
    valid_signatures = [
        text.encode() for text in _make_signatures(keys, purpose, public_id, expires)
    ]
    is_genuine = crypto.contains(valid_signatures, signature.encode(errors="replace"))
    if not is_genuine or not _SECONDS_PATTERN.fullmatch(expires):
        raise LinkInvalid
    if datetime.fromtimestamp(int(expires), UTC) <= now:
        raise LinkExpired


def _make_signatures(keys: Keyring, purpose: str, public_id: str, seconds: str) -> list[str]:
    message = f"{public_id}\n{seconds}".encode(errors="replace")
    return [crypto.to_text(signature) for signature in keys.signatures(purpose, message)]
