"""Inspect's own `eval` on games of scripted models."""

from importlib import import_module

import pytest

from tests.clients.record import client
from tests.clients.scripted import NONSENSE, first_legal


@pytest.fixture
def evaluated(tmp_path, monkeypatch):
    """Evaluates a task by its name with a scripted model; its log and the messages of each question."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="not installed; bash bin/test --clients installs it")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    import_module("w51_inspect.tasks")  # an installed package has an entry point for it
    monkeypatch.chdir(tmp_path)
    asked = []

    def evaluate(answer, roles=(), **arguments):
        def respond(messages, *rest):
            asked.append(messages)
            text = answer(messages[-1].text)
            output = ModelOutput(model="scripted") if text is None else ModelOutput.from_content("scripted", text)
            output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
            return output

        def model(name):
            return get_model(f"mockllm/{name}", custom_outputs=respond, memoize=False)

        [log] = inspect_ai.eval(
            "w51_inspect/game",
            model=model("evaluated"),
            model_roles={role: model(role) for role in roles},
            task_args=arguments,
            display="none",
        )
        assert log.status == "success", log.error
        return log, asked

    return evaluate


@client("inspect-ai", "`eval` of whole games: scores by model, roles, logs")
def test_a_scripted_model_plays_whole_games(evaluated):
    log, asked = evaluated(first_legal, players="model,random,heuristic", deals=1, preset="mini")
    assert [sample.id for sample in log.samples] == [f"deal-1-seating-{seat}" for seat in range(3)]
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert set(metrics) == {f"player_0_{name}" for name in ("reward", "won", "refused", "forfeited")}
    assert metrics["player_0_refused"] == metrics["player_0_forfeited"] == 0
    assert all([message.role for message in messages] == ["system", "user"] for messages in asked)
    assert sum(len(sample.messages) for sample in log.samples) == 2 * len(asked) + 3
    seats = [sample.messages[1].text.partition(",")[0] for sample in log.samples]
    assert seats == ["You are Player 0", "You are Player 1", "You are Player 2"]


@client("inspect-ai", "`eval` of whole games: scores by model, roles, logs")
def test_all_players_may_be_models_of_their_own(evaluated):
    log, _ = evaluated(first_legal, ["player_1"], game="alles_futsch_v1", players="model,model", deals=1)
    assert set(log.stats.model_usage) == {"mockllm/evaluated", "mockllm/player_1"}
    for sample in log.samples:
        value = sample.scores["outcome"].value
        assert value["player_0_reward"] + value["player_1_reward"] == pytest.approx(0)


@client("inspect-ai", "`eval` of whole games: scores by model, roles, logs")
def test_a_model_that_names_no_legal_action_is_asked_again_and_loses(evaluated):
    log, asked = evaluated(lambda prompt: NONSENSE, players="model,random,random", deals=1, mistakes=1)
    assert sorted(len(messages) for messages in asked) == [2] * 3 + [4] * 3
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (metrics["player_0_reward"], metrics["player_0_forfeited"], metrics["player_0_refused"]) == (-1, 1, 2)


@client("inspect-ai", "`eval` of whole games: scores by model, roles, logs")
def test_an_output_without_choices_is_an_empty_answer(evaluated):
    log, asked = evaluated(lambda prompt: None, players="model,random,random", deals=1, mistakes=1)
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (metrics["player_0_forfeited"], metrics["player_0_refused"]) == (1, 2)
    assert "the answer is empty" in asked[-1][-1].text
