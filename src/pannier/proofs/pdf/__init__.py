"""PDF rendering of proof sheets: fonts, pages and layout."""
