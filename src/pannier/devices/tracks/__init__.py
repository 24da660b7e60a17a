"""Tracks: where drivers and vehicles say they are, and where they were.

A driver's report is an event of their phone, a vehicle's of a device that stands for it: there is
one history of places, whoever told it.
"""
