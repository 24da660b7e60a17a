"""Places: addresses, points, service areas and zones.

A *place* is an address or a point. A *service area* is where a company works, and a *zone* is a
part of one. Both have a *border*. Rates and geofences find the ones that contain a point.
"""
