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
        user: Annotated[str, typer.Option(help="The user name at a message broker.")] = "",
        password_file: Annotated[
            str, typer.Option(metavar="F", help="A file with the password at a broker.")
        ] = "",
        creds_file: Annotated[
            str, typer.Option(metavar="F", help="A .creds file or an nkey seed of NATS.")
        ] = "",
        ca_file: Annotated[
            str,
            typer.Option(metavar="F", help="The CA of a broker with TLS."),
        ] = "",
        cert_file: Annotated[
            str, typer.Option(metavar="F", help="A client certificate for a broker.")
        ] = "",
        key_file: Annotated[str, typer.Option(metavar="F", help="Its key.")] = "",
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

          rigless send agv vda5050 --subject 'uagv/#' --user fleet --password-file fleet.pw
        """
        from rigless.cli.instance.send import encode
        from rigless.cli.instance.send import send as send_messages
        from rigless.clients.login import Login

        messages = encode(texts, json, hex_bytes)
        login = Login(user, password_file, creds_file, ca_file, cert_file, key_file)
        send_messages(Api(url, token, robot), robot, port, messages, subject, wait, login)
