"""WGS 84: local east, north, up to latitude, longitude, height and back, in closed form.

East, north, up is a plane through the origin (topocentric), not a map projection: at 100 km the
ellipsoid lies 785 m below it.
"""

import math
from dataclasses import dataclass

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
    normal = SEMI_MAJOR_M / math.sqrt(1 - E2 * math.sin(lat) ** 2)
    across = (normal + height_m) * math.cos(lat)
    return (
        across * math.cos(lon),
        across * math.sin(lon),
        (normal * (1 - E2) + height_m) * math.sin(lat),
    )


def to_geodetic(x_m: float, y_m: float, z_m: float) -> Place:
    """Return latitude, longitude and height, by Bowring's formula.

    It is exact to nanometres near the ground, poles included.
    """
    across = math.hypot(x_m, y_m)
    reduced = math.atan2(SEMI_MAJOR_M * z_m, SEMI_MINOR_M * across)
    up = z_m + E2_SECOND * SEMI_MINOR_M * math.sin(reduced) ** 3
    lat = math.atan2(up, across - E2 * SEMI_MAJOR_M * math.cos(reduced) ** 3)
    sine = math.sin(lat)
    height = across * math.cos(lat) + z_m * sine - SEMI_MAJOR_M * math.sqrt(1 - E2 * sine * sine)
    return math.degrees(lat), math.degrees(math.atan2(y_m, x_m)), height


@dataclass(frozen=True)
class Topocentric:
    """Coordinates east, north and up in metres from a place."""

    latitude_deg: float
    longitude_deg: float
    height_m: float = 0.0

    def __post_init__(self) -> None:
        lat, lon = math.radians(self.latitude_deg), math.radians(self.longitude_deg)
        axes = (math.sin(lat), math.cos(lat), math.sin(lon), math.cos(lon))
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
