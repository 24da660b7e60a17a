"""Tracks: reported positions of drivers and vehicles, and their history.

A driver's report is an event of their phone, a vehicle's report an event of its virtual device.
There is one history of positions, whatever their source.
"""
