"""The registry of devices: their details, the vehicles they are on, and their tokens."""
