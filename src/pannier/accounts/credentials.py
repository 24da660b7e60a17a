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


def make_refusal(
    credential_text: str, *prefixes: str, remedy: str = BEARER_REMEDY
) -> Unauthenticated:
    """Make the error for a missing or invalid credential, with the kinds that the route accepts.

    Its text depends on the prefix alone, so it never reveals whether a credential exists.
    """
    return Unauthenticated(describe_refusal(credential_text, *prefixes, remedy=remedy))


def describe_refusal(credential_text: str, *prefixes: str, remedy: str = BEARER_REMEDY) -> str:
    """Describe the credential to send instead of `credential_text`."""
    kind = credential.kind(credential_text)
    if kind in prefixes and credential.parse(credential_text) is not None:
        remedy = INVALID_REMEDIES.get(kind, _DEFAULT_REMEDY)
        return f"This {NAMES[kind]} is unknown, revoked or expired. {remedy}"
    *other_kinds, last_kind = (describe_kind(prefix) for prefix in prefixes)
    kinds = f"{', '.join(other_kinds)} or {last_kind}" if other_kinds else last_kind
    if kind in prefixes:
        return f"This {NAMES[kind]} is incomplete. Send it exactly as it was issued."
    introduction = f"You sent {_with_article(NAMES[kind])}. " if kind in NAMES else ""
    return f"{introduction}This route takes {kinds}. {remedy}"


def describe_kind(prefix: str) -> str:
    """Name a kind of credential with its prefix."""
    return f"{_with_article(NAMES[prefix])} (`{prefix}_…`)"


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'Aaeiou' else 'a'} {name}"


_DEFAULT_REMEDY: Final = "Send a valid one."
