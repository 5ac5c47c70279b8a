"""API routes of goals: send a robot to a place, ask how it gets on, stop it."""

from fastapi import FastAPI

from rigless.panel.goals.desk import GoalDesks
from rigless.panel.goals.models import GiveGoal, GoalStatus


def add_goal_routes(app: FastAPI, desks: GoalDesks) -> None:
    """Add the routes of this module."""
    path = "/api/robots/{robot}/goal"

    @app.get(path)
    async def goal(robot: str) -> GoalStatus:
        return desks.of(robot).status()

    @app.post(path)
    async def give(robot: str, body: GiveGoal) -> GoalStatus:
        desk = desks.of(robot)
        await desk.go(body)
        return desk.status()

    @app.delete(path)
    async def stop(robot: str) -> GoalStatus:
        desk = desks.of(robot)
        await desk.stop()
        return desk.status()
