"""The documentation pages under `/docs`, and the OpenAPI document they are made from."""

from pannier.web.docs.pages import router

__all__ = ["router"]
