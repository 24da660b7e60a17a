"""The kinds of credentials, and the errors for a missing or wrong one."""

from collections.abc import Mapping
from typing import Final

from pannier.errors import Unauthenticated
from pannier.kit import credential

NAMES: Final[Mapping[str, str]] = {
    "api": "API key",
    "store": "storefront key",
    "app": "app key",
    "cst": "customer token",
    "drv": "driver token",
    "dvc": "device token",
    "opr": "operator token",
    "mtr": "metrics token",
    "whsec": "webhook secret",
}
# How to get a valid credential, if callers can get one without help.
INVALID_REMEDIES: Final[Mapping[str, str]] = {
    "cst": "Sign in again.",
    "drv": "Sign in again.",
    "opr": "Sign in again.",
    "dvc": "Send a valid device token.",
}
BEARER_REMEDY: Final = "Send it as `Authorization: Bearer …`."


def make_refusal(sent: str, *accepted: str, remedy: str = BEARER_REMEDY) -> Unauthenticated:
    """Return the error that says which credentials a route takes, and what is wrong with this one.

    It depends on the prefix alone, so nobody learns whether a credential exists.
    """
    return Unauthenticated(describe_refusal(sent, *accepted, remedy=remedy))


def describe_refusal(sent: str, *accepted: str, remedy: str = BEARER_REMEDY) -> str:
    """Say what to send instead of `sent`; `accepted` are prefixes."""
    kind = credential.kind(sent)
    if kind in accepted and credential.parse(sent) is not None:
        remedy = INVALID_REMEDIES.get(kind, _DEFAULT_REMEDY)
        return f"This {NAMES[kind]} is unknown, revoked or expired. {remedy}"
    *others, last = (describe_kind(prefix) for prefix in accepted)
    kinds = f"{', '.join(others)} or {last}" if others else last
    if kind in accepted:
        return f"This {NAMES[kind]} is incomplete. Send it exactly as it was issued."
    begin = f"You sent {_with_article(NAMES[kind])}. " if kind in NAMES else ""
    return f"{begin}This route takes {kinds}. {remedy}"


def describe_kind(prefix: str) -> str:
    """Name a kind of credential with its prefix."""
    return f"{_with_article(NAMES[prefix])} (`{prefix}_…`)"


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'Aaeiou' else 'a'} {name}"


_DEFAULT_REMEDY: Final = "Send a valid one."
