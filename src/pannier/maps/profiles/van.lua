-- A delivery van of up to 3.5 tonnes: the car of the routing engine with the van's size.
-- Roads with a lower tagged limit are avoided.

local car = require('car')
local setup_car = car.setup

function car.setup()
  local profile = setup_car()
  profile.vehicle_height = 2.6 -- in meters
  profile.vehicle_width = 2.1 -- in meters
  profile.vehicle_length = 6.0 -- in meters
  profile.vehicle_weight = 3500 -- in kilograms
  return profile
end

return car
