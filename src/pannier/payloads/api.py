"""The doors of payloads, waypoints and entities."""

from litestar import Router

routers: tuple[Router, ...] = ()
