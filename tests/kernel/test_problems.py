import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.problems import InputError, Problem, did_you_mean, unknown

WORDS = st.text(min_size=1, max_size=10)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("", "what"), "what"),
        (Problem("where", "what"), "where: what"),
        (Problem("where", "what", "fix"), "where: what (fix)"),
        (Problem("where", "what", "fix", "a.toml"), "a.toml: where: what (fix)"),
        (Problem("where", "what", "fix", "a.toml", 7), "a.toml:7: where: what (fix)"),
        (Problem("", "what", "", "a.toml", 7), "a.toml:7: what"),
    ],
)
def test_a_problem_reads_as_a_sentence(problem, text):
    assert str(problem) == text


def test_an_error_lists_all_its_problems():
    problems = [Problem("a", "one"), Problem("b", "two", "fix it")]
    error = InputError(iter(problems))
    assert error.problems == tuple(problems)
    assert str(error) == "a: one\nb: two (fix it)"
    assert InputError(problems[0]).problems == (problems[0],)


@pytest.mark.parametrize(
    ("word", "options", "hint"),
    [
        ("lidr", ["lidar", "imu"], "did you mean 'lidar'?"),
        ("left_wheel", ["encoder_left", "wheel_left"], "did you mean 'wheel_left'?"),
        ("START", ["start", "stop"], "did you mean 'start'?"),
        ("zzz", ["lidar", "imu"], "choose from: imu, lidar"),
        ("zzz", ("b", "a", "b"), "choose from: a, b"),
        ("zzz", [], "there are none to choose from"),
    ],
)
def test_the_hint_is_the_nearest_word_or_all_of_them(word, options, hint):
    assert did_you_mean(word, options) == hint


@given(WORDS, st.lists(WORDS, max_size=5))
def test_the_hint_names_only_what_there_is(word, options):
    hint = did_you_mean(word, options)
    if hint.startswith("did you mean"):
        assert any(hint == f"did you mean {option!r}?" for option in options)
    elif options:
        assert hint == "choose from: " + ", ".join(sorted(set(options)))


def test_an_unknown_name_is_an_input_error_with_its_place():
    error = unknown("port", "lime", ["line"], "bob")
    assert isinstance(error, InputError)
    assert str(error) == "bob: unknown port 'lime' (did you mean 'line'?)"
