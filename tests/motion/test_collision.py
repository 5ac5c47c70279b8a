"""Collisions: closed forms, a second engine over 10,000 poses, and motions past thin solids."""

import math
from dataclasses import replace

import fcl
import numpy as np
import pytest

from rigless.motion.arm.collision import TOUCH_M, Collider
from rigless.motion.arm.continuous_collision import MotionChecker, contacts_along, first_contact
from rigless.robots.welder.arm.body import model
from rigless.worlds import Cell
from rigless.worlds.cells.cell import Thing
from rigless.worlds.cells.solids import Mesh, Solid
from rigless.worlds.frames import frame

BODY = model()
ZERO = np.zeros(6)
RANDOM = np.random.default_rng(3)


def poses(count, random=RANDOM):
    return random.uniform(BODY.low_rad, BODY.high_rad, (count, 6))


def cell_of(*solids, **more):
    return Cell("test", tuple(Thing(solid, **more) for solid in solids))


def ball(x, y, z, radius=0.1, name="ball"):
    return Solid(name, "sphere", (radius,), frame((x, y, z)))


def turned(random):
    return random.uniform(-math.pi, math.pi, 3)


def cell_at_random(random, count=10):
    """Boxes, cylinders and spheres around the arm."""
    solids = []
    for n in range(count):
        kind = ("box", "cylinder", "sphere")[n % 3]
        size = tuple(random.uniform(0.05, 0.4, {"box": 3, "cylinder": 2, "sphere": 1}[kind]))
        angle, far, high = random.uniform((-math.pi, 0.45, 0), (math.pi, 0.9, 1.4))
        at = frame((far * math.cos(angle), far * math.sin(angle), high), turned(random))
        solids.append(Solid(f"{kind} {n}", kind, size, at))
    return cell_of(*solids)


# One pose


def test_distance_depth_and_place_of_a_ball_behind_the_upper_arm():
    """At zero the upper arm is a box from x = −0.03 to 0.08 between z = 0.4 and 0.96."""
    for x, apart in ((-0.5, 0.37), (-0.15, 0.02), (-0.1, -0.03)):
        collider = Collider(BODY, cell_of(ball(x, 0, 0.8)), ())
        nearest = collider.nearest(ZERO)
        assert (nearest.link, nearest.other) == ("link_2", "ball")
        assert collider.distance(ZERO) == pytest.approx(apart, abs=1e-6)
        contact = collider.check(ZERO)
        assert (contact is not None) == (apart < 0)
        if contact:
            assert (contact.link, contact.other) == ("link_2", "ball")
            assert contact.depth_m == pytest.approx(0.03, abs=1e-6)
            assert contact.point_m == pytest.approx([-0.015, 0, 0.8], abs=1e-4)


def test_margins_add_up_and_what_may_touch_is_left_out():
    near = ball(-0.15, 0, 0.8)  # 20 mm away
    assert Collider(BODY, cell_of(near, margin_m=0.019), ()).check(ZERO) is None
    contact = Collider(
        BODY, Cell("", (Thing(near, 0.01),), margin_m=0.006), (), margin_m=0.005
    ).check(ZERO)
    assert contact is not None
    assert contact.depth_m == pytest.approx(-0.02, abs=1e-6)
    assert Collider(BODY, cell_of(ball(-0.1, 0, 0.8), ignore=("link_2",)), ()).check(ZERO) is None


def test_the_base_does_not_move():
    assert (
        Collider(BODY, cell_of(Solid("floor", "box", (4, 4, 0.1), frame((0, 0, -0.05)))), ()).check(
            ZERO
        )
        is None
    )


def test_links_that_may_collide_are_found_and_neighbours_are_not_among_them():
    collider = Collider(BODY)
    assert {(0, 4), (0, 5), (1, 4), (1, 5)} <= set(collider.self_pairs)  # the seed's
    assert all(min(j, 6) - i > 1 for i, j in collider.self_pairs)
    assert collider.check(ZERO) is None
    folded = np.radians([0, -45, 90, 0, 45, 0])
    found = collider.check(folded)
    assert found is not None
    assert found.link.startswith(("base", "link_"))
    assert Collider(BODY, pairs=()).check(folded) is None
    assert Collider(BODY, pairs=()).distance(folded) == math.inf
    assert {pair for n, pair in enumerate(Collider(BODY, pairs=[(5, 0)]).self_pairs)} == {(0, 5)}
    for wrong in ((0, 8), (-1, 3), (2, 2)):
        with pytest.raises(ValueError, match=r"links are 0 \(the base\) to 7"):
            Collider(BODY, pairs=[wrong])


def test_links_that_always_collide_are_left_out():
    """A collar around the base that reaches up to the upper arm collides in every pose."""
    links = [replace(link, solids=list(link.solids)) for link in BODY.links]
    links[0].solids.append(Solid("collar", "sphere", (0.5,), frame((0, 0, 0.4))))
    odd = model()
    odd.links = tuple(links)
    assert (0, 2) not in Collider(odd).self_pairs
    assert (0, 2) in Collider(BODY).self_pairs


