"""E-mail addresses: one way to write them, one key to compare them."""

import unicodedata

# RFC 5321's path of 256 characters less its angle brackets.
LONGEST_ADDRESS = 254
_REFUSAL = "must be an e-mail address, such as ada@example.com."


def normalise(raw: str) -> str:
    """The address as it is stored: the domain in one form, the local part as it was typed.

    Nothing is looked up: whether mail arrives is proved by a code, not by DNS. The reserved
    `.test` domains are allowed so that a trial company needs no real mailboxes.
    """
    # Imported here because it would slow every start of the program.
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - see above

    text = raw.strip()
    if len(text) > LONGEST_ADDRESS:
        raise ValueError(f"must have at most {LONGEST_ADDRESS} characters.")
    try:
        checked = validate_email(
            text, check_deliverability=False, test_environment=True, strict=True
        )
    except EmailNotValidError:
        raise ValueError(_REFUSAL) from None
    return checked.normalized


def key(email: str) -> str:
    """What makes two addresses the same: their text without regard to capitals.

    No letter is taken for another one that only folds to it, such as ß for ss: those
    are two mailboxes, and may be two people's.
    """
    return unicodedata.normalize("NFC", email.lower())


def masked(email: str) -> str:
    """The address with its local part hidden, such as m•••@example.com."""
    local, _, domain = email.rpartition("@")
    # A local part of one letter would be shown whole.
    shown = local[0] if len(local) > 1 else ""
    return f"{shown}•••@{domain}"
