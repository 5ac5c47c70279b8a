"""Plans of warehouses for fleets: map and layout, by the numbers of aisles and parking lanes.

Traffic keeps to the right on two main lanes at each end of the aisles; aisles are one-way, in turn
south and north. Parking lanes are south of them, chargers at both sides, docks in the north, with a
cold store behind a door and a mezzanine on a lift. Nodes are 2 m apart.
"""

import json
import math

G = 2.0  # m between nodes
PITCH = 2 * G  # between aisles
NORTH, SOUTH, EAST, WEST = 1.5708, -1.5708, 0.0, 3.14159
MAIN_MPS, AISLE_MPS, SPUR_MPS = 1.2, 0.9, 0.5
LANE_M, AISLE_M, SPUR_M = 1.8, 1.6, 1.2
WALL = 0.2


class Plan:
    """The layout of one warehouse while it is made. `x1` and `y1` are the last aisle and lane C."""

    def __init__(self, name, aisles, bays, parking_lanes):
        self.name, self.aisles, self.bays, self.parking_lanes = name, aisles, bays, parking_lanes
        self.columns = 2 * (aisles - 1) + 1
        self.x1, self.y1 = PITCH * (aisles - 1), G * (bays + 2)
        self.nodes, self.edges, self.parking = {}, [], []
        self.chargers, self.stations = [], []
        self.doors, self.lifts, self.conveyors = [], [], []
        self._main_lanes()
        self._aisles()
        self._parking()
        self._chargers()
        self._docks()
        self._cold_store()
        self._mezzanine()

    def node(self, name, x, y, theta=None):
        heading = {} if theta is None else {"theta": theta}
        self.nodes[name] = {"id": name, "x": x, "y": y, **heading}
        return name

    def lane(self, nodes, speed, width, both=False):
        direction = {"direction": "both"} if both else {}
        self.edges.append({"nodes": nodes, **direction, "speed_mps": speed, "width_m": width})

    def spur(self, lane_node, name, x, y, theta):
        """Add a dead end for one robot, off a lane."""
        self.node(name, x, y, theta)
        self.lane([lane_node, name], SPUR_MPS, SPUR_M, both=True)
        return name

    def station(self, name, node, place, **keys):
        x, y, theta = place
        self.stations.append(
            {"id": name, "node": node, **keys, "place": {"x": x, "y": y, "theta": theta}}
        )

    def _main_lanes(self):
        """A and C go east, B and D west."""
        for lane, y, east in (
            ("A", 0.0, True), ("B", G, False), ("C", self.y1, True), ("D", self.y1 + G, False)
        ):  # fmt: skip
            names = [self.node(f"{lane}{i:02}", G * i, y) for i in range(self.columns)]
            self.lane(names if east else names[::-1], MAIN_MPS, LANE_M)

    def _aisles(self):
        for k in range(self.aisles):
            names = [f"A{2 * k:02}", f"B{2 * k:02}"]
            names += [
                self.node(f"I{k:02}.{j + 1}", PITCH * k, G * (j + 2)) for j in range(self.bays)
            ]
            names += [f"C{2 * k:02}", f"D{2 * k:02}"]
            self.lane(names if k % 2 else names[::-1], AISLE_MPS, AISLE_M)
            side = 1 if k == 0 else -1  # of the rack
            for j in range(0, self.bays, 2):
                place = PITCH * k + 1.4 * side, G * (j + 2), EAST if side > 0 else WEST
                self.station(f"R{k:02}.{j + 1}", f"I{k:02}.{j + 1}", place, slots=2, loads=1)

    def _parking(self):
        """Lanes go west, from the end of A and back to its beginning; places are at both sides."""
        y0 = -(6.0 * self.parking_lanes)
        rows = round(-y0 / G) + 1
        east = [self.node(f"E{r:02}", self.x1 + G, -G * r) for r in range(rows)]
        west = [self.node(f"W{r:02}", -G, -G * r) for r in range(rows)]
        self.lane([f"A{self.columns - 1:02}", *east], MAIN_MPS, LANE_M)
        self.lane([*west[::-1], "A00"], MAIN_MPS, LANE_M)
        sides = [(f"A{i:02}", G * i, -G, NORTH) for i in range(self.columns)]
        for lane in range(1, self.parking_lanes + 1):
            y = -6.0 * lane
            names = [self.node(f"L{lane}.{i:02}", G * i, y) for i in range(self.columns)]
            self.lane([east[3 * lane], *names[::-1], west[3 * lane]], MAIN_MPS, LANE_M)
            sides += [(name, G * i, y + G, SOUTH) for i, name in enumerate(names)]
            sides += [(name, G * i, y - G, NORTH) for i, name in enumerate(names)]
        for n, (lane_node, x, y, theta) in enumerate(sides, 1):
            self.parking.append(self.spur(lane_node, f"P{n:03}", x, y, theta))

    def _chargers(self):
        for k, x, theta in ((0, -G, WEST), (self.aisles - 1, self.x1 + G, EAST)):
            for j in range(self.bays):
                name = f"K{len(self.chargers) + 1:02}"
                self.spur(f"I{k:02}.{j + 1}", name, x, G * (j + 2), theta)
                self.chargers.append({"id": name, "node": name, "power_w": 500.0})

    def _docks(self):
        """Goods come in and leave at docks along D; the first two are a conveyor's ends."""
        y = self.y1 + 2 * G
        columns = range(4, self.columns - 7, 2)
        kinds = ["storage", "sink", *(("source", "sink") * len(columns))]
        for n, (i, kind) in enumerate(zip(columns, kinds, strict=False), 1):
            slots = {"slots": 4} if kind == "storage" else {"slots": 2}
            node = self.spur(f"D{i:02}", f"S{n:02}", G * i, y, NORTH)
            more = {"kind": kind, "loads": 2, "every_s": 20.0} if kind == "source" else {}
            more = {"kind": kind, "every_s": 20.0} if kind == "sink" else more
            self.station(f"dock-{n}", node, (G * i, y + 1.2, EAST), **slots, **more)
        self.conveyors.append({"id": "conveyor-1", "start": "dock-1", "end": "dock-2"})

    def _cold_store(self):
        """Two stations behind a door that opens by itself."""
        i, y = self.columns - 4, self.y1 + G
        x = G * i
        self.node("Q1", x, y + 6.0)
        self.lane([f"D{i:02}", "Q1"], SPUR_MPS, SPUR_M, both=True)
        self.doors.append({"id": "door-1", "x": x, "y": y + 3.0, "width_m": 1.6})
        for name, dx, theta in (("Q2", -3.0, WEST), ("Q3", 3.0, EAST)):
            self.spur("Q1", name, x + dx, y + 6.0, theta)
            place = x + 1.35 * dx, y + 6.0, theta
            self.station(f"cold-{name[1:]}", name, place, slots=2, loads=1)
        self.cold = (x - 5.0, y + 3.0, x + 5.0, y + 8.5)

    def _mezzanine(self):
        """Two stations on another floor, drawn north-east of the lift that goes there."""
        x, y, upper_x = G, self.y1 + G, 5 * G
        self.node("G1", x, y + 4.2, NORTH)
        self.lane(["D01", "G1"], SPUR_MPS, SPUR_M, both=True)
        self.node("G2", upper_x, y + 6.4, NORTH)
        self.node("M1", upper_x, y + 10.2)
        self.lane(["G2", "M1"], SPUR_MPS, SPUR_M, both=True)
        shut = {"auto": False, "close_after_s": 0.0, "width_m": 1.6}
        self.doors.append({"id": "lift-1.0", "x": x, "y": y + 3.0, "open": True, **shut})
        self.doors.append({"id": "lift-1.1", "x": upper_x, "y": y + 7.6, **shut})
        floors = [("0", "G1"), ("1", "G2")]
        self.lifts.append(
            {
                "id": "lift-1",
                "floors": [{"name": n, "node": at, "door": f"lift-1.{n}"} for n, at in floors],
            }
        )
        for name, dx, theta in (("M2", -3.0, WEST), ("M3", 3.0, EAST)):
            self.spur("M1", name, upper_x + dx, y + 10.2, theta)
            place = upper_x + 1.35 * dx, y + 10.2, theta
            self.station(f"mezzanine-{name[1:]}", name, place, slots=2, loads=1)
        upper = (upper_x - 1.0, y + 5.2, upper_x + 1.0, y + 7.6)
        self.shafts = [(x - 1.0, y + 3.0, x + 1.0, y + 5.4), upper]
        self.mezzanine = (upper_x - 5.0, y + 7.6, upper_x + 5.0, y + 12.0)

    def draw(self, new_map):
        """Return the map of the plan; `new_map` makes an empty one."""
        left, right, bottom = -4.0, self.x1 + 4.0, -(6.0 * self.parking_lanes) - 4.0
        hall, top = self.y1 + G + 4.0, self.y1 + G + 12.6
        about = f"A warehouse of {right - left:g} m × {top - bottom:g} m with a layout for"
        about += f" {len(self.parking)} parked robots: aisles, stations, chargers, doors, a lift."
        m = new_map(self.name, about, 0.1, left, bottom, right, top)
        m.walls(WALL)
        m.unknown(left, hall, right, top)
        m.box(left, hall, right, hall + WALL)
        for k in range(self.aisles - 1):
            m.box(PITCH * k + 1.0, 3.0, PITCH * (k + 1) - 1.0, self.y1 - 1.0)
        for station in self.stations:
            if station["id"].startswith("dock"):
                place = station["place"]
                m.legs(place["x"] - 0.6, place["y"] - 0.3, place["x"] + 0.6, place["y"] + 0.3, 0.1)
        for room in (self.cold, *self.shafts, self.mezzanine):
            _room(m, *room)
        for door in self.doors:  # openings
            m.floor(door["x"] - 0.8, door["y"] - WALL, door["x"] + 0.8, door["y"] + WALL)
        m.walls(WALL)
        m.layout = f"{self.name}.json"
        return m

    def text(self):
        """Return the layout file, one element a line."""
        parts = [f'"name": {json.dumps(self.name)}']
        for key, some in (
            ("nodes", list(self.nodes.values())), ("edges", self.edges), ("parking", self.parking),
            ("chargers", self.chargers), ("stations", self.stations), ("doors", self.doors),
            ("lifts", self.lifts), ("conveyors", self.conveyors),
        ):  # fmt: skip
            lines = [json.dumps(one) for one in some]
            if key == "parking":
                lines = [", ".join(lines[n : n + 10]) for n in range(0, len(lines), 10)]
            parts.append(f'"{key}": [\n  ' + ",\n  ".join(lines) + "\n]")
        return "{\n" + ",\n".join(parts) + "\n}\n"


def _room(m, x0, y0, x1, y1):
    """Draw a room with walls around it."""
    m.box(x0 - WALL, y0 - WALL / 2, x1 + WALL, y1 + WALL)
    m.floor(x0, y0 + WALL / 2, x1, y1)


def plans():
    """Return the bundled warehouses: for up to a hundred robots, and for up to a thousand."""
    return [Plan("warehouse_100", 12, 6, 2), Plan("warehouse_1000", 30, 10, 8)]


assert math.isclose(NORTH, math.pi / 2, abs_tol=1e-4)
