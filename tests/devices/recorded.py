"""Requests as apps and servers send them, byte for byte in the form that their makers document."""

from typing import NamedTuple

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


class Recorded(NamedTuple):
    """One request: its query, its body, and how many events it tells."""

    query: str = ""
    body: bytes = b""
    content_type: str = FORM
    events: int = 1

    @property
    def method(self) -> str:
        """As the app would: the old one puts all of it into the query."""
        return "POST" if self.body else "GET"


OSMAND = {
    "Traccar Client 8 for Android": Recorded(
        "id=386012&timestamp=1768478340&lat=1.3521&lon=103.8198&speed=22.9481641468683"
        "&bearing=87.5&altitude=15.0&accuracy=4.2&batt=81.0&charge=true"
    ),
    "Traccar Client 8 for Android, sos": Recorded(
        "id=386012&timestamp=1768478345&lat=1.3522&lon=103.8199&speed=0.0&bearing=0.0"
        "&altitude=15.0&accuracy=4.2&batt=81.0&alarm=sos",
        events=2,
    ),
    "Traccar Client 8 for iOS": Recorded(
        body=b"id=386012&timestamp=1768478350&lat=1.3523&lon=103.82&speed=12.5&bearing=90.0"
        b"&altitude=14.1&accuracy=5.0&batt=80.0"
    ),
    "OsmAnd's own": Recorded(
        "id=386012&timestamp=1768478355123&lat=1.3524&lon=103.8201&hdop=4.5&altitude=12&speed=11"
    ),
    "a tracker with an engine": Recorded(
        "deviceid=386012&timestamp=2026-01-15%2011:59:20&location=1.3525,103.8202&heading=92"
        "&ignition=true&rpm=2100&fuelLevel=61.5&dtcs=P0301%20P0420&temp1=4.5"
        "&cell=525,1,1001,20002,-71&wifi=00-11-22-33-44-55,-48",
        events=3,
    ),
    "a sign of life": Recorded("id=386012&timestamp=1768478365&batt=20&alarm=lowBattery", events=2),
    "a fix of nowhere": Recorded("id=386012&timestamp=1768478370&lat=0&lon=0&speed=0"),
    "Traccar Client 9": Recorded(
        body=b'{"location":{"timestamp":"2026-01-15T11:59:35.000Z","coords":{"latitude":1.3526,'
        b'"longitude":103.8203,"accuracy":4.8,"speed":11.8055,"heading":91.2,"altitude":15.4},'
        b'"is_moving":true,"odometer":1523,"event":"motionchange","battery":{"level":0.79,'
        b'"is_charging":false},"activity":{"type":"in_vehicle"},"extras":{}},'
        b'"device_id":"386012"}',
        content_type=JSON,
    ),
    "Traccar Client 9, sos": Recorded(
        body=b'{"location":{"timestamp":"2026-01-15T11:59:40.000Z","coords":{"latitude":1.3527,'
        b'"longitude":103.8204,"accuracy":4.8,"speed":-1,"heading":-1,"altitude":15.4},'
        b'"is_moving":false,"odometer":1523,"alarm":"sos","battery":{"level":-1,'
        b'"is_charging":false}},"device_id":"386012"}',
        content_type="application/json; charset=utf-8",
        events=2,
    ),
    "OwnTracks": Recorded(
        body=b'{"_type":"location","lat":1.3528,"lon":103.8205,"tst":1768478385,"acc":9,"alt":15,'
        b'"vel":42,"cog":88,"batt":77,"tid":"ph","topic":"owntracks/ann/phone","t":"u"}',
        content_type=JSON,
    ),
    "OwnTracks, a region": Recorded(
        body=b'{"_type":"transition","lat":1.3529,"lon":103.8206,"tst":1768478390,"acc":9,'
        b'"tid":"ph","event":"leave","desc":"Depot","rid":"6da9cf"}',
        content_type=JSON,
    ),
}

POSITION = (
    b'{"position":{"id":0,"attributes":{"batteryLevel":81.0,"sat":9,"ignition":true,"distance":12.5,'
    b'"motion":true,"hours":7200000},"deviceId":3,"protocol":"teltonika",'
    b'"serverTime":"2026-01-15T11:59:48.120+00:00","deviceTime":"2026-01-15T11:59:47.000+00:00",'
    b'"fixTime":"2026-01-15T11:59:47.000+00:00","valid":true,"latitude":1.353,"longitude":103.8207,'
    b'"altitude":15.0,"speed":22.9481641468683,"course":87.0,"address":null,"accuracy":0.0,'
    b'"network":null,"geofenceIds":null},'
)
DEVICE = (
    b'"device":{"id":3,"attributes":{},"groupId":0,"calendarId":0,"name":"Van 3",'
    b'"uniqueId":"386012","status":"online","lastUpdate":"2026-01-15T11:59:47.000+00:00",'
    b'"positionId":0,"phone":null,"model":null,"contact":null,"category":null,"disabled":false,'
    b'"expirationTime":null}'
)


def forwarded(event: str, more: str = "") -> bytes:
    """Spell an event as Traccar forwards it, with its position and its device."""
    return b'{"event":{%s},%s%s%s}' % (event.encode(), POSITION[1:], DEVICE, more.encode())


TRACCAR = {
    "a position": Recorded(body=b"%s%s}" % (POSITION, DEVICE), content_type=JSON),
    "the same from an older Traccar": Recorded(
        body=b"%s%s}"
        % (POSITION.replace(b"1.353,", b"1.3531,").replace(b"+00:00", b"+0000"), DEVICE),
        content_type=JSON,
    ),
    "an alarm": Recorded(
        body=forwarded(
            '"id":91,"attributes":{"alarm":"hardBraking,sos"},"deviceId":3,"type":"alarm",'
            '"eventTime":"2026-01-15T11:59:48.000+00:00","positionId":44,"geofenceId":0,'
            '"maintenanceId":0'
        ),
        content_type=JSON,
        events=2,
    ),
    "an exit": Recorded(
        body=forwarded(
            '"id":92,"attributes":{},"deviceId":3,"type":"geofenceExit",'
            '"eventTime":"2026-01-15T11:59:49.000+00:00","positionId":44,"geofenceId":5,'
            '"maintenanceId":0',
            ',"geofence":{"id":5,"name":"Depot","attributes":{}}',
        ),
        content_type=JSON,
    ),
    "too fast": Recorded(
        body=forwarded(
            '"id":93,"attributes":{"speed":59.39524838,"speedLimit":53.99568035},"deviceId":3,'
            '"type":"deviceOverspeed","eventTime":"2026-01-15T11:59:50.000+00:00"'
        ),
        content_type=JSON,
    ),
    "something else": Recorded(
        body=forwarded(
            '"id":94,"attributes":{"driverUniqueId":"7"},"deviceId":3,"type":"driverChanged",'
            '"eventTime":"2026-01-15T11:59:51.000+00:00"'
        ),
        content_type=JSON,
    ),
}
