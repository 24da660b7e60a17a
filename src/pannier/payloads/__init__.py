"""Payloads: what travels, from where to where.

A *payload* has a pickup and a dropoff, or *waypoints*: stops in the order in which they are
visited. An *entity* is an item of it. Every stop and item of an order carries a *tracking number*.
"""
