"""Every number of the thermostat, with where it comes from."""

from pydantic import Field

from rigless.kernel.robot import Config


class ThermostatConfig(Config):
    control_hz: float = Field(10.0, gt=0, description="control loop rate")
    report_hz: float = Field(
        1.0, ge=0, description="reports a second to each subscriber; 0 for none"
    )
    heater_w: float = Field(1500.0, gt=0, description="a common radiator")
    heat_capacity_j_per_k: float = Field(
        60_000.0, gt=0, description="air and furniture of a 12 m² room, light"
    )
    loss_w_per_k: float = Field(
        40.0, gt=0, description="walls; an open window multiplies it by window_factor"
    )
    window_factor: float = Field(8.0, ge=1)
    hysteresis_c: float = Field(0.3, ge=0, description="half the switching band")
    start_c: float = 18.0
    setpoint_c: float = Field(20.0, ge=5.0, le=30.0)
    noise_c: float = Field(0.05, ge=0, description="standard deviation of the sensor")
