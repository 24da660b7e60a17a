"""Email addresses: a normal form to store and a key to compare."""

import unicodedata

# RFC 5321 limits a path to 256 characters, including its angle brackets.
MAX_ADDRESS_LENGTH = 254
_REFUSAL = "must be an email address, such as ada@example.com."


def normalise(raw: str) -> str:
    """Return the address to store: a normalised domain and the local part as typed.

    There is no DNS lookup, because a code proves that mail arrives. The reserved `.test` domains
    are allowed so that a trial company needs no real mailboxes.
    """
    # Imported here because it would slow down every start.
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - see above

    text = raw.strip()
    if len(text) > MAX_ADDRESS_LENGTH:
        raise ValueError(f"must have at most {MAX_ADDRESS_LENGTH} characters.")
    try:
        address = validate_email(
            text, check_deliverability=False, test_environment=True, strict=True
        )
    except EmailNotValidError:
        raise ValueError(_REFUSAL) from None
    return address.normalized


def key(email: str) -> str:
    """Return the key for comparing addresses: the address in lower case.

    The key is not case-folded: that would turn ß into ss, which is another mailbox.
    """
    return unicodedata.normalize("NFC", email.lower())


def mask(email: str) -> str:
    """Hide the local part of an address, as in m•••@example.com."""
    local, _, domain = email.rpartition("@")
    # A local part of one letter would otherwise be shown completely.
    visible = local[0] if len(local) > 1 else ""
    return f"{visible}•••@{domain}"
