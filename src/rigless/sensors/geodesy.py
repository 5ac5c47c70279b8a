"""WGS 84: local east, north, up to latitude, longitude, height and back, in closed form.

East, north, up is a plane through the origin (topocentric), not a map projection: at 100 km the
ellipsoid lies 785 m below it.
"""

import math
from dataclasses import dataclass

from rigless.kernel.compiled.elementary import atan2, sin_cos

SEMI_MAJOR_M, FLATTENING = 6378137.0, 1 / 298.257223563  # NGA.STND.0036
SEMI_MINOR_M = SEMI_MAJOR_M * (1 - FLATTENING)
E2 = FLATTENING * (2 - FLATTENING)  # first eccentricity, squared
E2_SECOND = E2 / (1 - E2)

Place = tuple[
    float, float, float
]  # latitude and longitude in degrees, height over the ellipsoid in metres


def to_ecef(
    latitude_deg: float, longitude_deg: float, height_m: float
) -> tuple[float, float, float]:
    """Return earth-centred, earth-fixed coordinates in metres."""
    lat, lon = math.radians(latitude_deg), math.radians(longitude_deg)
    (lat_sin, lat_cos), (lon_sin, lon_cos) = sin_cos(lat), sin_cos(lon)
    normal = SEMI_MAJOR_M / math.sqrt(1 - E2 * lat_sin * lat_sin)
    across = (normal + height_m) * lat_cos
    return (
        across * lon_cos,
        across * lon_sin,
        (normal * (1 - E2) + height_m) * lat_sin,
    )


def to_geodetic(x_m: float, y_m: float, z_m: float) -> Place:
    """Return latitude, longitude and height, by Bowring's formula.

    It is exact to nanometres near the ground, poles included.
    """
    across = math.sqrt(x_m * x_m + y_m * y_m)
    reduced = atan2(SEMI_MAJOR_M * z_m, SEMI_MINOR_M * across)
    sine, cosine = sin_cos(reduced)
    up = z_m + E2_SECOND * SEMI_MINOR_M * (sine * sine * sine)
    lat = atan2(up, across - E2 * SEMI_MAJOR_M * (cosine * cosine * cosine))
    sine, cosine = sin_cos(lat)
    height = across * cosine + z_m * sine - SEMI_MAJOR_M * math.sqrt(1 - E2 * sine * sine)
    return math.degrees(lat), math.degrees(atan2(y_m, x_m)), height


@dataclass(frozen=True)
class Topocentric:
    """Coordinates east, north and up in metres from a place."""

    latitude_deg: float
    longitude_deg: float
    height_m: float = 0.0

    def __post_init__(self) -> None:
        lat, lon = math.radians(self.latitude_deg), math.radians(self.longitude_deg)
        axes = (*sin_cos(lat), *sin_cos(lon))
        object.__setattr__(self, "_axes", axes)
        object.__setattr__(
            self, "_centre", to_ecef(self.latitude_deg, self.longitude_deg, self.height_m)
        )

    def to_geodetic(self, east_m: float, north_m: float, up_m: float = 0.0) -> Place:
        slat, clat, slon, clon = self._axes  # type: ignore[attr-defined]
        x0, y0, z0 = self._centre  # type: ignore[attr-defined]
        out = clat * up_m - slat * north_m
        return to_geodetic(
            x0 + clon * out - slon * east_m,
            y0 + slon * out + clon * east_m,
            z0 + slat * up_m + clat * north_m,
        )

    def to_enu(
        self, latitude_deg: float, longitude_deg: float, height_m: float = 0.0
    ) -> tuple[float, float, float]:
        slat, clat, slon, clon = self._axes  # type: ignore[attr-defined]
        x0, y0, z0 = self._centre  # type: ignore[attr-defined]
        x, y, z = to_ecef(latitude_deg, longitude_deg, height_m)
        dx, dy, dz = x - x0, y - y0, z - z0
        out = clon * dx + slon * dy
        return clon * dy - slon * dx, clat * dz - slat * out, clat * out + slat * dz
