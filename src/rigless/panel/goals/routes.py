"""API routes of goals: send a robot to a place, ask how it gets on, stop it."""

from fastapi import FastAPI

from rigless.panel.goals.desk import GoalDesks
from rigless.panel.goals.models import GiveGoal, GoalStatus


def add_goal_routes(app: FastAPI, desks: GoalDesks) -> None:
    """Add the routes of this module."""
    path = "/api/robots/{robot}/goal"

    @app.get(path)
    async def goal(robot: str) -> GoalStatus:
        """Return the goal of a robot, and its progress."""
        return desks.of(robot).status()

    @app.post(path)
    async def give(robot: str, body: GiveGoal) -> GoalStatus:
        """Send a robot to a place, by a client that drives over its real port."""
        desk = desks.of(robot)
        await desk.go(body)
        return desk.status()

    @app.delete(path)
    async def stop(robot: str) -> GoalStatus:
        """Stop, and drop the goal."""
        desk = desks.of(robot)
        await desk.stop()
        return desk.status()
