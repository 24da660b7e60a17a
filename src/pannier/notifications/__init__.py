"""Messages to people by SMS, email and push. A message is a row, and a channel delivers it.

A channel without a provider delivers nothing: its messages get the state `drawer` and can be read
in the console.
"""
