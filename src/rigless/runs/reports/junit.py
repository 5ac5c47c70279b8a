"""JUnit XML, as Jenkins, GitLab and GitHub actions read it.

A scenario is a test suite and an expectation a test case. An invalid run is an error: it says
nothing about the software, and its failed expectations count as skipped.

GitLab shows only the first of several test cases with the same class and name, so both are made
unique: a scenario that runs with several seeds has them in its class. Jenkins' xUnit plugin rejects
attributes that its schema does not have, so the file of a scenario is at its suite.
"""

from collections import Counter
from xml.etree import ElementTree

from rigless.kernel.documents.markup import xml_text
from rigless.runs.reports.explanation import circumstances, explained, last_output
from rigless.runs.result import Result
from rigless.scenario.expect.margins import moment


def render_junit(results: list[Result]) -> str:
    """Return the report of all results."""
    suites = ElementTree.Element("testsuites", name="rigless check")
    names = Counter(result.name for result in results)
    used: set[tuple[str | None, str | None]] = set()
    for result in results:
        seed = f" (seed {result.seed})" if names[result.name] > 1 else ""
        _add_suite(suites, result, (result.name or "scenario") + seed)
    for case in suites.iter("testcase"):
        _make_unique(case, used)
    for count in ("tests", "failures", "errors"):
        suites.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    suites.set("time", f"{sum(result.wall_s for result in results):.3f}")
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(suites, encoding="unicode")
        + "\n"
    )


def _add_suite(suites: ElementTree.Element, result: Result, name: str) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name=xml_text(name))
    suite.set("file", xml_text(result.target) or "-")
    if result.invalid:
        case = _add_case(suite, "the run is valid")
        _add_problem(case, "error", "invalid", result.invalid, [])
    if result.failure or not (result.verdicts or result.invalid):
        case = _add_case(suite, "runs to the end")
        if result.failure:
            _add_problem(case, "failure", "RobotError", result.failure, _context(result))
    for verdict in result.verdicts:
        case = _add_case(suite, verdict.text)
        if not verdict.passed and result.invalid:
            ElementTree.SubElement(case, "skipped", message=xml_text(f"invalid: {result.invalid}"))
        elif not verdict.passed:
            lines = [f"{verdict.text}: {explained(verdict)}", *_context(result)]
            _add_problem(case, "failure", "expectation", explained(verdict), lines)
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("time", f"{result.wall_s:.3f}")
    output = [f"seed {result.seed}, {moment(result.duration_s)} simulated", *last_output(result)]
    ElementTree.SubElement(suite, "system-out").text = xml_text("\n".join(output))


def _add_case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite,
        "testcase",
        classname=suite.get("name", ""),
        name=xml_text(name) or "expectation",
        time="0.000",
    )


def _make_unique(case: ElementTree.Element, used: set[tuple[str | None, str | None]]) -> None:
    """Add a number to the name of a test case until no other has it."""
    name, number = case.get("name"), 1
    while (key := (case.get("classname"), case.get("name"))) in used:
        number += 1
        case.set("name", f"{name} ({number})")
    used.add(key)


def _add_problem(
    case: ElementTree.Element, tag: str, kind: str, message: str, lines: list[str]
) -> None:
    problem = ElementTree.SubElement(case, tag, message=xml_text(message), type=kind)
    problem.text = xml_text("\n".join(lines or [message]))


def _context(result: Result) -> list[str]:
    return [*circumstances(result), *last_output(result)]
