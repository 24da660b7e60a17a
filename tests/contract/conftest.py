"""Fixtures of the contract tests."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(scope="package", autouse=True)
def quiet_logs() -> Iterator[None]:
    """Defects are provoked here on purpose; drawing each of them costs more than the test."""
    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer()],
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    yield
    structlog.reset_defaults()
