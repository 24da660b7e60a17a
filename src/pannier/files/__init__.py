"""Files: uploads stored by the hash of their content, and served through signed, expiring links.

An *object* is the bytes, stored once per content; a *file* is a company's row that refers to an
object. A *sweep* deletes the objects that no existing file refers to.
"""
