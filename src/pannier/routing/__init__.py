"""Routing: how far and how long it is, and where an address lies.

A *router* measures ways: by an engine's roads (OSRM, Valhalla), where a setting names one, and
along great circles otherwise or when the engine is away. A *geocoder* (Nominatim, Photon) finds
the points of addresses. Both ask somebody else's machine: nobody does so with a transaction open.
"""
