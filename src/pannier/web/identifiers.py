"""Descriptions of identifiers in bodies and queries."""

from typing import Annotated, TypeVar

from msgspec import Meta

Id = TypeVar("Id")
AnyOf = Annotated[
    Annotated[list[Id], Meta(max_length=100)] | None, Meta(description="Any of these.")
]


def identifier(
    example: str, said: str | None = None, *, least: int | None = None, most: int
) -> Meta:
    """Describe an identifier by an example, a description and its length."""
    return Meta(min_length=least or None, max_length=most, description=said, examples=[example])


# Used also in packages that know nothing else about orders.
OrderId = Annotated[str, identifier("order_5uJr2EwZ7bQx9KmT", most=100)]
