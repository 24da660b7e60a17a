"""News of their deliveries for the people who wait for them, each thing told once.

`subscriber.py` writes down what happened, and `teller.py` has it told: `hearing.py` finds who waits
for it, `kinds.py` says what it is to them, `telling.py` takes the first way that reaches them, and
`words.py` has what is said where a company has no words of its own. `quiet.py` is the way out.
"""
