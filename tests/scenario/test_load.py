import pytest

import rigless
from rigless.scenario.kinds import installed
from rigless.scenario.load import apply_settings, demo, open_target

from .scenes import CART, THERMOSTAT, opened, problems

ONE = f'[[robots]]\nname = "c"\nkind = "{CART}"\n'
TWO = ONE + f'[[robots]]\nname = "d"\nkind = "{CART}"\n'


def error_texts(call, *args, **kwargs):
    return [str(problem) for problem in problems(call, *args, **kwargs)]


# Targets


def test_a_folder_is_a_target():
    scene = open_target(CART)
    assert list(scene.simulation.robots) == ["cart"]
    assert scene.scenario.name == "cart"
    assert rigless.load(CART, seed=4).seed == 4


def test_an_installed_kind_is_a_target(install):
    install("trolley")
    assert list(open_target("trolley").simulation.robots) == ["trolley"]


def test_a_scenario_file_is_a_target(tmp_path):
    scene = opened(tmp_path, 'name = "two"\nseed = 9\nspeed = "fast"\n' + TWO)
    assert list(scene.simulation.robots) == ["c", "d"]
    assert (scene.simulation.seed, scene.scenario.speed, scene.source.file) == (
        9,
        "fast",
        str(tmp_path / "s.toml"),
    )


def test_a_given_seed_wins_over_the_file(tmp_path):
    assert opened(tmp_path, "seed = 9\n" + ONE, seed=3).simulation.seed == 3
    assert opened(tmp_path, "seed = 9\n" + ONE, seed=0).simulation.seed == 0
    assert opened(tmp_path, "seed = 9\n" + ONE, ["seed=4"]).simulation.seed == 4


def test_the_example_scenario_opens_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert list(open_target(f"{THERMOSTAT}/winter.toml").simulation.robots) == ["hall"]


def test_a_relative_folder_is_next_to_the_scenario_and_names_the_robot(tmp_path, modules):
    folder = tmp_path / "named_after_folder"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from rigless.kernel.robot import Robot as Base\nclass Robot(Base):\n    pass\n"
    )
    for place, kind in ((folder, "."), (folder, "./"), (tmp_path, "./named_after_folder/")):
        scene = opened(place, f'[[robots]]\nkind = "{kind}"\n')
        assert list(scene.simulation.robots) == ["named_after_folder"]


def test_a_native_file_is_a_target(install, tmp_path):
    install("trolley")
    (tmp_path / "fast.cart").write_text("3.5")
    scene = open_target(tmp_path / "fast.cart")
    assert list(scene.simulation.robots) == ["trolley"]
    assert scene.simulation.robot("trolley").config.speed_mps == 3.5


def test_a_native_file_takes_settings_of_its_robot(install, tmp_path):
    install("trolley")
    (tmp_path / "fast.cart").write_text("3.5")
    scene = open_target(
        tmp_path / "fast.cart", ["colour=blue", "trolley.wheels.radius_m=2", "ports.drive=1"]
    )
    config = scene.simulation.robot("trolley").config
    assert (config.speed_mps, config.colour, config.wheels.radius_m) == (3.5, "blue", 2.0)
    assert scene.addresses["trolley", "drive"] == "127.0.0.1:1"


def test_a_native_file_may_be_toml(install, tmp_path):
    install("trolley")
    scene = opened(tmp_path, "[cart]\nspeed_mps = 2\n")
    assert scene.simulation.robot("trolley").config.speed_mps == 2.0


def test_a_robot_that_cannot_be_imported_does_not_hide_the_file_of_another(install, tmp_path):
    install("abroken", "import not_there\n")
    install("trolley")
    (tmp_path / "fast.cart").write_text("3.5")
    assert list(open_target(tmp_path / "fast.cart").simulation.robots) == ["trolley"]


def test_a_bad_native_file_is_named_with_its_line(install, tmp_path):
    install("trolley")
    (tmp_path / "bad.cart").write_text("quick")
    assert error_texts(open_target, tmp_path / "bad.cart") == [
        f"{tmp_path}/bad.cart:1: speed: is not a number (write one)"
    ]


def test_a_scenario_may_name_a_native_file(tmp_path):
    (tmp_path / "fast.cart").write_text("3.5")
    scene = opened(tmp_path, ONE + 'config = "fast.cart"\n', ["c.colour=blue"])
    config = scene.simulation.robot("c").config
    assert (config.speed_mps, config.colour) == (3.5, "blue")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("none.cart", None, "there is no file"),
        ("bad.cart", "quick", "speed: is not a number"),
        ("x.yaml", "a", "cannot read"),
        ("a" * 5000, None, "there is no file"),
    ],
)
def test_invalid_native_files(tmp_path, name, text, reason):
    if text is not None:
        (tmp_path / name).write_text(text)
    (problem,) = problems(opened, tmp_path, f'{ONE}config = "{name}"\n')
    assert reason in str(problem)
    assert (problem.where.startswith("robots[0].config"), problem.line > 0) == (True, True)


