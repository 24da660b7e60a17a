"""Duplicates: new orders with the route, the items and the options of an earlier one."""
