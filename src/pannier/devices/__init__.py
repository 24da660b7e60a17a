"""Devices: what the fleet carries and what it reports.

A *device* sends *readings*; each becomes one *device event*, however often it is sent. A device is
on a vehicle for a *span* of time, and an event belongs to the vehicle of its own moment. What
*follows* from positions (speed alerts, zones entered and left, trips) is derived from all of them
in the order in which they happened, whenever they came.
"""