@pytest.mark.parametrize("target", ["vacum-cleaner-9000", "a\0b", "a" * 5000, "\n"])
def test_missing_targets(target):
    (problem,) = problems(open_target, target)
    assert f"there is no robot, scenario or file {target!r}" in problem.what


@pytest.mark.parametrize("target", ["x.toml", "/nowhere/x.toml", "robot_config.json"])
def test_missing_files(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (problem,) = problems(open_target, target)
    assert (problem.what, problem.fix) == (
        f"there is no file {target!r}",
        f"this folder is {tmp_path}",
    )


def test_a_similar_file_name_is_suggested(tmp_path):
    (tmp_path / "warehouse.toml").touch()
    (problem,) = problems(open_target, tmp_path / "warehose.tml")
    assert problem.fix == f"did you mean {str(tmp_path / 'warehouse.toml')!r}?"


def test_one_entry_may_have_a_count(tmp_path):
    assert list(open_target(THERMOSTAT, ["count=3"]).simulation.robots) == [
        f"thermostat-{n}" for n in (1, 2, 3)
    ]
    text = f'[[robots]]\nkind = "{CART}"\nname = "a"\n[[robots]]\nkind = "{CART}"\nname = "b"\n'
    assert list(opened(tmp_path, text, ["b.count=2"]).simulation.robots) == ["a", "b-1", "b-2"]
    assert "count" in error_texts(opened, tmp_path, text, ["b.count=0"])[0]


def test_a_similar_target_is_suggested(install):
    install("trolley")
    assert "did you mean 'trolley'?" in error_texts(open_target, "troley")[0]


def test_a_file_that_no_robot_knows(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1")
    assert "no robot knows the file" in error_texts(open_target, tmp_path / "x.yaml")[0]


@pytest.mark.parametrize(
    ("keys", "has"),
    [
        (["connection", "robot", "output"], "connection, robot, output"),
        (["toolchain"], "toolchain"),
        (
            ["source", "output", "stream", "lidar", "slam", "map"],
            "source, output, stream, lidar, slam, …",
        ),
    ],
)
def test_the_settings_of_another_program_are_one_error(tmp_path, keys, has):
    path = tmp_path / "other.toml"
    path.write_text("".join(f"[{key}]\nrate = 1\n" for key in keys))
    assert error_texts(open_target, path) == [
        f"{path}: no scenario and no robot's own file; it has {has} "
        "(give a scenario .toml, which has [[robots]], or a robot's own native file)"
    ]


@pytest.mark.parametrize("text", ["[robot]\nkind = 'vacuum'", "[[robot]]\nkind = 'vacuum'"])
def test_a_misspelled_table_of_a_scenario_is_named(tmp_path, text):
    (tmp_path / "x.toml").write_text(text)
    texts = error_texts(open_target, tmp_path / "x.toml")
    assert any("unknown key 'robot' (did you mean 'robots'?)" in text for text in texts)


def test_a_folder_that_is_no_robot(tmp_path):
    assert "is not a robot folder" in error_texts(open_target, tmp_path)[0]


def test_a_demo_is_one_of_each(install, tmp_path, monkeypatch):
    install("trolley")
    (tmp_path / "winter").mkdir()
    scene = tmp_path / "winter" / "s.toml"
    scene.write_text(f'[[robots]]\nname = "far"\nkind = "{CART}"\ncount = 2\n')
    monkeypatch.chdir(tmp_path)
    made = demo([THERMOSTAT, f"{THERMOSTAT}/winter.toml", str(scene)])
    agvs = [f"agv-{number}" for number in range(1, 7)]
    own = ["vacuum", "pacbot", "welder", "rover", *agvs]
    further = ["trolley", "thermostat", "hall", "far-1", "far-2"]
    assert list(made.simulation.robots) == [*own, *further]
    driven = {program.yields.robots for program in made.scenario.programs}
    assert driven == {"vacuum", "pacbot", "welder", "rover", "agv-*"}
    worlds = {id(robot.world) for name, robot in made.simulation.robots.items() if name in own}
    assert len(worlds) == 5  # the AGVs share one
    assert "trolley" in installed()


def test_robots_of_a_demo_keep_their_ports_unless_two_clash(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f'[[robots]]\nname = "far"\nkind = "{CART}"\nports = {{ drive = 3002 }}\n')
    made = demo([THERMOSTAT, str(path)], ["welder.ports.grbl=6300"])
    assert made.addresses["vacuum", "commands"] == "127.0.0.1:5555"
    assert made.addresses["pacbot", "commands"] == "127.0.0.1:5558"
    assert made.addresses["welder", "grbl"] == "127.0.0.1:6300"
    assert made.notes == ("far/drive: pacbot uses port 3002; it gets a free one",)
    [unknown] = error_texts(demo, [], ["toaster.ports.line=1"])
    assert "neither a robot nor a scenario key" in unknown


@pytest.mark.parametrize("text", ["a = 1", "robots = 1", "robots = []", "robots = [1]", ""])
def test_a_demo_of_a_bad_file(tmp_path, text):
    path = tmp_path / "s.toml"
    path.write_text(text)
    assert problems(demo, [str(path)])


# Settings


def configs(tmp_path, text, *settings):
    return {
        name: robot.config
        for name, robot in opened(tmp_path, text, settings).simulation.robots.items()
    }


def test_a_key_of_the_only_robot_needs_no_name(tmp_path):
    made = configs(tmp_path, ONE, "speed_mps=2", "wheels.radius_m=0.5", "colour=blue")["c"]
    assert (made.speed_mps, made.wheels.radius_m, made.colour) == (2.0, 0.5, "blue")


def test_a_key_of_one_of_several_robots_needs_its_name(tmp_path):
    made = configs(tmp_path, TWO, "d.speed_mps=2")
    assert (made["c"].speed_mps, made["d"].speed_mps) == (0.0, 2.0)
    (text,) = error_texts(opened, tmp_path, TWO, ["speed_mps=2"])
    assert text.startswith("--set speed_mps: 'speed_mps' is neither a robot nor a scenario key")
    (text,) = error_texts(opened, tmp_path, TWO, ["sed=2"])
    assert "did you mean 'seed'?" in text


def test_a_robot_without_a_name_is_called_by_its_kind(tmp_path):
    for slash in ("", "/"):
        made = configs(tmp_path, f'[[robots]]\nkind = "{CART}{slash}"\n', "cart.speed_mps=2")
        assert made["cart"].speed_mps == 2.0


def test_settings_win_over_the_file_and_the_last_one_wins(tmp_path):
    made = configs(
        tmp_path,
        ONE + "[robots.config]\nspeed_mps = 1\ncolour = 'x'\n",
        "speed_mps=2",
        "speed_mps=3",
    )["c"]
    assert (made.speed_mps, made.colour) == (3.0, "x")


def test_scenario_keys(tmp_path):
    scene = opened(
        tmp_path, TWO, ["name=other", "seed=5", "duration_s=2.5", "speed=fast", 'description="a b"']
    )
    found = scene.scenario
    assert (found.name, found.seed, found.duration_s, found.speed) == ("other", 5, 2.5, "fast")
    assert found.description == "a b"


def test_ports_are_text(tmp_path):
    scene = opened(tmp_path, TWO, ["c.ports.drive=0", "d.ports.drive=0.0.0.0:99"])
    assert scene.addresses["c", "drive"] == "127.0.0.1:0"
    assert scene.addresses["d", "drive"] == "0.0.0.0:99"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.5", 1.5),
        ("true", True),
        ('"1"', "1"),
        ("word", "word"),
        ("two words", "two words"),
        ("", ""),
        ("a=b", "a=b"),
        ("[1, 2]", [1, 2]),
        ("{ a = 1 }", {"a": 1}),
        ("'x'", "x"),
        ("[" * 5000, "[" * 5000),
        ("1" * 5000, "1" * 5000),
        ("1\nother = 2", 1),
    ],
)
def test_values_are_toml_and_bare_words_are_text(text, value):
    raw, found = {"robots": [{"kind": "x", "name": "r"}]}, []
    apply_settings(raw, [f"r.key={text}"], found)
    assert raw == {"robots": [{"kind": "x", "name": "r", "config": {"key": value}}]}
    assert found == []


