"""Hooks: functions that a package declares and a package above it implements.

Imports and SQL point downwards only. A package that needs data from a table above it declares a
hook, and the package that owns the table registers the implementation.
"""

from collections.abc import Awaitable, Callable
from typing import Generic, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Hook(Generic[Parameters, Result]):
    """A function that a package above implements; `owner` is the module that registers it."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.implementation: Callable[Parameters, Awaitable[Result]] | None = None

    def register(
        self, implementation: Callable[Parameters, Awaitable[Result]]
    ) -> Callable[Parameters, Awaitable[Result]]:
        """Register the implementation. This method can be used as a decorator."""
        self.implementation = implementation
        return implementation

    async def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """Call the implementation."""
        if self.implementation is None:
            raise RuntimeError(f"{self.owner} is not imported.")
        return await self.implementation(*args, **kwargs)
