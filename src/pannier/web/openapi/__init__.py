"""The OpenAPI document, generated from the routes so that it always matches them.

Most of it comes from a handler's name, docstring, parameters and return type. The rest is in its
`opt`: `problems`; `request_bodies` (media type → Struct or JSON schema) for handlers that read the
body themselves; `responses` (status → media type → Struct or JSON schema) for responses other than
the annotated one; and `writes` for a GET that changes something. Examples come from
`Meta(examples=[…])` of the fields. A class variable `example` gives a complete example of a Struct
or a Problem.
"""

from pannier.web.openapi.document import ACCESS_KEY, REPEATS_KEY, Document, build_document

__all__ = ["ACCESS_KEY", "REPEATS_KEY", "Document", "build_document"]
