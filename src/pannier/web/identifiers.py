"""How identifiers are described in a body or a query."""

from typing import Annotated, TypeVar

from msgspec import Meta

Id = TypeVar("Id")
AnyOf = Annotated[
    Annotated[list[Id], Meta(max_length=100)] | None, Meta(description="Any of these.")
]


def identifier(
    example: str, said: str | None = None, *, least: int | None = None, most: int
) -> Meta:
    """Describe an identifier: one as an example, what it names, and how long it may be."""
    return Meta(min_length=least or None, max_length=most, description=said, examples=[example])


# What orders are named by, also where nothing else is known of them.
OrderId = Annotated[str, identifier("order_5uJr2EwZ7bQx9KmT", most=100)]
