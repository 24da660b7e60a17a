"""`pannier map build` makes a city from an extract."""

from pannier.maps.folder import PROFILES, CityFolder


def test_a_city_has_a_routing_graph_for_each_vehicle(helsinki: CityFolder) -> None:
    manifest = helsinki.read_manifest()
    assert manifest is not None
    assert manifest.profiles == PROFILES
    for profile in PROFILES:
        assert helsinki.graph(profile).with_name("graph.osrm.mldgr").is_file()
