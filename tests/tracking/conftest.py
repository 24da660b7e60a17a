"""A company whose parcels are followed."""

import pytest

from console.conftest import browse, troubles
from orders.shop import Shop
from stage import Firm

__all__ = ["browse", "troubles"]


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)
