"""Every number of the thermostat, with its source."""

from pydantic import Field

from rigless.kernel.robot import Config


class ThermostatConfig(Config):
    control_hz: float = Field(10.0, gt=0, le=10_000, description="rate of the control loop")
    report_hz: float = Field(
        1.0, ge=0, le=10_000, description="reports a second per subscriber; 0: none"
    )
    heater_w: float = Field(1500.0, gt=0, description="a common radiator")
    heat_capacity_j_per_k: float = Field(
        60_000.0, gt=0, description="air and light furniture of a 12 m² room"
    )
    loss_w_per_k: float = Field(40.0, gt=0, description="through walls and a closed window")
    window_factor: float = Field(8.0, ge=1, description="an open window multiplies the loss by it")
    hysteresis_c: float = Field(0.3, ge=0, description="half of the switching band")
    start_c: float = Field(18.0, description="room temperature at the start")
    setpoint_c: float = Field(20.0, ge=5.0, le=30.0, description="setpoint at the start")
    noise_c: float = Field(0.05, ge=0, description="standard deviation of the sensor")
