"""How deeply a JSON body nests, asked before a parser recurses into it."""

_OTHERS = bytes(set(range(256)) - set(b"{}[]"))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_OPENING = ord("[")


def too_deep(body: bytes, limit: int = 32) -> bool:
    """Whether objects and arrays nest deeper than the limit, malformed bodies included."""
    if body.count(b"{") + body.count(b"[") <= limit:
        return False
    brackets = _without_strings(body).translate(_ONE_KIND, _OTHERS)
    return not _collapses(brackets, limit) and _climbs_above(brackets, limit)


def _without_strings(body: bytes) -> bytes:
    """The body outside its quotes.

    Escaped backslashes go first, then escaped quotes; every other quote then opens or closes a
    string. Unlike a regular expression, this has no way to try twice.
    """
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"")
    return b"".join(bare.split(b'"')[::2])


def _collapses(brackets: bytes, limit: int) -> bool:
    """Whether removing the innermost pairs so many times leaves nothing.

    Each removal runs at the speed of memory and takes one level away, which settles every
    well-formed body long before a loop over its brackets would.
    """
    for _ in range(limit):
        smaller = brackets.replace(b"[]", b"")
        if len(smaller) == len(brackets):
            break
        brackets = smaller
    return not brackets


def _climbs_above(brackets: bytes, limit: int) -> bool:
    depth = 0
    for bracket in brackets:
        if bracket == _OPENING:
            depth += 1
            if depth > limit:
                return True
        elif depth:
            depth -= 1
    return False