def test_a_robot_named_like_a_scenario_key_needs_a_key_after_it():
    raw, found = {"robots": [{"kind": "x", "name": "speed"}]}, []
    apply_settings(raw, ["speed.limit=1", "speed=2"], found)
    assert (raw["speed"], raw["robots"][0]["config"], found) == (2, {"limit": 1}, [])


@pytest.mark.parametrize("setting", ["", "=1", "a", "a..b=1", ".a=1", "a.=1"])
def test_invalid_settings(tmp_path, setting):
    assert error_texts(opened, tmp_path, ONE, [setting])[0].startswith(
        f"--set {setting}: is not key=value"
    )


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        (
            "speed_mp=1",
            "robots[0].config.speed_mp: unknown key 'speed_mp' (did you mean 'speed_mps'?)",
        ),
        ("c.colr=1", "robots[0].config.colr: unknown key 'colr' (did you mean 'colour'?)"),
        (
            "wheels.radius=1",
            "robots[0].config.wheels.radius: unknown key 'radius' (did you mean 'radius_m'?)",
        ),
        ("ports.drv=1", "robots[0].ports.drv: unknown port 'drv' (did you mean 'drive'?)"),
        ("seed=-1", "seed: -1 is not right: input should be greater than or equal to 0"),
        (
            "ports.drive=99999",
            "robots[0].ports.drive: '99999' is not an address ([HOST:]PORT, 0 for any free port)",
        ),
    ],
)
def test_wrong_settings_are_errors(tmp_path, setting, text):
    (found,) = error_texts(opened, tmp_path, ONE, [setting])
    assert found.endswith(text)


