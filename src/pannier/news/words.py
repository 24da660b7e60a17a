"""The usual words of news, by language; a company's own go before them.

In the short texts only letters that an SMS has: one other letter makes it twice as long.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from pannier.accounts.company_settings.news import Kind


class Words(NamedTuple):
    """What is said of a kind of news: over it, in short, and in a letter."""

    subject: str
    text: str
    email: str


class Calendar(NamedTuple):
    """How days and times are spelled; days begin with Monday, months with January."""

    days: tuple[str, ...]
    months: tuple[str, ...]
    date: str
    clock: str
    today: str


ENGLISH: Final[Mapping[Kind, Words]] = {
    "on_its_way": Words(
        "Your delivery is on its way",
        "{brand}: your delivery is on its way[, expected {window}]. "
        "Follow it or stop these messages: {link}",
        "Hello[ {name}],\n\nyour delivery {number} is on its way.[ It should be with you {window}.]"
        "\n\nFollow it here: {link}\n\n{brand}",
    ),
    "next_stop": Words(
        "Your delivery comes next",
        "{brand}: you are the next stop[ of {driver}]. "
        "Follow the delivery or stop these messages: {link}",
        "Hello[ {name}],\n\nyou are the next stop[ of {driver}], who brings your delivery {number}."
        "\n\nFollow it here: {link}\n\n{brand}",
    ),
    "delivered": Words(
        "Your delivery has arrived",
        "{brand}: your delivery was handed over[ at {time}]. Details: {link}",
        "Hello[ {name}],\n\nyour delivery {number} was handed over[ at {time}]."
        "\n\nHere is what was noted of it: {link}\n\n{brand}",
    ),
    "could_not_be_delivered": Words(
        "Your delivery could not be handed over",
        "{brand}: your delivery could not be handed over[: {reason}]. How it goes on: {link}",
        "Hello[ {name}],\n\nyour delivery {number} could not be handed over[ at {time}]"
        "[: {reason}].\n\nHow it goes on: {link}\n\n{brand}",
    ),
    "cancelled": Words(
        "Your delivery was cancelled",
        "{brand}: your delivery {number} was cancelled. Details: {link}",
        "Hello[ {name}],\n\nyour delivery {number} was cancelled."
        "\n\nMore about it: {link}\n\n{brand}",
    ),
}
GERMAN: Final[Mapping[Kind, Words]] = {
    "on_its_way": Words(
        "Ihre Lieferung ist unterwegs",
        "{brand}: Ihre Lieferung ist unterwegs[, erwartet {window}]. "
        "Verfolgen oder abbestellen: {link}",
        "Guten Tag[ {name}],\n\nIhre Lieferung {number} ist unterwegs.[ Sie sollte {window} bei "
        "Ihnen sein.]\n\nHier können Sie sie verfolgen: {link}\n\n{brand}",
    ),
    "next_stop": Words(
        "Ihre Lieferung kommt als nächste",
        "{brand}: Sie sind der nächste Halt[ von {driver}]. Verfolgen oder abbestellen: {link}",
        "Guten Tag[ {name}],\n\nSie sind der nächste Halt[ von {driver}] mit Ihrer Lieferung "
        "{number}.\n\nHier können Sie sie verfolgen: {link}\n\n{brand}",
    ),
    "delivered": Words(
        "Ihre Lieferung ist angekommen",
        "{brand}: Ihre Lieferung wurde[ um {time}] übergeben. Mehr dazu: {link}",
        "Guten Tag[ {name}],\n\nIhre Lieferung {number} wurde[ um {time}] übergeben."
        "\n\nWas dazu festgehalten wurde: {link}\n\n{brand}",
    ),
    "could_not_be_delivered": Words(
        "Ihre Lieferung konnte nicht übergeben werden",
        "{brand}: Ihre Lieferung konnte nicht übergeben werden[: {reason}]. "
        "Wie es weitergeht: {link}",
        "Guten Tag[ {name}],\n\nIhre Lieferung {number} konnte[ um {time}] nicht übergeben werden"
        "[: {reason}].\n\nWie es weitergeht: {link}\n\n{brand}",
    ),
    "cancelled": Words(
        "Ihre Lieferung wurde storniert",
        "{brand}: Ihre Lieferung {number} wurde storniert. Mehr dazu: {link}",
        "Guten Tag[ {name}],\n\nIhre Lieferung {number} wurde storniert."
        "\n\nMehr dazu: {link}\n\n{brand}",
    ),
}
FRENCH: Final[Mapping[Kind, Words]] = {
    "on_its_way": Words(
        "Votre livraison est en route",
        "{brand} : votre livraison est en route[, prévue {window}]. "
        "La suivre ou se désabonner : {link}",
        "Bonjour[ {name}],\n\nvotre livraison {number} est en route.[ Elle est prévue {window}.]"
        "\n\nVous pouvez la suivre ici : {link}\n\n{brand}",
    ),
    "next_stop": Words(
        "Votre livraison est la prochaine",
        "{brand} : la prochaine livraison[ de {driver}] est pour vous. "
        "La suivre ou se désabonner : {link}",
        "Bonjour[ {name}],\n\nla prochaine livraison[ de {driver}] est pour vous : {number}."
        "\n\nVous pouvez la suivre ici : {link}\n\n{brand}",
    ),
    "delivered": Words(
        "Votre livraison est arrivée",
        "{brand} : votre livraison a été remise[ à {time}]. Détails : {link}",
        "Bonjour[ {name}],\n\nvotre livraison {number} a été remise[ à {time}]."
        "\n\nCe qui a été noté : {link}\n\n{brand}",
    ),
    "could_not_be_delivered": Words(
        "Votre livraison n'a pas pu être remise",
        "{brand} : impossible de vous remettre votre livraison[ : {reason}]. La suite : {link}",
        "Bonjour[ {name}],\n\nvotre livraison {number} n'a pas pu être remise[ à {time}]"
        "[ : {reason}].\n\nLa suite : {link}\n\n{brand}",
    ),
    "cancelled": Words(
        "Votre livraison a été annulée",
        "{brand} : votre livraison {number} a été annulée. Détails : {link}",
        "Bonjour[ {name}],\n\nvotre livraison {number} a été annulée."
        "\n\nPlus de détails : {link}\n\n{brand}",
    ),
}
WORDS: Final[Mapping[str, Mapping[Kind, Words]]] = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH}
# Below a letter that does not say it itself.
FAREWELLS: Final[Mapping[str, str]] = {
    "en": "Change or stop these messages: {way_out}",
    "de": "Nachrichten ändern oder abbestellen: {way_out}",
    "fr": "Modifier ou arrêter ces messages : {way_out}",
}
# Letters that an SMS has, and days that need no article.
CALENDARS: Final[Mapping[str, Calendar]] = {
    "en": Calendar(
        ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        "{day} {number} {month}", "%H:%M", "today",
    ),
    "de": Calendar(
        ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"),
        ("1.", "2.", "3.", "4.", "5.", "6.", "7.", "8.", "9.", "10.", "11.", "12."),
        "{day} {number}.{month}", "%H:%M", "heute",
    ),
    "fr": Calendar(
        ("lun", "mar", "mer", "jeu", "ven", "sam", "dim"),
        ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"),
        "{day} {number}/{month}", "%Hh%M", "ce jour",
    ),
}  # fmt: skip
# Reasons that everybody has, by what they are called in English.
REASONS: Final[Mapping[str, Mapping[str, str]]] = {
    "de": {
        "Nobody was there to receive it": "Niemand war da, um sie anzunehmen",
        "The driver could not get to the door": "Der Weg zur Tür war versperrt",
        "The place was closed": "Es war geschlossen",
        "The address could not be found": "Die Adresse war nicht zu finden",
        "It was not accepted": "Sie wurde nicht angenommen",
        "The goods were damaged": "Die Ware war beschädigt",
        "It could not be handed over": "Die Übergabe war nicht möglich",
    },
    "fr": {
        "Nobody was there to receive it": "personne n'était là pour la recevoir",
        "The driver could not get to the door": "la porte n'était pas accessible",
        "The place was closed": "c'était fermé",
        "The address could not be found": "l'adresse est restée introuvable",
        "It was not accepted": "elle n'a pas été acceptée",
        "The goods were damaged": "la marchandise était abimée",
        "It could not be handed over": "la remise n'a pas été possible",
    },
}
