"""Given[…]: a handler's parameter that the house fills in, rather than the caller."""

from typing import Annotated, TypeVar

from litestar.di import Dependency
from litestar.params import SkipValidationMarker

T = TypeVar("T")

# The value is ours, so checking its type again at every request would only cost time.
Given = Annotated[T, Dependency(kind="named"), SkipValidationMarker()]
