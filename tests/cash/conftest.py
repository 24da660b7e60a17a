"""A company that collects cash for its merchants."""

from orders.conftest import phone, shop

__all__ = ["phone", "shop"]
