"""The driver's app: a page that installs itself on any phone, and works without reception.

It uses `/v1` with the driver's own token and nothing else: whatever it does, another app could.
"""
