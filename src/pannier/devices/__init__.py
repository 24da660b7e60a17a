"""Devices: the hardware of the fleet and the events it reports.

A *device* sends *readings*; each becomes one *device event*, however often it is sent. A device is
on a vehicle for a *span* of time, and an event belongs to the vehicle of that time. Speed alerts,
geofence events and trips are *derived* from all positions in the order in which they happened,
whenever they arrive.
"""
