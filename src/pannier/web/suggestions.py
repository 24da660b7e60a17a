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


def suggest(name: str, known_names: Collection[str]) -> str | None:
    """Suggest the known name that the caller probably meant. Case and separators are ignored."""
    if len(name) > MAX_LENGTH:
        return None
    names_by_key = {_join_words(candidate): candidate for candidate in sorted(known_names)}
    key = _join_words(name)
    if SYNONYMS.get(key) in known_names:
        return SYNONYMS[key]
    close_keys = difflib.get_close_matches(key, names_by_key, n=1, cutoff=CLOSE_SIMILARITY)
    similar_keys = [
        candidate_key
        for candidate_key in names_by_key
        if min(len(candidate_key), len(key)) >= MIN_PART_LENGTH
    ]
    close_keys += sorted(
        (similar_key for similar_key in similar_keys if similar_key in key or key in similar_key),
        key=len,
    )
    close_keys += difflib.get_close_matches(key, names_by_key, n=1, cutoff=DISTANT_SIMILARITY)
    return names_by_key[close_keys[0]] if close_keys else None


def _join_words(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
