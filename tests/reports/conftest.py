"""A company that delivers, and looks at its figures."""

from orders.conftest import phone, shop

__all__ = ["phone", "shop"]
