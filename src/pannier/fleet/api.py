"""All routers of the fleet."""

from pannier.fleet.drivers import api as drivers
from pannier.fleet.fleets import api as fleets
from pannier.fleet.issues import api as issues
from pannier.fleet.live import api as live
from pannier.fleet.vehicles import api as vehicles

routers = (*drivers.routers, *vehicles.routers, *fleets.routers, *issues.routers, *live.routers)
