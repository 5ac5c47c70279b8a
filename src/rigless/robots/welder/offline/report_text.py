"""Reports of a validation as text: JSON, JUnit, SARIF, and one self-contained HTML page."""

from html import escape
from importlib.metadata import version
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import msgspec

from rigless.kernel.documents.markup import STYLE, xml_text
from rigless.robots.welder.offline.findings import RULES, Finding, Report
from rigless.robots.welder.offline.pictures import pictures

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def summary(report: Report) -> dict[str, Any]:
    return {
        "program": report.program,
        "cell": report.cell,
        "seed": report.seed,
        "valid": report.valid,
        "cycle_time_s": round(report.cycle_time_s, 6),
        "distance_mm": round(report.distance_mm, 3),
        "gcode_executed": report.gcode_executed,
        "arc_on_s": round(report.arc_on_s, 6),
        "weld_length_mm": round(report.weld_length_mm, 3),
        "collisions": report.collisions,
        "hint": report.hint,
    }


def finding(found: Finding, file: str) -> dict[str, Any]:
    return {
        "file": file,
        "line": found.line,
        "column": found.column,
        "rule": found.code,
        "level": found.severity,
        "message": found.what,
        "time_s": found.time_s,
        "objects": list(found.objects),
        "place_mm": [round(value, 3) for value in found.place_mm] if found.place_mm else None,
        "depth_mm": round(found.depth_mm, 3) if found.depth_mm is not None else None,
    }


def json(report: Report) -> str:
    data = {
        **summary(report),
        "findings": [finding(found, report.program) for found in report.findings],
    }
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n"


def junit(report: Report) -> str:
    """Return one test for each rule. Errors fail it; warnings are in its output."""
    suites = ElementTree.Element("testsuites")
    failed = {found.code for found in report.errors}
    suite = ElementTree.SubElement(
        suites, "testsuite", name=xml_text(report.program), tests=str(len(RULES)),
        failures=str(len(failed)),
        time=f"{report.cycle_time_s:.3f}",
    )  # fmt: skip
    for rule in RULES.values():
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=xml_text(report.program),
            name=rule.name,
            file=xml_text(report.program),
        )
        rows = [row(found, report.program) for found in report.findings if found.code == rule.name]
        if rows and rule.level == "error":
            ElementTree.SubElement(case, "failure", message=xml_text(rows[0])).text = xml_text(
                "\n".join(rows)
            )
        elif rows:
            ElementTree.SubElement(case, "system-out").text = xml_text("\n".join(rows))
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(suites, encoding="unicode")
        + "\n"
    )


def sarif(report: Report) -> str:
    rules = [
        {
            "id": rule.name,
            "shortDescription": {"text": rule.title},
            "help": {"text": rule.help},
            "defaultConfiguration": {"level": rule.level},
        }
        for rule in RULES.values()
    ]
    numbers = {name: n for n, name in enumerate(RULES)}
    results = [
        {
            "ruleId": found.code,
            "ruleIndex": numbers[found.code],
            "level": found.severity,
            "message": {"text": f"{found.what} (at {found.time_s:.3f} s)"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(report.program.replace("\\", "/"))},
                        "region": {
                            "startLine": max(found.line, 1),
                            "startColumn": max(found.column, 1),
                        },
                    }
                }
            ],
            "properties": {"time_s": found.time_s, "objects": list(found.objects)},
        }
        for found in report.findings
    ]
    driver = {"name": "rigless", "version": version("rigless"), "rules": rules}
    data = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n"


def row(finding: Finding, file: str) -> str:
    """Return a finding in the format of compilers, so that editors can jump to it."""
    place = f"{file}:{finding.line}:{finding.column}"
    return f"{place}: {finding.severity}: {finding.what} [{finding.code}, {finding.time_s:.3f} s]"


def html(report: Report, text: str) -> str:
    """Return a page with figures, findings, plots and the program `text`."""
    mark = "good" if report.valid else "bad"
    title = f"{report.program}: {report.verdict}"
    facts = [
        ("Cycle time", f"{report.cycle_time_s:.2f} s"),
        ("Torch path", f"{report.distance_mm:.0f} mm"),
        ("G-code lines", str(report.gcode_executed)),
        ("Arc on", f"{report.arc_on_s:.1f} s"),
        ("Weld", f"{report.weld_length_mm:.0f} mm"),
        ("Cell", report.cell or "none"),
        ("Collisions", str(report.collisions)),
        ("Warnings", str(len(report.warnings))),
    ]
    rows = [
        f"<tr><td class={'bad' if found.severity == 'error' else 'warn'}>{found.severity}"
        f"<td><a href='#L{found.line}'>{found.line}:{found.column}</a>"
        f"<td>{found.time_s:.3f} s<td>{escape(found.code)}"
        f"<td>{escape(found.what)}"
        for found in report.findings
    ]
    worst = {
        found.line: found.severity
        for found in sorted(report.findings, key=lambda finding: finding.severity, reverse=True)
    }
    marks = {"error": " class=bad", "warning": " class=warn"}
    code = [
        f"<span id=L{n}{marks[worst[n]] if n in worst else ''}><i>{n:5}</i> {escape(line)}\n</span>"
        for n, line in enumerate(text.splitlines(), 1)
    ]
    body = [
        f"<h1>{escape(report.program)}: <span class={mark}>{report.verdict}</span></h1>",
        "<dl>"
        + "".join(f"<div><dt>{name}<dd>{escape(value)}</div>" for name, value in facts)
        + "</dl>",
        f"<p class=warn>{escape(report.hint)}</p>" if report.hint else "",
        "<h2>Findings</h2><table><tr><th>level<th>line<th>time<th>rule<th>what"
        + "".join(rows)
        + "</table>"
        if rows
        else "<p class=good>No findings.</p>",
        "<h2>Path and process</h2>" + pictures(report),
        f"<h2>Program</h2><pre>{''.join(code)}</pre>",
    ]
    head = f"<title>{escape(title)}</title><style>{STYLE}{OWN_STYLE}</style>"
    page = f"<!doctype html><html lang=en><meta charset=utf-8>{head}{''.join(body)}</html>"
    return page + "\n"


OWN_STYLE = """
body{max-width:72rem}.warn{color:#9a6700;font-weight:600}
dl{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;margin:1rem 0}
dt{opacity:.7;font-size:.85rem}
dd{margin:0;font-size:1.3rem;font-variant-numeric:tabular-nums}
pre{overflow:auto;max-height:32rem;border:1px solid var(--line);padding:.5rem}
pre i{opacity:.5;font-style:normal}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:1rem}
figure{margin:0}figcaption{font-weight:600}
svg{width:100%;height:auto;font:11px system-ui,sans-serif}svg text{fill:currentColor;opacity:.75}
@media (prefers-color-scheme:dark){.warn{color:#e3b341}}
"""