def test_invalid_files_with_settings_are_errors_too(tmp_path):
    for text in (
        "robots = 1",
        "robots = [1]",
        f"{ONE}config = [1]",
        f"{ONE}ports = [1]",
        '[[robots]]\nkind = "./\\u0000"',
    ):
        assert problems(opened, tmp_path, text, ["colour=1", "c.ports.drive=x"])


# All errors, with file and line


def test_all_errors_of_the_schema_are_reported_at_once(tmp_path):
    text = f"""\
sed = 1
duration_s = -1
[[robots]]
kind = "{CART}"
cont = 2
[[robots]]
name = "a b"
[[timeline]]
at_s = 1
[[expect]]
value = "truth.x"
"""
    found = problems(opened, tmp_path, text, ["no-equals"])
    assert [(problem.where, problem.line) for problem in found] == [
        ("--set no-equals", 0),
        ("duration_s", 2),
        ("robots[0].cont", 5),
        ("robots[1].kind", 6),
        ("robots[1].name", 7),
        ("timeline[0]", 8),
        ("expect[0]", 10),
        ("sed", 1),
    ]
    assert {problem.file for problem in found[1:]} == {str(tmp_path / "s.toml")}
    assert str(found[2]).endswith(
        "s.toml:5: robots[0].cont: unknown key 'cont' (did you mean 'count'?)"
    )


def test_all_errors_of_the_robots_are_reported_at_once(tmp_path):
    text = f"""\
[[robots]]
kind = "{CART}"
[robots.config]
colr = 1
wheels.radius_m = 0
[robots.ports]
drv = 1
[[robots]]
kind = "nowhere"
"""
    found = problems(opened, tmp_path, text)
    assert [(problem.where, problem.line) for problem in found] == [
        ("robots[0].config.wheels.radius_m", 5),
        ("robots[0].config.colr", 4),
        ("robots[0].ports.drv", 7),
        ("robots[1].kind", 9),
    ]


def test_all_errors_of_the_plan_are_reported_at_once(tmp_path):
    text = (
        ONE
        + """\
[[timeline]]
at_s = 1
set = { brak = true }
[[timeline]]
at_s = 1
robot = "x"
clear = ""
[[faults]]
target = "moto"
[[faults]]
at_s = 2
until_s = 1
target = "motor"
[[expect]]
robot = "z"
event = "e"
"""
    )
    found = problems(opened, tmp_path, text)
    assert [(problem.where.split(":")[0], problem.line) for problem in found] == [
        ("timeline[0]", 4),
        ("timeline[1]", 7),
        ("faults[0]", 11),
        ("faults[1]", 13),
        ("expect[0].robot", 18),
    ]
    assert [problem.fix for problem in found[:3]] == [
        "did you mean 'brake'?",
        "choose from: c",
        "did you mean 'motor'?",
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff", "is not UTF-8 text: invalid start byte at byte 0"),
        (b"a = ", "is not valid TOML"),
        (b"a = 1\na = 2", "is not valid TOML"),
        (b"\x00", "is not valid TOML"),
        (b"a = " + b"[" * 100_000, "is not valid TOML"),
        (b"seed = " + b"1" * 5000, "is not valid TOML"),
        (b"", "robots: this key is required"),
        (b"\xef\xbb\xbfseed = 1", "robots: this key is required"),  # with a BOM, as on Windows
    ],
)
def test_a_file_that_is_no_scenario(tmp_path, data, reason):
    assert reason in "\n".join(error_texts(opened, tmp_path, data))


def test_a_link_to_nothing_is_named_as_such(tmp_path):
    (tmp_path / "old.toml").symlink_to("gone.toml")
    with pytest.raises(rigless.InputError, match="is a link to a file that does not exist"):
        open_target(str(tmp_path / "old.toml"))
