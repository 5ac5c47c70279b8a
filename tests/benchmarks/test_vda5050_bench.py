"""A short run of `rigless bench vda5050`: it has its figures, and outages lose no order."""

from .measuring import figures_of


def test_outages_of_the_broker_lose_and_repeat_nothing():
    figures = figures_of("vda5050")
    assert figures["outages"] == {
        "kills": 3,
        "updates_lost": 0,
        "actions_not_finished": 0,
        "actions_repeated": 0,
        "positions_past_the_base": 0,
        "nodes_missed": 0,
    }
    assert figures["order_to_state"]["orders"] == 5
    assert set(figures["fleets"]) == {"2 at 1 Hz", "2 at 10 Hz"}
    assert all(one["states_held"] < 1.3 for one in figures["fleets"].values())
    assert figures["paho_mqtt"]["messages_per_s"] > 0
