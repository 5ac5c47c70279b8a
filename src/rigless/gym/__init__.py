"""Gymnasium environments over batches; importing it registers their ids.

import gymnasium, rigless.gym
env = gymnasium.make("rigless/VacuumGoal-v0")
envs = gymnasium.make_vec("rigless/VacuumGoal-v0", 1024, vectorization_mode="vector_entry_point")
"""

try:
    import gymnasium
except ModuleNotFoundError as error:
    text = "rigless.gym needs 'gymnasium', which is not installed: pip install 'rigless[gym]'"
    raise ModuleNotFoundError(text, name="gymnasium") from error

IDS = {  # name → the most steps of an episode
    "VacuumCoverage": 1500,
    "VacuumGoal": 300,
    "RoverWaypoint": 400,
    "PacbotMatch": 1500,
}

for _name, _steps in IDS.items():
    gymnasium.register(
        id=f"rigless/{_name}-v0",
        entry_point="rigless.gym.single:RobotEnv",
        vector_entry_point="rigless.gym.vector:RobotVectorEnv",
        max_episode_steps=_steps,
        kwargs={"task": _name},
    )

__all__ = ["IDS"]
