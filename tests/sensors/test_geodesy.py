"""East, north, up to WGS 84 and back, against PROJ: at poles, on the date line, and 100 km away."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Transformer

from rigless.sensors.geodesy import SEMI_MAJOR_M, SEMI_MINOR_M, Topocentric, to_ecef, to_geodetic

ORIGINS = [
    (47.3769, 8.5417, 0.0),
    (0.0, 0.0, 0.0),
    (-33.9, 179.9999, 30.0),
    (65.0, -180.0, -20.0),
    (89.9999, 12.0, 0.0),
    (-90.0, 0.0, 2800.0),
    (90.0, 45.0, 0.0),
]
PLACES = [
    (0.0, 0.0, 0.0),
    (3.0, -4.0, 1.5),
    (2500.0, 900.0, 0.0),
    (-71_000.0, 71_000.0, 10.0),
    (100_000.0, 0.0, 0.0),
    (0.0, -128_000.0, 0.0),
]


def proj(latitude, longitude, height):
    return Transformer.from_pipeline(
        f"+proj=pipeline +step +inv +proj=topocentric +ellps=WGS84 "
        f"+lat_0={latitude!r} +lon_0={longitude!r} +h_0={height!r} "
        "+step +inv +proj=cart +ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg"
    )


@pytest.mark.parametrize("origin", ORIGINS)
def test_it_agrees_with_proj(origin):
    plane, other = Topocentric(*origin), proj(*origin)
    for place in PLACES:
        latitude, longitude, height = plane.to_geodetic(*place)
        lon, lat, h = other.transform(*place)
        here, there = to_ecef(latitude, longitude, height), to_ecef(lat, lon, h)
        near_pole = (
            abs(lat) > 89.9999
        )  # there PROJ takes the ellipsoid for flat: 2 µm at 5 m, which the way back shows
        assert math.dist(here, there) < (3e-6 if near_pole else 1e-7)
        assert plane.to_enu(latitude, longitude, height) == pytest.approx(place, abs=1e-7)
        assert abs(latitude - lat) < 1e-12
        if abs(lat) < 89.99:
            assert abs((longitude - lon + 180) % 360 - 180) < 1e-11
        assert -180 <= longitude <= 180


def test_the_ends_of_the_axes():
    assert to_geodetic(SEMI_MAJOR_M, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert to_geodetic(0.0, 0.0, SEMI_MINOR_M + 5) == pytest.approx((90.0, 0.0, 5.0), abs=1e-9)
    assert to_geodetic(0.0, 0.0, -SEMI_MINOR_M) == pytest.approx((-90.0, 0.0, 0.0), abs=1e-9)
    assert to_geodetic(-SEMI_MAJOR_M, 0.0, 0.0)[1] == 180.0


def test_north_is_north_and_east_is_east():
    plane = Topocentric(10.0, 20.0)
    north, east = plane.to_geodetic(0.0, 100.0), plane.to_geodetic(100.0, 0.0)
    assert north[0] > 10.0
    assert north[1] == pytest.approx(20.0, abs=1e-12)
    assert east[1] > 20.0
    assert plane.to_geodetic(0.0, 0.0) == pytest.approx((10.0, 20.0, 0.0), abs=1e-8)


def test_the_plane_leaves_the_ellipsoid():
    """The ellipsoid is d²/2R below the plane: 785 m at 100 km."""
    assert Topocentric(45.0, 0.0).to_geodetic(100_000.0, 0.0)[2] == pytest.approx(
        100_000**2 / (2 * 6_388_838), rel=1e-3
    )


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.floats(-90, 90),
    st.floats(-180, 180),
    st.floats(-400, 9000),
    st.floats(-1e5, 1e5),
    st.floats(-1e5, 1e5),
    st.floats(-500, 500),
)
def test_there_and_back(latitude, longitude, height, east, north, up):
    plane = Topocentric(latitude, longitude, height)
    assert plane.to_enu(*plane.to_geodetic(east, north, up)) == pytest.approx(
        (east, north, up), abs=1e-6
    )
