import sys
from pathlib import Path

import pytest

from rigless.kernel.robot import Robot
from rigless.scenario.kinds import default_name, installed, is_folder, robot_class, summary

from .scenes import CART, problems

SOUND = "from rigless.kernel.robot import Robot as Base\n\nclass Robot(Base):\n    pass\n"


@pytest.fixture
def package(tmp_path, monkeypatch, modules):
    """Return a function that writes an importable package with this __init__.py."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name: str, text: str = SOUND) -> Path:
        folder = tmp_path.joinpath(*name.split("."))
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
        return folder

    return write


def test_folders_and_names_are_distinguished():
    assert [kind for kind in ("x", "a.b", "./x", "../x", "/x", ".", "a/b") if is_folder(kind)] == [
        "./x",
        "../x",
        "/x",
        ".",
        "a/b",
    ]


def test_installed_robots_are_found_by_listing_the_folder(install):
    before = installed()
    install("zebra")
    install("aardvark", '"""Eats ants.\n\nMany."""\n' + SOUND)
    assert installed() == sorted([*before, "aardvark", "zebra"])
    assert issubclass(robot_class("zebra"), Robot)
    assert summary("aardvark") == "Eats ants."


def test_a_module_next_to_the_robots_is_no_robot(install, tmp_path):
    (tmp_path / "installed" / "loose.py").write_text(SOUND)
    assert "loose" not in installed()


def test_an_outside_package_by_dotted_path(package):
    package("acme_robots", "")
    package("acme_robots.arm")
    assert robot_class("acme_robots.arm").__module__ == "acme_robots.arm"


def test_an_outside_package_by_plain_name(package):
    package("acme_plain")
    assert robot_class("acme_plain").__module__ == "acme_plain"


def test_a_folder_by_full_path_or_relative_to_the_scenario(package, tmp_path):
    package("beside_robot")
    found = robot_class("./beside_robot", tmp_path)
    assert robot_class(str(tmp_path / "beside_robot")) is found
    assert robot_class("beside_robot/", tmp_path) is found
    assert robot_class(".", tmp_path / "beside_robot") is found


def test_a_folder_may_import_its_own_modules(package):
    folder = package("split_robot", "from .robot import Mine as Robot\n")
    (folder / "robot.py").write_text(SOUND.replace("class Robot(", "class Mine("))
    assert robot_class(str(folder)).__name__ == "Mine"


def test_default_names(tmp_path):
    assert default_name("vacuum") == "vacuum"
    assert default_name("acme.robots.arm") == "arm"
    assert default_name("./arm/", tmp_path) == "arm"
    assert default_name(".", tmp_path / "arm") == "arm"


def what_and_fix(*args):
    (problem,) = problems(robot_class, *args)
    return problem.what, problem.fix


def test_an_unknown_name_suggests_similar_ones(install):
    install("zebra")
    what, fix = what_and_fix("zebre")
    assert what == "unknown robot kind 'zebre'"
    assert fix.startswith("did you mean 'zebra'?")
    assert "./my_robot" in fix


@pytest.mark.parametrize(
    "kind",
    ["nowhere.arm", "json.nowhere", "nowhere.", "json..x", "__main__", "", "a\0b", "json.\0"],
)
def test_a_name_that_is_no_package(kind):
    assert f"{kind!r}" in what_and_fix(kind)[0]


@pytest.mark.parametrize(
    "kind", ["./nowhere", "..", "./a\0b", "./" + "a" * 5000, "/" * 5000 + "\n"]
)
def test_a_folder_that_is_no_robot(kind, tmp_path):
    what, fix = what_and_fix(kind, tmp_path)
    assert "is not a robot folder" in what
    assert "__init__.py" in fix


@pytest.mark.parametrize("text", ["", "Robot = 3", "class Robot: pass"])
def test_a_package_without_a_robot(package, text):
    folder = package("no_robot", text)
    for kind in ("no_robot", str(folder)):
        what, fix = what_and_fix(kind)
        assert what == f"{kind!r} has no robot"
        assert "must define Robot" in fix
        sys.modules.pop("no_robot")


def test_a_missing_dependency_of_an_installed_robot_names_the_extra(install):
    install("zebra", "import not_there.at_all\n")
    what, fix = what_and_fix("zebra")
    assert what == "robot 'zebra' needs 'not_there', which is not installed"
    assert fix == "pip install 'rigless[zebra]'"


def test_a_missing_dependency_of_an_outside_robot_names_the_package(package):
    package("acme_needy", "import not_there\n")
    what, fix = what_and_fix("acme_needy")
    assert what == "robot 'acme_needy' needs 'not_there', which is not installed"
    assert fix == "pip install not_there"


def test_a_missing_dependency_of_a_folder_names_the_package(package):
    what, fix = what_and_fix(str(package("needy_folder", "import not_there\n")))
    assert "not_there" in what
    assert fix == "pip install not_there"


def test_a_missing_dependency_may_begin_with_the_name_of_the_folder(package):
    assert (
        what_and_fix(str(package("needle", "import needle_threader\n")))[1]
        == "pip install needle_threader"
    )


def test_a_module_that_the_folder_itself_lacks_is_no_package_to_install(package):
    assert (
        what_and_fix(str(package("holey_robot", "from .robot import X\n")))[1]
        == "fix the robot's code"
    )


@pytest.mark.parametrize(
    "text", ["1 / 0", "def", "from json import nothing", "raise ValueError('x')"]
)
def test_code_that_fails_is_named(package, install, text):
    folder = package("broken_robot", text)
    install("broken_inside", text)
    for kind in ("broken_robot", str(folder), "broken_inside"):
        what, fix = what_and_fix(kind)
        assert "cannot be imported" in what
        assert fix == "fix the robot's code"


def test_a_repaired_folder_can_be_loaded_again(package):
    folder = package("mended_robot", "1 / 0")
    problems(robot_class, str(folder))
    (folder / "__init__.py").write_text(SOUND + "\n# mended")
    assert issubclass(robot_class(str(folder)), Robot)


@pytest.mark.parametrize("name", ["json", "two-words", "class x", "1st"])
def test_a_folder_whose_name_python_cannot_use(tmp_path, name, modules):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(SOUND)
    what, _ = what_and_fix(str(tmp_path / name))
    assert what == f"a robot folder cannot be called {name!r}"
    assert "json" not in sys.modules or sys.modules["json"].loads


def test_the_cart_of_these_tests_is_an_outside_robot():
    assert "cart" not in installed()
    assert robot_class(CART).__doc__ is None or issubclass(robot_class(CART), Robot)
