"""Encoded polylines with six decimals: the compact lines that routing engines send."""

from pannier.kit.lines import Line

SCALE = 1e6
# Bits per character, and the character of zero.
CHUNK_BITS, CHUNK_MASK, CONTINUES, FIRST_CHARACTER = 5, 0x1F, 0x20, 63


def decode(text: str) -> Line:
    """Decode a polyline to pairs of longitude and latitude, or raise ValueError."""
    numbers = _decode_numbers(text)
    if len(numbers) % 2:
        raise ValueError("a polyline ends after a latitude")
    latitude = longitude = 0
    line: Line = []
    for index in range(0, len(numbers), 2):
        latitude += numbers[index]
        longitude += numbers[index + 1]
        line.append([longitude / SCALE, latitude / SCALE])
    return line


def _decode_numbers(text: str) -> list[int]:
    numbers: list[int] = []
    number = shift = 0
    for character in text:
        chunk = ord(character) - FIRST_CHARACTER
        if not 0 <= chunk <= CHUNK_MASK | CONTINUES:
            raise ValueError("a polyline contains an invalid character")
        number |= (chunk & CHUNK_MASK) << shift
        shift += CHUNK_BITS
        if not chunk & CONTINUES:
            numbers.append(~(number >> 1) if number & 1 else number >> 1)
            number = shift = 0
    if shift:
        raise ValueError("a polyline ends within a number")
    return numbers
