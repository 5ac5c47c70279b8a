import pytest
from pydantic import BaseModel, ConfigDict, Field, model_validator

from rigless.kernel.documents.toml_text import key_lines
from rigless.kernel.documents.validation import keys_at, validate
from rigless.kernel.key_path import dotted
from rigless.scenario.model import Scenario

from .scenes import CART


class Wheel(BaseModel):
    model_config = ConfigDict(extra="forbid")
    radius_m: float = Field(0.1, gt=0)


class Robot(BaseModel):
    model_config = ConfigDict(extra="forbid")
    speed: float = Field(alias="top-speed")
    wheel: Wheel = Wheel()
    spare: Wheel | None = None
    wheels: list[Wheel] = []
    gear: int | str = 1

    @model_validator(mode="after")
    def not_seven(self):
        if self.speed == 7:
            raise ValueError("seven is unlucky")
        return self


def found(data, **kwargs):
    problems = []
    assert validate(Robot, data, problems, **kwargs) is None
    return problems


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("robots", 0, "config", "rate"), "robots[0].config.rate"),
        (("a", 1, 2), "a[1][2]"),
        (("a",), "a"),
        ((3,), "[3]"),
    ],
)
def test_paths_are_written_with_dots_and_brackets(path, text):
    assert dotted(path) == text


def test_a_valid_value_is_returned_without_problems():
    problems = []
    assert validate(Robot, {"top-speed": 3}, problems).speed == 3.0
    assert problems == []


def test_all_problems_are_reported_at_once():
    problems = found({"wheel": {"radius_m": -1}, "wheels": [{}, {"radius_m": "x"}], "nope": 1})
    assert [problem.where for problem in problems] == [
        "top-speed",
        "wheel.radius_m",
        "wheels[1].radius_m",
        "nope",
    ]


@pytest.mark.parametrize(
    ("data", "what", "fix"),
    [
        ({}, "this key is required", ""),
        ({"top-speed": 1, "wheal": {}}, "unknown key 'wheal'", "did you mean 'wheel'?"),
        (
            {"top-speed": 1, "wheel": {"radius": 1}},
            "unknown key 'radius'",
            "did you mean 'radius_m'?",
        ),
        (
            {"top-speed": 1, "spare": {"radius": 1}},
            "unknown key 'radius'",
            "did you mean 'radius_m'?",
        ),
        ({"top-speed": 1, "wheels": [{"zzz": 1}]}, "unknown key 'zzz'", "choose from: radius_m"),
        ({"top-speed": 1, "top-sped": 1}, "unknown key 'top-sped'", "did you mean 'top-speed'?"),
        (
            {"top-speed": "fast"},
            "'fast' is not right: input should be a valid number, "
            "unable to parse string as a number",
            "",
        ),
        ({"top-speed": ["x" * 60]}, "input should be a valid number", ""),
    ],
)
def test_each_mistake_is_a_sentence(data, what, fix):
    (problem,) = found(data)
    assert (problem.what, problem.fix) == (what, fix)


def test_messages_of_our_validators_are_unchanged():
    (problem,) = found({"top-speed": 7})
    assert problem.what == "{'top-speed': 7} is not right: seven is unlucky"


def test_file_line_and_place_are_named():
    lines = key_lines("[[robots]]\n[robots.config]\ntop-speed = 1\nwheal = 1\n")
    (problem,) = found(
        {"top-speed": 1, "wheal": 1}, file="f.toml", lines={**lines}, at=("robots", 0, "config")
    )
    assert (
        str(problem)
        == "f.toml:4: robots[0].config.wheal: unknown key 'wheal' (did you mean 'wheel'?)"
    )


def test_a_value_that_fits_no_type_of_a_union_is_named_by_its_key():
    places = {problem.where for problem in found({"top-speed": 1, "gear": [1]})}
    assert places == {"gear"}
    problems = []
    validate(Scenario, {"speed": "slow", "robots": [{"kind": CART, "config": 5}]}, problems)
    assert {problem.where for problem in problems} == {"speed", "robots[0].config"}


def test_a_number_too_long_to_print_is_no_reason_to_fail():
    (problem,) = found({"top-speed": 1, "wheel": {"radius_m": 16**5000}})
    assert problem.where == "wheel.radius_m"


def test_the_keys_inside_a_model_are_found():
    assert keys_at(Robot, ()) == ["top-speed", "wheel", "spare", "wheels", "gear"]
    assert keys_at(Robot, ("wheels", 4)) == ["radius_m"]
    assert keys_at(Robot, ("spare",)) == ["radius_m"]
    assert keys_at(Robot, ("gear",)) == []
    assert keys_at(Robot, ("nope", "nope")) == []
