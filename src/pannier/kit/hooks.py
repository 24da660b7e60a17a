"""Questions that a package asks, and a package above it answers.

Imports and SQL point downwards. A package that needs to know something of a table above it declares
a hook, and the owner of that table registers the answer.
"""

from collections.abc import Awaitable, Callable
from typing import Generic, ParamSpec, TypeVar

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Hook(Generic[Asked, Answer]):
    """A function that a package above provides; `owner` is the module that registers it."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.answer: Callable[Asked, Awaitable[Answer]] | None = None

    def register(
        self, answer: Callable[Asked, Awaitable[Answer]]
    ) -> Callable[Asked, Awaitable[Answer]]:
        """Provide the function."""
        self.answer = answer
        return answer

    async def __call__(self, *args: Asked.args, **named: Asked.kwargs) -> Answer:
        """Ask the package above."""
        if self.answer is None:
            raise RuntimeError(f"{self.owner} is not imported.")
        return await self.answer(*args, **named)
