"""What we say to people by SMS, e-mail and push: a message is a row, a channel carries it away.

A channel without a provider is a *drawer*: its messages stay here, for the console to show.
"""
