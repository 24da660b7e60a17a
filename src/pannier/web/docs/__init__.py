"""The pages for people who call the interface: `/docs`, and the document they are made from."""

from pannier.web.docs.pages import router

__all__ = ["router"]
