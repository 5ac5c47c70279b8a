"""The options and the help of `rigless send`."""

from typing import Annotated

import typer

from rigless.cli.instance.control import Api, Token, Url


def register(app: typer.Typer) -> None:
    """Add the command to `rigless`."""

    @app.command()
    def send(
        robot: Annotated[str, typer.Argument(metavar="ROBOT", help="Its name.")],
        port: Annotated[str, typer.Argument(metavar="PORT", help="The name of its port.")],
        texts: Annotated[
            list[str], typer.Argument(metavar="TEXT…", help="A line, or a message.")
        ] = [],
        json: Annotated[str | None, typer.Option(metavar="JSON", help="Send JSON.")] = None,
        hex_bytes: Annotated[
            str | None, typer.Option("--hex", metavar="BYTES", help="Send bytes in hexadecimal.")
        ] = None,
        subject: Annotated[
            str, typer.Option(help="The subject on a message broker, or the ROS topic.")
        ] = "",
        wait: Annotated[
            float,
            typer.Option(metavar="S", min=0.01, max=3600, help="Wait this long for an answer."),
        ] = 2.0,
        url: Url = None,
        token: Token = None,
    ) -> None:
        """Send one message to a running robot over its real port, and print the answer.

        Each TEXT is a line on TCP, UDP and a pseudo terminal, else a message. Without a message it
        prints what the port sends within the time of --wait.

        Examples:

          rigless send thermostat line GET "SET 24"

          rigless send welder grbl '?'

          rigless send pacbot commands --json '{"command": "stop", "id": 3}'

          rigless send rover dds --subject /cmd_vel --json '{"linear": {"x": 0.5}}'

          rigless send agv nats --subject 'robot.agv.>' --wait 5
        """
        from rigless.cli.instance.send import encode
        from rigless.cli.instance.send import send as send_messages

        messages = encode(texts, json, hex_bytes)
        send_messages(Api(url, token, robot), robot, port, messages, subject, wait)
