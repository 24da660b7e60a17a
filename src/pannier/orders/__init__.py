"""Orders: creation, activity flow, and progress.

A *flow* is the graph of *activities* that an order may go through. A *stop* of a multi-stop order
goes through its own *sub-flow*. A *move* is one step along the flow.
"""

from pannier.orders import hooks as _names  # noqa: F401 - it registers hooks of packages below
from pannier.orders.configs import queries as _queries  # noqa: F401 - it registers hooks of packages below
