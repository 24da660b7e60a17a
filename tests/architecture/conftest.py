"""Fixtures of the tests that read the sources."""

from collections.abc import Iterator

import pytest

from architecture import reading


@pytest.fixture(scope="package", autouse=True)
def forgotten() -> Iterator[None]:
    """Forget the sources afterwards: who looks for garbage later would look through them too."""
    yield
    reading.modules.cache_clear()
    reading.sorted_out.cache_clear()
