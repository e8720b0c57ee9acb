"""Settings of self-play that do not fit the game or each other: what is wrong is named before anything is trained."""

import pytest

from tests.agents.networks.selfplay import trainer_of
from w51_env.engine.errors import W51Error

CODE = "tests.agents.networks.outside"


def seats(opponents) -> dict:
    return {"games": [{"num_players": 3, "num_envs": 4, "opponents": opponents}]}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"teacher": "shadr"}, "shadr"),
        (seats({"shader": 3}), "opponents have 3 seats of 3, but one at least must learn"),
        (seats({"shader": 0}), "greater than 0"),
        (seats({"self": 1}), "self has no number of seats"),
        (seats({}), "names of one character or more are needed"),
        (seats("gone.safetensors"), r"gone\.safetensors"),
        ({"kinds_weight": 0.5}, "kinds_weight: the players are self, but games of `self` against others"),
        ({"heuristic_features": True}, r"heuristic features: .* has none"),
        ({"hidden_slices": ["wort"]}, r"hidden_slices: 'wort', but .* has num_players, worth"),
        ({"network_settings": {"width": 3}}, "without `network` there are none"),
        ({"network": "items"}, r"network: .*one_lot.* has no items"),
        ({"network": "recurrent", "network_settings": {"width": 3}}, "'recurrent' cannot be made: TypeError: .*width"),
        (
            {"network": "recurrent", "base_policy": "shader"},
            "a network with `network: recurrent` has none",
        ),
        ({"network": "history", "base_policy": "shader"}, "a network with `network: history` has none"),
        *(
            ({"network": "history", "network_settings": {name: 0}}, f"network_settings.{name}")
            for name in ("events", "heads", "event_width")
        ),
        ({"network": f"{CODE}:Gone"}, f"network '{CODE}:Gone' cannot be made: Attribute"),
        ({"network": f"{CODE}:NoNetwork"}, "NoNetwork is neither a subclass of ActorCritic nor a NetworkForm"),
        ({"network": f"{CODE}:Attention", "network_settings": {"token": 3}}, "unexpected keyword argument 'token'"),
        ({"shaping": f"{CODE}:Gone"}, f"shaping '{CODE}:Gone' cannot be made: Attribute"),
        ({"shaping": f"{CODE}:OneNumber"}, r"shape \(16,\), but finite numbers of shape \(16, 3\)"),
        ({"shaping": f"{CODE}:OwnBid", "gamma": 0.9}, r"selfplay\.shaping: needs gamma=1\.0, but it is 0\.9"),
        ({"shaping": "standing"}, "shaping: 'standing' needs reward=margin, but it is|counts no points before its end"),
    ],
)
def test_what_does_not_fit_is_named(settings, message, tmp_path):
    with pytest.raises(W51Error, match=message):
        trainer_of(tmp_path, **settings)
