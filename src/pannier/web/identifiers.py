"""Descriptions of identifiers in bodies and queries."""

from typing import Annotated, Final, TypeVar

from msgspec import Meta

Id = TypeVar("Id")
AnyOf = Annotated[
    Annotated[list[Id], Meta(max_length=100)] | None, Meta(description="Any of these.")
]


def identifier(
    example: str, description: str | None = None, *, min_length: int | None = None, max_length: int
) -> Meta:
    """Describe an identifier by an example, a description and its length."""
    return Meta(
        min_length=min_length or None,
        max_length=max_length,
        description=description,
        examples=[example],
    )


# Precedes an internal id that is sent in place of an order's id.
INTERNAL_PREFIX: Final = "internal:"
MAX_INTERNAL_ID_LENGTH: Final = 200
MAX_ORDER_REFERENCE_LENGTH: Final = len(INTERNAL_PREFIX) + MAX_INTERNAL_ID_LENGTH

# Used also in packages that know nothing else about orders.
OrderId = Annotated[str, identifier("order_5uJr2EwZ7bQx9KmT", max_length=100)]
# An order in a request.
OrderReference = Annotated[
    str,
    identifier(
        "order_5uJr2EwZ7bQx9KmT",
        "An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`.",
        max_length=MAX_ORDER_REFERENCE_LENGTH,
    ),
]