def test_the_broad_phase_misses_nothing():
    """Checks of every pair by coal alone agree."""
    collider = Collider(BODY, Cell.load("cramped"))
    bodies = collider.bodies
    hits = 0
    for joints in poses(400):
        collider.place(joints)
        apart = [collider.distance_m(pair) for pair in range(len(collider.pairs))]
        touching = np.array(apart) <= np.array(collider.margins_m) + TOUCH_M
        assert collider.free(joints) == (not touching.any())
        names = {
            tuple(bodies[body].name for body in collider.pairs[pair])
            for pair in np.flatnonzero(touching)
        }
        assert {(contact.link, contact.other) for contact in collider.contacts(joints)} == names
        assert collider.distance(joints) == pytest.approx(min(apart), abs=1e-9)
        assert (collider.distance_bounds_m(joints) <= np.maximum(apart, 0) + 1e-6).all()
        hits += bool(names)
    assert 50 < hits < 350


def test_a_result_does_not_depend_on_earlier_checks():
    collider, random = Collider(BODY, Cell.load("weld_table")), np.random.default_rng(6)
    asked = poses(100, random)
    once = [collider.nearest(joints) for joints in asked]
    assert [collider.nearest(joints) for joints in asked[::-1]][::-1] == once
    assert [Collider(BODY, Cell.load("weld_table")).check(joints) for joints in asked[:10]] == [
        collider.check(joints) for joints in asked[:10]
    ]


# A mesh

U_SHAPE = [(-2, 0), (2, 0), (2, 3), (1, 3), (1, 1), (-1, 1), (-1, 3), (-2, 3)]
FACES = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]


def trough(scale, length):
    count = len(U_SHAPE)
    places = [(x * scale, y, z * scale) for y in (-length / 2, length / 2) for x, z in U_SHAPE]
    sides = [
        side
        for n in range(count)
        for side in (
            (n + count, (n + 1) % count, n),
            (n + count, (n + 1) % count + count, (n + 1) % count),
        )
    ]
    faces = [*FACES, *((c + count, b + count, a + count) for a, b, c in FACES), *sides]
    return Mesh(np.array(places), np.array(faces, np.int32))


def test_a_trough_may_be_entered_and_its_walls_may_not():
    """The torch tip is in the middle of a trough.

    There are 100 mm on both sides, minus 10 for the nozzle.
    """
    tip = BODY.tool(ZERO)
    mesh = trough(0.1, 0.8)
    pose = tip @ frame((0, 0, 0.05), (math.pi, 0, 0))
    pose[:3, 3] -= 0.15 * pose[:3, 2]
    collider = Collider(BODY, cell_of(Solid("trough", "mesh", (), pose, mesh)), ())
    torch = [
        n for n, (link, _) in enumerate(collider.pairs) if collider.bodies[link].name == "torch"
    ]
    assert collider.check(ZERO) is None
    collider.place(ZERO)
    assert min(collider.distance_m(pair) for pair in torch) == pytest.approx(0.082, abs=2e-3)
    contact = first_contact(collider, ZERO, np.radians([0, 0, 30, 0, 0, 0]))
    assert contact is not None
    assert contact.at > 0.1
    assert collider.distance(contact.at * np.radians([0, 0, 30, 0, 0, 0])) == pytest.approx(
        0, abs=2 * TOUCH_M
    )


def test_links_with_concave_meshes_are_paired():
    """A small solid inside the hull of a link's mesh, but not inside the mesh."""
    links = [replace(link, solids=list(link.solids)) for link in BODY.links]
    links[0].solids = [Solid("base", "mesh", (), frame((0, 0, 0.3)), trough(1.0, 0.6))]
    odd = model()
    odd.links = tuple(links)
    collider = Collider(odd)
    assert {first for first, _ in collider.self_pairs} >= {0}
    assert collider.pairs


def test_inside_a_closed_mesh_is_contact():
    tip = BODY.tool(ZERO)
    pose = frame(tip[:3, 3] - (0.1, 0, 0))
    pose[2, 3] -= 0.5
    collider = Collider(BODY, cell_of(Solid("block", "mesh", (), pose, trough(1.0, 0.6))), ())
    found = collider.contacts(ZERO)
    assert ("torch", "block") in {(contact.link, contact.other) for contact in found}
    assert collider.distance(ZERO) < 0


# A second engine


def in_fcl(solid):
    if solid.kind == "box":
        return fcl.Box(*solid.size_m)
    return fcl.Cylinder(*solid.size_m) if solid.kind == "cylinder" else fcl.Sphere(*solid.size_m)


