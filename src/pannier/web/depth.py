"""How deeply a JSON body nests, asked before a parser recurses into it."""

_OTHERS = bytes(set(range(256)) - set(b'{}[]"'))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")


def too_deep(body: bytes, limit: int = 32) -> bool:
    """Whether objects and arrays nest deeper than the limit, malformed bodies included.

    Removing the innermost pairs runs at the speed of memory and takes one level away. What is still
    open after so many times was deeper; closing what nobody closed adds no level.
    """
    if body.count(b"{") + body.count(b"[") <= limit:
        return False
    brackets = _brackets(body) + b"]" * (limit + 1)
    for _ in range(limit):
        if b"[" not in brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return b"[" in brackets


def _brackets(body: bytes) -> bytes:
    """The brackets outside of quotes, all of one kind.

    Escaped backslashes go first, then escaped quotes; every other quote then opens or closes a
    string. Two quotes with no bracket between say nothing, and hardly any others are left. Unlike a
    regular expression, this has no way to try twice.
    """
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in body else body
    signs = bare.translate(_ONE_KIND, _OTHERS).replace(b'""', b"")
    return b"".join(signs.split(b'"')[::2])
