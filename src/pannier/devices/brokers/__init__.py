"""Message brokers between devices and Pannier.

Many devices speak *MQTT*: messages are acknowledged once they are stored. *JetStream* is for
installations of many machines: the API publishes events to it, and the workers store them from
there. A message that is delivered twice is stored once.
"""
