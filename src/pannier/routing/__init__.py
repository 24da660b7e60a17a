"""Routing: distances, travel times and geocoding.

A *router* measures routes: by road with an engine (OSRM, Valhalla) where one is configured, along
great circles otherwise or while the engine is unavailable. A *geocoder* (Nominatim, Photon) finds
the coordinates of addresses. Both call external services: never call them inside a transaction.
"""
