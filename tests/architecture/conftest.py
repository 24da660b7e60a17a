"""What is done before and after the tests that read the sources."""

import gc

import pytest

from architecture import reading, test_tables

CACHES = (
    reading.modules,
    reading.walk,
    reading.sorted_out,
    test_tables.constants,
    test_tables.imports,
    test_tables.text_of,
)


def pytest_runtest_setup() -> None:
    """Look for no garbage among the sources: that takes longer than to parse them."""
    gc.disable()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget the sources after the last test: later collections would look through them too."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        for cached in CACHES:
            cached.cache_clear()
        gc.enable()
