"""What the page says, in the languages it knows; times and dates as each of them writes them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

Language = str
DEFAULT: Final = "en"

WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "language": "English",
        "title": "Track a delivery",
        "placed": "Order received",
        "dispatched": "With the driver",
        "on_the_way": "On its way",
        "next_stop": "You are the next stop",
        "delivered": "Delivered",
        "collected": "Collected",
        "failed": "Could not be delivered",
        "failed_pickup": "Could not be collected",
        "canceled": "Cancelled",
        "returning": "On its way back",
        "returned": "Returned to the sender",
        "reason.nobody_home": "Nobody was there to receive it",
        "reason.no_access": "The driver could not get to the door",
        "reason.closed": "The place was closed",
        "reason.wrong_address": "The address could not be found",
        "reason.refused": "It was not accepted",
        "reason.damaged": "The goods were damaged",
        "reason.other": "It could not be handed over",
        "step.created": "Order received",
        "step.dispatched": "Handed to the driver",
        "step.started": "The driver has set off",
        "step.enroute": "On the way to you",
        "number": "Tracking number",
        "where": "Delivery to",
        "where_pickup": "Collection from",
        "when": "Time window",
        "zone": "Times are those of {name}.",
        "between": "{start} to {end}",
        "from": "from {start}",
        "until": "by {end}",
        "eta": "Expected about {time}",
        "news_nobody": "No messages are sent about this delivery.",
        "today": "today",
        "tomorrow": "tomorrow",
        "timeline": "What has happened",
        "map": "Where the driver is",
        "seen": "Position of {time}",
        "live": "This page keeps itself up to date.",
        "refresh": "Refresh",
        "qr": "Show this code when you are asked for your tracking number.",
        "check": "Is it yours?",
        "check_why": "To see it, tell us one thing that only the recipient knows.",
        "secret": "Postcode of the delivery address, or the last four digits of the phone number",
        "show": "Show the delivery",
        "wrong": "That does not match. Check the tracking number and what you entered.",
        "many": "Too many tries. Try again later, or use the link that was sent to you.",
        "none": "There is no delivery under this number any more.",
        "slip": "This is no tracking number. Check it for slips.",
        "enter": "Enter the tracking number",
        "find": "Find it",
        "proof": "Proof of delivery",
        "photo": "Photo",
        "signature": "Signature",
        "signed_by": "Signed by {name}",
        "expired": "The link to the proof of delivery has expired.",
        "next.retry": "We will try again.",
        "next.return": "It goes back to the sender.",
        "next.hold": "We are looking into what to do next.",
        "error": "This did not work",
        "error_why": "Try again in a moment.",
        "news": "News about this delivery",
        "news_on": "You get messages about this delivery.",
        "news_off": "You no longer get messages about deliveries from {brand}.",
        "news_delivery_off": "You no longer get messages about this delivery. You still get "
        "them about other deliveries.",
        "news_several": "Several people get messages about this delivery. To change yours, "
        "use the link in a message that was sent to you.",
        "news_stop_delivery": "Stop messages about this delivery",
        "news_stop": "Stop all messages from {brand}",
        "news_start": "Send me messages again",
        "news_back": "Back to the delivery",
        "manage": "Message settings",
        "months": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "day": "{day} {month}",
    },
    "de": {
        "language": "Deutsch",
        "title": "Sendung verfolgen",
        "placed": "Auftrag eingegangen",
        "dispatched": "Beim Fahrer",
        "on_the_way": "Unterwegs",
        "next_stop": "Sie sind der nächste Halt",
        "delivered": "Zugestellt",
        "collected": "Abgeholt",
        "failed": "Zustellung nicht möglich",
        "failed_pickup": "Abholung nicht möglich",
        "canceled": "Storniert",
        "returning": "Auf dem Rückweg",
        "returned": "Zurück beim Absender",
        "reason.nobody_home": "Niemand konnte sie annehmen",
        "reason.no_access": "Der Fahrer kam nicht bis zur Tür",
        "reason.closed": "Es war geschlossen",
        "reason.wrong_address": "Die Adresse war nicht zu finden",
        "reason.refused": "Die Annahme wurde abgelehnt",
        "reason.damaged": "Die Ware war beschädigt",
        "reason.other": "Die Übergabe war nicht möglich",
        "step.created": "Auftrag eingegangen",
        "step.dispatched": "Dem Fahrer übergeben",
        "step.started": "Der Fahrer ist losgefahren",
        "step.enroute": "Auf dem Weg zu Ihnen",
        "number": "Sendungsnummer",
        "where": "Zustellung an",
        "where_pickup": "Abholung bei",
        "when": "Zeitfenster",
        "zone": "Zeiten nach der Uhr von {name}.",
        "between": "{start} bis {end}",
        "from": "ab {start}",
        "until": "bis {end}",
        "eta": "Voraussichtlich gegen {time}",
        "news_nobody": "Zu dieser Sendung werden keine Nachrichten verschickt.",
        "today": "heute",
        "tomorrow": "morgen",
        "timeline": "Was bisher geschah",
        "map": "Wo der Fahrer ist",
        "seen": "Position von {time}",
        "live": "Diese Seite aktualisiert sich selbst.",
        "refresh": "Aktualisieren",
        "qr": "Zeigen Sie diesen Code, wenn Sie nach der Sendungsnummer gefragt werden.",
        "check": "Ist sie für Sie?",
        "check_why": "Nennen Sie uns etwas, das nur der Empfänger weiß.",
        "secret": "Postleitzahl der Lieferadresse oder die letzten vier Ziffern der Telefonnummer",
        "show": "Sendung anzeigen",
        "wrong": "Das passt nicht. Prüfen Sie die Sendungsnummer und Ihre Eingabe.",
        "many": "Zu viele Versuche. Versuchen Sie es später, oder nutzen Sie den Link, den Sie "
        "erhalten haben.",
        "none": "Unter dieser Nummer gibt es keine Sendung mehr.",
        "slip": "Das ist keine Sendungsnummer. Prüfen Sie sie auf Tippfehler.",
        "enter": "Sendungsnummer eingeben",
        "find": "Suchen",
        "proof": "Zustellnachweis",
        "photo": "Foto",
        "signature": "Unterschrift",
        "signed_by": "Unterschrieben von {name}",
        "expired": "Der Link zum Zustellnachweis ist abgelaufen.",
        "next.retry": "Wir versuchen es noch einmal.",
        "next.return": "Sie geht zurück an den Absender.",
        "next.hold": "Wir klären, wie es weitergeht.",
        "error": "Das hat nicht geklappt",
        "error_why": "Versuchen Sie es gleich noch einmal.",
        "news": "Nachrichten zu dieser Sendung",
        "news_on": "Sie hören von uns, wenn es mit dieser Sendung weitergeht.",
        "news_off": "Sie erhalten keine Nachrichten zu Sendungen von {brand} mehr.",
        "news_delivery_off": "Sie erhalten keine Nachrichten zu dieser Sendung mehr, zu anderen "
        "Sendungen weiterhin.",
        "news_several": "Mehrere Personen erhalten Nachrichten zu dieser Sendung. Ihre "
        "eigenen ändern Sie über den Link in einer Nachricht, die Sie erhalten haben.",
        "news_stop_delivery": "Nachrichten zu dieser Sendung abbestellen",
        "news_stop": "Alle Nachrichten von {brand} abbestellen",
        "news_start": "Wieder Nachrichten erhalten",
        "news_back": "Zurück zur Sendung",
        "manage": "Nachrichten",
        "months": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
        "day": "{day}. {month}",
    },
    "fr": {
        "language": "Français",
        "title": "Suivre une livraison",
        "placed": "Commande reçue",
        "dispatched": "Remise au livreur",
        "on_the_way": "En route",
        "next_stop": "Vous êtes le prochain arrêt",
        "delivered": "Livrée",
        "collected": "Enlevée",
        "failed": "Livraison impossible",
        "failed_pickup": "Enlèvement impossible",
        "canceled": "Annulée",
        "returning": "En cours de retour",
        "returned": "Retournée à l'expéditeur",
        "reason.nobody_home": "Personne n'était là pour la recevoir",
        "reason.no_access": "Le livreur n'a pas pu accéder à la porte",
        "reason.closed": "Le lieu était fermé",
        "reason.wrong_address": "L'adresse est introuvable",
        "reason.refused": "Elle n'a pas été acceptée",
        "reason.damaged": "La marchandise était endommagée",
        "reason.other": "La remise n'a pas été possible",
        "step.created": "Commande reçue",
        "step.dispatched": "Remise au livreur",
        "step.started": "Le livreur est parti",
        "step.enroute": "En route vers vous",
        "number": "Numéro de suivi",
        "where": "Livraison à",
        "where_pickup": "Enlèvement à",
        "when": "Créneau",
        "zone": "Heures de {name}.",
        "between": "{start} à {end}",
        "from": "à partir de {start}",
        "until": "avant {end}",
        "eta": "Prévue vers {time}",
        "news_nobody": "Aucune nouvelle n'est envoyée pour cette livraison.",
        "today": "aujourd'hui",
        "tomorrow": "demain",
        "timeline": "Ce qui s'est passé",
        "map": "Où se trouve le livreur",
        "seen": "Position de {time}",
        "live": "Cette page se met à jour toute seule.",
        "refresh": "Actualiser",
        "qr": "Montrez ce code lorsqu'on vous demande votre numéro de suivi.",
        "check": "Est-elle pour vous ?",
        "check_why": "Pour la voir, indiquez ce que seul le destinataire sait.",
        "secret": "Code postal de l'adresse de livraison, ou les quatre derniers chiffres du "
        "téléphone",
        "show": "Afficher la livraison",
        "wrong": "Cela ne correspond pas. Vérifiez le numéro de suivi et votre saisie.",
        "many": "Trop d'essais. Réessayez plus tard, ou utilisez le lien que vous avez reçu.",
        "none": "Il n'y a plus de livraison sous ce numéro.",
        "slip": "Ce n'est pas un numéro de suivi. Vérifiez la saisie.",
        "enter": "Saisir le numéro de suivi",
        "find": "Chercher",
        "proof": "Preuve de livraison",
        "photo": "Photo",
        "signature": "Signature",
        "signed_by": "Signé par {name}",
        "expired": "Le lien vers la preuve de livraison a expiré.",
        "next.retry": "Nous ferons un nouvel essai.",
        "next.return": "Elle retourne à l'expéditeur.",
        "next.hold": "Nous cherchons la suite à donner.",
        "error": "Cela n'a pas marché",
        "error_why": "Réessayez dans un instant.",
        "news": "Nouvelles de cette livraison",
        "news_on": "Vous êtes informé quand cette livraison avance.",
        "news_off": "Vous ne recevez plus de nouvelles des livraisons de {brand}.",
        "news_delivery_off": "Vous ne recevez plus de messages sur cette livraison, mais "
        "toujours sur les autres.",
        "news_several": "Plusieurs personnes reçoivent des messages sur cette livraison. "
        "Pour modifier les vôtres, utilisez le lien d'un message que vous avez reçu.",
        "news_stop_delivery": "Ne plus recevoir de messages sur cette livraison",
        "news_stop": "Ne plus recevoir aucun message de {brand}",
        "news_start": "Recevoir à nouveau des nouvelles",
        "news_back": "Retour à la livraison",
        "manage": "Messages",
        "months": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        "day": "{day} {month}",
    },
}


def preferred(accepted: str, own: str = DEFAULT) -> Language:
    """Choose the language that a browser likes best among those we know, or else the company's."""
    wishes = sorted((_wish(part) for part in accepted.lower().split(",")), reverse=True)
    known = (tag for weight, tag in wishes if weight > 0 and tag in WORDS)
    return next(known, own[:2].lower() if own[:2].lower() in WORDS else DEFAULT)


