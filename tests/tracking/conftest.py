"""A company whose parcels are followed."""

import pytest

from orders.shop import Shop
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)
