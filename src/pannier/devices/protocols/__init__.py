"""Protocols: what others' apps and servers send, as items of ours; pure, doors are elsewhere."""