def _wish(part: str) -> tuple[float, str]:
    tag, _, weight = part.partition(";")
    try:
        return float(weight.strip().removeprefix("q=") or 1), tag.strip()[:2]
    except ValueError:
        return 0.0, ""


class Speech(NamedTuple):
    """A language, and where the clocks are that times are read from."""

    language: Language
    zone: ZoneInfo
    now: datetime
    # Whether the reader may have other clocks, or the company.
    named: bool = False

    def say(self, key: str, **values: str) -> str:
        """Say something."""
        return WORDS[self.language][key].format(**values)

    def whose(self) -> str:
        """Name the clocks that times are read from, where they have to be named."""
        return self.say("zone", name=self.zone.key) if self.named else ""

    def clock(self, moment: datetime) -> str:
        """Tell the time of day."""
        return moment.astimezone(self.zone).strftime("%H:%M")

    def day(self, moment: datetime) -> str:
        """Tell the day: today and tomorrow by name."""
        there, here = moment.astimezone(self.zone), self.now.astimezone(self.zone)
        for word, days in (("today", 0), ("tomorrow", 1)):
            if there.date() == here.date() + timedelta(days=days):
                return self.say(word)
        month = WORDS[self.language]["months"].split()[there.month - 1]
        return self.say("day", day=str(there.day), month=month)

    def soon(self, moment: datetime) -> str:
        """Tell when something comes: the time alone, if that is today."""
        today = self.day(moment) == self.say("today")
        return self.clock(moment) if today else self.moment(moment)

    def moment(self, moment: datetime) -> str:
        """Tell a day and a time."""
        return f"{self.day(moment)}, {self.clock(moment)}"

    def window(self, start: datetime | None, end: datetime | None) -> str:
        """Tell a span of time; its day once, if it begins and ends on one."""
        if start is None or end is None:
            return self._open(start, end)
        day = start.astimezone(self.zone).date()
        last = self.clock(end) if end.astimezone(self.zone).date() == day else self.moment(end)
        return self.say("between", start=self.moment(start), end=last)

    def _open(self, start: datetime | None, end: datetime | None) -> str:
        if start is not None:
            return self.say("from", start=self.moment(start))
        return "" if end is None else self.say("until", end=self.moment(end))
