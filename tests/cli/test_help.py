"""Every command's help: plain words for types and limits, and a sentence for each parameter."""

import pytest
import typer
import typer.main
from typer.testing import CliRunner

from rigless.cli.app import app


def commands(group, name="rigless"):
    """Yield every command with its name."""
    for word, inner in getattr(group, "commands", {}).items():
        yield from commands(inner, f"{name} {word}")
    if not getattr(group, "commands", {}):
        yield name, group


COMMANDS = dict(commands(typer.main.get_command(app)))


def shown(command):
    context = typer.Context(command, info_name="x")
    return [param for param in command.get_params(context) if not getattr(param, "hidden", False)]


def test_every_parameter_is_explained():
    assert len(COMMANDS) >= 35
    bare = [
        (name, param.name)
        for name, command in COMMANDS.items()
        for param in shown(command)
        if not param.help
    ]
    assert bare == []


def test_types_and_limits_are_in_plain_words():
    for name, command in COMMANDS.items():
        context = typer.Context(command, info_name=name)
        pieces = " ".join(command.collect_usage_pieces(context))
        words = [f"{param.display_type_rich(ctx=context)}" for param in shown(command)]
        limits = [param._get_number_range_help_str() or "" for param in shown(command)]
        text = " ".join([pieces, *words, *limits])
        assert not any(part in text for part in ("<", "{", "...", "……")), f"{name}: {text}"


def test_paragraphs_of_help_have_no_line_breaks():
    for name, command in COMMANDS.items():
        for part in command.help.split("\n\n"):
            assert part.startswith((" ", "\b")) or "\n" not in part, f"{name}: {part}"


def test_an_option_shows_its_limits_and_a_flag_no_type():
    by_name = {param.name: param for param in shown(COMMANDS["rigless run"])}
    context = typer.Context(COMMANDS["rigless run"])
    assert by_name["count"]._get_number_range_help_str() == "1 to 10000"
    assert by_name["seed"]._get_number_range_help_str() is None
    assert by_name["fast"].display_type_rich(ctx=context) == ""
    assert by_name["help"].display_type_rich(ctx=context) == ""
    assert by_name["speed"].display_type_rich(ctx=context) == "X"


def test_an_unknown_command_is_named_with_the_most_similar_one():
    run = CliRunner().invoke(app, ["chek"], env={"COLUMNS": "100"})
    assert run.exit_code == 2
    assert "No such command 'chek'. Did you mean 'check'?" in run.output
    assert "No such command 'zzz'." in CliRunner().invoke(app, ["zzz"]).output


def test_commands_and_the_options_of_run_are_in_groups():
    run = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"})
    groups = ["Simulate", "Test software", "Recordings", "Set-up", "Files of robots"]
    assert [run.output.index(f"─ {group} ─") for group in groups] == sorted(
        run.output.index(f"─ {group} ─") for group in groups
    )
    assert "─ Commands ─" not in run.output
    assert "<bool>" not in run.output
    listed = [line.split()[1] for line in run.output.splitlines() if line.startswith("│ ")]
    assert [name for name in listed if name in ("list", "run", "check", "compile", "welder")] == [
        "list", "run", "check", "compile", "welder",
    ]  # fmt: skip
    options = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "100"}).output
    assert options.index("─ Time ─") < options.index("--lockstep") < options.index("─ Robots ─")
    assert options.index("─ Fleets ─") < options.index("--shard")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("run vacuum --count 0", "'0' is too small; it is at least 1"),
        ("run vacuum --speed 1000", "'1000' is too large; it is at most 100"),
        ("run vacuum --speed fast", "'fast' is not a number"),
        ("run vacuum --count 1.5", "'1.5' is not a whole number"),
    ],
)
def test_a_value_beyond_its_limits_is_named_with_the_limit(words, text):
    run = CliRunner().invoke(app, words.split(), env={"COLUMNS": "160"})
    assert run.exit_code == 2
    assert text in run.output
