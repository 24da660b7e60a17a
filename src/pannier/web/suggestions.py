"""Suggestions for unknown names."""

import difflib
from collections.abc import Collection
from typing import Final

MAX_LENGTH: Final = 40  # of a name that is compared
MIN_PART_LENGTH: Final = 4
CLOSE_SIMILARITY: Final = 0.7
DISTANT_SIMILARITY: Final = 0.6
# Names in other APIs that are not similar to ours.
SYNONYMS: Final = {
    "activities": "next",
    "attachable": "vehicle",
    "attachableuuid": "vehicle",
    "createdafter": "since",
    "createdat": "since",
    "createdbefore": "until",
    "customer": "contact",
    "destination": "dropoff",
    "enabled": "state",
    "file": "photo",
    "origin": "pickup",
    "zip": "postal_code",
    "zipcode": "postal_code",
    "postcode": "postal_code",
    "lat": "latitude",
    "lng": "longitude",
    "lon": "longitude",
    "long": "longitude",
    "state": "province",
    "street": "street1",
    "address": "street1",
    "page": "cursor",
    "offset": "cursor",
    "perpage": "limit",
    "pagesize": "limit",
    "q": "query",
    "search": "query",
    "updatedsince": "since",
}


def suggest(name: str, known: Collection[str]) -> str | None:
    """Find the known name that was probably meant, ignoring case and separators."""
    if len(name) > MAX_LENGTH:
        return None
    plain = {_join_words(candidate): candidate for candidate in sorted(known)}
    joined = _join_words(name)
    if SYNONYMS.get(joined) in known:
        return SYNONYMS[joined]
    close = difflib.get_close_matches(joined, plain, n=1, cutoff=CLOSE_SIMILARITY)
    parts = [choice for choice in plain if min(len(choice), len(joined)) >= MIN_PART_LENGTH]
    close += sorted((part for part in parts if part in joined or joined in part), key=len)
    close += difflib.get_close_matches(joined, plain, n=1, cutoff=DISTANT_SIMILARITY)
    return plain[close[0]] if close else None


def _join_words(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
