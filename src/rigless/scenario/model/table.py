"""The base of the tables of a scenario file, and the types of their keys."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
Name = Annotated[str, Field(pattern=NAME, max_length=64)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]


class Table(BaseModel):
    """A table whose unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
