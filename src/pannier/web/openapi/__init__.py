"""The OpenAPI document: read from the routes, so that it cannot say anything else than they do.

A handler's name, docstring, parameters and answer tell most of it. What they cannot tell stands in
its `opt`: `problems`, `request_bodies` (media type → Struct or JSON schema, for handlers that read
the body themselves) and `responses` (status → media type → Struct or JSON schema, for answers other
than the annotated one), and `writes` for a GET that does. Examples come from the fields'
`Meta(examples=[…])`; a Struct, or a Problem, may show itself as a whole with a class variable
`example`.
"""

from pannier.web.openapi.document import Document, document

__all__ = ["Document", "document"]
