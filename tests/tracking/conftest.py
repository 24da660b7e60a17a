"""A company whose parcels are followed."""

import pytest

from console.conftest import browse, troubles
from maps.conftest import helsinki, helsinki_pbf
from orders.shop import Shop
from stage import Firm

__all__ = ["browse", "helsinki", "helsinki_pbf", "troubles"]


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)
