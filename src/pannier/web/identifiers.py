"""How identifiers are described in a body or a query."""

from msgspec import Meta


def identifier(
    example: str, said: str | None = None, *, least: int | None = None, most: int
) -> Meta:
    """Describe an identifier: one as an example, what it names, and how long it may be."""
    return Meta(min_length=least or None, max_length=most, description=said, examples=[example])
