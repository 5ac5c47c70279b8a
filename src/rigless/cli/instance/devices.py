"""`rigless ctl devices` and `set-device`: doors, lifts and conveyors of a layout."""

import json as json_module
from typing import Annotated, Any

import typer

from rigless.cli.instance.control import Api, Token, Url, pairs


def register(ctl: typer.Typer) -> None:
    """Add the commands to `rigless ctl`."""

    @ctl.command()
    def devices(
        json: Annotated[bool, typer.Option("--json", help="Print the JSON of the API.")] = False,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Show the doors, lifts and conveyors of the world, with their states.

        Example:

          rigless ctl devices --json
        """
        found = Api(url, token).call("GET", "/api/world/devices")
        if json:
            typer.echo(json_module.dumps(found, indent=2))
        elif not found:
            typer.echo("this world has no doors, lifts or conveyors")
        else:
            for device in found:
                _show(device)

    @ctl.command("set-device")
    def set_device(
        name: Annotated[
            str, typer.Argument(metavar="NAME", help="Its name, as rigless ctl devices shows it.")
        ],
        word: Annotated[
            str,
            typer.Argument(metavar="KEY=VALUE", help="open, floor or running, with the new value."),
        ],
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Open or close a door, send a lift, or stop and start a lift or a conveyor.

        Examples:

          rigless ctl set-device gate open=true

          rigless ctl set-device lift-1 floor=1

          rigless ctl set-device belt-1 running=false
        """
        given = pairs([word], "running=false")
        if "floor" in given:
            given["floor"] = word.partition("=")[2]
        _show(Api(url, token).call("POST", "/api/world/devices", {"name": name, **given}))


def _show(device: Any) -> None:
    floors = f" (floors {', '.join(device['floors'])})" if device["floors"] else ""
    typer.echo(f"{device['kind']} {device['name']}: {device['state']}{floors}")
