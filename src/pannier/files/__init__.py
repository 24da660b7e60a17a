"""Files: uploads kept by the hash of their content, and fetched through signed, expiring links.

An *object* is the bytes, stored once however often they come; a *file* is a company's row that
names an object. A *sweep* removes the objects that no living file names.
"""