def test_a_second_engine_agrees_over_10000_poses():
    collider = Collider(BODY, cell_at_random(np.random.default_rng(11)), ())
    things = [
        fcl.CollisionObject(
            in_fcl(thing.solid), fcl.Transform(thing.solid.pose[:3, :3], thing.solid.pose[:3, 3])
        )
        for thing in collider.cell.things
    ]
    around = fcl.DynamicAABBTreeCollisionManager()
    around.registerObjects(things)
    around.setup()
    moving = [
        (body, fcl.CollisionObject(in_fcl(body.solid))) for body in collider.links if body.joint
    ]
    differ, hits = [], 0
    for joints in poses(10_000, np.random.default_rng(5)):
        frames = BODY.joint_frames(joints)
        hit = False
        for body, twin in moving:
            at = frames[body.joint - 1] @ body.solid.pose
            twin.setTransform(fcl.Transform(at[:3, :3], at[:3, 3]))
            collision = fcl.CollisionData()
            around.collide(twin, collision, fcl.defaultCollisionCallback)
            if collision.result.is_collision:
                hit = True
                break
        hits += hit
        if hit == collider.free(joints):
            differ.append(collider.distance(joints))
    assert 1000 < hits < 9900
    assert len(differ) < 20
    assert all(abs(distance) < 2 * TOUCH_M for distance in differ), differ


# Motions


def test_nothing_comes_closer_than_its_bound_allows():
    collider = Collider(BODY, cell_at_random(np.random.default_rng(2), 6))
    bounds = collider.speed_bounds
    random = np.random.default_rng(4)

    def apart(joints):
        collider.place(joints)
        return np.array([collider.distance_m(n) for n in range(len(bounds))])

    for joints in poses(40, random):
        step = random.uniform(-1, 1, 6) * random.choice([0.01, 0.3]) * (random.random(6) < 0.5)
        before, after = np.maximum(apart(joints), 0), np.maximum(apart(joints + step), 0)
        assert (np.abs(after - before) <= bounds @ np.abs(step) + 5e-6).all()


def test_thin_plates_crossed_at_full_speed_are_always_found():
    """A plate of 0.1 mm is put through a solid at some instant of a move.

    The contact is reported by then, and not before.
    """
    random = np.random.default_rng(8)
    bare = Collider(BODY, pairs=())
    for _ in range(120):
        begin, end = poses(2, random)
        share, body = random.uniform(0.2, 1.0), bare.links[random.integers(2, len(bare.links))]
        at = begin + share * (end - begin)
        centre = (BODY.joint_frames(at)[body.joint - 1] @ body.solid.pose)[:3, 3]
        plate = Solid(
            "plate", "box", (*random.uniform(0.005, 0.05, 2), 1e-4), frame(centre, turned(random))
        )
        collider = Collider(BODY, cell_of(plate), ())
        contact = first_contact(collider, begin, end)
        assert contact is not None
        assert contact.at <= share + 1e-9
        assert collider.distance(begin + contact.at * (end - begin)) <= TOUCH_M + 1e-6
        before = [begin + s * (end - begin) for s in np.linspace(0, max(contact.at - 1e-4, 0), 8)]
        assert contact.at == 0 or all(collider.distance(joints) > 0 for joints in before)


def test_contacts_along_a_path_begin_where_they_begin():
    """The base turns past two posts.

    Both are touched on the way out, and the first again on the way back from between them.
    """
    reach = float(np.hypot(*BODY.tool(ZERO)[:2, 3])) - 0.05
    posts = [
        Solid(
            f"post {n}",
            "cylinder",
            (0.02, 3.0),
            frame((reach * math.cos(a), reach * math.sin(a), 1.0)),
        )
        for n, a in enumerate(np.radians([30, 60]), 1)
    ]
    collider = Collider(BODY, cell_of(*posts), ())
    turns = [np.radians([degrees, 0, 0, 0, 0, 0]) for degrees in (0, 45, 20, 90)]
    found = contacts_along(collider, turns)
    assert [contact.other for contact in found if contact.link == "torch"] == [
        "post 1",
        "post 1",
        "post 1",
        "post 2",
    ]
    first = next(contact for contact in found if contact.link == "torch")
    half_width = math.degrees(math.asin((0.02 + 0.01) / reach))
    assert first.at * 45 == pytest.approx(30 - half_width, abs=1.5)
    assert collider.distance(first.at * turns[1]) == pytest.approx(0, abs=2 * TOUCH_M)
    assert first_contact(collider, turns[0], turns[1]).at == pytest.approx(
        min(contact.at for contact in found), abs=1e-6
    )


def test_far_from_everything_there_is_no_exact_check():
    checker = MotionChecker(Collider(BODY, cell_of(ball(9, 9, 9)), ()))
    assert checker.start(ZERO) == []
    assert (
        list(checker.move_through(*np.radians([[170, 0, 0, 0, 0, 0], [-170, 0, 0, 0, 0, 0]]))) == []
    )
    assert checker.looks == 0
