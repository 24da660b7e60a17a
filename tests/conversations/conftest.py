"""A company with drivers who have signed in, and another company."""

from orders.conftest import market, phone, shop

__all__ = ["market", "phone", "shop"]
