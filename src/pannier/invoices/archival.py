"""The metadata of an archival PDF (PDF/A-3) and of its structured form (Factur-X), as XMP."""

from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape

from pannier.proofs.pdf import fonts
from pannier.proofs.pdf.paper import CREATOR

XML_NAME: Final = "factur-x.xml"
XML_TYPE: Final = "text/xml"
# The pages and the XML say the same.
XML_RELATIONSHIP: Final = "Alternative"
FACTUR_X: Final = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
PROPERTIES: Final = {
    "DocumentFileName": (XML_NAME, "The name of the embedded XML document"),
    "DocumentType": ("INVOICE", "The type of the hybrid document"),
    "Version": ("1.0", "The version of the standard of the embedded XML document"),
    "ConformanceLevel": ("EN 16931", "The conformance level of the embedded XML document"),
}
_TEMPLATE: Final = """\
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"
xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"
xmlns:fx="{namespace}">
<rdf:Description rdf:about="">
<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
<xmp:CreatorTool>{creator}</xmp:CreatorTool><xmp:CreateDate>{made_at}</xmp:CreateDate>
<pdf:Producer>{creator}</pdf:Producer>
</rdf:Description>{extension}
</rdf:RDF></x:xmpmeta>"""
_EXTENSION: Final = """
<rdf:Description rdf:about=""><pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>{namespace}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>{descriptions}</rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
<rdf:Description rdf:about="">{values}</rdf:Description>"""
_DESCRIPTION: Final = """<rdf:li rdf:parseType="Resource">
<pdfaProperty:name>{name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>
<pdfaProperty:category>external</pdfaProperty:category>
<pdfaProperty:description>{text}</pdfaProperty:description></rdf:li>"""


def make_metadata(title: str, author: str, made_at: datetime, *, has_xml: bool) -> str:
    """Make the metadata, which repeat the title, author and time of the PDF."""
    return _TEMPLATE.format(
        namespace=FACTUR_X,
        title=escape(fonts.strip_invisible(title)),
        author=escape(fonts.strip_invisible(author)),
        creator=CREATOR,
        made_at=made_at.isoformat(timespec="seconds"),
        extension=_make_extension() if has_xml else "",
    )


def _make_extension() -> str:
    return _EXTENSION.format(
        namespace=FACTUR_X,
        descriptions="".join(
            _DESCRIPTION.format(name=name, text=text) for name, (_, text) in PROPERTIES.items()
        ),
        values="".join(
            f"<fx:{name}>{value}</fx:{name}>" for name, (value, _) in PROPERTIES.items()
        ),
    )
