"""The keys of `driver.config`; unknown keys and invalid values are rejected by name."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Address = Annotated[int, Field(ge=0, le=65535)]


class Place(BaseModel):
    """The address of the PLC. Parts with the same address share a connection."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    host: Annotated[str, Field(min_length=1)]
    port: Annotated[int, Field(ge=1, le=65535)] = 502
    timeoutMs: Annotated[int, Field(ge=10, le=60_000)] = 500  # noqa: N815


class MotorSettings(Place):
    unit: Annotated[int, Field(ge=0, le=255)] = 1
    base: Annotated[int, Field(ge=0, le=65520, description="first register of the drive's block")]
    countsPerUnit: Annotated[  # noqa: N815
        float, Field(gt=0, description="counts a metre or radian")
    ] = 10_000.0
    reversed: bool = False


class SignalSettings(Place):
    unit: Annotated[int, Field(ge=0, le=255)] = 1
    address: Address
    inverted: bool = False  # true for a normally closed (1) chain


class DistanceSettings(Place):
    unit: Annotated[int, Field(ge=0, le=255)] = 1
    address: Address
    metresPerCount: Annotated[float, Field(gt=0)] = 0.001  # noqa: N815
    fieldMetres: Annotated[float, Field(ge=0)] = 0.0  # noqa: N815 - protective field
