"""The documents of an order's proofs."""

from typing import Any

handlers: tuple[Any, ...] = ()
