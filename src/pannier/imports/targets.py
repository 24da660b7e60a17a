"""The fields that columns of a file can be mapped to, by resource. Pure rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from pannier.imports.models import ImportResource

CellKind = Literal["text", "number", "whole", "money", "yes_no", "moment", "day", "list"]


class ImportField(msgspec.Struct, frozen=True):
    """A field: its path in the API's body, its label, and other names that headers have.

    Header names are compared without case, accents, spaces and punctuation.
    """

    path: str
    label: str
    synonyms: tuple[str, ...] = ()
    kind: CellKind = "text"
    required: bool = False
    # Of an amount of money: the field with its currency. Without it, the company's applies.
    currency: str = ""


def _list_place_fields(
    prefix: str = "", label: str = "", prefixes: Sequence[str] = ("",)
) -> Iterator[ImportField]:
    """List the fields of a place. Each synonym follows each prefix."""

    def make(path: str, name: str, *synonyms: str, kind: CellKind = "text") -> ImportField:
        full_label = f"{label} {name}".strip().capitalize() if label else name
        all_synonyms = [f"{word} {text}" for word in prefixes for text in (name, path, *synonyms)]
        return ImportField(prefix + path, full_label, tuple(all_synonyms), kind)

    yield make("name", "Name", "place", "company", "firma", "nom", "nombre", "bezeichnung")
    yield make(
        "street1", "Street", "address", "address 1", "address line 1", "street address", "strasse",
        "straße", "adresse", "anschrift", "rue", "calle", "direccion", "street and number",
    )  # fmt: skip
    yield make("street2", "Address line 2", "address 2", "adresszusatz", "complement", "street 2")
    yield make("building", "Building", "gebaude", "batiment", "edificio")
    yield make(
        "postal_code", "Postal code", "postcode", "zip", "zip code", "plz", "postleitzahl",
        "code postal", "cp", "codigo postal",
    )  # fmt: skip
    yield make("city", "City", "town", "stadt", "ville", "ciudad", "ort", "wohnort", "municipality")
    yield make("district", "District", "bezirk", "quartier", "distrito")
    yield make("province", "Province", "state", "region", "bundesland", "provincia", "kanton")
    yield make("country", "Country", "country code", "land", "pays", "pais")
    yield make("phone", "Phone", "telephone", "tel", "telefon", "mobile", "telefono", "handy")
    yield make(
        "security_access_code", "Access code", "door code", "gate code", "turcode", "digicode"
    )
    yield make("latitude", "Latitude", "lat", "breitengrad", "latitud", kind="number")
    yield make("longitude", "Longitude", "lng", "lon", "long", "langengrad", kind="number")


PLACE_FIELDS: Final = (
    *_list_place_fields(),
    ImportField("type", "Type", ("kind", "typ", "art", "tipo")),
)
CONTACT_FIELDS: Final = (
    ImportField(
        "name", "Name", ("full name", "contact", "customer", "kunde", "nom", "nombre",
                         "company", "firma"), required=True,
    ),
    ImportField(
        "internal_id", "Number", ("customer number", "customer no", "customer id", "kundennummer",
                                  "kundennr", "kunden nr", "number", "no", "id", "reference",
                                  "numero client", "external id"),
    ),
    ImportField("phone", "Phone", ("telephone", "tel", "telefon", "mobile", "handy", "telefono")),
    ImportField("email", "Email", ("e-mail", "mail", "email address", "courriel", "correo")),
    ImportField("title", "Title", ("job title", "position", "funktion", "cargo")),
    ImportField("type", "Type", ("kind", "typ", "art", "tipo")),
    ImportField("locale", "Language", ("locale", "sprache", "langue", "idioma")),
    ImportField("price_group", "Price group", ("preisgruppe", "tariff group", "discount group")),
    ImportField(
        "payment_terms_days", "Payment terms (days)", ("payment terms", "zahlungsziel"), "whole"
    ),
    ImportField("tax_number", "Tax number", ("vat id", "vat number", "ust id", "ustid", "nif")),
)  # fmt: skip
DRIVER_FIELDS: Final = (
    ImportField("name", "Name", ("full name", "driver", "fahrer", "chauffeur", "conductor",
                                 "nom", "nombre"), required=True),
    ImportField("phone", "Phone", ("telephone", "tel", "telefon", "mobile", "handy", "telefono"),
                required=True),
    ImportField("email", "Email", ("e-mail", "mail", "email address", "courriel", "correo")),
    ImportField("drivers_license_number", "License number",
                ("licence number", "driving licence", "license", "fuhrerscheinnummer", "permis")),
    ImportField("license_expiry", "License expiry", ("licence expiry", "license valid until"),
                "day"),
    ImportField("city", "City", ("town", "stadt", "ville", "ciudad")),
    ImportField("country", "Country", ("country code", "land", "pays", "pais")),
    ImportField("skills", "Skills", ("qualifications", "fahigkeiten", "competences"), "list"),
)  # fmt: skip
VEHICLE_FIELDS: Final = (
    ImportField("plate_number", "Plate number",
                ("plate", "license plate", "registration", "kennzeichen", "immatriculation",
                 "matricula", "vehicle registration number")),
    ImportField("vin", "VIN", ("vehicle identification number", "fahrgestellnummer", "fin")),
    ImportField("make", "Make", ("manufacturer", "brand", "hersteller", "marke", "marque")),
    ImportField("model", "Model", ("modell", "modele", "modelo")),
    ImportField("trim", "Trim", ()),
    ImportField("year", "Year", ("baujahr", "annee", "ano", "model year"), "whole"),
    ImportField("color", "Color", ("colour", "farbe", "couleur")),
    ImportField("type", "Type", ("vehicle type", "fahrzeugtyp", "typ", "art")),
    ImportField("fuel_type", "Fuel", ("fuel type", "kraftstoff", "carburant")),
    ImportField("profile", "Routing profile", ("profile",)),
    ImportField("capacity.weight", "Capacity (kg)",
                ("payload", "max weight", "capacity weight", "nutzlast", "charge utile"), "number"),
    ImportField("capacity.volume", "Capacity (m³)",
                ("volume", "capacity volume", "ladevolumen", "volumen"), "number"),
    ImportField("capacity.items", "Capacity (items)", ("max items", "capacity items"), "whole"),
    ImportField("min_temperature", "Minimum temperature (°C)",
                ("min temperature", "minimum temperature", "min temp", "temperature from",
                 "mindesttemperatur", "temperature min", "temperatura minima"), "number"),
    ImportField("max_temperature", "Maximum temperature (°C)",
                ("max temperature", "maximum temperature", "max temp", "temperature to",
                 "hochsttemperatur", "temperature max", "temperatura maxima"), "number"),
)  # fmt: skip
RATE_FIELDS: Final = (
    ImportField("service_name", "Name", ("service", "rate", "service name", "tarif", "leistung"),
                required=True),
    ImportField("service_type", "Service type", ("type", "typ", "art")),
    ImportField("currency", "Currency", ("wahrung", "devise", "moneda")),
    ImportField("rate_calculation_method", "Pricing method", ("method", "calculation method")),
    ImportField("base_fee", "Base fee", ("fee", "price", "grundpreis", "preis", "prix", "precio"),
                "money", currency="currency"),
    ImportField("per_meter_flat_rate_fee", "Fee per distance unit",
                ("price per km", "fee per km", "per km", "kilometerpreis"), "money",
                currency="currency"),
    ImportField("per_meter_unit", "Distance unit", ("unit", "einheit")),
    ImportField("minimum_fee", "Minimum fee", ("minimum", "mindestpreis"), "money",
                currency="currency"),
    ImportField("maximum_fee", "Maximum fee", ("maximum", "hochstpreis"), "money",
                currency="currency"),
    ImportField("min_weight", "Minimum weight (kg)", ("weight from", "gewicht ab"), "number"),
    ImportField("max_weight", "Maximum weight (kg)", ("weight to", "gewicht bis"), "number"),
    ImportField("tax_rate", "Tax rate (%)", ("tax", "vat", "mwst", "steuersatz", "tva", "iva"),
                "number"),
    ImportField("estimated_days", "Estimated days", ("days", "tage", "jours"), "whole"),
    ImportField("valid_from", "Valid from", ("from", "gultig ab"), "moment"),
    ImportField("valid_until", "Valid until", ("until", "gultig bis"), "moment"),
    ImportField("public", "Public", ("offentlich",), "yes_no"),
)  # fmt: skip
# The prefixes of the fields of an item: in a mapping, and in a request.
ITEM_PREFIX, ITEMS_PREFIX = "item.", "entities["
ITEM_QUANTITY: Final = "item.quantity"
ORDER_FIELDS: Final = (
    ImportField("internal_id", "Order number",
                ("order", "order no", "order id", "number", "reference", "auftragsnummer",
                 "auftrag", "bestellnummer", "bestellung", "numero de commande", "commande",
                 "numero de pedido", "pedido", "po number", "external id"), required=True),
    ImportField("customer.name", "Customer name",
                ("customer", "recipient", "kunde", "empfanger", "client", "destinataire",
                 "cliente", "contact", "name")),
    ImportField("customer.phone", "Customer phone",
                ("phone", "recipient phone", "telefon", "tel", "telephone", "telefono", "mobile")),
    ImportField("customer.email", "Customer email",
                ("email", "e-mail", "mail", "recipient email", "courriel", "correo")),
    ImportField("customer.internal_id", "Customer number",
                ("customer no", "customer id", "kundennummer", "kundennr", "numero client")),
    *_list_place_fields("pickup.", "pickup", ("pickup", "pick up", "from", "sender", "collection",
                                               "abhol", "abholung", "absender", "enlevement",
                                               "recogida", "origin")),
    *_list_place_fields("dropoff.", "dropoff", ("dropoff", "drop off", "delivery", "to",
                                                 "recipient", "destination", "liefer",
                                                 "lieferung", "empfanger", "livraison",
                                                 "entrega", "ship to", "shipping", "")),
    ImportField("notes", "Notes", ("note", "instructions", "comment", "comments", "remarks",
                                   "hinweis", "bemerkung", "notiz", "remarque", "notas")),
    ImportField("type", "Order configuration", ("type", "order type", "flow", "auftragsart")),
    ImportField("scheduled_at", "Dispatch at", ("scheduled at", "schedule", "scheduled"), "moment"),
    ImportField("time_window_start", "Window start",
                ("from time", "earliest", "deliver after", "time window start", "zeitfenster von",
                 "frühestens"), "moment"),
    ImportField("time_window_end", "Window end",
                ("to time", "latest", "deliver before", "deliver by", "time window end",
                 "zeitfenster bis", "spatestens"), "moment"),
    ImportField("cod_amount", "Cash on delivery", ("cod", "cod amount", "nachnahme",
                                                   "contre remboursement"), "money",
                currency="cod_currency"),
    ImportField("cod_currency", "Cash on delivery currency", ("cod currency", "currency")),
    ImportField("pod_method", "Proof method", ("pod method", "proof", "pod")),
    ImportField("required_skills", "Required skills", ("skills",), "list"),
    ImportField("item.name", "Item", ("item name", "article", "product", "artikel", "produkt",
                                      "produit", "producto", "goods", "description of goods")),
    ImportField("item.sku", "Item SKU", ("sku", "article number", "artikelnummer", "item number")),
    ImportField(ITEM_QUANTITY, "Quantity", ("qty", "pieces", "menge", "anzahl", "quantite",
                                            "cantidad", "stuck", "colli"), "whole"),
    ImportField("item.weight", "Item weight (kg)",
                ("weight", "weight kg", "gewicht", "poids", "peso"), "number"),
    ImportField("item.description", "Item description", ("description", "beschreibung")),
    ImportField("item.internal_id", "Item number", ("item id", "parcel number", "paketnummer")),
    ImportField("item.expected_codes", "Item codes", ("barcode", "barcodes", "ean", "codes"),
                "list"),
    ImportField("item.declared_value", "Item value", ("value", "declared value", "wert"), "money",
                currency="item.currency"),
    ImportField("item.currency", "Item currency", ()),
)  # fmt: skip
FIELDS: Final[Mapping[ImportResource, Sequence[ImportField]]] = {
    "places": PLACE_FIELDS,
    "contacts": CONTACT_FIELDS,
    "orders": ORDER_FIELDS,
    "drivers": DRIVER_FIELDS,
    "vehicles": VEHICLE_FIELDS,
    "service-rates": RATE_FIELDS,
}


def map_fields(resource: ImportResource) -> dict[str, ImportField]:
    """Return the fields of a resource by path."""
    return {field.path: field for field in FIELDS[resource]}
