"""`vda5050` of robot_config.json: version, identity, broker, rates and own action types."""

from typing import Annotated, Any, Literal

from pydantic import Field

from rigless.robots.agv.fields import Bucket, Coordinate, Part, Seconds, Text, Truth

LEVEL = r"^[^/+#$\x00]{1,128}$"  # a level of a topic
LEVELS = r"^[^+#$\x00]{0,256}$"
Level = Annotated[str, Field(pattern=LEVEL)]
Blocking = Literal["NONE", "SOFT", "SINGLE", "HARD"]
Scope = Literal["INSTANT", "NODE", "EDGE"]
Qos = Annotated[int, Field(ge=0, le=1)]


class OwnAction(Part):
    """An action type of your own."""

    actionType: Text = Field(description="Its name in orders and instant actions.")
    description: str = Field("", description="For people, in the factsheet.")
    scopes: tuple[Scope, ...] = Field(("NODE",), description="Where it may be used.")
    blockingTypes: tuple[Blocking, ...] = Field(
        ("NONE", "SOFT", "HARD"), description="The blocking types that it allows."
    )
    seconds: Seconds = Field(1.0, description="Its duration, if it has no command.")
    command: str | None = Field(
        None, description="A command of the robot that carries it out, such as SET_OUTPUT."
    )
    params: Bucket = Field({}, description="Parameters of the command.")
    parameters: tuple[Text, ...] = Field((), description="Keys of actionParameters; all optional.")
    result: str | None = Field(None, description="Its result when it has finished.")


class MapEntry(Part):
    """A map that the robot has at boot."""

    mapId: Text = Field(description="Id of the map.")
    mapVersion: Text = Field("1", description="Version of the map.")


class Vda5050(Part):
    """The VDA 5050 front end."""

    version: Literal["2.0.0", "2.1.0", "3.0.0"] = Field(
        "2.1.0", description="Version of VDA 5050 that the robot speaks."
    )
    url: Text = Field(
        "mqtt://127.0.0.1:1883", description="The broker: mqtt://HOST:PORT, or mqtts:// for TLS."
    )
    interfaceName: Level | None = Field(
        None, description="First level of topics; default uagv, and vda5050 for 3.0.0."
    )
    topicPrefix: Annotated[str, Field(pattern=LEVELS)] = Field(
        "", description="Levels before the interface name, such as site/hall."
    )
    manufacturer: Level = Field("rigless", description="Manufacturer in topics and headers.")
    serialNumber: Level | None = Field(None, description="Serial number; default: the robotId.")
    nats: Truth = Field(False, description="Run the NATS front end as well.")
    orderQos: Qos = Field(0, description="Quality of service of the topics that it subscribes to.")
    stateQos: Qos = Field(0, description="Quality of service of state and visualization.")
    user: str = Field("", description="User name at the broker.")
    passwordFile: str = Field("", description="File with the password.")
    caFile: str = Field("", description="CA of the broker, PEM.")
    certFile: str = Field("", description="Certificate of the robot, PEM.")
    keyFile: str = Field("", description="Key of the certificate, PEM.")
    keepAliveS: Annotated[int, Field(ge=1, le=3600)] = Field(
        15, description="Keep-alive interval of the connection."
    )
    stateIntervalS: Annotated[float, Field(gt=0, le=30)] = Field(
        30.0, description="Longest time between two states."
    )
    visualizationHz: Annotated[float, Field(ge=0, le=100)] = Field(
        1.0, description="Rate of visualization; 0: none."
    )
    startDeviationM: Annotated[float, Field(ge=0, le=100)] = Field(
        0.3, description="Distance at which the first node of an order counts as reached."
    )
    maps: tuple[MapEntry, ...] = Field(
        (), description="The maps at boot, all enabled; default: the map of the initial pose."
    )
    actions: tuple[OwnAction, ...] = Field((), description="Action types of your own.")
    loadWeightKg: Coordinate = Field(10.0, description="Weight of a load that it picks up.")

    @property
    def major(self) -> int:
        return int(self.version[0])

    def mqtt(self, client_id: str) -> dict[str, Any]:
        """Return the options of the transport."""
        return {
            "url": self.url,
            "client_id": client_id,
            "user": self.user,
            "password_file": self.passwordFile,
            "ca_file": self.caFile,
            "cert_file": self.certFile,
            "key_file": self.keyFile,
            "keep_alive_s": self.keepAliveS,
        }

    def topic(self, serial: str, name: str) -> str:
        """Return one of the robot's topics."""
        interface = self.interfaceName or ("uagv" if self.major == 2 else "vda5050")
        whole = f"{interface}/v{self.major}/{self.manufacturer}/{serial}/{name}"
        return f"{self.topicPrefix.strip('/')}/{whole}" if self.topicPrefix else whole
