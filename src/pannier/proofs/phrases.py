"""The fixed words of a sheet, in English and in the other languages that it speaks."""

from collections.abc import Mapping
from typing import Final, Self


class Phrase(str):
    """Fixed words, in English until somebody says them in another language; `{}` are its parts."""

    __slots__ = ("parts", "pattern")
    pattern: str
    parts: tuple[object, ...]

    def __new__(cls, pattern: str, *parts: object) -> Self:
        """Put the parts into the pattern."""
        made = super().__new__(cls, pattern.format(*parts) if parts else pattern)
        made.pattern, made.parts = pattern, parts
        return made


def said(words: str, language: str) -> str:
    """Say words in a language; those that are not ours, and those it has none for, as they are."""
    if not isinstance(words, Phrase):
        return words
    pattern = LANGUAGES.get(language, {}).get(words.pattern, words.pattern)
    parts = [said(part, language) if isinstance(part, str) else part for part in words.parts]
    return pattern.format(*parts) if parts else pattern


def language_of(locale: str) -> str:
    """Name the language of a locale, if sheets speak it, else English."""
    language = locale.replace("_", "-").partition("-")[0].lower()
    return language if language in LANGUAGES else "en"


GERMAN: Final[Mapping[str, str]] = {
    "Proof of delivery": "Zustellnachweis",
    "Last change {}": "Letzte Änderung {}",
    "Times in {}": "Zeiten in {}",
    "Page {} of ": "Seite {} von ",
    # The stop
    "{}, stop {} of {}": "{}, Halt {} von {}",
    "{}, no longer a stop of the order": "{}, kein Halt des Auftrags mehr",
    "Pickup": "Abholung",
    "Dropoff": "Ablieferung",
    "Stop": "Halt",
    "Delivery": "Lieferung",
    "All stops": "Alle Halte",
    "Proofs of the whole order": "Nachweise des ganzen Auftrags",
    "Pickup and dropoff": "Abholung und Ablieferung",
    "This stop": "Dieser Halt",
    "What happened": "Was geschah",
    "Order {}": "Auftrag: {}",
    "created": "angelegt",
    "dispatched": "vergeben",
    "started": "begonnen",
    "completed": "abgeschlossen",
    "canceled": "storniert",
    # The order
    "Order": "Auftrag",
    "Reference": "Referenz",
    "Type": "Art",
    "Customer": "Kunde",
    "Driver": "Fahrer",
    "Vehicle": "Fahrzeug",
    "Carried out by": "Ausgeführt von",
    "Distance": "Entfernung",
    "Placed": "Angelegt",
    "Scheduled": "Vorgesehen",
    "Planned": "Geplant",
    "Dispatched": "Vergeben",
    "Started": "Begonnen",
    "Completed": "Abgeschlossen",
    "Cancelled": "Storniert",
    "Why it was cancelled": "Grund der Stornierung",
    "From": "Von",
    "To": "Nach",
    "Contact": "Ansprechpartner",
    "Tracking number of the stop": "Sendungsnummer des Halts",
    "Arrived": "Angekommen",
    "Notes": "Hinweise",
    "from {}": "ab {}",
    "until {}": "bis {}",
    "{} to {}": "{} bis {}",
    # The items
    "{} items": "{} Gegenstände",
    "1 item": "1 Gegenstand",
    "Item": "Gegenstand",
    "Tracking number": "Sendungsnummer",
    "Size and weight": "Maße und Gewicht",
    "Proof": "Nachweis",
    "No. {}": "Nr. {}",
    # The proofs
    "Evidence": "Nachweise",
    "No proofs were captured here.": "Hier wurde nichts nachgewiesen.",
    "{} more pictures are not shown here.": "{} weitere Bilder sind hier nicht gezeigt.",
    "The picture cannot be shown.": "Das Bild kann nicht gezeigt werden.",
    "Scan": "Scan",
    "Signature": "Unterschrift",
    "Photo": "Foto",
    "Code by SMS": "Code per SMS",
    "Override by an operator": "Freigabe durch die Zentrale",
    "the whole order": "der ganze Auftrag",
    "this stop": "dieser Halt",
    "Captured": "Erfasst",
    "received {}": "empfangen {}",
    "Captured by": "Erfasst von",
    "Signed by": "Unterschrieben von",
    "Code": "Code",
    "Verified": "Bestätigt",
    "Scanned": "Gescannt",
    "Typed": "Von Hand eingegeben",
    "For the activity": "Für den Schritt",
    "Reason": "Begründung",
    "Remarks": "Bemerkungen",
    "Place": "Ort",
    "Unknown": "Unbekannt",
    "At the stop, {} off": "Am Halt, {} entfernt",
    "{} from the stop": "{} vom Halt entfernt",
    "Not compared with the stop": "Nicht mit dem Halt verglichen",
    "As expected": "Wie erwartet",
    "Not what was expected": "Nicht wie erwartet",
    "Nothing was expected": "Nichts Bestimmtes erwartet",
    "sent later, without reception": "ohne Empfang, später gesendet",
    "came in after the order was over": "nach Ende des Auftrags eingegangen",
    # How to check it
    "How to check this": "Wie man das prüft",
    "Signed head": "Signiertes Ende der Kette",
    "Its signature": "Dessen Signatur",
    "Public key {}": "Öffentlicher Schlüssel {}",
    (
        "Each hash covers what was captured and the hash of the proof before it, and is signed "
        "with an Ed25519 key of the installation; the head, signed too, says how many there are. "
        "The QR code leads to a page that checks them. This PDF holds a file, manifest.json, with "
        "all that was signed: it says how to check it without us."
    ): (
        "Jeder Hash umfasst das Erfasste und den Hash des Nachweises davor und ist mit einem "
        "Ed25519-Schlüssel der Installation signiert; das ebenfalls signierte Ende der Kette sagt, "
        "wie viele es sind. Der QR-Code führt zu einer Seite, die sie prüft. Dieses PDF enthält "
        "eine Datei, manifest.json, mit allem, was signiert wurde: Sie sagt, wie man es ohne uns "
        "prüft."
    ),
}
LANGUAGES: Final[Mapping[str, Mapping[str, str]]] = {"en": {}, "de": GERMAN}
