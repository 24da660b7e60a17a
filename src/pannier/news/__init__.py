"""News of their deliveries for the people who wait for them, each thing told once.

`subscriber.py` hears what happened, `kinds.py` says what of it is news to whom, `telling.py` takes
the first way that reaches them, and `words.py` has what is said where a company has no words of its
own. `quiet.py` is the way out.
"""
