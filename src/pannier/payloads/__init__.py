"""Payloads: the goods that an order moves, and their route.

A *payload* has a pickup and a drop-off, or *waypoints*: stops in the order in which they are
visited. An *entity* is an item of a payload. Each stop and item of an order has a *tracking
number*.
"""
