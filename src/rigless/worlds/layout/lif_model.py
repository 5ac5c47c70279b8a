"""The keys of a LIF file that rigless reads; others are allowed and ignored.

LIF is the VDMA's Layout Interchange Format, 1.0.0 (March 2024). Names are those of the format.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rigless.worlds.layout.model import Angle, Coordinate, Id, Positive

Text = Annotated[str, Field(max_length=1000)]


class Lif(BaseModel):
    """Base of the tables of a LIF file."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Action(Lif):
    """An action that a robot can carry out on a node."""

    actionType: Text


class NodeProperties(Lif):
    """The properties of a node for one type of vehicle."""

    theta: Angle | None = None
    actions: tuple[Action, ...] = ()


class NodePosition(Lif):
    """The position of a node."""

    x: Coordinate
    y: Coordinate


class LifNode(Lif):
    """A node."""

    nodeId: Id
    nodePosition: NodePosition
    nodeDescription: Text = ""
    vehicleTypeNodeProperties: tuple[NodeProperties, ...] = ()

    @property
    def actions(self) -> set[str]:
        """The types of its actions, for any type of vehicle."""
        return {
            action.actionType
            for properties in self.vehicleTypeNodeProperties
            for action in properties.actions
        }


class EdgeProperties(Lif):
    """The properties of an edge for one type of vehicle."""

    maxSpeed: Positive | None = None
    vehicleOrientation: Angle = 0.0
    orientationType: Literal["GLOBAL", "TANGENTIAL"] = "TANGENTIAL"
    trajectory: dict[str, object] | None = None
    loadRestriction: dict[str, object] | None = None


class LifEdge(Lif):
    """An edge, in its direction of travel."""

    edgeId: Id
    startNodeId: Id
    endNodeId: Id
    vehicleTypeEdgeProperties: tuple[EdgeProperties, ...] = ()


class StationPosition(Lif):
    """The place of a station."""

    x: Coordinate
    y: Coordinate
    theta: Angle = 0.0


class LifStation(Lif):
    """A station."""

    stationId: Id
    interactionNodeIds: Annotated[tuple[Id, ...], Field(min_length=1)]
    stationPosition: StationPosition | None = None


class LifLayout(Lif):
    """One layout: a level of the building, or a part of it."""

    layoutId: Text
    layoutName: Text = ""
    layoutLevelId: Text = ""
    nodes: tuple[LifNode, ...]
    edges: tuple[LifEdge, ...]
    stations: tuple[LifStation, ...] = ()


class MetaInformation(Lif):
    """The origin and the version of the file."""

    projectIdentification: Text = ""
    lifVersion: Text


class LifFile(Lif):
    """A whole LIF file."""

    metaInformation: MetaInformation
    layouts: Annotated[tuple[LifLayout, ...], Field(min_length=1)]
