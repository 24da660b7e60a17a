"""News: messages to recipients about their deliveries, each sent once.

`subscriber.py` queues events and `processor.py` processes the queue. `event_handler.py` finds the
recipients, `kinds.py` chooses the kind of news, `phrasing.py` and `composing.py` compose the
texts, and `sending.py` sends them by the first channel that reaches the recipient. Recipients can
opt out (`opt_outs.py`).
"""
