"""A company with devices on its vans."""

import pytest

from devices.garage import Garage
from fleet.depot import Depot
from stage import Firm


@pytest.fixture
def garage(acme: Firm) -> Garage:
    return Garage(acme)


@pytest.fixture
def lot(rival: Firm) -> Garage:
    return Garage(rival)


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)
