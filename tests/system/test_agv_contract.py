"""The contract with other tools: AsyncAPI's own schema, and a TypeScript client that is generated.

The tools come from npm: scripts/build-web tools.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from rigless.console import write_files
from rigless.robots.agv.contract.files import contract_files

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "node_modules"
CLIENT = ROOT / "examples" / "agv" / "typescript" / "robot.ts"
NODE = shutil.which("node")
TSC = ("--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom")
USE = """
import { Robot, type Nats } from "./robot.js";
export async function use(nats: Nats): Promise<number | undefined> {
  const robot = new Robot(nats, "agv");
  const ack = await robot.command("MOVE", { x: 1, y: 0 });
  robot.onEvent = (event) => console.log(event.code, event.severity);
  await robot.assign({ taskId: "t", revision: 1, steps: [
    { stepId: "s", type: "WAIT", params: { seconds: 1 } },
  ] });
  return ack.status === "SUCCEEDED" ? robot.state?.pose.x : ack.progress;
}
"""


def run(*words, cwd=ROOT):
    tool = MODULES / words[0]
    assert tool.exists(), f"{tool} is missing: run scripts/build-web tools"
    command = [NODE or "node", tool, *words[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.fixture(scope="module")
def contract(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contract")
    write_files(folder / "contract", contract_files())
    made = run(
        "json-schema-to-typescript/dist/src/cli.js",
        *("-i", folder / "contract" / "messages.schema.json", "-o", folder / "messages.ts"),
        "--no-additionalProperties",
    )
    assert made.returncode == 0, made.stderr
    shutil.copy(CLIENT, folder)
    return folder


def problems(folder, text):
    """Return the errors of the compiler for a program that uses the client."""
    (folder / "use.ts").write_text(text)
    return run("typescript/bin/tsc", *TSC, "use.ts", cwd=folder).stdout


def test_a_generated_typescript_client_compiles(contract):
    assert problems(contract, USE) == ""


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (
            ("{ x: 1, y: 0 }", '{ x: "1", y: 0 }'),
            "Type 'string' is not assignable to type 'number'",
        ),
        (('"MOVE"', '"FLY"'), "FLY"),
        (("pose.x", "pose.z"), "'z' does not exist"),
        (("{ seconds: 1 }", "{}"), "'seconds' is missing"),
        (("event.severity", "event.colour"), "'colour' does not exist"),
    ],
)
def test_a_program_that_breaks_the_contract_does_not_compile(contract, wrong, error):
    assert error in problems(contract, USE.replace(*wrong))


def test_the_asyncapi_document_is_valid(contract):
    theirs = MODULES / "@asyncapi" / "specs" / "schemas" / "3.0.0.json"
    assert theirs.exists(), "run scripts/build-web tools"
    made = json.loads((contract / "contract" / "asyncapi.json").read_text("utf-8"))
    validator = Draft7Validator(json.loads(theirs.read_text("utf-8")))
    validator.validate(made)
    made["operations"]["sendState"]["action"] = "shout"
    assert not validator.is_valid(made)


def test_the_command_writes_the_files_or_prints_asyncapi(tmp_path, run_cli):
    made = run_cli("agv", "schema", "--messages", "--out", tmp_path / "new" / "contract")
    assert (made.returncode, made.stderr) == (0, f"wrote 24 files to {tmp_path}/new/contract\n")
    files = contract_files()
    for name, text in files.items():
        assert (tmp_path / "new" / "contract" / name).read_text("utf-8") == text
    assert run_cli("agv", "schema", "--messages").stdout == files["asyncapi.json"]
    (tmp_path / "file").write_text("")
    refused = run_cli("agv", "schema", "--messages", "--out", tmp_path / "file" / "x")
    assert refused.returncode == 2
    assert "cannot be created: Not a directory (choose another folder)" in refused.stderr
