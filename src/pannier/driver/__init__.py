"""The driver's app: an installable page that works offline.

It uses only `/v1`, with the driver's own token, so any other app can do the same.
"""
