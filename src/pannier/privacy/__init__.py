"""What is kept of a person: taken away as a whole, and forgotten everywhere.

It stands above every domain, because a person leaves traces in all of them.
"""
