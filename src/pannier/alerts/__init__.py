"""Alerts: what an operator should look at now, such as a failed delivery or an SOS.

The package that detects a cause opens the alert in the same transaction, and closes it when the
cause ends. There is one open alert of each kind about a record, however often its cause recurs.
"""
