"""A company that has things delivered to people who wait for them."""

import pytest

from news.waiting import Waiting
from stage import Firm, House


@pytest.fixture
def waiting(acme: Firm, house: House) -> Waiting:
    return Waiting(acme, house)
