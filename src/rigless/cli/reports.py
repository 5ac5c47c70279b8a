"""Reports of `rigless check`: JUnit XML, JSON that compares run to run, one HTML page."""

from html import escape
from xml.etree import ElementTree

import msgspec

from rigless.kernel.markup import STYLE, xml_text
from rigless.kernel.plain import to_builtins
from rigless.runs.result import Result
from rigless.scenario.verdict import Verdict


def junit(results: list[Result]) -> str:
    suites = ElementTree.Element("testsuites")
    for result in results:
        cases = [(one.text, one.passed, _explained(one)) for one in result.verdicts]
        if result.failure or not cases:
            cases.insert(0, ("runs to the end", not result.failure, result.failure))
        failed = sum(not passed for _, passed, _ in cases)
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=xml_text(result.name),
            tests=str(len(cases)),
            failures=str(failed),
            time=f"{result.wall_s:.3f}",
        )
        for text, passed, detail in cases:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=xml_text(result.name),
                name=xml_text(text),
                file=xml_text(result.target),
            )
            if not passed:
                failure = ElementTree.SubElement(case, "failure", message=xml_text(detail))
                failure.text = xml_text("\n".join((f"{text}: {detail}", *_circumstances(result))))
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(suites, encoding="unicode")
        + "\n"
    )


def _explained(verdict: Verdict) -> str:
    """Return what was seen and what was expected, with the place in the scenario."""
    expected = f" (expected: {verdict.expected})" if verdict.text != verdict.expected else ""
    return verdict.detail + expected + (f" [{verdict.place}]" if verdict.place else "")


def _circumstances(result: Result) -> list[str]:
    """Return the faults of a failed run, the command that repeats it and its recording."""
    lines = [f"fault {fault}" for fault in result.faults]
    lines += [f"repeat it: {result.repeat}"] if result.repeat else []
    return lines + ([f"recording: {result.recording}"] if result.recording else [])


def json(results: list[Result]) -> str:
    """Return JSON in a fixed order and without wall times: the same runs give the same text."""
    scenarios = [
        {
            "name": result.name,
            "target": result.target,
            "seed": result.seed,
            "duration_s": result.duration_s,
            "passed": result.passed,
            "failure": result.failure,
            "repeat": result.repeat,
            "recording": result.recording,
            "faults": [to_builtins(fault) for fault in result.faults],
            "expectations": [to_builtins(verdict) for verdict in result.verdicts],
            "events": [to_builtins(event) for event in result.events],
        }
        for result in results
    ]
    report = {"passed": all(result.passed for result in results), "scenarios": scenarios}
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"


def html(results: list[Result]) -> str:
    failed = sum(not result.passed for result in results)
    summary = f"{len(results) - failed} passed, {failed} failed"
    body = [f"<h1>rigless check: <span class={'bad' if failed else 'good'}>{summary}</span></h1>"]
    for result in results:
        mark = "good" if result.passed else "bad"
        word = "PASS" if result.passed else "FAIL"
        body.append(f"<h2><span class={mark}>{word}</span> {escape(result.name)}</h2>")
        simulated = f"{result.duration_s:g} s simulated in {result.wall_s:.2f} s"
        facts = f"{result.target} · {simulated} · seed {result.seed}"
        body.append(f"<p class=dim>{escape(facts)}</p>")
        if result.failure:
            body.append(f"<p class=bad>{escape(result.failure)}</p>")
        if not result.passed:
            context = "<br>".join(escape(line) for line in _circumstances(result))
            body.append(f"<p>{context}</p>")
        rows = [
            f"<tr><td class={'good' if v.passed else 'bad'}>{'ok' if v.passed else 'FAIL'}"
            f"<td>{escape(v.text)}<td>{escape(_explained(v))}"
            for v in result.verdicts
        ]
        body.append(
            "<table><tr><th>result<th>expectation<th>what was seen" + "".join(rows) + "</table>"
        )
        if result.events:
            lines = [
                f"<tr><td>{e.time_ns / 1e9:.3f} s<td>{escape(e.robot)}"
                f"<td>{escape(e.severity)}<td>{escape(e.text)}"
                for e in result.events[:200]
            ]
            body.append(
                "<h3>Warnings and errors</h3><table><tr><th>time<th>robot<th>severity<th>event"
                + "".join(lines)
                + "</table>"
            )
    head = f"<meta charset=utf-8><title>rigless check: {summary}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang=en>{head}{''.join(body)}</html>\n"
