"""Export and erasure of a person's data.

This package is above every domain, because all of them have personal data. Each domain's
`erasure.py` erases and exports its own records; this package decides which of them belong to the
person.
"""
