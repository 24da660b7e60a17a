"""Streams: brokers between the devices and us.

*MQTT* is how many devices speak: we take what they publish and acknowledge it once it is stored.
*JetStream* is for installations of many machines: the API hands events to it, which keeps them, and
the workers store them from there. What either delivers twice is stored once.
"""
