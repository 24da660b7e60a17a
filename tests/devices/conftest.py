"""A company with devices on its vans."""

import pytest

from devices.garage import Garage
from stage import Firm


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


@pytest.fixture
def lot(rival: Firm) -> Garage:
    return Garage(rival)
