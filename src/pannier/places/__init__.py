"""Places: where things happen.

A *place* is an address or a point. A *service area* is where a company works, and a *zone* a part
of one; both have a *border*, and which of them hold a point is asked by rates and geofences.
"""
